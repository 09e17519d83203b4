package io.holdfast.vertx;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverCallbacks;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.vertx.core.Context;
import io.vertx.core.Future;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One connection for all commands and one for messages, to one server. */
final class ServerDriver implements RedisDriver {
    private static final long CLOSE_LIMIT_MILLIS = 1_000;

    private final String where;
    private final Lane lane;
    private final DriverCallbacks callbacks = new DriverCallbacks();
    private final Commands commands;
    private final Messages messages;
    private final Supplier<RedisDriver> again;
    private final Supplier<Future<Void>> afterwards;
    private final AtomicBoolean closed = new AtomicBoolean();

    private ServerDriver(Opener opener, Supplier<RedisDriver> again, Supplier<Future<Void>> afterwards) {
        this.where = opener.where();
        this.lane = opener.lane();
        this.again = again;
        this.afterwards = afterwards;
        this.commands = new Commands(opener, callbacks);
        this.messages = new Messages(opener, callbacks);
    }

    /**
     * A driver whose command connection is up. Blocks.
     *
     * @param again opens another driver, as this one was opened
     * @param afterwards closes what else belongs to the driver, also if there will be none
     * @throws IllegalStateException on an event loop
     */
    static RedisDriver open(
            Lane lane, Function<Lane, Opener> opener, Supplier<RedisDriver> again, Supplier<Future<Void>> afterwards) {
        ServerDriver driver = new ServerDriver(opener.apply(lane), again, afterwards);
        try {
            driver.commands.open();
            return driver;
        } catch (RuntimeException | Error e) {
            driver.close();
            throw e;
        }
    }

    /** Refuses to block an event loop, perhaps the one that has to answer. */
    static void checkMayBlock() {
        if (Context.isOnEventLoopThread()) {
            throw new IllegalStateException(
                    "connecting blocks, and this thread is an event loop of Vert.x: connect before"
                            + " verticles are deployed, or in executeBlocking");
        }
    }

    @Override
    public CompletionStage<Reply> send(Command command) {
        return commands.send(command);
    }

    @Override
    @SuppressWarnings("NullAway") // the value of a CompletionStage<Void> is null
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        return messages.subscribe(channel, onMessage);
    }

    @Override
    @SuppressWarnings("NullAway") // as above
    public CompletionStage<Void> unsubscribe(String channel) {
        return messages.unsubscribe(channel);
    }

    @Override
    @SuppressWarnings("NullAway") // as above
    public CompletionStage<Void> subscribeShard(String channel, Consumer<String> onMessage, Runnable onEnded) {
        return messages.subscribeShard(channel, onMessage, onEnded);
    }

    @Override
    @SuppressWarnings("NullAway") // as above
    public CompletionStage<Void> unsubscribeShard(String channel) {
        return messages.unsubscribeShard(channel);
    }

    /** One server has every key. */
    @Override
    public RedisDriver another(String key) {
        if (closed.get()) {
            throw Keeper.driverClosed();
        }
        return again.get();
    }

    @Override
    public void reconnect() {
        lane.execute(() -> {
            commands.reconnect();
            messages.reconnect();
        });
    }

    @Override
    public void listen(ConnectionListener listener) {
        callbacks.add(listener);
    }

    @Override
    public String describe() {
        return where;
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        callbacks.close();
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        Runnable shut = () -> {
            Future<Void> first = commands.close();
            Future<Void> second = messages.close();
            first.onComplete(one -> second.onComplete(both -> afterwards.get().onComplete(all -> done.complete(null))));
        };
        if (lane.execute(shut) && !Context.isOnEventLoopThread()) {
            await(done);
        }
    }

    private static void await(CompletableFuture<@Nullable Void> done) {
        try {
            done.get(CLOSE_LIMIT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            // What was to be done is done; only the wait is cut short.
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            // The connections close all the same.
        }
    }
}
