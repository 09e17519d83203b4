package io.holdfast.jedis;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.util.Pool;

/**
 * A driver over the connections of a Jedis pool that the application already has. For an address in place of a pool, see
 * {@link JedisDriverProvider}.
 *
 * <p>The driver borrows one connection for all commands when it is made, and a second one for messages with the first
 * subscription. It keeps them until it is closed: the pool must have room for two more. A connection that breaks goes
 * back to the pool as broken, and another is borrowed. Closing the driver leaves the pool open. The pool's settings hold
 * (address, user, database, encryption, client name, how long borrowing may wait), but for the time limit for replies,
 * which is lifted on the two connections.
 */
public final class JedisDriver implements RedisDriver {
    private static final long JOIN_MILLIS = 1_000;

    private final ConnectionSource source;
    private final Callbacks callbacks = new Callbacks();
    private final CommandConnection commands;
    private final MessageConnection messages;
    private final AtomicBoolean closed = new AtomicBoolean();

    private JedisDriver(ConnectionSource source) {
        this.source = source;
        this.commands = new CommandConnection(source, callbacks);
        this.messages = new MessageConnection(source, callbacks);
    }

    /**
     * A driver over a {@link JedisPool}. Blocks until a connection is borrowed and answers, at most five seconds.
     *
     * @throws DriverException {@code UNKNOWN} if there is none in time, or the pool is exhausted; {@code REJECTED} if the
     *     server answered with an error
     */
    @SuppressWarnings("deprecation") // Jedis 8 prefers RedisClient; applications still have this pool
    public static RedisDriver over(JedisPool pool) {
        return borrowing(new PoolSource<>(pool, Jedis::getConnection, Jedis::close));
    }

    /**
     * A driver over a {@link ConnectionPool}. Blocks until a connection is borrowed and answers, at most five seconds.
     *
     * @throws DriverException as for {@link #over(JedisPool)}
     */
    public static RedisDriver over(ConnectionPool pool) {
        return over((Pool<Connection>) pool);
    }

    /**
     * A driver over the pool of a {@link RedisClient}. Blocks until a connection is borrowed and answers, at most five
     * seconds.
     *
     * @throws DriverException as for {@link #over(JedisPool)}
     */
    public static RedisDriver over(RedisClient client) {
        return over(client.getPool());
    }

    private static RedisDriver over(Pool<Connection> pool) {
        return borrowing(new PoolSource<>(pool, connection -> connection, Connection::close));
    }

    private static RedisDriver borrowing(ConnectionSource source) {
        return open(source, ConnectOptions.defaults().connectTimeout());
    }

    /** A driver whose command connection is up. */
    static RedisDriver open(ConnectionSource source, Duration timeout) {
        JedisDriver driver = new JedisDriver(source);
        try {
            driver.commands.open(timeout);
            return driver;
        } catch (DriverException e) {
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
