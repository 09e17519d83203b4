package io.holdfast.spring;

import io.holdfast.LockNotObtainedException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * A method of the bean that is called in the place of one whose lock was not to be had.
 *
 * @param told whether its last parameter is why
 */
record Fallback(Method method, boolean told) {
    /**
     * Finds it.
     *
     * @param instead of this method
     * @throws IllegalArgumentException if there is none
     */
    static Fallback of(Class<?> type, Method instead, String name) {
        Class<?>[] same = instead.getParameterTypes();
        Class<?>[] more = Arrays.copyOf(same, same.length + 1);
        more[same.length] = LockNotObtainedException.class;
        Method with = ReflectionUtils.findMethod(type, name, more);
        Method found = with == null ? ReflectionUtils.findMethod(type, name, same) : with;
        if (found == null || !ClassUtils.isAssignable(instead.getReturnType(), found.getReturnType())) {
            throw new IllegalArgumentException(
                    "fallback is '" + name + "', but the class has no method of that name that returns "
                            + instead.getReturnType().getTypeName()
                            + " and has the same parameters, with or without a last one of the type"
                            + " LockNotObtainedException");
        }
        found.trySetAccessible();
        return new Fallback(found, with != null);
    }

    @Nullable
    Object call(Object target, @Nullable Object[] arguments, LockNotObtainedException why) throws Exception {
        @Nullable Object[] all = told ? Arrays.copyOf(arguments, arguments.length + 1) : arguments;
        if (told) {
            all[arguments.length] = why;
        }
        try {
            return method.invoke(target, all);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof Exception thrown) {
                throw thrown;
            }
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }
}
