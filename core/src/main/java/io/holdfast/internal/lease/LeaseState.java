package io.holdfast.internal.lease;

import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Whether a lease is held, and until when, for threads that meet there. Pure: time is an argument, and nothing is called.
 *
 * <p>Active from its creation, it ends once, by whoever is first with {@link #endAs} or {@link #release}. Its deadline moves
 * to later times, and no more once it has passed; or to earlier ones, where the server's clock has run ahead. Whoever sees it {@linkplain #passed passed} ends the lease before
 * telling so: then nothing that comes later makes a lease valid that somebody has seen invalid.
 */
public final class LeaseState {
    // Fields and not objects of their own: of a hundred thousand leases each has to be fetched from memory to be
    // renewed.
    private static final AtomicLongFieldUpdater<LeaseState> DEADLINE =
            AtomicLongFieldUpdater.newUpdater(LeaseState.class, "deadline");
    private static final AtomicReferenceFieldUpdater<LeaseState, @Nullable End> END =
            AtomicReferenceFieldUpdater.newUpdater(LeaseState.class, End.class, "end");
    private static final AtomicIntegerFieldUpdater<LeaseState> ENTRIES =
            AtomicIntegerFieldUpdater.newUpdater(LeaseState.class, "entries");

    /** Timers are not so late where a process runs. */
    private static final long STOOD_STILL_NANOS = 500_000_000L;

    /** The deadline of a lease that has none. */
    public static final long NEVER = Long.MIN_VALUE;

    /** How a lease ends: lost if there is a reason. Each is itself and no other: whoever has set it can go on after an error. */
    public static final class End {
        private static final End RELEASE = new End(false, null);

        private final boolean handedOver;
        private final @Nullable LossReason reason;

        private End(boolean handedOver, @Nullable LossReason reason) {
            this.handedOver = handedOver;
            this.reason = reason;
        }

        public static End lost(LossReason reason) {
            return new End(false, reason);
        }

        /** It goes on as another, perhaps in another process. */
        public static End handedOver() {
            return new End(true, null);
        }
    }

    /**
     * Written by a release before its request leaves, and read when a lease begins, which is after the server has granted
     * it: so what was done under the one lease happens-before what is done under the next in this JVM, also where the
     * grant comes on another connection, or to another client, than the release went. The value does not matter.
     */
    private static volatile boolean released;

    public final long grantedNanos;
    private final boolean renewed;
    private final @Nullable Duration longest;
    private final boolean endless;
    private volatile long deadline;
    private volatile @Nullable End end;
    /** How often its actor has entered and not left. */
    private volatile int entries = 1;

    /** @param longest how long it is renewed at most; null if for ever */
    public LeaseState(long deadline, long grantedNanos, boolean renewed, @Nullable Duration longest) {
        this.deadline = deadline;
        this.endless = deadline == NEVER;
        this.grantedNanos = grantedNanos;
        this.renewed = renewed;
        this.longest = longest;
        boolean unused = released; // read for its effect alone
    }

    public boolean active() {
        return end == null;
    }

    /** Why it was lost; null while active and after any other end. */
    public @Nullable LossReason lossReason() {
        End how = end;
        return how == null ? null : how.reason;
    }

    /** Ends it; whether it has ended by this, also if an earlier call with the same has done so. */
    public boolean endAs(End how) {
        if (how.handedOver) {
            released = true;
        }
        return END.compareAndSet(this, null, how) || end == how;
    }

    /** Whether this call has ended it. */
    public boolean release() {
        released = true;
        return END.compareAndSet(this, null, End.RELEASE);
    }

    boolean isHandedOver() {
        End how = end;
        return how != null && how.handedOver;
    }

    // ---- time

    /** Whether nobody has ended it although its time is over. */
    boolean passed(long now) {
        return active() && !endless && deadline - now <= 0;
    }

    /** Zero once it has ended. */
    Duration remaining(long now) {
        if (!active()) {
            return Duration.ZERO;
        }
        return endless ? Require.LONGEST : Duration.ofNanos(Math.max(0, deadline - now));
    }

    /** Whether it has no deadline. */
    boolean isEndless() {
        return endless;
    }

    long deadline() {
        return deadline;
    }

    /** Moves the deadline, if that makes it later and it has not passed; whether it did. */
    boolean raise(long later, long now) {
        while (active() && !endless) {
            long present = deadline;
            if (present - now <= 0 || later - present <= 0) {
                return false;
            }
            if (DEADLINE.compareAndSet(this, present, later)) {
                return true;
            }
        }
        return false;
    }

    /** Moves the deadline, if that makes it earlier; whether it did. Ending early is always safe. */
    boolean lower(LongUnaryOperator earlier) {
        while (active() && !endless) {
            long present = deadline;
            long next = earlier.applyAsLong(present);
            if (next - present >= 0) {
                return false;
            }
            if (DEADLINE.compareAndSet(this, present, next)) {
                return true;
            }
        }
        return false;
    }

    /** Whether it has lasted as long as it may be renewed. */
    public boolean overLongest(long now) {
        return longest != null && now - grantedNanos >= longest.toNanos();
    }

    /** How it came to that, for people: the silence was the server's, or this process's. */
    String howLost(LossReason reason, long now, LockOptions options) {
        if (reason != LossReason.EXPIRED) {
            return "";
        }
        long late = now - deadline;
        return late > STOOD_STILL_NANOS
                ? "this process stood still, and noticed the end of the lease "
                        + Duration.ofNanos(late).toMillis()
                        + " ms late: a pause of the JVM or of the machine, or too little CPU"
                : "the server has answered no renewal for "
                        + options.leaseDuration().plusNanos(late).toMillis() + " ms";
    }

    /** Why it is lost when its deadline has passed. */
    LossReason reasonAtDeadline(long now, boolean forgotten) {
        if (forgotten) {
            return LossReason.ABANDONED;
        }
        return !renewed || overLongest(now) ? LossReason.LEASE_LIMIT_REACHED : LossReason.EXPIRED;
    }

    // ---- entries

    int entries() {
        return entries;
    }

    /** Enters once more; false if the last one has left already. */
    boolean enter() {
        for (int present = entries; present > 0; present = entries) {
            if (ENTRIES.compareAndSet(this, present, present + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Leaves once; whether that was the last. */
    boolean leave() {
        return ENTRIES.decrementAndGet(this) <= 0;
    }
}
