package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastListener;
import io.holdfast.HoldfastOptions;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;

/** The client of locks, over the application's connection to Redis unless properties say otherwise, and its end. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration",
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration"
        })
@ConditionalOnProperty(prefix = "holdfast", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(HoldfastProperties.class)
@ImportRuntimeHints(HoldfastHints.class)
class HoldfastAutoConfiguration {
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    static Holdfast holdfast(
            HoldfastProperties properties,
            Environment environment,
            ConfigurableListableBeanFactory beans,
            ObjectProvider<HoldfastConnectionDetails> details,
            ObjectProvider<HoldfastListener> listeners,
            ObjectProvider<HoldfastOptionsCustomizer> customizers) {
        HoldfastOptions options = options(properties, environment, listeners, customizers);
        return new Connecting(properties, options, environment, beans, details.getIfAvailable()).connect();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.dao.support.PersistenceExceptionTranslator")
    static class Translating {
        @Bean
        static ExceptionTranslation holdfastExceptionTranslation() {
            return new ExceptionTranslation();
        }
    }

    /** What the application says of its client, but for the place. */
    static HoldfastOptions options(
            HoldfastProperties properties,
            Environment environment,
            ObjectProvider<HoldfastListener> listeners,
            ObjectProvider<HoldfastOptionsCustomizer> customizers) {
        HoldfastOptions options;
        try {
            options = properties.options(environment.getProperty("spring.application.name"));
        } catch (IllegalArgumentException e) {
            throw SetupException.ofProperty(e);
        }
        for (HoldfastListener listener : listeners.orderedStream().toList()) {
            options = options.withListener(listener);
        }
        for (HoldfastOptionsCustomizer customizer : customizers.orderedStream().toList()) {
            options = customizer.customize(options);
        }
        return options;
    }

    @Bean
    static HoldfastLifecycle holdfastLifecycle(
            HoldfastProperties properties, ListableBeanFactory beans, ConfigurableApplicationContext context) {
        return new HoldfastLifecycle(properties.lifecycle().phase(), beans, context);
    }
}
