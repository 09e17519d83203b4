package io.holdfast.spring;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;

/** Says in the log what would not be seen otherwise: that annotated methods run without locks. */
@AutoConfiguration
@ConditionalOnProperty(prefix = "holdfast", name = "enabled", havingValue = "false")
class SwitchedOffAutoConfiguration {
    private static final System.Logger LOG = System.getLogger("io.holdfast");

    @Bean
    static SmartInitializingSingleton holdfastSwitchedOff() {
        return () -> LOG.log(
                System.Logger.Level.WARNING,
                "holdfast.enabled is false: there is no client, and methods with @Locked or @RunsOnce run without locks");
    }
}
