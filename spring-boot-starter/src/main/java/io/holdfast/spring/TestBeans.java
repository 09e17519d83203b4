package io.holdfast.spring;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastListener;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockInfo;
import io.holdfast.testkit.LeaseControl;
import io.holdfast.testkit.MemoryServer;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.env.Environment;

/** Puts clients of one server in memory in the place of all that are defined. Only loaded where the testkit is there. */
final class TestBeans implements BeanFactoryPostProcessor {
    private static final String CONTROL = "holdfastLeaseControl";

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory factory) {
        DefaultListableBeanFactory beans = (DefaultListableBeanFactory) factory;
        List<String> names = new ArrayList<>(List.of(beans.getBeanNamesForType(Holdfast.class, true, false)));
        if (names.isEmpty()) {
            names.add("holdfast");
        }
        RootBeanDefinition control = new RootBeanDefinition(LeaseControl.class, () -> control(beans));
        control.setDestroyMethodName("close");
        beans.registerBeanDefinition(CONTROL, control);
        for (String name : names) {
            replace(beans, name);
        }
    }

    private static void replace(DefaultListableBeanFactory beans, String name) {
        RootBeanDefinition client = new RootBeanDefinition(
                Holdfast.class, () -> beans.getBean(LeaseControl.class).client());
        client.setDependsOn(CONTROL);
        BeanDefinitionRegistry registry = beans;
        if (registry.containsBeanDefinition(name)) {
            BeanDefinition replaced = registry.getBeanDefinition(name);
            client.setPrimary(replaced.isPrimary());
            client.setAutowireCandidate(replaced.isAutowireCandidate());
            registry.removeBeanDefinition(name);
        }
        registry.registerBeanDefinition(name, client);
    }

    private static LeaseControl control(DefaultListableBeanFactory beans) {
        HoldfastProperties properties =
                beans.getBeanProvider(HoldfastProperties.class).getIfAvailable();
        HoldfastOptions options = properties == null
                ? HoldfastOptions.defaults()
                : HoldfastAutoConfiguration.options(
                        properties,
                        beans.getBean(Environment.class),
                        beans.getBeanProvider(HoldfastListener.class),
                        beans.getBeanProvider(HoldfastOptionsCustomizer.class));
        return LeaseControl.over(MemoryServer.start(), options);
    }

    /** Releases every lock of every kind, and has the connections work again. */
    static void reset(LeaseControl control, Holdfast client) {
        control.reconnect();
        for (LockInfo.Kind kind : LockInfo.Kind.values()) {
            client.admin().of(kind).scanning().releaseAll();
        }
    }
}
