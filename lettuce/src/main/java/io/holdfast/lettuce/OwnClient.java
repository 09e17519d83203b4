package io.holdfast.lettuce;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Credentials;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider.ImmediateRedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.metrics.CommandLatencyRecorder;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EventLoopGroupProvider;
import io.lettuce.core.resource.Transports;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.SucceededFuture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;

/**
 * A Lettuce client for one driver alone.
 *
 * <p>Its two threads: the event loop has both connections and is the lane of {@link Messages}; the worker has timers,
 * reconnects and name lookups, which may block for long and must not hold up replies. Both are Netty executors without a
 * group around them, because a group that shuts down leaves Netty's global executor behind, a thread that keeps the JVM
 * alive for another second.
 */
final class OwnClient {
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

    private final Duration connectTimeout;
    private final String silence;
    private final Supplier<RedisDriver> again;
    private final String name;
    private final RedisURI uri;
    private final List<Thread> threads = new CopyOnWriteArrayList<>();
    /** Completes when the first attempt begins: from then on the time counts that it takes. */
    private final CompletableFuture<Long> begun = new CompletableFuture<>();

    private final EventLoopGroup io;
    private final EventExecutor worker;
    private final OwnChannels channels;
    private final ClientResources resources;
    private final RedisClient client;
    private volatile boolean closing;
    /** Whether the latest attempt was: when it connects again, Lettuce goes on with the address of before all the same. */
    private volatile boolean prepared;
    /** As whom to connect, as was said before the latest attempt. */
    private volatile RedisCredentials credentials = RedisCredentials.just(null, (char[]) null);
    /** What encrypts, as its files were before the latest attempt. */
    private volatile Supplier<SSLEngine> engines = () -> {
        throw new IllegalStateException("a connection that is not to be encrypted has no engine");
    };

    OwnClient(RedisAddress address, ConnectOptions options) {
        connectTimeout = options.connectTimeout();
        silence = options.silence();
        again = () -> new OwnClient(address, options).connect();
        name = address.hostAndPort();
        uri = uri(address, options);
        if (options.credentials() != null || address.password() != null) {
            uri.setCredentialsProvider((ImmediateRedisCredentialsProvider) () -> credentials);
        }
        io = Transports.socketChannelClass() == NioSocketChannel.class
                ? LoneLoop.make(threads("io"))
                : new DefaultEventLoopGroupProvider(1, pool -> threads("io"))
                        .allocate(Transports.eventLoopGroupClass());
        worker = new DefaultEventExecutor(threads("worker"));
        channels = new OwnChannels(() -> prepared && !closing, () -> engines.get());
        resources = ClientResources.builder()
                .eventLoopGroupProvider(new OneLoop(io))
                .eventExecutorGroup(worker)
                .timer(new ExecutorTimer(worker))
                .commandLatencyRecorder(CommandLatencyRecorder.disabled())
                .reconnectDelay(new ReconnectDelay())
                .socketAddressResolver(new JvmResolver(() -> prepare(address, options)))
                .nettyCustomizer(channels)
                .build();
        client = new LeanClient(resources, uri);
        ClientOptions.Builder clientOptions = ClientOptions.builder()
                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build())
                .sslOptions(SslOptions.builder()
                        .jdkSslProvider()
                        .sslContext(context -> context.trustManager(new OwnChannels.NoTrust()))
                        .build())
                .socketOptions(
                        SocketOptions.builder().connectTimeout(connectTimeout).build());
        Versions.withoutMaintenanceNotifications(clientOptions);
        client.setOptions(clientOptions.build());
    }

    static RedisURI uri(RedisAddress address, ConnectOptions options) {
        RedisURI.Builder uri = RedisURI.builder()
                .withHost(address.host())
                .withPort(address.port())
                .withSsl(address.tls())
                .withDatabase(address.database())
                .withClientName(options.clientName())
                .withTimeout(options.connectTimeout());
        String password = address.password();
        String user = address.user();
        if (password != null) {
            if (user == null) {
                uri.withPassword(password.toCharArray());
            } else {
                uri.withAuthentication(user, password.toCharArray());
            }
        }
        return uri.build();
    }

    /** Before each attempt to connect. On the worker, since it may block. */
    private void prepare(RedisAddress address, ConnectOptions options) {
        begun.complete(System.nanoTime());
        try {
            Credentials now = options.credentialsFor(address);
            if (now != null) {
                credentials = RedisCredentials.just(now.user(), now.password().toCharArray());
            }
            if (address.tls()) {
                engines = options.tls().engines(address);
            }
            prepared = true;
        } catch (RuntimeException | Error e) {
            prepared = false;
            throw e;
        }
    }

    /** Blocks until the command connection is usable; closes this client if that fails. */
    RedisDriver connect() {
        try {
            StatefulRedisConnection<String, String> connection = connection();
            return new LettuceDriver(name, connection, null, io.next(), this::openMessages, again, this::close);
        } catch (ExecutionException | TimeoutException e) {
            close();
            throw Failures.ofConnect(e, new Failures.Goal(name, uri.isSsl(), silence, silence));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            close();
            throw DriverException.unknown("no connection to " + name + ": interrupted while connecting", e);
        }
    }

    private StatefulRedisConnection<String, String> connection()
            throws ExecutionException, TimeoutException, InterruptedException {
        for (int left = Failures.MOST_CONNECTS - 1; ; left--) {
            try {
                var connected = onWorker(() -> client.connectAsync(StringCodec.UTF8, uri));
                // Until then Lettuce's classes are loaded: the server keeps nothing waiting, and a slow machine takes
                // seconds.
                CompletableFuture.anyOf(begun, connected).get();
                long deadline = begun.getNow(0L) + connectTimeout.toNanos();
                return connected.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            } catch (ExecutionException e) {
                if (left == 0 || !Failures.isReasonLost(e)) {
                    throw e;
                }
            }
        }
    }

    private CompletionStage<StatefulRedisPubSubConnection<String, String>> openMessages() {
        return onWorker(() -> client.connectPubSubAsync(StringCodec.UTF8, uri));
    }

    /** Lettuce looks the name up in the thread that connects. */
    private <T> CompletableFuture<T> onWorker(Supplier<? extends CompletionStage<T>> connect) {
        CompletableFuture<T> connected = new CompletableFuture<>();
        worker.execute(() -> {
            if (closing) {
                connected.completeExceptionally(DriverException.unknown(name + ": the driver is closed", null));
                return;
            }
            try {
                var unused = connect.get().whenComplete((connection, failure) -> {
                    if (failure == null) {
                        connected.complete(connection);
                    } else {
                        connected.completeExceptionally(failure);
                    }
                });
            } catch (RuntimeException | Error e) {
                connected.completeExceptionally(e);
            }
        });
        return connected;
    }

    private void close() {
        close(CompletableFuture.completedFuture(null));
    }

    /** Waits for the threads to end, but not in one of them. */
    private void close(CompletableFuture<Void> connections) {
        long deadline = System.nanoTime() + CLOSE_LIMIT.toNanos();
        closing = true;
        // Not before the connections are closed: Lettuce would close them again and warn that they are closed already.
        CompletableFuture<Void> closed = connections.thenCompose(
                nothing -> client.shutdownAsync(0, CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS));
        if (threads.contains(Thread.currentThread())) {
            var unused = closed.whenComplete((done, failure) -> stopThreads());
            return;
        }
        try {
            closed.get(CLOSE_LIMIT.toNanos() / 2, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // The threads are stopped all the same, and with them ends whatever did not close.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        stopThreads();
        try {
            for (Thread thread : threads) {
                TimeUnit.NANOSECONDS.timedJoin(thread, Math.max(1, deadline - System.nanoTime()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void stopThreads() {
        Future<?> unused = resources.shutdown(0, CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        // The loop is stopped by the worker, hence not while a reconnect is being started there: a connect on a stopped
        // loop fails, and reports that on Netty's global executor.
        worker.execute(() -> {
            // A loop without a quiet period may end without a look at what is still connecting.
            io.execute(channels::closeAll);
            stop(io);
        });
        stop(worker);
    }

    private static void stop(EventExecutorGroup executor) {
        var unused = executor.shutdownGracefully(0, CLOSE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    private ThreadFactory threads(String role) {
        return task -> {
            Thread thread = new FastThreadLocalThread(task, "holdfast-lettuce-" + role + "-" + name);
            thread.setDaemon(true);
            threads.add(thread);
            return thread;
        };
    }

    /** Gives Lettuce the one loop, and leaves its end to the owner. */
    private record OneLoop(EventLoopGroup io) implements EventLoopGroupProvider {
        @Override
        @SuppressWarnings("unchecked") // Lettuce stores what it gets as an EventLoopGroup
        public <T extends EventLoopGroup> T allocate(Class<T> type) {
            return (T) io;
        }

        @Override
        public int threadPoolSize() {
            return 1;
        }

        @Override
        public Future<Boolean> release(EventExecutorGroup group, long quietPeriod, long timeout, TimeUnit unit) {
            return shutdown(quietPeriod, timeout, unit);
        }

        @Override
        public Future<Boolean> shutdown(long quietPeriod, long timeout, TimeUnit unit) {
            return new SucceededFuture<>(ImmediateEventExecutor.INSTANCE, true);
        }
    }
}
