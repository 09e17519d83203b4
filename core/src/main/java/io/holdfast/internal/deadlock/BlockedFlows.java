package io.holdfast.internal.deadlock;

import io.holdfast.Attempt;
import io.holdfast.LockOptions;
import io.holdfast.internal.deadlock.Deadlocks.Keeps;
import io.holdfast.internal.deadlock.Deadlocks.Standing;
import io.holdfast.internal.deadlock.Deadlocks.Wants;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.wire.ClientLabel;
import io.holdfast.internal.wire.OwnerIds;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import org.jspecify.annotations.Nullable;

/** The flows of control of this client that stand still at one moment: filled by those who know of waits and of holds. */
public final class BlockedFlows {
    /** A request that waits, and how it ends. */
    record Waiter(Outcome outcome, Consumer<Attempt<Handle>> end) {}

    private record Lease(String flow, Keeps keeps) {}

    private record Known(String name, Standing standing) {}

    private final long now;
    private final long longNanos;
    private final Map<String, Known> known = new LinkedHashMap<>(); // by the id of the flow
    private final Map<Long, Waiter> waiters = new LinkedHashMap<>(); // by number; those that have waited long
    private final List<Lease> leases = new ArrayList<>(); // whosesoever
    private final @Nullable ObjLongConsumer<String> callers; // if only they matter
    private boolean anyWaits;

    BlockedFlows(long now, long longNanos) {
        this(now, longNanos, null);
    }

    private BlockedFlows(long now, long longNanos, @Nullable ObjLongConsumer<String> callers) {
        this.now = now;
        this.longNanos = longNanos;
        this.callers = callers;
    }

    /**
     * Where only the callers matter that wait.
     *
     * @param callers is told of each the key of the hold that it waits for, and since when
     */
    public static BlockedFlows ofCallers(ObjLongConsumer<String> callers) {
        return new BlockedFlows(0, Long.MAX_VALUE, callers);
    }

    /**
     * A request waits.
     *
     * @param owner the owner that asks the server for it
     * @param first whether a grant to that owner is its
     * @param end how it ends without a lease
     */
    public void waits(Outcome outcome, String owner, boolean first, Consumer<Attempt<Handle>> end) {
        Demand demand = outcome.demand;
        String flow = demand.flowId();
        if (!outcome.pending() || demand.waitLimit().isNone()) {
            return;
        }
        if (callers != null) {
            callers.accept(demand.keys().hold(), outcome.startNanos);
            return;
        }
        if (flow == null) {
            return;
        }
        anyWaits = true;
        if (now - outcome.startNanos < longNanos) {
            return;
        }
        Known of = known.computeIfAbsent(
                flow, id -> new Known(demand.actorName(), new Standing(new LinkedHashSet<>(), new LinkedHashSet<>())));
        boolean willing = demand.options().deadlock() == LockOptions.OnDeadlock.BREAK;
        of.standing
                .wants()
                .add(new Wants(
                        OwnerIds.publicPart(owner),
                        demand.keys().hold(),
                        demand.what(),
                        first,
                        willing,
                        outcome.number));
        waiters.put(outcome.number, new Waiter(outcome, end));
    }

    /**
     * A lease is held.
     *
     * @param demand that it came of
     * @param hold what it is a lease of
     * @param number of its request
     */
    public void has(Demand demand, Hold hold, long number) {
        String flow = callers == null ? demand.flowId() : null;
        if (flow != null && hold.active()) {
            String owner = OwnerIds.publicPart(hold.owner());
            leases.add(
                    new Lease(flow, new Keeps(owner, hold.token(), demand.keys().hold(), number)));
        }
    }

    /** Whether any request waits, long or not. */
    boolean anyWaits() {
        return anyWaits;
    }

    boolean isEmpty() {
        return known.isEmpty();
    }

    @Nullable
    Waiter waiter(long number) {
        return waiters.get(number);
    }

    boolean stillWaits(long number) {
        return waiters.containsKey(number);
    }

    /** As it is written down. */
    List<WaitRecord.Flow> asWritten(String application) {
        for (Lease lease : leases) {
            Known of = known.get(lease.flow);
            if (of != null) {
                of.standing.keeps().add(lease.keeps);
            }
        }
        List<WaitRecord.Flow> flows = new ArrayList<>();
        known.forEach((id, of) -> flows.add(new WaitRecord.Flow(
                id, ClientLabel.ofClient(application) + "/" + ClientLabel.ofActor(of.name, Map.of()), of.standing)));
        return flows;
    }
}
