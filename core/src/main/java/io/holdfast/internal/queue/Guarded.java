package io.holdfast.internal.queue;

import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.Mending;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** State that one lock guards. What has to be said to others is said after the lock was given back. */
abstract class Guarded {
    final ReentrantLock lock = new ReentrantLock();
    final Mending mending;

    Guarded(Kit kit) {
        this.mending = new Mending(kit, this::mend);
    }

    /** After an error: whatever it has left half done goes on. Changes nothing that is as it should be. */
    abstract void mend();

    <T> T under(Supplier<T> look) {
        lock.lock();
        try {
            return look.get();
        } finally {
            lock.unlock();
        }
    }

    /** Something happens: what follows from it is found out under the lock, and done after it. */
    void on(Supplier<Runnable> event) {
        mending.doing(() -> under(event).run());
    }
}
