package io.holdfast.spring;

import io.micrometer.observation.ObservationRegistry;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.EnvironmentAware;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.function.SingletonSupplier;

/** Methods with {@link Locked}, {@link RunsOnce} and {@link DoneOnce}. */
@AutoConfiguration(
        after = HoldfastAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration"
        })
@ConditionalOnProperty(
        prefix = "holdfast",
        name = {"enabled", "annotations.enabled"},
        matchIfMissing = true)
@Import({LockedAutoConfiguration.Proxies.class, JacksonConverters.Jackson3.class, JacksonConverters.Jackson2.class})
class LockedAutoConfiguration {
    private static final String REGISTRY = "io.micrometer.observation.ObservationRegistry";
    private static final String LISTENER = "org.springframework.transaction.TransactionExecutionListener";

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedMethods holdfastLockedMethods(ListableBeanFactory beans, Environment environment) {
        return new LockedMethods(beans, environment);
    }

    /** Made before all other beans, and so it may not have the properties made: only its order is needed by then. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedAdvisor holdfastLockedAdvisor(
            LockedMethods methods,
            ActiveTransactions transactions,
            WaitObserver observer,
            ObjectProvider<HoldfastProperties> properties,
            Environment environment) {
        int order = environment.getProperty(
                "holdfast.annotations.order", Integer.class, HoldfastProperties.Annotations.ORDER);
        return new LockedAdvisor(new LockedInterceptor(methods, properties::getObject, transactions, observer), order);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static LockedBeans holdfastLockedBeans(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockedMethods> methods,
            ObjectProvider<ActiveTransactions> transactions) {
        return new LockedBeans(beans, methods, transactions);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = LISTENER)
    static class WithTransactions {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static ActiveTransactions holdfastTransactions() {
            return new SpringTransactions();
        }

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static SpringTransactions.CommitGuard holdfastCommitGuard() {
            return new SpringTransactions.CommitGuard();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(LISTENER)
    static class WithoutTransactions {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static ActiveTransactions holdfastTransactions() {
            return ActiveTransactions.NONE;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = REGISTRY)
    static class WithObservations {
        /** Asks for the registry with the first call: this is made before all other beans. */
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static WaitObserver holdfastWaits(ObjectProvider<ObservationRegistry> registries) {
            return new WaitObservations(
                    SingletonSupplier.of(() -> registries.getIfUnique(() -> ObservationRegistry.NOOP)));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingClass(REGISTRY)
    static class WithoutObservations {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static WaitObserver holdfastWaits() {
            return WaitObserver.NONE;
        }
    }

    /** Has proxies made also where nothing else has: of classes, as Boot does, unless it is told otherwise. */
    static final class Proxies implements ImportBeanDefinitionRegistrar, EnvironmentAware {
        private Environment environment = new StandardEnvironment();

        @Override
        public void setEnvironment(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            AopConfigUtils.registerAutoProxyCreatorIfNecessary(registry);
            if (environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true)) {
                AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(registry);
            }
        }
    }
}
