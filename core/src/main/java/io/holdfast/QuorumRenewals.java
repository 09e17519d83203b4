package io.holdfast;

import io.holdfast.Ballot.Seat;
import io.holdfast.QueueScripts.RenewEntry;
import io.holdfast.QueueScripts.Renewed;
import io.holdfast.spi.DriverException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of one quorum's client, each at a third of its term, many in one call to each node. Leases that are due
 * at about the same time stand in one of the {@link Buckets}, which has one timer.
 */
final class QuorumRenewals {
    private static final int BATCH = 100;

    /** One hold's part of a call to one node. */
    private record Part(QuorumHold.Round round, Seat seat, RenewEntry entry) {}

    private final QuorumClient quorum;
    private final Buckets<QuorumHold> buckets = new Buckets<>();

    QuorumRenewals(QuorumClient quorum) {
        this.quorum = quorum;
    }

    /** Renews a hold a third of its term after now. */
    void add(QuorumHold hold) {
        schedule(hold, hold.options().term().toNanos() / 3);
    }

    private void schedule(QuorumHold hold, long delayNanos) {
        if (!hold.active()) {
            return;
        }
        long now = quorum.nanoTime();
        long due = Buckets.due(now, delayNanos);
        if (buckets.put(hold, due)) {
            quorum.timers.schedule(due - now, () -> renew(buckets.take(due)));
        }
        if (!hold.active()) {
            remove(hold);
        }
    }

    /** Forgets a hold that has ended. */
    void remove(QuorumHold hold) {
        buckets.remove(hold);
    }

    private void renew(List<QuorumHold> bucket) {
        long sent = quorum.nanoTime();
        Map<NodeClient, List<Part>> byNode = new HashMap<>();
        List<QuorumHold.Round> rounds = new ArrayList<>();
        for (QuorumHold hold : bucket) {
            if (!hold.mayRenew()) {
                continue;
            }
            Map<Seat, RenewEntry> entries = new HashMap<>();
            for (Seat seat : hold.ballot.seats) {
                RenewEntry entry = hold.entryOf(seat);
                if (entry != null) {
                    entries.put(seat, entry);
                }
            }
            if (entries.size() < quorum.majority) {
                hold.lose(LossReason.GONE);
                continue;
            }
            QuorumHold.Round round =
                    hold.new Round(hold.options().term(), sent, entries.keySet(), agreed -> renewed(hold, agreed));
            rounds.add(round);
            entries.forEach((seat, entry) ->
                    byNode.computeIfAbsent(seat.node, node -> new ArrayList<>()).add(new Part(round, seat, entry)));
        }
        byNode.forEach((node, parts) -> {
            for (int from = 0; from < parts.size(); from += BATCH) {
                send(node, List.copyOf(parts.subList(from, Math.min(parts.size(), from + BATCH))), sent);
            }
        });
        // A node that hangs is not waited for: what it answers later counts for its part only.
        quorum.timers.schedule(
                quorum.options.nodeTimeout().toNanos(),
                () -> rounds.forEach(round -> {
                    round.timeOut();
                    round.close(null);
                }));
    }

    private void send(NodeClient node, List<Part> parts, long sent) {
        node.client.queueScripts.renew(
                parts.stream().map(Part::entry).toList(),
                sent,
                (held, failure) -> answered(node, parts, sent, held, failure));
    }

    private void answered(
            NodeClient node,
            List<Part> parts,
            long sent,
            @Nullable List<Renewed> held,
            @Nullable DriverException failure) {
        if (held != null && held.size() == parts.size()) {
            for (int i = 0; i < parts.size(); i++) {
                Part part = parts.get(i);
                part.round().answered(part.seat(), part.entry().token(), held.get(i) != Renewed.GONE, null);
            }
        } else if (failure != null && failure.kind() == DriverException.Kind.REJECTED && parts.size() > 1) {
            // One of them makes the node refuse the call; the others must not suffer for it.
            parts.forEach(part -> send(node, List.of(part), sent));
        } else {
            DriverException why = failure == null ? DriverException.unknown("the answer is none", null) : failure;
            for (Part part : parts) {
                part.round().answered(part.seat(), part.entry().token(), null, node.unreachableOrRefused(why));
            }
        }
    }

    private void renewed(QuorumHold hold, @Nullable Boolean agreed) {
        if (agreed == null) {
            quorum.events()
                    .tell(
                            hold.request,
                            subject -> new LockEvent.RenewalFailed(
                                    subject,
                                    hold.token(),
                                    hold.remaining(),
                                    "no majority of the nodes answered in time: "
                                            + QuorumRequest.inWords(hold.nodeFailures())));
            schedule(
                    hold,
                    Math.max(Buckets.FINE_WIDTH_NANOS, hold.options().term().toNanos() / 18));
            hold.join(); // one of those that did not answer may be replaced
        } else if (agreed) {
            add(hold);
            quorum.events()
                    .tell(hold.request, subject -> new LockEvent.Renewed(subject, hold.token(), hold.remaining()));
            hold.join();
        }
    }
}
