package io.holdfast.spring;

import io.holdfast.Holdfast;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health, meters and the endpoint {@code locks}, where the application has Boot's actuator. */
@AutoConfiguration(after = HoldfastAutoConfiguration.class)
@ConditionalOnProperty(prefix = "holdfast", name = "enabled", matchIfMissing = true)
class ObservedAutoConfiguration {
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
    @ConditionalOnSingleCandidate(Holdfast.class)
    @ConditionalOnProperty(name = "management.health.holdfast.enabled", matchIfMissing = true)
    static class InBoot3 {
        @Bean
        @ConditionalOnMissingBean(name = "holdfastHealthIndicator")
        static HealthOfBoot3 holdfastHealthIndicator(Holdfast holdfast) {
            return new HealthOfBoot3(holdfast);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
    @ConditionalOnSingleCandidate(Holdfast.class)
    @ConditionalOnProperty(name = "management.health.holdfast.enabled", matchIfMissing = true)
    static class InBoot4 {
        @Bean
        @ConditionalOnMissingBean(name = "holdfastHealthIndicator")
        static HealthOfBoot4 holdfastHealthIndicator(Holdfast holdfast) {
            return new HealthOfBoot4(holdfast);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(
            name = {"io.micrometer.core.instrument.MeterRegistry", "io.holdfast.micrometer.HoldfastMetrics"})
    @ConditionalOnBean(Holdfast.class)
    @ConditionalOnProperty(name = "holdfast.metrics.enabled", matchIfMissing = true)
    static class Meters {
        @Bean
        @ConditionalOnMissingBean(type = "io.holdfast.micrometer.HoldfastMetrics")
        static HoldfastMeters holdfastMeters(HoldfastProperties properties, ObjectProvider<Holdfast> clients) {
            return new HoldfastMeters(properties.metrics().lockTag(), clients);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(
            name = "org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint")
    @ConditionalOnSingleCandidate(Holdfast.class)
    static class Endpoints {
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class)
        static LocksEndpoint holdfastLocksEndpoint(Holdfast holdfast) {
            return new LocksEndpoint(holdfast);
        }

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnBean(LocksEndpoint.class)
        @ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class, exposure = EndpointExposure.WEB)
        static LocksWebEndpoint holdfastLocksWebEndpoint(LocksEndpoint locks) {
            return new LocksWebEndpoint(locks);
        }
    }
}
