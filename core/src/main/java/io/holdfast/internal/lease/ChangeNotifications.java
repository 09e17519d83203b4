package io.holdfast.internal.lease;

import io.holdfast.internal.wire.Server;
import io.holdfast.internal.wire.Subscriptions;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Tells other clients that something has changed, so that they look sooner than they would by themselves. What is told is
 * sent once, to every server of the client: it may be lost, and whoever listens looks in any case.
 */
public final class ChangeNotifications {
    private final class Board {
        final Set<Runnable> readers = ConcurrentHashMap.newKeySet();
        final Subscriptions.Channel subscription;

        Board(String name) {
            this.subscription =
                    subscriptions.channel(name, () -> !readers.isEmpty(), text -> readers.forEach(Runnable::run));
        }
    }

    private final List<Server> servers;
    private final Subscriptions subscriptions;
    private final Map<String, Board> boards = new ConcurrentHashMap<>(); // by channel; none without a reader for long

    /** @param subscriptions on these servers */
    public ChangeNotifications(List<Server> servers, Subscriptions subscriptions) {
        this.servers = List.copyOf(servers);
        this.subscriptions = subscriptions;
    }

    /** Tells whoever listens. */
    public void publish(String channel, String text) {
        servers.forEach(server -> server.publish(channel, text));
    }

    /**
     * Listens from now on, as soon as the servers have acknowledged it.
     *
     * @param reader itself and no other; called on threads of the drivers, must not block
     */
    public void listen(String channel, Runnable reader) {
        Board board = boards.compute(channel, (name, present) -> {
            Board chosen = present == null ? new Board(name) : present;
            chosen.readers.add(reader);
            return chosen;
        });
        board.subscription.adjust();
    }

    /** Subscribes again where that has failed. */
    public void tryAgain(String channel) {
        Board board = boards.get(channel);
        if (board != null) {
            board.subscription.adjust();
        }
    }

    /** Listens no more. */
    public void leave(String channel, Runnable reader) {
        Board board = boards.get(channel);
        if (board == null || !board.readers.remove(reader)) {
            return;
        }
        // Asked for before another board of this channel can be made: what that one asks for comes after.
        board.subscription.adjust();
        boards.computeIfPresent(channel, (name, present) -> present.readers.isEmpty() ? null : present);
    }
}
