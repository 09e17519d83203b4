package io.holdfast;

import io.holdfast.Commands.RenewEntry;
import io.holdfast.Commands.Renewed;
import io.holdfast.spi.DriverException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of one client, each at a third of its term, many in one call.
 *
 * <p>Leases that are due at about the same time stand in one of the {@link Buckets}, which has one timer.
 */
final class Renewals {
    private static final int BATCH = 100;

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
        client.commands.renew(entries, sent, (renewed, failure) -> answered(batch, sent, renewed, failure));
    }

    private void answered(
            List<Hold> batch, long sent, @Nullable List<Renewed> renewed, @Nullable DriverException failure) {
        if (renewed != null && renewed.size() == batch.size()) {
            for (int i = 0; i < batch.size(); i++) {
                Hold hold = batch.get(i);
                Renewed how = renewed.get(i);
                if (how != Renewed.GONE) {
                    hold.raise(Deadlines.ofReply(sent, hold.options.term().toNanos()));
                    add(hold);
                    client.events.tell(
                            hold.request, subject -> new LockEvent.Renewed(subject, hold.token, hold.remaining()));
                    if (how == Renewed.RECALLED) {
                        client.localLines.recalled(hold.keys.hold(), hold.token); // no message may have come
                    }
                } else {
                    hold.gone();
                }
            }
        } else if (!Batches.sendAlone(batch, failure, this::send)) {
            for (Hold hold : batch) {
                client.events.tell(
                        hold.request,
                        subject -> new LockEvent.RenewalFailed(
                                subject,
                                hold.token,
                                hold.remaining(),
                                failure == null ? "the answer is none" : String.valueOf(failure.getMessage())));
                // Again and again until the deadline; each try takes as long as the server's answer, or the command
                // timeout.
                schedule(
                        hold,
                        Math.max(Buckets.FINE_WIDTH_NANOS, hold.options.term().toNanos() / 18));
            }
        }
    }
}
