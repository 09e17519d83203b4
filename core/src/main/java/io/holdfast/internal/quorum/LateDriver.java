package io.holdfast.internal.quorum;

import io.holdfast.internal.wire.Trouble;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A driver for a server that need not be there yet: until it is, all commands fail at once, and a thread of its own tries
 * to connect, once a second. Connecting is told to listeners like the end of an outage.
 */
public final class LateDriver implements RedisDriver {
    private static final long PAUSE_MILLIS = 1_000;

    private final String place;
    private final Supplier<RedisDriver> connect;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CompletableFuture<@Nullable Throwable> first = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final List<ConnectionListener> listeners = new ArrayList<>(); // guarded by lock; those that came too early
    private volatile @Nullable RedisDriver driver; // written under lock, once
    private volatile String why = "it was not tried yet";

    /**
     * A driver that does not connect yet; {@link #begin} does.
     *
     * @param place host and port, for people
     * @param connect blocks, and throws if there is nobody
     */
    public LateDriver(String place, Supplier<RedisDriver> connect) {
        this.place = place;
        this.connect = connect;
    }

    /**
     * Begins to connect.
     *
     * @return completes after the first attempt, with what was wrong, or null
     */
    CompletableFuture<@Nullable Throwable> begin() {
        Thread thread = new Thread(this::run, "holdfast-connect-" + place);
        thread.setDaemon(true);
        thread.start();
        return first;
    }

    private void run() {
        try {
            do {
                RedisDriver opened;
                try {
                    opened = connect.get();
                } catch (RuntimeException | Error e) {
                    // Whatever it is: nobody else tries again.
                    why = String.valueOf(e.getMessage());
                    first.complete(e);
                    continue;
                }
                connected(opened);
                first.complete(null);
                return;
            } while (!closing.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void connected(RedisDriver opened) {
        List<ConnectionListener> early;
        lock.lock();
        try {
            driver = opened;
            early = List.copyOf(listeners);
        } finally {
            lock.unlock();
        }
        if (closing.getCount() == 0) {
            opened.close();
            return;
        }
        early.forEach(listener -> told(() -> opened.listen(listener)));
        early.forEach(listener -> told(listener::commandsUp));
        early.forEach(listener -> told(listener::messagesUp));
    }

    /** What a listener throws is not to keep the news from the others. */
    @SuppressWarnings("CatchingUnchecked")
    private static void told(Runnable telling) {
        try {
            telling.run();
        } catch (Throwable e) {
            Trouble.report("a listener failed when a connection came up", e);
        }
    }

    private DriverException notThere() {
        return DriverException.unknown(place + " is not connected: " + why, null);
    }

    @Override
    public CompletionStage<Reply> send(Command command) {
        RedisDriver present = driver;
        return present == null ? CompletableFuture.failedFuture(notThere()) : present.send(command);
    }

    @Override
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        RedisDriver present = driver;
        return present == null ? CompletableFuture.failedFuture(notThere()) : present.subscribe(channel, onMessage);
    }

    @Override
    public CompletionStage<Void> unsubscribe(String channel) {
        RedisDriver present = driver;
        return present == null ? CompletableFuture.completedFuture(null) : present.unsubscribe(channel);
    }

    @Override
    public void reconnect() {
        RedisDriver present = driver;
        if (present != null) {
            present.reconnect();
        }
    }

    @Override
    public void listen(ConnectionListener listener) {
        RedisDriver present;
        lock.lock();
        try {
            present = driver;
            if (present == null) {
                listeners.add(listener);
            }
        } finally {
            lock.unlock();
        }
        if (present != null) {
            present.listen(listener);
        }
    }

    @Override
    public String describe() {
        return place;
    }

    @Override
    public void close() {
        closing.countDown();
        RedisDriver present = driver;
        if (present != null) {
            present.close();
        }
    }
}
