package io.holdfast.internal.queue;

import java.time.Duration;

/**
 * For how long the server may have a hold without renewal, because leases of it were extended: what a lease was extended for is
 * its own, and would keep others out if this client died. Guarded by its line's lock.
 */
final class Extensions {
    private final Duration term;
    private int open; // that may have reached the server, and how late is not known
    private boolean any;
    private long untilNanos; // meaningful if any

    Extensions(Duration term) {
        this.term = term;
    }

    private boolean counts(Duration atLeast) {
        return atLeast.compareTo(term) > 0;
    }

    /** One is about to be asked for. */
    void asked(Duration atLeast) {
        if (counts(atLeast)) {
            open++;
        }
    }

    /** The server has answered: the hold lasts at most so long from now, if nothing was known of it before. */
    void answered(Duration atLeast, long now) {
        if (counts(atLeast)) {
            open--;
            long until = now + atLeast.toNanos();
            untilNanos = any && untilNanos - until > 0 ? untilNanos : until;
            any = true;
        }
    }

    /** Whether the server may hold the lock for more than a term without renewal. */
    boolean outlastTerm(long now) {
        return open > 0 || (any && untilNanos - now > term.toNanos());
    }
}
