package io.holdfast.internal.lease;

import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.jspecify.annotations.Nullable;

/**
 * How long a lock rests after the release of a hold: taken, by nobody. As long as either says.
 *
 * @param sinceGrant counted by the server from when it granted the hold
 * @param asked counted from when the caller asked for it
 * @param askedNanos when that was, by the client's clock; meaningful if something was asked
 * @param done the actor's label of a record that the rest is; null if it is none
 */
public record Rest(
        Duration sinceGrant,
        Duration asked,
        long askedNanos,
        @Nullable String done) {
    public static final Rest NONE = ofGrant(Duration.ZERO);

    /** Of one hold: what its options say, and what was asked of its leases. */
    public static final class Wanted {
        private static final AtomicReferenceFieldUpdater<Wanted, Rest> MOST =
                AtomicReferenceFieldUpdater.newUpdater(Wanted.class, Rest.class, "most");
        private static final AtomicIntegerFieldUpdater<Wanted> USERS =
                AtomicIntegerFieldUpdater.newUpdater(Wanted.class, "users");

        private volatile Rest most;
        private volatile int users; // callers that have leases of it, or have had some
        private final Duration delay; // after a loss

        Wanted(LockOptions options) {
            this.most = options.minHold().isZero() ? NONE : ofGrant(options.minHold());
            this.delay = options.lockDelay();
        }

        /** After a loss: the lock-delay; and what was asked for besides, if that is because the client was closed. */
        public Rest afterLoss(LossReason reason, long now) {
            if (reason == LossReason.CLIENT_CLOSED) {
                ask(delay, now);
                return get();
            }
            boolean gone = reason == LossReason.NOT_ON_SERVER || reason == LossReason.REVOKED;
            return gone || users <= 0 ? NONE : new Rest(Duration.ZERO, delay, now, null);
        }

        /** Asks for so long from now; never for less than was asked before. */
        public void ask(Duration asked, long now) {
            ask(asked, now, null);
        }

        /** The same for a record, as an actor's label has it. */
        public void ask(Duration asked, long now, @Nullable String done) {
            if (!asked.isZero()) {
                MOST.updateAndGet(this, before -> before.and(new Rest(Duration.ZERO, asked, now, done)));
            }
        }

        /** Whether one of its leases has asked. */
        public boolean isAsked() {
            return !most.asked.isZero();
        }

        /** One caller more, or by -1 one less, has a lease of it. What no caller has had leaves no rest: nothing was done under it. */
        void used(int change) {
            USERS.addAndGet(this, change);
        }

        /** None if no caller has had a lease of it: nothing was done under it. */
        public Rest get() {
            return users > 0 ? most : NONE;
        }
    }

    private static Rest ofGrant(Duration sinceGrant) {
        return new Rest(sinceGrant, Duration.ZERO, 0, null);
    }

    public boolean isNone() {
        return sinceGrant.isZero() && asked.isZero();
    }

    /**
     * What is left of what was asked. A release that is sent again asks for no more than that: however often it is sent, the
     * rest is not prolonged by it.
     */
    public Duration left(long now) {
        return asked.isZero() ? asked : Duration.ofNanos(Math.max(0, endNanos() - now));
    }

    /** How long it goes on from now, in nanoseconds, if the hold was granted then. */
    public long until(long grantedNanos, long now) {
        return Math.max(grantedNanos + sinceGrant.toNanos() - now, left(now).toNanos());
    }

    private long endNanos() {
        return askedNanos + asked.toNanos();
    }

    /** As long as both say. */
    Rest and(Rest other) {
        boolean mine = other.asked.isZero() || (!asked.isZero() && endNanos() - other.endNanos() >= 0);
        Rest later = mine ? this : other;
        Duration grant = sinceGrant.compareTo(other.sinceGrant) >= 0 ? sinceGrant : other.sinceGrant;
        return new Rest(grant, later.asked, later.askedNanos, later.done);
    }
}
