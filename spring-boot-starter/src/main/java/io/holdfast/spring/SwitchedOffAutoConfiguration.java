package io.holdfast.spring;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Says in the log what would not be seen otherwise: that annotated methods run without locks. */
@AutoConfiguration
class SwitchedOffAutoConfiguration {
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    @Bean
    @ConditionalOnProperty(prefix = "holdfast", name = "enabled", havingValue = "false")
    static SmartInitializingSingleton holdfastSwitchedOff() {
        return () -> LOG.log(
                System.Logger.Level.WARNING,
                "holdfast.enabled is false: there is no client, and methods with @Locked, @RunsOnce or @DoneOnce run without locks");
    }

    @Bean
    @ConditionalOnProperty(prefix = "holdfast.annotations", name = "enabled", havingValue = "false")
    static SmartInitializingSingleton holdfastAnnotationsOff() {
        return () -> LOG.log(
                System.Logger.Level.WARNING,
                "holdfast.annotations.enabled is false: methods with @Locked, @RunsOnce or @DoneOnce run without locks");
    }
}
