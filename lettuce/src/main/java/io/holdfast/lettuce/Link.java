package io.holdfast.lettuce;

import io.lettuce.core.CommandListenerWriter;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.CommandExpiryWriter;
import io.lettuce.core.protocol.DefaultEndpoint;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One connection of Lettuce, which reconnects it: whether it is up now, and what is under way on it.
 *
 * <p>Lettuce's ways with a broken connection depend on options that the owner of a borrowed client chose; by default it
 * keeps commands and sends them again. This class relies on none of them. A call is counted in the present {@link Epoch}
 * before Lettuce gets it, and the epoch ends in Lettuce's disconnect event, which comes before the reconnect is even
 * scheduled. A call that has ended is never written.
 */
final class Link implements RedisConnectionStateListener {
    /** Told on the event loop of the connection, in turn: down, up, down… */
    interface Watcher {
        void up(Epoch epoch);

        /** Comes before the calls under way fail. */
        void down();
    }

    private static final String BROKEN = "the connection broke";
    private static final String MIXED_UP = "the connection was given up: answers came out of order";
    private static final String CLOSED = "the driver is closed";

    private final StatefulRedisConnection<String, String> connection;
    private final DefaultEndpoint endpoint;
    private final Watcher watcher;
    private final Epoch first = new Epoch(this::giveUp);
    private final AtomicReference<@Nullable Epoch> present = new AtomicReference<>(first);
    private volatile @Nullable SocketAddress remote;
    private volatile boolean foundOpen; // when there was somebody to hear of what becomes of it
    private volatile boolean closed;

    Link(StatefulRedisConnection<String, String> connection, @Nullable SocketAddress remote, Watcher watcher) {
        this.connection = connection;
        this.endpoint = endpoint(connection);
        this.remote = remote;
        this.watcher = watcher;
        // The engine has its own deadlines. A borrowed client's default would arm a timer of 60 s for each command.
        connection.setTimeout(Duration.ZERO);
    }

    /** Begins to follow the connection, which counts as up until now. Answers its epoch. */
    Epoch follow() {
        connection.addListener(this);
        // It may have broken before anybody listened. If events came since, they know better.
        if (connection.isOpen()) {
            foundOpen = true;
        } else if (present.compareAndSet(first, null)) {
            watcher.down();
            first.end(BROKEN, null);
        }
        return first;
    }

    /** Sends a call now or fails it. */
    <T> CompletableFuture<T> send(Call<T> call) {
        return send(present.get(), call);
    }

    /** Sends a call now if this is still the present epoch, or fails it. */
    <T> CompletableFuture<T> send(@Nullable Epoch epoch, Call<T> call) {
        if (epoch == null) {
            call.fail(closed ? CLOSED : "the connection is down", null);
        } else if (epoch.admit(call)) {
            try {
                connection.dispatch(call);
            } catch (RuntimeException e) {
                call.completeExceptionally(e);
            } catch (Error e) {
                // If it is written none the less, then in its place; and it is ended, so nobody hears of its answer.
                call.fail("it could not be sent", e);
            }
        }
        return call.outcome();
    }

    /** The server at the other end, for people. */
    String describe() {
        SocketAddress address = remote;
        if (address instanceof InetSocketAddress inet) {
            return HostPort.of(inet.getHostString(), inet.getPort());
        }
        return address == null ? "redis" : address.toString();
    }

    /** Breaks the connection; Lettuce then opens it again, as after any other breakage. */
    void breakOff() {
        endpoint.disconnect();
    }

    /**
     * What Lettuce breaks the connection off with, found when the connection is made: when it has to be broken, it is late
     * for finding that it cannot be.
     */
    private static DefaultEndpoint endpoint(StatefulRedisConnection<String, String> connection) {
        Object writer =
                connection instanceof RedisChannelHandler<?, ?> handler ? handler.getChannelWriter() : connection;
        while (true) {
            if (writer instanceof DefaultEndpoint endpoint) {
                return endpoint;
            } else if (writer instanceof CommandExpiryWriter outer) {
                writer = outer.getDelegate();
            } else if (writer instanceof CommandListenerWriter outer) {
                writer = outer.getDelegate();
            } else {
                var unused = connection.closeAsync();
                throw new IllegalStateException("cannot break off a connection that writes through "
                        + writer.getClass().getName() + ", and a driver must be able to do that");
            }
        }
    }

    /** What comes on the connection is not to be believed any more: as if it had broken by itself. */
    private void giveUp(Epoch epoch, @Nullable Throwable cause) {
        if (present.compareAndSet(epoch, null)) {
            try {
                watcher.down();
                epoch.end(cause == null ? MIXED_UP : BROKEN, cause);
            } finally {
                breakOff();
            }
        }
    }

    /** Closes the connection; calls under way fail. Completes when it is closed. */
    CompletableFuture<Void> close() {
        closed = true;
        Epoch last = present.getAndSet(null);
        if (last != null) {
            last.end(CLOSED, null);
        }
        // A client that was shut down has closed it, and Lettuce would warn.
        return connection instanceof RedisChannelHandler<?, ?> handler && handler.isClosed()
                ? CompletableFuture.completedFuture(null)
                : connection.closeAsync();
    }

    @Override
    public void onRedisConnected(RedisChannelHandler<?, ?> handler, SocketAddress address) {
        if (closed) {
            return;
        }
        remote = address;
        // Lettuce may hand a connection out before it tells of it. Had it broken since, that would have been told.
        if (foundOpen && present.get() == first) {
            return;
        }
        Epoch next = new Epoch(this::giveUp);
        Epoch last = present.getAndSet(next);
        if (last != null) {
            // Broken and mended between connecting and follow().
            watcher.down();
            last.end(BROKEN, null);
        }
        watcher.up(next);
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> handler) {
        Epoch last = present.getAndSet(null);
        if (last != null) {
            watcher.down();
            last.end(BROKEN, null);
        }
    }
}
