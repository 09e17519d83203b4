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

    /** A turn that knows of nobody asks so often, and takes what is not answered for as long again as the worst answer. */
    private static final long INTERVAL = 100 * Checks.MILLI;

    private final Checks checks;

    /** As it stands in the server's queue. It is done when it has a lease, or nobody is left for whom it asks. */
    final Asked request;

    /** The server has marked the hold as one whose client is told of others, and nobody waited when it was granted. */
    boolean kept;

    /** Its client was told that others want the lock, or could not be told any more. */
    private boolean recalled;

    private long recalledAt;

    /** How many leases it has had. */
    int granted;

    /** When the last of them ended; {@link Asked#NEVER} while there is one, and before the first. */
    long idleSince = Asked.NEVER;

    /** Of the hold: the first of those that its leases may have. */
    long token;

    private long grantedAt;
    private @Nullable Held latest;
    private long firstAt;
    private long closedAt = Asked.NEVER; // from then on its client takes others to wait
    private int served; // of those who stood in line then; the first of a turn that began so is one of them

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

    /** Its client may have it without a lease. Otherwise it goes back when nobody of the client waits. */
    boolean keeps() {
        return !request.item.options().keepFor().isZero();
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
        boolean first = granted++ == 0;
        firstAt = first ? held.obtainedAt : firstAt;
        if (first && (!kept || recalled)) {
            closedAt = held.obtainedAt;
        } else if (!first && recalled && closedAt == Asked.NEVER) {
            closedAt = recalledAt;
        }
        if (closedAt != Asked.NEVER && (!first || !isStrict())) {
            overtakes(held);
        }
    }

    private boolean isStrict() {
        return Plan.turnsOf(request.item.options()) == 0;
    }

    /** Others wait, by what its client was told or must suppose: it serves those who stood in line, within limits. */
    private void overtakes(Held held) {
        LockOptions options = request.item.options();
        double within = request.machine.inWorld(options.localHandoffTime().toNanos());
        if (++served > options.localHandoffs()) {
            checks.found(
                    Check.FAIR,
                    held + " is granted by its client, " + served + " times in a row since others wait for the lock");
        } else if (held.asked.askedAt > closedAt) {
            checks.found(
                    Check.FAIR,
                    held + " is granted by its client, and came " + (held.asked.askedAt - closedAt) / Checks.MILLI
                            + " ms after its line was to be closed");
        } else if (held.obtainedAt - closedAt > within + ROUNDING) {
            checks.found(
                    Check.FAIR,
                    held + " is granted by its client, " + (held.obtainedAt - closedAt) / Checks.MILLI
                            + " ms after its line was to be closed");
        }
    }

    boolean isRecalled() {
        return recalled;
    }

    /** Its client knows that others want the lock, or cannot be told of them any more, where it would have to be. */
    void recalled(long now) {
        if (!recalled) {
            recalled = true;
            recalledAt = now;
        }
    }

    /**
     * It is about to get a further lease, and somebody else stands in the server's queue since then: however many messages
     * are lost, and whatever the server answers, its client may know nothing of that for two intervals at most.
     */
    void othersWaitSince(long queuedAt, long now) {
        // A turn whose grant was told late begins with what its client learns then.
        long known = Math.max(firstAt, queuedAt + (long) request.machine.inWorld(2 * INTERVAL) + ROUNDING);
        if (!keeps() && now > known) {
            recalled(known);
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
