package io.holdfast.internal.wire;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Work that is announced once until it begins, however often it is asked for meanwhile. If an error keeps it from being announced, the
 * next that asks announces it. Any thread may ask.
 */
public final class Announced {
    private final AtomicBoolean announced = new AtomicBoolean();

    /** Announces it, unless it is. */
    public void announce(Runnable how) {
        if (!announced.get() && announced.compareAndSet(false, true)) {
            try {
                how.run();
            } catch (RuntimeException | Error e) {
                announced.set(false);
                throw e;
            }
        }
    }

    /** It begins: from now on it may be announced anew. */
    public void begins() {
        announced.set(false);
    }
}
