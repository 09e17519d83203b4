package sample;

import io.holdfast.Holdfast;
import io.micronaut.aop.InterceptorBean;
import io.micronaut.aop.MethodInterceptor;
import io.micronaut.aop.MethodInvocationContext;
import jakarta.inject.Singleton;
import java.util.Map;
import java.util.concurrent.CancellationException;

/** Runs methods with {@link Locked} under their locks. */
@Singleton
@InterceptorBean(Locked.class)
class LockedInterceptor implements MethodInterceptor<Object, Object> {
    private final Holdfast holdfast;

    LockedInterceptor(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    @Override
    public Object intercept(MethodInvocationContext<Object, Object> call) {
        if (call.getReturnType().isAsyncOrReactive()) {
            throw new IllegalStateException(call + " returns before its work has ended: use callAsync in it");
        }
        String name = call.stringValue(Locked.class).orElseThrow();
        for (Map.Entry<String, Object> each : call.getParameterValueMap().entrySet()) {
            name = name.replace("{" + each.getKey() + "}", String.valueOf(each.getValue()));
        }
        try {
            return holdfast.lock(name).call(lease -> call.proceed());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (CancellationException) new CancellationException(name).initCause(e);
        }
    }
}
