package io.holdfast.faults.simulation;

import io.holdfast.Attempt;
import io.holdfast.Lease;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One request, as the world sees it. Times are nanoseconds of the world. */
final class Asked {
    static final long NEVER = Long.MAX_VALUE;

    final Plan.Ask item;
    final Machine machine;
    final long askedAt;

    @Nullable
    CompletableFuture<Attempt<Lease>> future;

    /** The public part of its owner id; known once it has asked. */
    @Nullable
    String owner;

    boolean done;

    /** The answer said for certain that nothing is held. */
    boolean refused;

    /** Its caller has gone away. */
    boolean withdrawn;

    /** Its hold was left to live its term: detached, or adopted by a process that is gone. */
    boolean keepsHold;

    /** Its caller was interrupted in the moment of the answer, and does not know it. */
    boolean interrupted;

    /** When it was first seen in the server's queue, and how many were seen before it. */
    long queuedAt = NEVER;

    long queuedAs = NEVER;

    Asked(Plan.Ask item, Machine machine, long askedAt) {
        this.item = item;
        this.machine = machine;
        this.askedAt = askedAt;
    }

    /** When its wait is over; of a request that asks for several, when the last of these has waited for long enough. */
    long waitsUntil() {
        if (share != null) {
            return share.waitsUntil();
        }
        return item.waitMillis() < 0 ? NEVER : askedAt + (long) machine.inWorld(item.waitMillis() * 1_000_000);
    }

    /** For whom it asks, if for several. */
    @Nullable
    Share share;

    /** Of a request that asks the server for several: what has come of it. */
    @Nullable
    Shared shared;

    @Override
    public String toString() {
        return machine + " #" + item.number() + (shared == null ? "" : " and others");
    }
}
