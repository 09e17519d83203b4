package io.holdfast.internal.queue;

import io.holdfast.internal.lease.Kit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * State that one lock guards. What has to be said to others is said after the lock was given back. An error on the way, such as a
 * shortage of memory at any line, may leave a part undone: it is passed on, and a moment later the thread of the timers mends the state.
 */
public abstract class Guarded {
    protected final Kit kit;
    protected final ReentrantLock lock = new ReentrantLock();
    private Runnable untold = Guarded::nothing; // guarded by lock

    protected Guarded(Kit kit) {
        this.kit = kit;
    }

    /** Goes on with whatever an error has left half done. Changes nothing that is as it should be. */
    protected abstract void mend();

    protected final void mendLater() {
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
    protected final Runnable tellSurely(Runnable tell) {
        Runnable before = untold;
        Runnable all = () -> {
            before.run();
            tell.run();
        };
        untold = all;
        return () -> tell(all);
    }

    /** One after the other, the second also after an error of the first: nothing else would do it. */
    protected static Runnable then(Runnable first, Runnable second) {
        return () -> {
            try {
                first.run();
            } finally {
                second.run();
            }
        };
    }

    private static void nothing() {}

    private void tell(Runnable all) {
        all.run();
        under(() -> untold = untold == all ? Guarded::nothing : untold);
    }

    protected final <T> T under(Supplier<T> look) {
        lock.lock();
        try {
            return look.get();
        } finally {
            lock.unlock();
        }
    }

    /** Something happens: what follows from it is found out under the lock, and done after it. */
    protected final void on(Supplier<Runnable> event) {
        mended(() -> {
            under(event).run();
            return null;
        });
    }

    /** Done after something has happened. */
    protected final void after(Runnable step) {
        mended(() -> {
            step.run();
            return null;
        });
    }

    /** Does something, and lets the state be mended if that fails. */
    protected final <T extends @Nullable Object> T mended(Supplier<T> step) {
        try {
            return step.get();
        } catch (RuntimeException | Error e) {
            mendLater();
            throw e;
        }
    }
}
