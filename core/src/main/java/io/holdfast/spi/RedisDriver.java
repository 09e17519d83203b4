package io.holdfast.spi;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One server as the engine sees it: a connection for commands and a connection for messages. The driver keeps both open and
 * re-establishes them.
 *
 * <p><b>Threads.</b> Every method may be called from any thread, also from the driver's own callback threads. Unless a method
 * says otherwise, it does not block on the network, and does not throw for a network or server failure. Failures come in the
 * returned stage, always as a {@link DriverException}. They are never wrapped in a {@code CompletionException} if observed by
 * {@code whenComplete} on the returned stage itself.
 *
 * <p>Messages and connection events are delivered on threads of the driver. So are stages, unless a thread that blocks for an
 * answer reads for the driver ({@link BlockingCall}). The engine does only short, non-blocking work there, and holds no lock
 * while it blocks.
 *
 * <p><b>Order.</b> Commands sent by one thread are written in the order in which they were sent. Messages of one channel
 * are delivered in the order in which the server published them, one at a time.
 */
public interface RedisDriver extends AutoCloseable {

    /**
     * Sends one command.
     *
     * <p>While the connection is down, the driver fails the command at once, as {@link DriverException.Kind#UNKNOWN}. It does
     * not keep the command for later, because the engine decides which commands to repeat. A command that was under way when
     * the connection broke also fails as {@code UNKNOWN}. The driver sets no time limit of its own. The engine sets one, and
     * ignores replies that arrive later.
     *
     * <p>Replies have the shape of RESP2: a map is a flat list, and a double is a text. An error inside a list makes the whole
     * reply {@code REJECTED}.
     *
     * @return a stage that completes with the reply, or exceptionally with a {@link DriverException}
     */
    CompletionStage<Reply> send(Command command);

    /**
     * Subscribes to one channel (exactly this name, not a pattern).
     *
     * <p>After a broken connection the driver subscribes again by itself, and only then reports
     * {@link ConnectionListener#messagesUp()}. If the message connection has not been opened yet, the driver opens it. If it was
     * open and is down, the subscription fails at once, as {@code UNKNOWN}. A second subscription to one channel replaces the
     * first receiver.
     *
     * @param onMessage receives the payload of each message, on a thread of the driver
     * @return a stage that completes when the server has acknowledged the subscription, or exceptionally with a
     *     {@link DriverException}; after a failure nothing is subscribed
     */
    CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage);

    /**
     * Ends a subscription; a no-op if there is none. The stage completes when the server has acknowledged it, or when the
     * connection is down.
     */
    CompletionStage<Void> unsubscribe(String channel);

    /**
     * Subscribes to one sharded channel ({@code SSUBSCRIBE}) of the server that this driver is connected to. The server must
     * serve the channel's slot; otherwise it rejects the subscription, as {@code MOVED} or {@code CLUSTERDOWN}. A normal channel
     * of the same name is another channel. Channels may be of different slots.
     *
     * <p>After a broken connection the driver subscribes again by itself, as for any channel, before it reports
     * {@link ConnectionListener#messagesUp()}. The driver calls {@code onEnded} once in two cases: the server ends the
     * subscription by itself, because the slot has moved, or rejects it after a broken connection. The driver has forgotten the
     * subscription by then. Such an end neither delays other subscriptions nor breaks the connection. A subscription that ends in
     * another way, by {@link #unsubscribeShard}, {@link #close} or a second one to the same channel, is not reported.
     *
     * @param onMessage as for {@link #subscribe}
     * @param onEnded called on a thread of the driver; must not block
     * @return as for {@link #subscribe}; after a failure {@code onEnded} is not called
     */
    default CompletionStage<Void> subscribeShard(String channel, Consumer<String> onMessage, Runnable onEnded) {
        return CompletableFuture.failedFuture(DriverException.rejected("ERR this driver knows no sharded channels"));
    }

    /**
     * Ends a subscription to a sharded channel, as {@link #unsubscribe} does; {@code onEnded} is not called from then on. The
     * stage also completes if the server rejects this, since then the subscription ended when the slot moved.
     */
    default CompletionStage<Void> unsubscribeShard(String channel) {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Opens a second driver to the same server, with the same user, database and encryption, for commands that keep a connection
     * busy ({@code WAIT}). It has connections of its own. The caller must close it, separately from this one. Blocks until it is
     * usable.
     *
     * @param key selects the server, if this driver has several: the one that has this key
     * @throws DriverException as {@link RedisDriverProvider#connect} does; {@code UNKNOWN} if this driver is closed
     */
    default RedisDriver another(String key) {
        throw DriverException.rejected("ERR this driver cannot open a second connection");
    }

    /**
     * Returns the server that has a partition at present, one of {@link #masters()}; null if there is none. While the same server
     * has the partition, over the same driver, the result is the same object.
     *
     * @param partition from 0 to below {@link #partitions()}
     */
    default @Nullable RedisDriver master(int partition) {
        return this;
    }

    /**
     * Returns the servers that have keys, each as a driver of its own for commands without a key. They are closed with this one.
     * A driver for a single server returns itself.
     */
    default List<RedisDriver> masters() {
        return List.of(this);
    }

    /**
     * Breaks both connections, as if the network had broken them, and lets the driver open them again. The engine calls this if
     * a connection stays open but has brought no answer for too long. The peer may have vanished without notice, which the
     * operating system detects only after many minutes. The consequences are those of any broken connection. A connection that
     * is down is left as it is. Does not block for long.
     */
    void reconnect();

    /** Adds a listener for the lifetime of this driver. */
    void listen(ConnectionListener listener);

    /**
     * Returns the number of partitions of the keys, each of which may be on another server. It never changes. If there is more
     * than one, a channel belongs to the partition of its name, as if that were a key, and events name partitions.
     */
    default int partitions() {
        return 1;
    }

    /**
     * Returns the partition of a key, from 0 to below {@link #partitions()}. Commands whose keys have the same partition may be
     * sent as one batch. A driver for a single server returns 0 for every key.
     */
    default int partition(String key) {
        return 0;
    }

    /** Returns the server's address in readable form: host and port, never a password. */
    String describe();

    /**
     * Closes everything that this driver opened itself, and nothing else: a client that was passed in stays open. Commands under
     * way and later ones fail as {@code UNKNOWN}, and events are no longer reported. Returns when the driver's own threads have
     * ended, or after a short, bounded wait. Closing twice is a no-op.
     */
    @Override
    void close();
}
