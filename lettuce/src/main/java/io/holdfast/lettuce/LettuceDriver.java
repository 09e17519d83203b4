package io.holdfast.lettuce;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverCallbacks;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.net.SocketAddress;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A driver over Lettuce for one server, or for the server that a client with Sentinels currently regards as the master.
 *
 * <p>It opens one connection for commands, which all threads share, and from the first subscription on one for messages.
 * Replies, messages and connection events are delivered on threads of Lettuce. An exception of a callback goes to the
 * thread's handler for uncaught exceptions.
 *
 * <p>A channel has one subscription; subscribing again replaces the receiver of its messages. While a connection that was
 * open is down, {@code subscribe} fails at once, like {@code send}. After {@link #close} no more connection events come.
 *
 * <p>Commands that change the connection itself or take over its replies ({@code MULTI}, {@code SELECT}, {@code SUBSCRIBE},
 * {@code MONITOR} and the like) have no place in {@link #send}, because all threads share the connection.
 *
 * <p>It runs with Lettuce 6.6.0 and newer, tested up to 7.7.0, on Netty 4.1.118 and newer, tested up to 4.2.17.
 */
public final class LettuceDriver implements RedisDriver {
    private static final long CLOSE_LIMIT_MILLIS = 1_000;

    private final DriverCallbacks listeners = new DriverCallbacks();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final @Nullable String name;
    private final Link commands;
    private final Messages messages;
    private final Supplier<RedisDriver> again;
    private final Consumer<CompletableFuture<Void>> afterwards;

    /**
     * @param name what {@link #describe} answers; null for the address that the command connection has reached
     * @param lane for {@link Messages}
     * @param opener opens the message connection, without blocking
     * @param again connects as this driver was connected, with nothing in common but a client that was handed in
     * @param afterwards closes what else belongs to the driver, given what completes when the connections are closed
     */
    LettuceDriver(
            @Nullable String name,
            StatefulRedisConnection<String, String> connection,
            @Nullable SocketAddress remote,
            EventExecutor lane,
            Supplier<CompletionStage<StatefulRedisPubSubConnection<String, String>>> opener,
            Supplier<RedisDriver> again,
            Consumer<CompletableFuture<Void>> afterwards) {
        this.again = again;
        this.name = name;
        this.afterwards = afterwards;
        commands = new Link(connection, remote, new Link.Watcher() {
            @Override
            public void up(Epoch epoch) {
                listeners.tell(ConnectionListener::commandsUp);
            }

            @Override
            public void down() {
                listeners.tell(ConnectionListener::commandsDown);
            }
        });
        messages = new Messages(lane, opener, listeners, this::describe);
        commands.follow();
    }

    /**
     * Returns a driver that opens its two connections on a client that the application already has, to the server for which
     * the client was created. {@link #close} closes these connections and leaves the client as it was. The client's options
     * apply, with these exceptions: commands are never kept or repeated after a broken connection, and Lettuce's timeout
     * of a connection does not limit them (timeouts that the client's {@code TimeoutOptions} set for commands by
     * themselves do, and fail them as {@code UNKNOWN}).
     *
     * <p>On such a client's connections, Lettuce only logs an exception that is thrown while a message is read and no command is
     * in progress. That message may be lost, as when a connection breaks, but no listener is notified. A driver's own client
     * breaks the connection then.
     *
     * <p>Blocks until the command connection is usable, for as long as the client's options allow.
     *
     * <p>{@link RedisDriver#another} opens one more connection on the same client, and a further one if the returned driver
     * subscribes to a channel.
     *
     * @throws DriverException as {@link io.holdfast.spi.RedisDriverProvider#connect} does
     * @throws IllegalStateException if the client was created without a server, or if Lettuce or Netty is too old
     * @throws IllegalArgumentException if the client's options turn {@code autoReconnect} off, without which a driver would
     *     be useless after the first broken connection
     */
    public static RedisDriver over(RedisClient client) {
        Versions.check();
        // Lettuce has no way to connect asynchronously to the client's own server, and the lane must not block.
        return over(client, null, () -> client.connect(StringCodec.UTF8), () -> {
            CompletableFuture<StatefulRedisPubSubConnection<String, String>> opened = new CompletableFuture<>();
            Thread thread = new Thread(
                    () -> {
                        try {
                            opened.complete(client.connectPubSub(StringCodec.UTF8));
                        } catch (RuntimeException | Error e) {
                            opened.completeExceptionally(e);
                        }
                    },
                    "holdfast-lettuce-open");
            thread.setDaemon(true);
            thread.start();
            return opened;
        });
    }

    /**
     * As {@link #over(RedisClient)}, but to another server than the one for which the client was created, or with a client
     * that was created without one.
     *
     * @param uri the server, user, password, database and client name; later changes to it have no defined effect
     * @throws DriverException as {@link io.holdfast.spi.RedisDriverProvider#connect} does
     * @throws IllegalStateException if Lettuce or Netty is too old
     * @throws IllegalArgumentException if the client's options turn {@code autoReconnect} off
     */
    public static RedisDriver over(RedisClient client, RedisURI uri) {
        Versions.check();
        return over(
                client,
                uri.getHost() == null
                        ? null
                        : new Failures.Goal(
                                HostPort.of(uri.getHost(), uri.getPort()),
                                uri.isSsl(),
                                ConnectOptions.silence(
                                        client.getOptions().getSocketOptions().getConnectTimeout()),
                                ConnectOptions.silence(uri.getTimeout())),
                () -> client.connect(StringCodec.UTF8, uri),
                () -> client.connectPubSubAsync(StringCodec.UTF8, uri));
    }

    private static RedisDriver over(
            RedisClient client,
            Failures.@Nullable Goal goal,
            Supplier<StatefulRedisConnection<String, String>> connect,
            Supplier<CompletionStage<StatefulRedisPubSubConnection<String, String>>> opener) {
        if (!client.getOptions().isAutoReconnect()) {
            throw new IllegalArgumentException("the client's options turn autoReconnect off; the driver needs it on");
        }
        // The only way to learn where a client without a known address has connected to.
        Map<RedisChannelHandler<?, ?>, SocketAddress> seen = new ConcurrentHashMap<>();
        RedisConnectionStateListener watch = new RedisConnectionStateListener() {
            @Override
            public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress address) {
                seen.put(connection, address);
            }
        };
        client.addListener(watch);
        StatefulRedisConnection<String, String> connection;
        try {
            connection = connect(connect);
        } catch (RedisException e) {
            throw Failures.ofConnect(e, goal);
        } finally {
            client.removeListener(watch);
        }
        SocketAddress remote = connection instanceof RedisChannelHandler<?, ?> handler ? seen.get(handler) : null;
        EventExecutor lane = client.getResources().eventExecutorGroup().next();
        return new LettuceDriver(
                goal == null ? null : goal.name(),
                connection,
                remote,
                lane,
                opener,
                () -> over(client, goal, connect, opener),
                LettuceDriver::await);
    }

    private static StatefulRedisConnection<String, String> connect(
            Supplier<StatefulRedisConnection<String, String>> connect) {
        for (int left = Failures.MOST_CONNECTS - 1; ; left--) {
            try {
                return connect.get();
            } catch (RedisException e) {
                if (left == 0 || !Failures.isReasonLost(e)) {
                    throw e;
                }
            }
        }
    }

    /** So that the connections are gone before the application, in its turn, shuts the client down. */
    private static void await(CompletableFuture<Void> closing) {
        if (Thread.currentThread() instanceof FastThreadLocalThread) {
            // A thread of Netty, perhaps the very one that has to close them.
            return;
        }
        try {
            closing.get(CLOSE_LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // They belong to the client, which closes them at the latest when it is shut down.
        }
    }

    @Override
    public CompletionStage<Reply> send(Command command) {
        return commands.send(Call.of(command, describe()));
    }

    @Override
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        return messages.subscribe(channel, onMessage);
    }

    @Override
    public CompletionStage<Void> unsubscribe(String channel) {
        return messages.unsubscribe(channel);
    }

    @Override
    public CompletionStage<Void> subscribeShard(String channel, Consumer<String> onMessage, Runnable onEnded) {
        return messages.subscribeShard(channel, onMessage, onEnded);
    }

    @Override
    public CompletionStage<Void> unsubscribeShard(String channel) {
        return messages.unsubscribeShard(channel);
    }

    /** One server has every key. */
    @Override
    public RedisDriver another(String key) {
        if (closed.get()) {
            throw DriverException.unknown(describe() + ": the driver is closed", null);
        }
        return again.get();
    }

    @Override
    public void reconnect() {
        commands.breakOff();
        messages.breakOff();
    }

    @Override
    public void listen(ConnectionListener listener) {
        listeners.add(listener);
    }

    @Override
    public String describe() {
        return name == null ? commands.describe() : name;
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            listeners.close();
            CompletableFuture<Void> messagesClosed = messages.close();
            CompletableFuture<Void> commandsClosed = commands.close();
            afterwards.accept(CompletableFuture.allOf(messagesClosed, commandsClosed));
        }
    }
}
