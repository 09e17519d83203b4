package io.holdfast.internal.turns;

import io.holdfast.LockOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.queue.Mailboxes;
import io.holdfast.internal.queue.QueueGrant;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The present hold of a {@link LocalLine}: whom it may serve, with which tokens, and for how long the server may have it. Guarded
 * by the lock of the line, but for what is sent, after the lock was given back.
 */
final class Tenure {
    /**
     * For how long the server may have a hold without renewal, because leases of it were extended: what a lease was extended for is
     * its own, and would keep others out if this client died. Guarded by its line's lock.
     */
    static final class Extensions {
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

    final QueueGrant grant;
    final Hold hold;
    final Turn turn;
    final SharedTokens tokens;
    final Extensions extensions;
    private final Kit kit;
    private final LockOptions options;

    Tenure(QueueGrant grant, LockOptions options, int sections) {
        this.grant = grant;
        this.hold = grant.hold();
        this.kit = hold.kit;
        this.options = options;
        long now = kit.nanoTime();
        this.turn = new Turn(options, sections, grant.knownNanos);
        this.tokens = new SharedTokens(grant.token(), grant.tokens(), now);
        this.extensions = new Extensions(options.leaseDuration());
    }

    /** Whether a lease of it is as good as the options ask for. Of a hold with a note, or after which the lock is to rest, there is no other. */
    boolean isGood(long now) {
        return !hold.rest.isAsked()
                && !grant.isNoted()
                && !hold.isRenewalOver()
                && hold.leftNanos(now) > Demand.leastLeft(options).toNanos();
    }

    /** The same, where the server does not have it for longer than a term. */
    boolean mayGoOn(long now) {
        return isGood(now) && !extensions.outlastTerm(now);
    }

    /** Whether the next lease may have a token of its own in a moment, for which this waits. */
    boolean mayDrawSoon(long now) {
        long present = now;
        for (int spins = 0; tokens.hasMore() && spins < SharedTokens.MOST_SPINS && !tokens.mayDraw(present); spins++) {
            Thread.onSpinWait();
            present = kit.nanoTime();
        }
        return tokens.mayDraw(present);
    }

    /**
     * Asks the server whether others wait. A claim is confirmed first, which does not tell: until the next question others are
     * overtaken as if this one was not answered.
     */
    void ask(Mailboxes mailboxes) {
        mailboxes.want(hold.keys()); // from now on a message is worth waiting for
        if (grant.isConfirmed()) {
            grant.question();
            kit.renewals().renew(List.of(hold));
        }
    }

    /** Releases the hold after leases of which the last had this token. */
    CompletableFuture<ReleaseResult> release(long last) {
        grant.lastToken(last);
        return hold.release();
    }
}
