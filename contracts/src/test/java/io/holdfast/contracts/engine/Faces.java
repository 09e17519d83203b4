package io.holdfast.contracts.engine;

import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.internal.client.Client;
import io.holdfast.internal.lease.Engine;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Holding;
import io.holdfast.internal.wire.Keys;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import org.jspecify.annotations.Nullable;

/** What the engine's tests need of public types, and no user does. */
final class Faces {
    private Faces() {}

    /** What a lease has of its hold. */
    static Holding holding(Lease lease) {
        return handle(lease).own;
    }

    /** The hold behind a lease. */
    static Hold hold(Lease lease) {
        return handle(lease).hold;
    }

    private static Handle handle(Lease lease) {
        try {
            Field field = Lease.class.getDeclaredField("handle");
            field.setAccessible(true);
            return (Handle) field.get(lease);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** A lock over an engine that the test has made. */
    static DistributedLock lock(Engine engine, Keys keys, LockOptions options) {
        try {
            Constructor<DistributedLock> constructor = DistributedLock.class.getDeclaredConstructor(
                    Engine.class, Keys.class, LockOptions.class, String.class);
            constructor.setAccessible(true);
            @Nullable String actor = null;
            return constructor.newInstance(engine, keys, options, actor);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** A semaphore of a client that the test has made. */
    static DistributedSemaphore semaphore(Client client, Keys keys, int permits) {
        try {
            Constructor<DistributedSemaphore> constructor = DistributedSemaphore.class.getDeclaredConstructor(
                    Client.class, Keys.class, int.class, LockOptions.class);
            constructor.setAccessible(true);
            return constructor.newInstance(client, keys, permits, LockOptions.defaults());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }
}
