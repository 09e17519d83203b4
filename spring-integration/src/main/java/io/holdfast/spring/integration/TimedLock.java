package io.holdfast.spring.integration;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.LockRegistry;

/**
 * Makes locks {@code DistributedLock}s where that interface is there: it came with Spring Integration 7, so that no class of a jar for 6 and
 * 7 can implement it.
 */
final class TimedLock implements InvocationHandler {
    private static final @Nullable Class<?> INTERFACE = find();

    private final RegistryLock lock;

    private TimedLock(RegistryLock lock) {
        this.lock = lock;
    }

    private static @Nullable Class<?> find() {
        try {
            return Class.forName(
                    "org.springframework.integration.support.locks.DistributedLock",
                    false,
                    LockRegistry.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    static Lock faceOf(RegistryLock lock) {
        return INTERFACE == null
                ? lock
                : (Lock) Proxy.newProxyInstance(
                        INTERFACE.getClassLoader(), new Class<?>[] {INTERFACE}, new TimedLock(lock));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
            throws InterruptedException {
        Object[] given = arguments == null ? new Object[0] : arguments;
        switch (method.getName()) {
            case "lock" -> {
                if (given.length == 0) {
                    lock.lock();
                } else {
                    lock.lock((Duration) given[0]);
                }
            }
            case "lockInterruptibly" -> lock.lockInterruptibly();
            case "tryLock" -> {
                if (given.length == 0) {
                    return lock.tryLock();
                }
                return given[0] instanceof Duration wait
                        ? lock.tryLock(wait, (Duration) given[1])
                        : lock.tryLock((Long) given[0], (TimeUnit) given[1]);
            }
            case "unlock" -> lock.unlock();
            case "newCondition" -> {
                return lock.newCondition();
            }
            case "equals" -> {
                return proxy == given[0];
            }
            case "hashCode" -> {
                return System.identityHashCode(proxy);
            }
            case "toString" -> {
                return lock.toString();
            }
            default -> throw new UnsupportedOperationException(method.toString());
        }
        return null;
    }
}
