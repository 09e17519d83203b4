package io.holdfast.routing;

import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The channels that somebody wants, each subscribed to at the server of its name's partition, sharded where the server knows
 * that, and again at another when the partition goes there. Tells the listeners of messages: those of a partition are down
 * until all its channels are where they belong.
 *
 * <p>A subscription is begun as often as it takes once it was acknowledged for the first time; before that a few times, so
 * that the one who waits for it hears why it cannot be.
 *
 * <p><b>Threads.</b> Every thread may subscribe, unsubscribe and close. All else happens on the lane, to which the servers'
 * answers come back.
 */
final class Channels implements Routes.Follower {
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;
    private static final int FIRST_TRIES = 5;

    /** A channel that somebody wants. All fields but the first three belong to the lane. */
    private static final class Subscription {
        final String channel;
        final int partition;
        final Consumer<String> onMessage;
        /** Completed when it is there for the first time. */
        final CompletableFuture<Void> first = new CompletableFuture<>();
        /** Where it was acknowledged; null while it is not. */
        @Nullable
        Node at;

        boolean sharded;
        int failures;

        Subscription(String channel, int partition, Consumer<String> onMessage) {
            this.channel = channel;
            this.partition = partition;
            this.onMessage = onMessage;
        }

        /** It has ended; whoever still waits for its acknowledgement is told so. */
        void neverBegan(String why) {
            first.completeExceptionally(DriverException.unknown(why, null));
        }
    }

    private final Topology topology;
    private final Routes routes;
    private final Lane lane;
    private final List<ConnectionListener> listeners;
    private final Map<String, Subscription> subscriptions = new ConcurrentHashMap<>(); // changed on the lane

    /** @param listeners told on the lane; may grow */
    Channels(Topology topology, Routes routes, Lane lane, List<ConnectionListener> listeners) {
        this.topology = topology;
        this.routes = routes;
        this.lane = lane;
        this.listeners = listeners;
    }

    /** As the port says. One to the same channel before is replaced. */
    CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        Subscription wanted = new Subscription(channel, topology.partition(channel), onMessage);
        boolean entered = lane.enter(() -> {
            Subscription before = subscriptions.put(channel, wanted);
            if (before != null) {
                leave(before);
                before.neverBegan("the subscription has ended before");
            }
            attach(wanted);
        });
        if (!entered) {
            wanted.neverBegan("the driver is closed");
        }
        return wanted.first;
    }

    /** As the port says. */
    CompletionStage<Void> unsubscribe(String channel) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        boolean entered = lane.enter(() -> {
            Subscription before = subscriptions.remove(channel);
            if (before == null) {
                done.complete(null);
                return;
            }
            leave(before).whenComplete((nothing, failure) -> done.complete(null));
            before.neverBegan("the subscription has ended before");
        });
        if (!entered) {
            done.complete(null);
        }
        return done;
    }

    /** Nothing is subscribed to any more. Called when the lane has been stopped. */
    void close() {
        subscriptions.values().forEach(subscription -> subscription.neverBegan("the driver is closed"));
    }

    // ---- on the lane

    @Override
    public void moved(BitSet partitions) {
        List<Subscription> homeless = subscriptions.values().stream()
                .filter(subscription -> partitions.get(subscription.partition))
                .toList();
        homeless.forEach(this::leave);
        if (!homeless.isEmpty()) {
            listeners.forEach(each -> each.messagesDown(partitions::get));
        }
        homeless.forEach(this::attach);
    }

    @Override
    public void messagesUp(Node node) {
        Set<Integer> incomplete = new HashSet<>();
        for (Subscription subscription : subscriptions.values()) {
            if (subscription.at == null) {
                incomplete.add(subscription.partition);
            }
        }
        listeners.forEach(each -> each.messagesUp(p -> routes.at(p) == node && !incomplete.contains(p)));
    }

    @Override
    public void messagesDown(Node node) {
        listeners.forEach(each -> each.messagesDown(p -> routes.at(p) == node));
    }

    private void attach(Subscription subscription) {
        if (subscriptions.get(subscription.channel) != subscription || subscription.at != null) {
            return;
        }
        Node node = routes.at(subscription.partition);
        RedisDriver driver = node == null ? null : node.driver();
        if (node == null || driver == null) {
            if (node == null || node.opened.isDone()) {
                routes.lookSoon();
            }
            notAttached(subscription, routes.unserved(subscription.partition));
            return;
        }
        boolean sharded = topology.partitions() > 1 && !node.plainChannels;
        CompletionStage<Void> asked = sharded
                ? driver.subscribeShard(
                        subscription.channel, subscription.onMessage, () -> lane.enter(() -> ended(subscription, node)))
                : driver.subscribe(subscription.channel, subscription.onMessage);
        asked.whenComplete((nothing, failure) -> lane.enter(() -> {
            if (failure == null) {
                attached(subscription, node, sharded);
            } else {
                DriverException why = Node.failureOf(failure);
                if (sharded && why.code().equals("ERR")) {
                    node.plainChannels = true; // a server older than sharded channels
                    attach(subscription);
                } else {
                    routes.lookSoon();
                    notAttached(subscription, why);
                }
            }
        }));
    }

    private void attached(Subscription subscription, Node node, boolean sharded) {
        Subscription present = subscriptions.get(subscription.channel);
        boolean wanted = present == subscription;
        boolean here = routes.at(subscription.partition) == node;
        if (!wanted || !here) {
            RedisDriver driver = node.driver();
            // A newer one to the same channel of the same server has taken its place there.
            boolean replaced = !wanted && present != null && here;
            if (driver != null && !replaced) {
                detach(driver, subscription.channel, sharded);
            }
            if (wanted) {
                attach(subscription);
            }
            return;
        }
        subscription.at = node;
        subscription.sharded = sharded;
        subscription.failures = 0;
        if (!subscription.first.complete(null)) {
            int partition = subscription.partition;
            for (Subscription other : subscriptions.values()) {
                if (other.partition == partition && other.at == null && other.first.isDone()) {
                    return; // the last one tells
                }
            }
            listeners.forEach(each -> each.messagesUp(p -> p == partition));
        }
    }

    private void notAttached(Subscription subscription, DriverException why) {
        subscription.failures++;
        boolean first = !subscription.first.isDone();
        boolean hopeless =
                why.kind() == DriverException.Kind.REJECTED && !why.code().equals("MOVED");
        if (first && (hopeless || subscription.failures >= FIRST_TRIES)) {
            subscriptions.remove(subscription.channel, subscription);
            subscription.first.completeExceptionally(why);
            return;
        }
        long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(10, subscription.failures - 1));
        lane.enterIn(pause, () -> attach(subscription));
    }

    /** The server has ended it: the slot has gone elsewhere. */
    private void ended(Subscription subscription, Node node) {
        if (subscription.at == node && subscriptions.get(subscription.channel) == subscription) {
            subscription.at = null;
            int partition = subscription.partition;
            listeners.forEach(each -> each.messagesDown(p -> p == partition));
            routes.lookSoon();
            attach(subscription);
        }
    }

    private CompletionStage<Void> leave(Subscription subscription) {
        Node node = subscription.at;
        subscription.at = null;
        RedisDriver driver = node == null ? null : node.driver();
        return driver == null
                ? CompletableFuture.completedFuture(null)
                : detach(driver, subscription.channel, subscription.sharded);
    }

    private static CompletionStage<Void> detach(RedisDriver driver, String channel, boolean sharded) {
        return sharded ? driver.unsubscribeShard(channel) : driver.unsubscribe(channel);
    }
}
