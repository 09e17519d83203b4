package io.holdfast.testkit;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The two connections of one client to a {@link MemoryServer}. Its lock is held while nobody else's code runs, and never
 * while the server's is asked for.
 *
 * <p>The server in memory knows neither sharded channels nor {@code WAIT}, so this rejects the former and a second
 * connection, as the defaults of {@link RedisDriver} do.
 */
final class MemoryDriver implements RedisDriver {
    /** What is asked and not answered yet; each equals only itself. */
    private static final class Flight<T extends @Nullable Object> {
        final CompletableFuture<T> future = new CompletableFuture<>();
    }

    private final MemoryServer server;
    private final long id;
    private final Set<Flight<?>> underWay = new LinkedHashSet<>(); // these four are guarded by lock
    private final Map<String, Consumer<String>> receivers = new HashMap<>(); // by channel, as text
    private boolean up;
    private boolean closed;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();
    private volatile String name = "";

    MemoryDriver(MemoryServer server, long id, boolean up) {
        this.server = server;
        this.id = id;
        this.up = up;
    }

    long id() {
        return id;
    }

    String name() {
        return name;
    }

    void rename(String octets) {
        name = octets;
    }

    private <T> T locked(Supplier<T> act) {
        lock.lock();
        try {
            return act.get();
        } finally {
            lock.unlock();
        }
    }

    // ---- commands

    @Override
    public CompletionStage<Reply> send(Command command) {
        Flight<Reply> reply = new Flight<>();
        if (!begin(reply)) {
            return reply.future;
        }
        server.submit(() -> {
            if (!isUnderWay(reply)) {
                return; // the connection broke before the command arrived
            }
            Answer answer = server.execute(this, command.words());
            if (end(reply)) {
                try {
                    reply.future.complete(answer.toReply());
                } catch (DriverException e) {
                    reply.future.completeExceptionally(e);
                }
            }
            server.deliver();
        });
        return reply.future;
    }

    private boolean begin(Flight<?> flight) {
        boolean begun = locked(() -> up && !closed && underWay.add(flight));
        if (!begun) {
            flight.future.completeExceptionally(DriverException.unknown(describe() + " is not connected", null));
        }
        return begun;
    }

    private boolean isUnderWay(Flight<?> flight) {
        return locked(() -> underWay.contains(flight));
    }

    private boolean end(Flight<?> flight) {
        return locked(() -> underWay.remove(flight));
    }

    // ---- messages

    @Override
    @SuppressWarnings("NullAway") // the value of a CompletableFuture<Void> is null
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        Flight<Void> acknowledged = new Flight<>();
        if (begin(acknowledged)) {
            server.submit(() -> {
                boolean here = locked(() -> {
                    if (underWay.contains(acknowledged)) {
                        receivers.put(channel, onMessage);
                    }
                    return underWay.remove(acknowledged);
                });
                if (here) {
                    server.listen(this, channel, true);
                    acknowledged.future.complete(null);
                }
            });
        }
        return acknowledged.future;
    }

    @Override
    @SuppressWarnings("NullAway") // as above
    public CompletionStage<Void> unsubscribe(String channel) {
        CompletableFuture<Void> acknowledged = new CompletableFuture<>();
        locked(() -> receivers.remove(channel));
        server.submit(() -> {
            server.listen(this, channel, false);
            acknowledged.complete(null);
        });
        return acknowledged;
    }

    /** Hands a message on, if the channel is still listened to. */
    void receive(String channel, String payload) {
        @Nullable Consumer<String> receiver = locked(() -> up && !closed ? receivers.get(channel) : null);
        if (receiver != null) {
            receiver.accept(payload);
        }
    }

    // ---- connections

    /** Breaks both connections, until {@link #restore}. */
    void cut() {
        List<Flight<?>> failed = locked(() -> {
            List<Flight<?>> broken = new ArrayList<>();
            if (up && !closed) {
                up = false;
                broken.addAll(underWay);
                underWay.clear();
                return broken;
            }
            return null;
        });
        if (failed == null) {
            return;
        }
        server.forget(this);
        server.submitAlways(() -> {
            tell(ConnectionListener::commandsDown);
            failed.forEach(one -> one.future.completeExceptionally(
                    DriverException.unknown("the connection to " + describe() + " broke", null)));
            tell(ConnectionListener::messagesDown);
        });
    }

    /** Opens both connections again, with the subscriptions. */
    void restore() {
        List<String> channels = locked(() -> {
            if (up || closed) {
                return null;
            }
            up = true;
            return List.copyOf(receivers.keySet());
        });
        if (channels == null) {
            return;
        }
        channels.forEach(channel -> server.listen(this, channel, true));
        server.submitAlways(() -> {
            tell(ConnectionListener::commandsUp);
            tell(ConnectionListener::messagesUp);
        });
    }

    private void tell(Consumer<ConnectionListener> event) {
        if (!locked(() -> closed)) {
            listeners.forEach(event);
        }
    }

    @Override
    public void reconnect() {
        cut();
        if (server.isReachable()) {
            restore();
        }
    }

    @Override
    public void listen(ConnectionListener listener) {
        listeners.add(listener);
    }

    @Override
    public String describe() {
        return server.describe();
    }

    @Override
    public void close() {
        List<Flight<?>> failed = locked(() -> {
            closed = true;
            List<Flight<?>> broken = new ArrayList<>(underWay);
            underWay.clear();
            receivers.clear();
            return broken;
        });
        server.remove(this);
        failed.forEach(one -> one.future.completeExceptionally(
                DriverException.unknown("the client of " + describe() + " is closed", null)));
    }
}
