package io.holdfast.internal.quorum;

import io.holdfast.internal.polled.PolledRequest;
import io.holdfast.internal.wire.Subscriptions;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The requests of one quorum's client that sleep between two rounds, and the messages that wake them.
 *
 * <p>While anybody waits for a lock, its channel is subscribed to on every node. A release wakes one request of each client,
 * the one that waits longest: the others would only split the nodes between them. Messages may be lost, since whoever sleeps
 * wakes up by itself.
 *
 * <p><b>States of a line.</b> Nobody is woken; one is woken, and will ask in some milliseconds; that one asks. Each node reports
 * a release by itself. What arrives before the woken one asks is covered by its asking. What arrives later may come from a node that
 * refused it a moment before: it is remembered, and wakes one when the woken one sleeps again or ends without the lock. So is the waking
 * itself, if it ends before it asks. If it has the lock, its own release will be reported.
 */
final class QuorumLines {
    /** A release has reached the other nodes by then, mostly. */
    private static final long LEAST_DELAY_NANOS = 1_000_000;

    /** So that clients that were woken by one message do not all ask at one instant. */
    private static final long DELAY_SPREAD_NANOS = 8_000_000;

    private final QuorumClient quorum;
    private final Subscriptions subscriptions;
    private final Map<String, Line> lines = new ConcurrentHashMap<>(); // by channel; bounded by the locks waited for

    QuorumLines(QuorumClient quorum, Subscriptions subscriptions) {
        this.quorum = quorum;
        this.subscriptions = subscriptions;
    }

    private final class Line {
        final String channel;
        final Set<PolledRequest> members = ConcurrentHashMap.newKeySet();
        final ConcurrentLinkedQueue<PolledRequest> order = new ConcurrentLinkedQueue<>();
        final Subscriptions.Channel subscription;
        // Guarded by the line's monitor, under which nothing waits:
        private @Nullable PolledRequest woken; // and has not slept or ended since
        private boolean asks; // whoever was woken
        private boolean missed; // a release was reported that nobody has asked after

        Line(String channel) {
            this.channel = channel;
            this.subscription = subscriptions.channel(channel, () -> !members.isEmpty(), text -> released());
        }

        private synchronized void released() {
            if (woken == null) {
                wakeOne();
            } else if (asks) {
                missed = true;
            }
        }

        private void wakeOne() {
            for (PolledRequest request : order) {
                if (request.wake(LEAST_DELAY_NANOS + (long) (quorum.kit.random() * DELAY_SPREAD_NANOS))) {
                    woken = request;
                    asks = false;
                    missed = false;
                    return;
                }
            }
            missed = true;
        }

        synchronized void asks(PolledRequest request) {
            if (woken == request) {
                asks = true;
            }
        }

        synchronized void sleeps(PolledRequest request) {
            if (woken == request) {
                woken = null;
            }
            if (missed && woken == null) {
                wakeOne();
            }
        }

        synchronized void left(PolledRequest request) {
            if (woken == request) {
                woken = null;
                if (request.outcome.hold() == null && (missed || !asks)) {
                    wakeOne();
                }
            }
        }
    }

    /** A request has begun to sleep. */
    void sleeping(PolledRequest request) {
        Line line = lines.compute(request.keys().freedChannel(), (channel, present) -> {
            Line chosen = present == null ? new Line(channel) : present;
            if (chosen.members.add(request)) {
                chosen.order.add(request);
            }
            return chosen;
        });
        line.subscription.adjust();
        line.sleeps(request);
    }

    /** A request asks, of its own or because it was woken. */
    void asking(PolledRequest request) {
        Line line = lines.get(request.keys().freedChannel());
        if (line != null) {
            line.asks(request);
        }
    }

    /** A request has ended, or has the lock. */
    void leave(PolledRequest request) {
        Line line = lines.get(request.keys().freedChannel());
        if (line == null || !line.members.contains(request)) {
            return;
        }
        // Not beside one that begins to sleep: it would be put in the order after it was taken out.
        lines.computeIfPresent(line.channel, (channel, present) -> {
            if (present.members.remove(request)) {
                present.order.remove(request);
            }
            return present;
        });
        line.left(request);
        line.subscription.adjust();
        lines.computeIfPresent(line.channel, (channel, present) -> present.members.isEmpty() ? null : present);
    }

    /** How many requests stand in the lines to be woken. */
    int size() {
        return lines.values().stream().mapToInt(line -> line.order.size()).sum();
    }
}
