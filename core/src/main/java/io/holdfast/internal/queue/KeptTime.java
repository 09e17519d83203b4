package io.holdfast.internal.queue;

import java.time.Duration;

/** How long a {@link LocalLine} has kept a hold without a lease, and whether a timer looks at that. Guarded by the lock of the line. */
final class KeptTime {
    final boolean keeps; // at all
    private final long mostNanos;
    private long sinceNanos;
    private boolean timed;

    /** @param most for how long it is kept */
    KeptTime(Duration most) {
        this.keeps = !most.isZero();
        this.mostNanos = most.toNanos();
    }

    void since(long now) {
        sinceNanos = now;
    }

    long left(long now) {
        return mostNanos - (now - sinceNanos);
    }

    /** A timer is to be set; false if there is one. */
    boolean begin() {
        boolean first = !timed;
        timed = true;
        return first;
    }

    /** The timer has come. */
    void over() {
        timed = false;
    }
}
