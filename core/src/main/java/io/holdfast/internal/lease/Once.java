package io.holdfast.internal.lease;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Something that is to be done once, by the first of several that may come to it. An error leaves it to be done: the next that comes
 * does it from its beginning, so that to do a part of it twice must be harmless. Any thread.
 */
public final class Once {
    private final AtomicBoolean taken = new AtomicBoolean();

    /** Does it, unless another does or has done it; whether this call has. */
    public boolean run(Runnable step) {
        if (!taken.compareAndSet(false, true)) {
            return false;
        }
        try {
            step.run();
            return true;
        } catch (RuntimeException | Error e) {
            taken.set(false);
            throw e;
        }
    }

    /** From now on nobody does it; whether nobody had come yet. */
    public boolean skip() {
        return taken.compareAndSet(false, true);
    }
}
