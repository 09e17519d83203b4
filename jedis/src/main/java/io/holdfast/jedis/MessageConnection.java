package io.holdfast.jedis;

import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverCallbacks;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.MessageProbe;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.exceptions.JedisDataException;

/**
 * The connection over which messages come. Opened with the first subscription.
 *
 * <p>A channel is in {@link #subscribed} from the acknowledgement of its subscription on until that of its end. Only the
 * keeper's thread adds to it. On a fresh connection that thread sends the subscriptions anew before anybody else can
 * send something. A channel that is given up at this very moment stays subscribed in vain; its messages find nobody.
 *
 * <h2>Sharded channels</h2>
 *
 * They are in {@link #shards} from the request on until they are given up, rejected or ended. The server ends a
 * subscription by itself with the very words that answer {@code SUNSUBSCRIBE}, and rejects a {@code SUNSUBSCRIBE} that
 * comes after that. So nobody can tell from the words alone whether they are the answer, or whether the answer is still to
 * come and is an error. Therefore each {@code SUNSUBSCRIBE} is followed by an {@code UNSUBSCRIBE} of {@link #MARK}, whose
 * answer is unmistakable: what came since the request before was answered belongs to the {@code SUNSUBSCRIBE} or was
 * unasked, and either way the channel is left.
 */
final class MessageConnection implements ConnectionKeeper.Duty {
    private enum State {
        /** No connection is wanted yet, or the first could not be opened. */
        IDLE,
        /** The first connection is being opened; requests wait for it in {@link #early}. */
        OPENING,
        /** There was a connection, and there is one or will be again. */
        KEPT,
        CLOSED
    }

    /** A channel to which nobody subscribes. */
    private static final String MARK = "holdfast:left";

    /** A subscription to a sharded channel. */
    private static final class Shard {
        final Consumer<String> onMessage;
        final Runnable onEnded;

        /** Whether it is to be restored, and its end to be told. Written by the keeper's thread. */
        volatile boolean acknowledged;

        Shard(Consumer<String> onMessage, Runnable onEnded) {
            this.onMessage = onMessage;
            this.onEnded = onEnded;
        }
    }

    private final ConnectionSource source;
    private final DriverCallbacks callbacks;
    private final Map<String, Shard> shards = new ConcurrentHashMap<>();

    /** Sharded channels that were asked for anew on the fresh connection. Used by the keeper's thread only. */
    private final Set<String> resent = new HashSet<>();

    private final Map<String, Consumer<String>> subscribed = new ConcurrentHashMap<>();

    /** Guards the next five fields. Nothing is sent or called while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    private State state = State.IDLE;
    private List<Request> early = new ArrayList<>();
    private @Nullable ConnectionKeeper keeper;

    /** Null while the connection is down. */
    private @Nullable Pipeline pipeline;

    /** Why the connection is down, while it is. */
    private @Nullable DriverException down;

    /** Whether the listeners believe that messages arrive. Used by the keeper's thread only. */
    private boolean up;

    /** Whether there was a connection before: the first one is not reported. Used by the keeper's thread only. */
    private boolean everUp;

    MessageConnection(ConnectionSource source, DriverCallbacks callbacks) {
        this.source = source;
        this.callbacks = callbacks;
    }

    CompletableFuture<@Nullable Void> subscribe(String channel, Consumer<String> onMessage) {
        CompletableFuture<@Nullable Void> stage = new CompletableFuture<>();
        Request request = new Request(List.of("SUBSCRIBE", channel), new Request.Waiter() {
            @Override
            public void replied(Reply reply) {
                subscribed.put(channel, onMessage);
                stage.complete(null);
            }

            @Override
            public void failed(DriverException failure) {
                stage.completeExceptionally(failure);
            }
        });
        begin(request);
        return stage;
    }

    CompletableFuture<@Nullable Void> subscribeShard(String channel, Consumer<String> onMessage, Runnable onEnded) {
        CompletableFuture<@Nullable Void> stage = new CompletableFuture<>();
        Shard shard = new Shard(onMessage, onEnded);
        shards.put(channel, shard);
        begin(new Request(List.of("SSUBSCRIBE", channel), new Request.Waiter() {
            @Override
            public void replied(Reply reply) {
                shard.acknowledged = true;
                stage.complete(null);
            }

            @Override
            public void failed(DriverException failure) {
                shards.remove(channel, shard);
                stage.completeExceptionally(failure);
            }
        }));
        return stage;
    }

    /** Sends a subscription, for which the connection is opened. */
    private void begin(Request request) {
        boolean start = false;
        lock.lock();
        try {
            if (state == State.IDLE) {
                state = State.OPENING;
                keeper = new ConnectionKeeper("messages", source, this);
                start = true;
            }
        } finally {
            lock.unlock();
        }
        send(request);
        if (start) {
            try {
                keeper().ifPresent(ConnectionKeeper::start);
            } catch (RuntimeException | Error e) {
                // Mostly a thread too many.
                notOpened(DriverException.unknown("no connection for messages to " + source.describe() + ": " + e, e));
            }
        }
    }

    CompletableFuture<@Nullable Void> unsubscribe(String channel) {
        CompletableFuture<@Nullable Void> stage = new CompletableFuture<>();
        send(new Request(List.of("UNSUBSCRIBE", channel), new Request.Waiter() {
            @Override
            public void replied(Reply reply) {
                subscribed.remove(channel);
                stage.complete(null);
            }

            @Override
            public void failed(DriverException failure) {
                // No connection, no subscription; and with the channel gone, none will be made on the next one.
                subscribed.remove(channel);
                stage.complete(null);
            }
        }));
        return stage;
    }

    CompletableFuture<@Nullable Void> unsubscribeShard(String channel) {
        shards.remove(channel);
        CompletableFuture<@Nullable Void> stage = new CompletableFuture<>();
        send(leave(channel, stage));
        return stage;
    }

    private static Request leave(String channel, CompletableFuture<@Nullable Void> stage) {
        return new Request(List.of("SUNSUBSCRIBE", channel), List.of("UNSUBSCRIBE", MARK), new Leaving(channel, stage));
    }

    /** Waits for the mark behind a {@code SUNSUBSCRIBE}. */
    private record Leaving(String channel, CompletableFuture<@Nullable Void> stage) implements Request.Waiter {
        @Override
        public void replied(Reply reply) {
            stage.complete(null);
        }

        @Override
        public void failed(DriverException failure) {
            // No connection, no subscription.
            stage.complete(null);
        }
    }

    void close() {
        lock.lock();
        try {
            state = State.CLOSED;
        } finally {
            lock.unlock();
        }
        keeper().ifPresent(ConnectionKeeper::close);
    }

    Optional<ConnectionKeeper> keeper() {
        lock.lock();
        try {
            return Optional.ofNullable(keeper);
        } finally {
            lock.unlock();
        }
    }

    private void send(Request request) {
        Pipeline open;
        DriverException why;
        lock.lock();
        try {
            if (state == State.OPENING) {
                early.add(request);
                return;
            }
            open = pipeline;
            why = down;
        } finally {
            lock.unlock();
        }
        if (open == null) {
            String reason = why == null ? "" : ": " + why.getMessage();
            request.waiter.failed(DriverException.unknown(
                    "no connection for messages to " + source.describe() + " now" + reason, why));
        } else {
            open.send(request);
        }
    }

    @Override
    public void serve(Pipeline fresh) {
        MessageProbe probe = MessageProbe.begin(new Probed(fresh, source));
        try {
            serve(fresh, probe);
        } finally {
            probe.stop();
        }
    }

    /**
     * A connection as its probe sees it. The sign of life is an {@code UNSUBSCRIBE} of {@link #MARK}, which the server answers with
     * the same words over both protocols, and whether it has subscriptions or not; to {@code PING} there are three answers.
     *
     * <p>The timer is the JDK's: both threads of a driver block in reading.
     */
    private record Probed(Pipeline pipeline, ConnectionSource source) implements MessageProbe.Line {
        @Override
        public CompletionStage<?> ask() {
            CompletableFuture<@Nullable Void> answered = new CompletableFuture<>();
            pipeline.send(new Request(List.of("UNSUBSCRIBE", MARK), new Request.Waiter() {
                @Override
                public void replied(Reply reply) {
                    answered.complete(null);
                }

                @Override
                public void failed(DriverException failure) {
                    answered.completeExceptionally(failure);
                }
            }));
            return answered;
        }

        @Override
        public void replace() {
            pipeline.end(DriverException.unknown(
                    "the connection to " + source.describe() + " was given up: nothing came on it any more", null));
        }

        @Override
        public void later(long delayNanos, Runnable task) {
            CompletableFuture.delayedExecutor(delayNanos, TimeUnit.NANOSECONDS, Runnable::run)
                    .execute(task);
        }

        @Override
        public String describe() {
            return source.describe();
        }
    }

    private void serve(Pipeline fresh, MessageProbe probe) {
        subscribeAgain(fresh);
        // Others come after what waited for the first connection, so that nobody overtakes himself.
        for (List<Request> first = admit(fresh); !first.isEmpty(); first = admit(fresh)) {
            first.forEach(fresh::send);
        }
        while (true) {
            Object message;
            try {
                message = fresh.read();
                probe.heard();
            } catch (JedisDataException e) {
                probe.heard();
                refused(fresh, e);
                continue;
            }
            receive(fresh, message);
        }
    }

    /** What is to be sent first; if nothing is left, everybody may send. */
    private List<Request> admit(Pipeline fresh) {
        lock.lock();
        try {
            if (early.isEmpty()) {
                List<Request> stale = givenUp();
                if (!stale.isEmpty()) {
                    return stale;
                }
                pipeline = fresh;
                if (state == State.OPENING) {
                    state = State.KEPT;
                }
            }
            return takeEarly();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Leaves the sharded channels that were asked for anew while somebody gave them up. Who gives up later finds the
     * connection there.
     */
    private List<Request> givenUp() {
        List<Request> leaving = new ArrayList<>();
        for (String channel : resent) {
            if (!shards.containsKey(channel)) {
                leaving.add(leave(channel, new CompletableFuture<>()));
            }
        }
        resent.clear();
        return leaving;
    }

    private List<Request> takeEarly() {
        List<Request> taken = early;
        early = new ArrayList<>();
        return taken;
    }

    private void subscribeAgain(Pipeline fresh) {
        List<String> channels = List.copyOf(subscribed.keySet());
        Map<String, Shard> restored = new HashMap<>(shards);
        restored.values().removeIf(shard -> !shard.acknowledged);
        resent.clear();
        resent.addAll(restored.keySet());
        AtomicInteger missing = new AtomicInteger(channels.size() + restored.size());
        if (missing.get() == 0) {
            reportUp();
            return;
        }
        Runnable restoredOne = () -> {
            if (missing.decrementAndGet() == 0) {
                reportUp();
            }
        };
        for (String channel : channels) {
            fresh.send(new Request(List.of("SUBSCRIBE", channel), new Request.Waiter() {
                @Override
                public void replied(Reply reply) {
                    restoredOne.run();
                }

                @Override
                public void failed(DriverException failure) {
                    // Without its subscriptions the connection is as good as down: another attempt.
                    fresh.end(failure);
                }
            }));
        }
        // One by one: the server takes no two slots in one command, and rejects each for itself.
        restored.forEach((channel, shard) ->
                fresh.send(new Request(List.of("SSUBSCRIBE", channel), new Request.Waiter() {
                    @Override
                    public void replied(Reply reply) {
                        restoredOne.run();
                    }

                    @Override
                    public void failed(DriverException failure) {
                        if (failure.kind() == DriverException.Kind.REJECTED) {
                            ended(channel, shard);
                            restoredOne.run();
                        } else {
                            fresh.end(failure);
                        }
                    }
                })));
    }

    /** Forgets a subscription and says so, if it is not forgotten already. */
    private void ended(String channel, Shard shard) {
        if (shards.remove(channel, shard)) {
            DriverCallbacks.run(shard.onEnded);
        }
    }

    private void reportUp() {
        up = true;
        if (everUp) {
            callbacks.tell(ConnectionListener::messagesUp);
        }
        everUp = true;
    }

    private void receive(Pipeline from, @Nullable Object message) {
        if (!(message instanceof List<?> parts) || parts.size() < 2 || !(parts.get(0) instanceof byte[] kind)) {
            throw new IllegalStateException("the server has sent something that is no message");
        }
        switch (Replies.text(kind)) {
            case "message" -> deliver(parts);
            case "smessage" -> deliverShard(parts);
            case "sunsubscribe" -> left(from, parts);
            case "subscribe", "unsubscribe", "ssubscribe" -> acknowledged(from, parts, Replies.text(kind));
            default -> {
                // Something of a newer server that nobody here has asked for.
            }
        }
    }

    /** An acknowledgement names what it answers; if that is not what was asked, nothing of this connection is believed. */
    private static void acknowledged(Pipeline from, List<?> parts, String kind) {
        Request oldest = from.oldest();
        if (oldest == null
                || !(parts.get(1) instanceof byte[] channel)
                || !oldest.isAcknowledgedBy(kind, Replies.text(channel))) {
            throw new IllegalStateException("the server has acknowledged a subscription that was not requested");
        }
        from.answered(parts);
    }

    private void deliver(List<?> parts) {
        if (parts.get(1) instanceof byte[] channel && parts.get(2) instanceof byte[] payload) {
            Consumer<String> onMessage = subscribed.get(Replies.text(channel));
            if (onMessage != null) {
                DriverCallbacks.run(() -> onMessage.accept(Replies.text(payload)));
            }
        }
    }

    private void deliverShard(List<?> parts) {
        if (parts.get(1) instanceof byte[] channel && parts.get(2) instanceof byte[] payload) {
            Shard shard = shards.get(Replies.text(channel));
            if (shard != null) {
                DriverCallbacks.run(() -> shard.onMessage.accept(Replies.text(payload)));
            }
        }
    }

    private void left(Pipeline from, List<?> parts) {
        if (parts.get(1) instanceof byte[] name) {
            String channel = Replies.text(name);
            Request oldest = from.oldest();
            if (oldest != null && oldest.waiter instanceof Leaving leaving && leaving.channel.equals(channel)) {
                return;
            }
            Shard shard = shards.get(channel);
            // One that was asked for and not answered yet was not there to be ended.
            if (shard != null && shard.acknowledged) {
                ended(channel, shard);
            }
        }
    }

    private static void refused(Pipeline from, JedisDataException error) {
        Request oldest = from.oldest();
        boolean ofPrelude = oldest != null
                && oldest.waiter instanceof Leaving
                && !String.valueOf(error.getMessage()).contains("'unsubscribe'");
        // A rejected SUNSUBSCRIBE is none the less over: the server does not serve the slot. The mark is still to come,
        // unless it is the mark that is not permitted.
        if (!ofPrelude) {
            from.answered(error);
        }
    }

    @Override
    public void broken(Pipeline old, DriverException reason, boolean closed) {
        lock.lock();
        try {
            down = reason;
            pipeline = null;
        } finally {
            lock.unlock();
        }
        if (up) {
            up = false;
            if (!closed) {
                callbacks.tell(ConnectionListener::messagesDown);
            }
        }
        old.failAll(reason);
    }

    @Override
    public boolean notOpened(DriverException reason) {
        List<Request> abandoned = List.of();
        boolean goOn;
        lock.lock();
        try {
            down = reason;
            goOn = state == State.KEPT;
            if (state == State.OPENING) {
                state = State.IDLE;
                keeper = null;
                abandoned = takeEarly();
            }
        } finally {
            lock.unlock();
        }
        abandoned.forEach(request -> request.waiter.failed(reason));
        return goOn;
    }

    @Override
    public void stopped(DriverException reason) {
        List<Request> abandoned;
        lock.lock();
        try {
            // After a failed first attempt, others may wait for the next one by now.
            abandoned = state == State.CLOSED ? takeEarly() : List.of();
        } finally {
            lock.unlock();
        }
        abandoned.forEach(request -> request.waiter.failed(reason));
    }
}
