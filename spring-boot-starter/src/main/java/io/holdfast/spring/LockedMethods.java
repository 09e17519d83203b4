package io.holdfast.spring;

import io.holdfast.Holdfast;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanNotOfRequiredTypeException;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.Environment;
import org.springframework.core.task.TaskDecorator;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** The methods with annotations that are known so far, and the clients that they use. */
final class LockedMethods {
    private static final String EXECUTOR = "holdfast.annotations.executor";

    private final ListableBeanFactory beans;
    private final Environment environment;
    private final boolean reactor;
    private final Map<MethodClassKey, Optional<LockedMethod>> known = new ConcurrentHashMap<>();
    private final Supplier<List<TaskDecorator>> decorators;
    private final Supplier<Executor> executor = SingletonSupplier.of(this::namedExecutor);
    private final Map<String, Holdfast> clients = new ConcurrentHashMap<>();

    LockedMethods(ListableBeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
        this.decorators = SingletonSupplier.of(
                () -> beans.getBeanProvider(TaskDecorator.class).orderedStream().toList());
        this.reactor = ClassUtils.isPresent("reactor.core.publisher.Flux", LockedMethods.class.getClassLoader());
    }

    /** Whether a method of a class, or one that it overrides or implements, has an annotation. */
    static boolean has(Method method, Class<?> type) {
        return AnnotatedElementUtils.hasAnnotation(AopUtils.getMostSpecificMethod(method, type), Locked.class)
                || AnnotatedElementUtils.hasAnnotation(method, Locked.class);
    }

    /**
     * What is said of a method of a class; null if nothing is.
     *
     * @throws SetupException if it means nothing
     */
    @Nullable
    LockedMethod of(Method method, Class<?> type) {
        MethodClassKey key = new MethodClassKey(method, type);
        Optional<LockedMethod> found = known.get(key);
        if (found == null) {
            found = Optional.ofNullable(read(method, type));
            known.put(key, found);
        }
        return found.orElse(null);
    }

    private @Nullable LockedMethod read(Method method, Class<?> type) {
        Method specific = AopUtils.getMostSpecificMethod(method, type);
        Locked annotation = find(Locked.class, specific, method);
        if (annotation == null) {
            return null;
        }
        boolean converts = beans.getBeanNamesForType(ResultConverter.class, true, false).length > 0;
        return new LockedMethod(
                specific,
                type,
                annotation,
                find(RunsOnce.class, specific, method),
                find(DoneOnce.class, specific, method),
                converts ? SingletonSupplier.of(() -> beans.getBean(ResultConverter.class)) : null,
                beans,
                environment::resolveRequiredPlaceholders,
                returned -> reactor && ReactiveLocking.canAdapt(returned),
                coroutines());
    }

    /** As Spring's proxies decide it. */
    private boolean coroutines() {
        ClassLoader classes = beans instanceof ConfigurableBeanFactory factory ? factory.getBeanClassLoader() : null;
        return reactor
                && KotlinDetector.isKotlinReflectPresent()
                && ClassUtils.isPresent("kotlinx.coroutines.reactor.MonoKt", classes);
    }

    private static <A extends Annotation> @Nullable A find(Class<A> type, Method specific, Method method) {
        A annotation = AnnotatedElementUtils.findMergedAnnotation(specific, type);
        return annotation == null ? AnnotatedElementUtils.findMergedAnnotation(method, type) : annotation;
    }

    /** Where methods run that return a stage and are not asynchronous: on threads of the client, or by the executor that is named for it. */
    Executor executor() {
        return executor.get();
    }

    private Executor namedExecutor() {
        String name = environment.getProperty(EXECUTOR, "");
        if (name.isEmpty()) {
            return Runnable::run;
        }
        try {
            return beans.getBean(name, Executor.class);
        } catch (NoSuchBeanDefinitionException | BeanNotOfRequiredTypeException e) {
            throw new SetupException(
                    EXECUTOR + " is '" + name + "', which is no bean of the type " + Executor.class.getName(),
                    "Name such a bean, or leave the property empty: methods then run on threads of the client",
                    e);
        }
    }

    /** What gives a run the context of the present thread, as the application's decorators of tasks do. */
    UnaryOperator<Runnable> context() {
        List<TaskDecorator> all = decorators.get();
        return task -> {
            Runnable decorated = task;
            for (TaskDecorator decorator : all) {
                decorated = decorator.decorate(decorated);
            }
            return decorated;
        };
    }

    /** Whether proxies are subclasses, as Boot has it, also of beans that have interfaces. */
    boolean ofClasses() {
        return environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
    }

    /** How many methods have annotations, of the beans that there are. */
    int count() {
        return (int) known.values().stream().filter(Optional::isPresent).count();
    }

    /** The client of a method. */
    Holdfast client(LockedMethod method) {
        Holdfast present = clients.get(method.client);
        if (present != null) {
            return present;
        }
        Holdfast found;
        try {
            found = method.client.isEmpty()
                    ? beans.getBean(Holdfast.class)
                    : beans.getBean(method.client, Holdfast.class);
        } catch (NoUniqueBeanDefinitionException e) {
            throw method.wrong(
                    "does not say which of several clients it uses: " + e.getBeanNamesFound(),
                    "Name one of them with client, or mark one as @Primary");
        }
        clients.put(method.client, found);
        return found;
    }
}
