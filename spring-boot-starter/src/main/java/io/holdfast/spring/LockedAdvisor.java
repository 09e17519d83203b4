package io.holdfast.spring;

import java.lang.reflect.Method;
import org.springframework.aop.support.StaticMethodMatcherPointcutAdvisor;

/** Puts the interceptor around every method with an annotation. */
final class LockedAdvisor extends StaticMethodMatcherPointcutAdvisor {
    private static final long serialVersionUID = 1L;

    LockedAdvisor(LockedInterceptor interceptor, int order) {
        setAdvice(interceptor);
        setOrder(order);
    }

    @Override
    public boolean matches(Method method, Class<?> targetClass) {
        return LockedMethods.has(method, targetClass);
    }
}
