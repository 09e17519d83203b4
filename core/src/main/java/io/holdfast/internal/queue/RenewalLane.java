package io.holdfast.internal.queue;

import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.lease.Renewals;
import io.holdfast.internal.safety.Assurance;
import io.holdfast.internal.wire.LockScripts;
import io.holdfast.internal.wire.LockScripts.RenewEntry;
import io.holdfast.internal.wire.LockScripts.Renewed;
import io.holdfast.internal.wire.Server;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls that renew holds of one partition.
 *
 * @param assurance asks the replicas
 * @param renewals is told
 * @param scripts by which all of them are renewed
 * @param master of holds that replicas have to have: the server that was asked
 */
record RenewalLane(
        Server server,
        int partition,
        Assurance assurance,
        Renewals renewals,
        LockScripts scripts,
        @Nullable RedisDriver master)
        implements Renewals.Lane {
    /** What the replicas are asked for. */
    private record Wanted(int replicas, Duration limit) {}

    @Override
    public void renew(
            List<RenewEntry> entries,
            long sentNanos,
            BiConsumer<@Nullable List<Renewed>, @Nullable DriverException> callback) {
        scripts.renew(entries, sentNanos, callback);
    }

    /** Replicas have to have it, too: until they do, what they had before counts. */
    @Override
    public void confirm(List<Hold> held, long sentNanos) {
        Map<Wanted, List<Hold>> unconfirmed = new HashMap<>();
        for (Hold hold : held) {
            Wanted wanted = new Wanted(hold.options.replicas(), hold.options.replicaTimeout());
            unconfirmed.computeIfAbsent(wanted, w -> new ArrayList<>()).add(hold);
        }
        unconfirmed.forEach((wanted, holds) -> assurance
                .ofRenewal(master, holds.get(0).keys(), wanted.replicas(), wanted.limit())
                .whenComplete((assured, failure) -> {
                    for (Hold hold : holds) {
                        if (assured == null) {
                            renewals.failed(hold, String.valueOf(failure.getMessage()));
                        } else if (assured.missing() != null) {
                            renewals.failed(hold, "too few replicas confirmed the renewal: " + assured.replicas());
                        } else {
                            hold.grant.confirmedBy(assured.replicas());
                            renewals.renewed(hold, sentNanos);
                        }
                    }
                }));
    }
}
