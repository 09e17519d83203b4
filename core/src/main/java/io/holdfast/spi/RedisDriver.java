package io.holdfast.spi;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One server as the engine sees it: a connection for commands and a connection for messages, both kept open and
 * re-established by the driver.
 *
 * <p><b>Threads.</b> Every method may be called from any thread, also from the driver's own callback threads. None
 * blocks on the network, none throws for a network or server failure: failures come in the returned stage, always as a
 * {@link DriverException} (never wrapped in a {@code CompletionException} when looked at through {@code whenComplete} on
 * the returned stage itself). Messages and connection events are delivered on threads of the driver, and so are stages,
 * unless a thread that blocks for an answer reads for the driver ({@link BlockingCall}); the engine does only short,
 * non-blocking work there, and holds no lock while it blocks.
 *
 * <p><b>Order.</b> Commands sent by one thread are written in the order in which they were sent. Messages of one channel
 * are delivered in the order in which the server published them, one at a time.
 */
public interface RedisDriver extends AutoCloseable {

    /**
     * Sends one command.
     *
     * <p>While the connection is down the driver fails the command at once, as {@link DriverException.Kind#UNKNOWN};
     * it does not keep it for later, because the engine decides what is worth repeating. A command that was on its way
     * when the connection broke fails as {@code UNKNOWN} too. The driver sets no time limit of its own: the engine does,
     * and ignores what comes after.
     *
     * <p>Replies have the shape of RESP2: a map is a flat list, a double a text. An error inside a list makes the whole
     * reply {@code REJECTED}.
     *
     * @return a stage that completes with the reply, or exceptionally with a {@link DriverException}
     */
    CompletionStage<Reply> send(Command command);

    /**
     * Subscribes to one channel (exactly this name, not a pattern).
     *
     * <p>After a broken connection the driver subscribes again by itself, and only then reports
     * {@link ConnectionListener#messagesUp()}. If the message connection is not open yet, it is opened; if it was open and is
     * down, this fails at once, as {@code UNKNOWN}. A second subscription to one channel replaces the first receiver.
     *
     * @param onMessage receives the payload of each message, on a thread of the driver
     * @return a stage that completes when the server has acknowledged the subscription, or exceptionally with a
     *     {@link DriverException}; after a failure nothing is subscribed
     */
    CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage);

    /** Ends a subscription; a no-op if there is none. Completes when acknowledged, or when the connection is down. */
    CompletionStage<Void> unsubscribe(String channel);

    /**
     * Subscribes to one sharded channel ({@code SSUBSCRIBE}) of the server that this driver is connected to: it has to serve
     * the channel's slot, else it rejects this, as {@code MOVED} or {@code CLUSTERDOWN}. A normal channel of the same name is
     * another channel. Channels may be of different slots.
     *
     * <p>After a broken connection the driver subscribes again by itself, as for any channel, before it reports
     * {@link ConnectionListener#messagesUp()}. A subscription that the server ends by itself, because the slot has gone
     * elsewhere, or that it rejects after a broken connection, is reported to {@code onEnded} once; the driver has forgotten
     * it by then. It does not hold up the others, nor break the connection. A subscription that has ended in another way, by
     * {@link #unsubscribeShard}, {@link #close} or a second one to the same channel, is not reported.
     *
     * @param onMessage as for {@link #subscribe}
     * @param onEnded called on a thread of the driver; must not block
     * @return as for {@link #subscribe}; after a failure {@code onEnded} is not called
     */
    default CompletionStage<Void> subscribeShard(String channel, Consumer<String> onMessage, Runnable onEnded) {
        return CompletableFuture.failedFuture(DriverException.rejected("ERR this driver knows no sharded channels"));
    }

    /**
     * Ends a subscription to a sharded channel, as {@link #unsubscribe} does; {@code onEnded} is not called from then on.
     * Completes also when the server rejects it, since the subscription has ended with the slot's leaving then.
     */
    default CompletionStage<Void> unsubscribeShard(String channel) {
        return CompletableFuture.completedFuture(null);
    }

    /**
     * Opens a second driver to the same server, as the same user, on the same database and with the same encryption, for
     * commands that keep a connection busy ({@code WAIT}). It has connections of its own, and is closed by the caller, apart
     * from this one. Blocks until it is usable.
     *
     * @param key by which a driver with several servers finds the one that is meant
     * @throws DriverException as {@link RedisDriverProvider#connect} does; {@code UNKNOWN} if this driver is closed
     */
    default RedisDriver another(String key) {
        throw DriverException.rejected("ERR this driver cannot open a second connection");
    }

    /**
     * The server that has a partition at present, one of {@link #masters()}; null if there is none. As long as the same
     * server has it, over the same driver, the answer is the same object.
     *
     * @param partition 0 to below {@link #partitions()}
     */
    default @Nullable RedisDriver master(int partition) {
        return this;
    }

    /**
     * The servers that hold keys, each as a driver of its own for commands without a key; they are closed with this one.
     * A driver for a single server answers itself.
     */
    default List<RedisDriver> masters() {
        return List.of(this);
    }

    /**
     * Breaks both connections, as if the network had, and lets them be opened again. The engine asks for it when a
     * connection stays open but nothing has been answered on it for too long: the peer may have vanished without a word,
     * which the operating system notices only after many minutes. What follows is what follows any broken connection. A
     * connection that is down is left as it is. Does not block for long.
     */
    void reconnect();

    /** Adds a listener for the life of this driver. */
    void listen(ConnectionListener listener);

    /**
     * Into how many parts the keys are divided, each of which may be on another server; it never changes. If there is more
     * than one, a channel belongs to the partition of its name, as if that were a key, and events name partitions.
     */
    default int partitions() {
        return 1;
    }

    /**
     * Where a key lives, from 0 to below {@link #partitions()}: commands whose keys have the same partition may be sent as
     * one batch. A driver for a single server answers 0 for every key.
     */
    default int partition(String key) {
        return 0;
    }

    /** The server's address for people: host and port, never a password. */
    String describe();

    /**
     * Closes what this driver opened itself, and nothing else: a client that was handed in stays open. Commands under
     * way and later ones fail as {@code UNKNOWN}, and no event is reported any more. Returns when the driver's own threads
     * have ended, or after a short bounded wait. Closing twice is a no-op.
     */
    @Override
    void close();
}
