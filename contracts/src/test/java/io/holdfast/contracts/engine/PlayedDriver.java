package io.holdfast.contracts.engine;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;

/** A server that a function plays: it answers at once, and sends no messages. */
record PlayedDriver(RedisAddress address, Collection<ConnectionListener> listeners, Function<Command, Reply> answer)
        implements RedisDriver {
    @Override
    public CompletionStage<Reply> send(Command command) {
        try {
            return CompletableFuture.completedFuture(answer.apply(command));
        } catch (DriverException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public CompletionStage<Void> unsubscribe(String channel) {
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void reconnect() {}

    @Override
    public void listen(ConnectionListener listener) {
        listeners.add(listener);
    }

    @Override
    public String describe() {
        return address.hostAndPort();
    }

    @Override
    public void close() {}
}
