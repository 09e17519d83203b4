package io.holdfast;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentHashMap.KeySetView;
import java.util.function.IntPredicate;

/**
 * Where the server tells this client of grants.
 *
 * <p>On one server that is one channel, subscribed as long as the client lives. Where keys are divided into partitions, a
 * script can tell only who listens at its own server: there each lock has a channel of its own for each client, subscribed
 * while the client waits for that lock, and a moment longer.
 */
final class Mailboxes {
    /** What scripts are told in place of a prefix, where each lock has its own channels; see common.lua. */
    private static final String OWN_CHANNELS = "";

    private enum State {
        OPENING,
        LISTENING,
        DOWN
    }

    private final Client client;
    private final boolean partitioned;
    private final Map<String, State> states = new ConcurrentHashMap<>(); // of locks, by key of the hold
    private final KeySetView<String, Boolean> idle = ConcurrentHashMap.newKeySet(); // seen unused once
    private volatile boolean listening;

    Mailboxes(Client client) {
        this.client = client;
        this.partitioned = client.driver.partitions() > 1;
    }

    /** The argument of scripts by which they find the channels. */
    String channelPrefix() {
        return partitioned ? OWN_CHANNELS : Keys.channelPrefix(client.options.prefix());
    }

    /**
     * Makes sure that messages can come, or, where each lock has its own channels, that they could. Completes when the
     * server has acknowledged it.
     */
    CompletableFuture<Void> open() {
        if (!partitioned) {
            return client.driver
                    .subscribe(channelPrefix() + client.ids.client(), client.waitingRoom::onMessage)
                    .thenRun(() -> client.waitingRoom.messagesUp(partition -> true))
                    .toCompletableFuture();
        }
        String channel = channelOf(Keys.of(client.options.prefix(), "holdfast"));
        return client.driver
                .subscribe(channel, message -> {})
                .thenCompose(subscribed -> client.driver.unsubscribe(channel))
                .toCompletableFuture();
    }

    private String channelOf(Keys keys) {
        return keys.channelOf(client.ids.client());
    }

    /** Whether messages for a lock can reach this client at present. */
    boolean listening(Keys keys) {
        return partitioned ? states.get(keys.hold()) == State.LISTENING : listening;
    }

    /** Somebody wants to wait for a lock: its messages are to come. When they do, the waiting room is told. */
    void want(Keys keys) {
        if (!partitioned) {
            return;
        }
        idle.remove(keys.hold());
        if (states.putIfAbsent(keys.hold(), State.OPENING) != null) {
            return;
        }
        client.driver.subscribe(channelOf(keys), client.waitingRoom::onMessage).whenComplete((nothing, failure) -> {
            if (failure != null) {
                states.remove(keys.hold()); // wanted again with the next refresh
            } else if (states.replace(keys.hold(), State.OPENING, State.LISTENING)) {
                client.waitingRoom.listeningTo(keys);
            }
        });
    }

    /** Closes those for which nobody has waited since the last call, nor waits now. Answers whether some are left. */
    boolean closeUnused(Set<String> waitedFor) {
        if (partitioned) {
            for (String hold : Set.copyOf(states.keySet())) {
                if (waitedFor.contains(hold)) {
                    idle.remove(hold);
                } else if (!idle.add(hold) && states.remove(hold) != null) {
                    idle.remove(hold);
                    Keys keys = Keys.ofHold(client.options.prefix(), hold);
                    if (keys != null) {
                        client.driver.unsubscribe(channelOf(keys));
                    }
                }
            }
        }
        return !states.isEmpty();
    }

    void messagesDown(IntPredicate partitions) {
        listening = false;
        change(partitions, State.DOWN);
    }

    void messagesUp(IntPredicate partitions) {
        listening = true;
        change(partitions, State.LISTENING);
    }

    /** One that is being opened is told of by its own acknowledgement. */
    private void change(IntPredicate partitions, State to) {
        for (String hold : states.keySet()) {
            if (partitions.test(client.driver.partition(hold))) {
                states.computeIfPresent(hold, (key, now) -> now == State.OPENING ? now : to);
            }
        }
    }
}
