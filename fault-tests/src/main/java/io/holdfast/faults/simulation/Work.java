package io.holdfast.faults.simulation;

import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.Comparator;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A lease that somebody works under, with what its options promise of the work. Times are nanoseconds of the world. */
final class Work {
    final Object of;
    final Machine machine;
    final Lease lease;

    /** What its caller has asked for. */
    final LockOptions asked;

    /** What its hold lasts by: of another request if it has entered that one's hold. */
    final LockOptions terms;

    final boolean scoped;
    final long obtainedAt;

    /** The work is in this thread, which is interrupted before the end; null if nobody is. */
    @Nullable
    WorkThread thread;

    /** Its caller has released it. */
    boolean left;

    /** It lives on without its client, or with another: nothing is promised of it here. */
    boolean elsewhere;

    /** Its hold was made to last longer than its options say. */
    boolean extended;

    /** Since when its thread should have been interrupted; never if that is not due. */
    long dueSince = Asked.NEVER;

    /** The deadline that it is to be warned of, because it was seen when there was time; meaningful if {@link #isAwaiting}. */
    long awaited;

    boolean isAwaiting;
    long warningDueSince = Asked.NEVER;

    /** The deadline of the last warning; meaningful if there was one. */
    private long warned;

    private boolean wasWarned;

    /**
     * @param of the lease in words
     * @param scoped whether it was asked for by a form that works under it
     */
    Work(Object of, Machine machine, Lease lease, LockOptions asked, boolean scoped, long now) {
        this.of = of;
        this.machine = machine;
        this.lease = lease;
        this.asked = asked;
        this.scoped = scoped;
        this.terms = LeaseLook.holdOf(lease).options;
        this.obtainedAt = now;
    }

    /** How long it is still good; without running any code of its client. */
    double leftInWorld() {
        return machine.inWorld(LeaseLook.remaining(lease).toNanos());
    }

    /** How long it is to have been before its end when its thread is interrupted; null for never. */
    @Nullable
    Double interruptBefore() {
        Duration before = asked.interruptBefore();
        Duration half =
                terms.leaseDuration().dividedBy(2); // of a renewed hold, perhaps another's that it has entered, at most
        return before == null
                ? null
                : machine.inWorld((terms.renewal() && before.compareTo(half) > 0 ? half : before).toNanos());
    }

    double warnedBefore() {
        return machine.inWorld(terms.leaseDuration().toNanos() / 3);
    }

    /** How long it is renewed, or less if it may have entered a hold that was asked for by another form; null for ever. */
    @Nullable
    Double longest() {
        boolean mayEnter = asked.reentrancy() != LockOptions.Reentrancy.WAIT;
        return Stream.of(
                        scoped || mayEnter ? terms.maxScopedHold() : null, !scoped || mayEnter ? terms.maxHold() : null)
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .map(longest -> machine.inWorld(longest.toNanos()))
                .orElse(null);
    }

    /** Whether its thread has not come to its end. */
    boolean isAtWork() {
        WorkThread mine = thread;
        return mine != null && mine.isOpen();
    }

    /** Notes a warning; whether there was one of this deadline before. */
    boolean isWarnedAgain(long deadline) {
        boolean again = wasWarned && warned == deadline;
        wasWarned = true;
        warned = deadline;
        return again;
    }

    boolean wasWarnedOf(long deadline) {
        return wasWarned && warned == deadline;
    }

    @Override
    public String toString() {
        return of.toString();
    }
}
