package io.holdfast;

import io.holdfast.QueueScripts.RenewEntry;
import io.holdfast.QueueScripts.Renewed;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of one client, each at a third of its term, many in one call.
 *
 * <p>Leases that are due at about the same time stand in one of the {@link Buckets}, which has one timer.
 */
final class Renewals {
    private static final int BATCH = 100;

    /** What the replicas are asked for. */
    private record Wanted(int replicas, Duration limit) {}

    private final Client client;
    private final Buckets<Hold> buckets = new Buckets<>();

    Renewals(Client client) {
        this.client = client;
    }

    /** Renews a hold a third of its term after now. */
    void add(Hold hold) {
        long term = hold.options.term().toNanos();
        schedule(hold, term / 3);
    }

    private void schedule(Hold hold, long delayNanos) {
        if (!hold.active()) {
            return;
        }
        long now = client.ticker.nanoTime();
        long due = Buckets.due(now, delayNanos);
        if (buckets.put(hold, due)) {
            client.timers.schedule(due - now, () -> renew(buckets.take(due)));
        }
        if (!hold.active()) {
            remove(hold);
        }
    }

    /** Forgets a hold that has ended. */
    void remove(Hold hold) {
        buckets.remove(hold);
    }

    /** After a reconnect. */
    void renewAll(Collection<Hold> holds) {
        renew(holds);
    }

    private void renew(Collection<Hold> holds) {
        List<Hold> due = holds.stream().filter(Hold::mayRenew).toList();
        Batches.send(client, due, hold -> hold.keys, BATCH, this::send);
    }

    private void send(List<Hold> batch) {
        List<RenewEntry> entries = new ArrayList<>(batch.size());
        for (Hold hold : batch) {
            entries.add(new RenewEntry(
                    hold.keys, hold.owner, hold.token, hold.options.term().toMillis()));
        }
        long sent = client.ticker.nanoTime();
        RedisDriver master =
                client.driver.master(client.driver.partition(batch.get(0).keys.hold()));
        client.queueScripts.renew(entries, sent, (renewed, failure) -> answered(batch, sent, master, renewed, failure));
    }

    private void answered(
            List<Hold> batch,
            long sent,
            @Nullable RedisDriver master,
            @Nullable List<Renewed> answers,
            @Nullable DriverException failure) {
        if (answers != null && answers.size() == batch.size()) {
            Map<Wanted, List<Hold>> unconfirmed = new HashMap<>();
            for (int i = 0; i < batch.size(); i++) {
                Hold hold = batch.get(i);
                Renewed how = answers.get(i);
                if (how == Renewed.GONE) {
                    hold.gone();
                } else if (hold.options.replicas() == 0) {
                    renewed(hold, sent);
                } else {
                    Wanted wanted = new Wanted(hold.options.replicas(), hold.options.replicaTimeout());
                    unconfirmed.computeIfAbsent(wanted, w -> new ArrayList<>()).add(hold);
                }
                if (how == Renewed.RECALLED) {
                    client.localLines.recalled(hold.keys.hold(), hold.token); // no message may have come
                }
            }
            unconfirmed.forEach((wanted, holds) -> confirm(holds, sent, master, wanted));
        } else if (!Batches.sendAlone(batch, failure, this::send)) {
            String why = failure == null ? "the answer is none" : String.valueOf(failure.getMessage());
            batch.forEach(hold -> failed(hold, why));
        }
    }

    /** Replicas have to have it, too: until they do, what they had before counts. */
    private void confirm(List<Hold> holds, long sent, @Nullable RedisDriver master, Wanted wanted) {
        client.assurance
                .ofRenewal(master, holds.get(0).keys, wanted.replicas(), wanted.limit())
                .whenComplete((assured, failure) -> {
                    for (Hold hold : holds) {
                        if (assured == null) {
                            failed(hold, String.valueOf(failure.getMessage()));
                        } else if (assured.missing() != null) {
                            failed(hold, "only " + assured.replicas() + " replicas have it");
                        } else {
                            hold.confirmedBy(assured.replicas());
                            renewed(hold, sent);
                        }
                    }
                });
    }

    private void renewed(Hold hold, long sent) {
        hold.raise(Deadlines.ofReply(sent, hold.options.term().toNanos()));
        add(hold);
        client.events.tell(hold.request, subject -> new LockEvent.Renewed(subject, hold.token, hold.remaining()));
    }

    private void failed(Hold hold, String why) {
        client.events.tell(
                hold.request, subject -> new LockEvent.RenewalFailed(subject, hold.token, hold.remaining(), why));
        // Again and again until the deadline; each try takes as long as the server's answer, or the command timeout.
        schedule(hold, Math.max(Buckets.FINE_WIDTH_NANOS, hold.options.term().toNanos() / 18));
    }
}
