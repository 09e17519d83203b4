package io.holdfast.contracts;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A driver that passes every call on to another one. Extend it for a test driver that does one thing differently. */
public abstract class ForwardingDriver implements RedisDriver {
    /** The driver to which calls are passed on. */
    protected final RedisDriver driver;

    /** Creates a driver that passes calls on to the given one. */
    protected ForwardingDriver(RedisDriver driver) {
        this.driver = driver;
    }

    @Override
    public CompletionStage<Reply> send(Command command) {
        return driver.send(command);
    }

    @Override
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        return driver.subscribe(channel, onMessage);
    }

    @Override
    public CompletionStage<Void> unsubscribe(String channel) {
        return driver.unsubscribe(channel);
    }

    @Override
    public CompletionStage<Void> subscribeShard(String channel, Consumer<String> onMessage, Runnable onEnded) {
        return driver.subscribeShard(channel, onMessage, onEnded);
    }

    @Override
    public CompletionStage<Void> unsubscribeShard(String channel) {
        return driver.unsubscribeShard(channel);
    }

    @Override
    public RedisDriver another(String key) {
        return driver.another(key);
    }

    @Override
    public void reconnect() {
        driver.reconnect();
    }

    @Override
    public void listen(ConnectionListener listener) {
        driver.listen(listener);
    }

    @Override
    public int partition(String key) {
        return driver.partition(key);
    }

    @Override
    public String describe() {
        return driver.describe();
    }

    @Override
    public void close() {
        driver.close();
    }
}
