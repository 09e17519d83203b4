package io.holdfast.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;

/**
 * Looks at the beans as they are made: an annotation that would have no effect, or a wrong one, fails the start, and not a
 * call. Puts the fence inside of the transaction, where no order of advice could put it.
 */
final class LockedBeans implements BeanPostProcessor, SmartInitializingSingleton {
    private static final String TRANSLATION =
            "org.springframework.dao.annotation.PersistenceExceptionTranslationAdvisor";

    private final ConfigurableListableBeanFactory beans;
    private final ObjectProvider<LockedMethods> methods;
    private final ObjectProvider<ActiveTransactions> transactions;
    private final Set<Class<?>> without = ConcurrentHashMap.newKeySet();
    /** Beans that are not behind a proxy, or not yet: where beans need each other, that is put before them later. */
    private final Map<String, Class<?>> bare = new ConcurrentHashMap<>();

    /** Those with groups, whose client is asked when all beans are there; it may need them itself. */
    private final Set<LockedMethod> grouped = ConcurrentHashMap.newKeySet();

    private volatile boolean started;

    LockedBeans(
            ConfigurableListableBeanFactory beans,
            ObjectProvider<LockedMethods> methods,
            ObjectProvider<ActiveTransactions> transactions) {
        this.beans = beans;
        this.methods = methods;
        this.transactions = transactions;
    }

    /** Before Spring fails to make a subclass, and says so in words of its own. */
    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        Class<?> type = bean.getClass();
        if (Modifier.isFinal(type.getModifiers())
                && !Proxy.isProxyClass(type)
                && AnnotationUtils.isCandidateClass(type, Locked.class)
                && (type.getInterfaces().length == 0 || methods.getObject().ofClasses())) {
            List<LockedMethod> found = find(type);
            if (!found.isEmpty()) {
                throw found.get(0)
                        .wrong(
                                "its class is final" + (type.isRecord() ? ", as records are" : "")
                                        + ": Spring puts the lock around the method through a subclass",
                                "Make the class not final (in Kotlin with the compiler's plugin for Spring), or call it"
                                        + " through an interface, with spring.aop.proxy-target-class=false");
            }
        }
        return bean;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = ClassUtils.getUserClass(AopUtils.getTargetClass(bean));
        if (bean instanceof AopInfrastructureBean
                || without.contains(type)
                || !AnnotationUtils.isCandidateClass(type, Locked.class)) {
            return bean;
        }
        List<LockedMethod> found = find(type);
        if (found.isEmpty()) {
            without.add(type);
        } else if (!AopUtils.isAopProxy(bean)) {
            bare.put(beanName, type);
        } else {
            complete(bean, type, found);
        }
        return bean;
    }

    @Override
    public void afterSingletonsInstantiated() {
        var unused = methods.getObject().executor(); // which is refused now, and not by the first call
        bare.forEach((name, type) -> {
            Object bean = beans.containsSingleton(name) ? beans.getSingleton(name) : null;
            List<LockedMethod> found = find(type);
            if (bean == null || !AopUtils.isAopProxy(bean)) {
                throw found.get(0)
                        .wrong(
                                "is called without the lock: the bean '" + name + "' is not behind a proxy of Spring",
                                "Spring made this bean too early to put a proxy around it, or the bean is no singleton:"
                                        + " move the method to a bean of its own");
            }
            complete(bean, type, found);
        });
        bare.clear();
        started = true;
        grouped.forEach(this::requireGroups);
        grouped.clear();
    }

    private void requireGroups(LockedMethod method) {
        LockedMethods all = methods.getObject();
        method.requireGroups(all.client(method));
    }

    private List<LockedMethod> find(Class<?> type) {
        List<LockedMethod> found = new ArrayList<>();
        for (Class<?> at = type; at != null && at != Object.class; at = at.getSuperclass()) {
            for (Method method : declaredMethods(at)) {
                find(method, type, found);
            }
        }
        for (Class<?> each : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            for (Method method : declaredMethods(each)) {
                if (method.isDefault()) {
                    find(method, type, found);
                }
            }
        }
        return found;
    }

    private void find(Method method, Class<?> type, List<LockedMethod> found) {
        if (!method.isSynthetic() && AnnotatedElementUtils.hasAnnotation(method, Locked.class)) {
            LockedMethod one = methods.getObject().of(method, type);
            if (one != null) {
                found.add(one);
            }
        }
    }

    private static Method[] declaredMethods(Class<?> type) {
        try {
            return type.getDeclaredMethods();
        } catch (LinkageError e) {
            return new Method[0]; // it names what is not there: nobody can call that
        }
    }

    private void complete(Object bean, Class<?> type, List<LockedMethod> found) {
        if (!(bean instanceof Advised advised)) {
            return; // it is a proxy, and says no more of itself
        }
        translateOutside(advised);
        int locks = -1;
        int begins = -1;
        Advisor[] advisors = advised.getAdvisors();
        for (int i = 0; i < advisors.length; i++) {
            locks = advisors[i] instanceof LockedAdvisor ? i : locks;
            begins = transactions.getObject().isOf(advisors[i]) ? i : begins;
        }
        if (locks < 0) {
            throw found.get(0)
                    .wrong(
                            "is called without the lock: the bean's proxy does not contain Holdfast's advice",
                            "Let Spring make the proxy");
        }
        for (LockedMethod method : found) {
            boolean begun = transactions.getObject().isBegun(method.method, type);
            if (begun && begins >= 0 && begins < locks) {
                throw method.wrong(
                        "its transaction is outside of the lock, and would commit after the release",
                        "Set holdfast.annotations.order to less than the order of transactions, or leave both at"
                                + " their defaults");
            }
            if (method.fenced && !begun) {
                throw method.wrong("is fenced, and begins no transaction", "Add @Transactional, or remove fenced");
            }
            if (!method.client.isEmpty() && !beans.containsBean(method.client)) {
                throw method.wrong("names the client '" + method.client + "', which is no bean", "Correct the name");
            }
            if (method.hasGroup() && started) {
                requireGroups(method);
            } else if (method.hasGroup()) {
                grouped.add(method);
            }
        }
        if (found.stream().anyMatch(method -> method.fenced)) {
            advised.addAdvisor(new DefaultPointcutAdvisor(fence(found.get(0))));
        }
    }

    /** What translates the exceptions of repositories is to be asked about locks, too. */
    private static void translateOutside(Advised advised) {
        for (Advisor each : advised.getAdvisors()) {
            if (each.getClass().getName().equals(TRANSLATION)) {
                advised.removeAdvisor(each);
                advised.addAdvisor(0, each);
            }
        }
    }

    private MethodInterceptor fence(LockedMethod method) {
        ClassLoader classes = beans.getBeanClassLoader();
        if (!isPresent("io.holdfast.fencing.JdbcFence", classes)
                || !isPresent("org.springframework.jdbc.datasource.DataSourceUtils", classes)) {
            throw method.wrong(
                    "is fenced, but the libraries for fencing are missing",
                    "Add io.holdfast:holdfast-fencing and org.springframework:spring-jdbc");
        }
        return new FenceInterceptor(beans, methods.getObject());
    }

    private static boolean isPresent(String type, @Nullable ClassLoader classes) {
        return ClassUtils.isPresent(type, classes);
    }
}
