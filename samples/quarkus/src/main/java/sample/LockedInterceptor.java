package sample;

import io.holdfast.Holdfast;
import io.vertx.core.Context;
import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

/** Outside of transactions: the lock is released after the commit. */
@Locked
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE)
class LockedInterceptor {
    private final Holdfast holdfast;

    LockedInterceptor(Holdfast holdfast) {
        this.holdfast = holdfast;
    }

    @AroundInvoke
    Object underTheLock(InvocationContext call) throws Exception {
        if (Context.isOnEventLoopThread()) {
            throw new IllegalStateException(call.getMethod() + " would block an event loop: it needs @Blocking");
        }
        Locked locked = call.getMethod().getAnnotation(Locked.class);
        if (locked == null) {
            locked = call.getMethod().getDeclaringClass().getAnnotation(Locked.class);
        }
        return holdfast.lock(locked.value()).call(lease -> call.proceed());
    }
}
