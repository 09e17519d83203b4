package io.holdfast.faults.simulation;

import io.holdfast.LockOptions;
import io.holdfast.faults.simulation.Checks.Check;
import org.jspecify.annotations.Nullable;

/**
 * One request to the server that asks for all who may share its hold, and that hold, as the world sees them. Its leases come
 * one after the other; which of them the client may grant by itself is looked at here.
 */
final class Shared {
    /** Of rounding between clocks, in nanoseconds. */
    private static final long ROUNDING = 2;

    private final Checks checks;

    /** As it stands in the server's queue. It is done when it has a lease, or nobody is left for whom it asks. */
    final Asked request;

    /** The server has marked the hold as one that its client keeps. */
    boolean kept;

    /** Its client was told that others want the lock, or could not be told any more. */
    boolean recalled;

    /** How many leases it has had. */
    int granted;

    /** When the last of them ended; {@link Asked#NEVER} while there is one, and before the first. */
    long idleSince = Asked.NEVER;

    /** Of the hold: the first of those that its leases may have. */
    long token;

    private long grantedAt;
    private @Nullable Held latest;
    private long firstAt;
    private int handed; // from lease to lease though others may wait

    Shared(Checks checks, Asked request) {
        this.checks = checks;
        this.request = request;
    }

    /** How long its client may have it without a lease, in nanoseconds of the world. */
    long mayBeIdle() {
        return kept
                ? (long)
                        request.machine.inWorld(request.item.options().keepFor().toNanos())
                : 0;
    }

    boolean isIdle() {
        return idleSince != Asked.NEVER;
    }

    /** @param recall token and key, as the message tells */
    boolean isMeantBy(String recall) {
        return recall.equals(token + " hf:{" + Plan.lock(request.item.lock()) + "}");
    }

    /** The server has granted it, or granted it anew before its client had heard of the first time. */
    void grantedByServer(long of, boolean marked, long now) {
        if (granted == 0) {
            grantedAt = now;
            token = of;
            kept = marked;
            recalled = false;
        }
    }

    void obtained(Held held) {
        request.done = true;
        idleSince = Asked.NEVER;
        latest = held;
        long drawn = held.token - token;
        if (drawn < 0 || drawn > (held.obtainedAt - grantedAt) / 1_000) {
            checks.found(
                    Check.TOKENS,
                    held + " is " + drawn + " after the hold's, " + (held.obtainedAt - grantedAt)
                            + " ns after its grant");
        }
        if (granted++ == 0) {
            firstAt = held.obtainedAt;
            return;
        }
        if (kept && !recalled) {
            return; // nobody else waits, as far as its client can know
        }
        handed++;
        LockOptions options = request.item.options();
        double within = request.machine.inWorld(options.localTime().toNanos());
        if (handed > options.localHandoffs()) {
            checks.found(
                    Check.FAIR,
                    held + " is granted by its client, " + handed + " times in a row"
                            + (kept ? " since the recall" : ""));
        } else if (held.obtainedAt - firstAt > within + ROUNDING) {
            checks.found(
                    Check.FAIR,
                    held + " is granted by its client, " + (held.obtainedAt - firstAt) / Checks.MILLI
                            + " ms after the server's grant");
        }
    }

    void over(Held held, long now) {
        if (held == latest) {
            idleSince = now;
        }
    }

    @Override
    public String toString() {
        return "shared hold of " + request;
    }
}
