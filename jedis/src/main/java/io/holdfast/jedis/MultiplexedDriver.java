package io.holdfast.jedis;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverCallbacks;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * One connection for all commands and one for messages. Knows nothing of pools, whose classes a program that connects to
 * an address never has to load.
 */
final class MultiplexedDriver implements RedisDriver {
    private static final long JOIN_MILLIS = 1_000;

    private final ConnectionSource source;
    private final Duration timeout;
    private final DriverCallbacks callbacks = new DriverCallbacks();
    private final CommandConnection commands;
    private final MessageConnection messages;
    private final AtomicBoolean closed = new AtomicBoolean();

    private MultiplexedDriver(ConnectionSource source, Duration timeout) {
        this.source = source;
        this.timeout = timeout;
        this.commands = new CommandConnection(source, callbacks);
        this.messages = new MessageConnection(source, callbacks);
    }

    /** A driver whose command connection is up. */
    static RedisDriver open(ConnectionSource source, Duration timeout) {
        MultiplexedDriver driver = new MultiplexedDriver(source, timeout);
        try {
            driver.commands.open(timeout);
            return driver;
        } catch (RuntimeException | Error e) {
            driver.shut();
            throw e;
        }
    }

    @Override
    public CompletionStage<Reply> send(Command command) {
        return commands.send(command);
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
            throw DriverException.unknown("the driver was closed", null);
        }
        return open(source.another(), timeout);
    }

    @Override
    public void reconnect() {
        commands.keeper().reconnect();
        messages.keeper().ifPresent(ConnectionKeeper::reconnect);
    }

    @Override
    public void listen(ConnectionListener listener) {
        callbacks.add(listener);
    }

    @Override
    public String describe() {
        return source.describe();
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        shut();
        try {
            commands.keeper().join(JOIN_MILLIS);
            ConnectionKeeper other = messages.keeper().orElse(null);
            if (other != null) {
                other.join(JOIN_MILLIS);
            }
        } catch (InterruptedException e) {
            // What was to be done is done; only the wait is cut short.
            Thread.currentThread().interrupt();
        }
    }

    private void shut() {
        source.shut();
        commands.keeper().close();
        messages.close();
    }
}
