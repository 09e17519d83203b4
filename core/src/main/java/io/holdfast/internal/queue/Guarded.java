package io.holdfast.internal.queue;

import io.holdfast.internal.lease.Kit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * State that one lock guards. What has to be said to others is said after the lock was given back. An error on the way, such as a
 * shortage of memory at any line, may leave a part undone: it is passed on, and a moment later the thread of the timers mends the state.
 */
abstract class Guarded {
    final Kit kit;
    final ReentrantLock lock = new ReentrantLock();
    private Runnable untold = Guarded::nothing; // guarded by lock

    Guarded(Kit kit) {
        this.kit = kit;
    }

    /** Goes on with whatever an error has left half done. Changes nothing that is as it should be. */
    abstract void mend();

    final void mendLater() {
        kit.later(() -> {
            tell(under(() -> untold));
            mend();
        });
    }

    /**
     * What others must be told, also after an error: to tell them twice must be harmless. Called under the lock.
     *
     * @return tells them; to be run after the lock was given back
     */
    final Runnable tellSurely(Runnable tell) {
        Runnable before = untold;
        Runnable all = () -> {
            before.run();
            tell.run();
        };
        untold = all;
        return () -> tell(all);
    }

    private static void nothing() {}

    private void tell(Runnable all) {
        all.run();
        under(() -> untold = untold == all ? Guarded::nothing : untold);
    }

    final <T> T under(Supplier<T> look) {
        lock.lock();
        try {
            return look.get();
        } finally {
            lock.unlock();
        }
    }

    /** Something happens: what follows from it is found out under the lock, and done after it. */
    final void on(Supplier<Runnable> event) {
        try {
            under(event).run();
        } catch (RuntimeException | Error e) {
            mendLater();
            throw e;
        }
    }

    final void after(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            mendLater();
            throw e;
        }
    }
}
