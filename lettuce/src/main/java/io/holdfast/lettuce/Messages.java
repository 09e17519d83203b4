package io.holdfast.lettuce;

import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverCallbacks;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.MessageProbe;
import io.lettuce.core.StatefulRedisConnectionImpl;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolVersion;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The message connection, opened by the first subscription.
 *
 * <h2>One lane</h2>
 *
 * All state but {@link #consumers} belongs to one thread, the lane, and all that is sent is sent from there: so the order
 * of decisions is the order on the wire, without a lock. Messages and acknowledgements do not take the lane; they are
 * passed on where they arrive, on the event loop.
 *
 * <h2>Subscribing again</h2>
 *
 * After a reconnect Lettuce by itself subscribes to all channels whose acknowledgement it has seen: to the normal ones in
 * one command ({@link #known} follows its list), and to the sharded ones in another, which {@link Shards} follows. A mark
 * that is sent after them tells when the attempt is over. Until all are acknowledged anew the connection does not count as
 * up. If acknowledgements do not come, because the server has rejected the command, the missing channels are asked for one
 * by one, once a second. A channel that nobody wants any more is unsubscribed before the connection counts as up.
 *
 * <p>Which answer belongs to which command, {@link Asked} finds out.
 */
final class Messages implements Link.Watcher {
    private static final long NUDGE_MILLIS = 1_000;

    private enum State {
        /** Nobody has subscribed yet, or opening failed. */
        UNOPENED,
        /** Requests wait in {@link #waiting}. */
        OPENING,
        UP,
        DOWN,
        /** Connected; some channels are still missing, or some still there that nobody wants. */
        RESUBSCRIBING,
        CLOSED
    }

    /** A request that waits for the connection to be opened. */
    private record Waiting(Runnable opened, Consumer<DriverException> failed) {}

    private final EventExecutor lane;
    private final Supplier<CompletionStage<StatefulRedisPubSubConnection<String, String>>> opener;
    private final DriverCallbacks listeners;
    private final Supplier<String> where;

    /** Written on the lane, and by failing subscriptions; read where messages arrive. */
    private final Map<String, Consumer<String>> consumers = new ConcurrentHashMap<>();

    private final Shards shards =
            new Shards(this::enter, channel -> ask(CommandType.SSUBSCRIBE, channel), this::leave, this::advance);

    /** What was asked on the present connection. Written on the event loop, which sees it before any answer. */
    private final AtomicReference<@Nullable Asked> present = new AtomicReference<>();

    private State state = State.UNOPENED;
    private final List<Waiting> waiting = new ArrayList<>();
    private final Set<String> known = new HashSet<>();
    private final Set<String> awaited = new HashSet<>();
    private final Set<String> leaving = new HashSet<>();
    private @Nullable StatefulRedisPubSubConnection<String, String> connection;

    /** Written on the lane. */
    private volatile @Nullable Link link;

    /** What was asked in the epoch of which the lane knows. */
    private @Nullable Asked asked;

    /** Looks after that epoch's connection. Written on the lane. */
    private volatile @Nullable MessageProbe probe;

    /**
     * @param lane where the driver's own threads do things in turn
     * @param opener connects, without blocking the lane
     */
    Messages(
            EventExecutor lane,
            Supplier<CompletionStage<StatefulRedisPubSubConnection<String, String>>> opener,
            DriverCallbacks listeners,
            Supplier<String> where) {
        this.lane = lane;
        this.opener = opener;
        this.listeners = listeners;
        this.where = where;
    }

    CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        return begin(done -> subscribe(channel, onMessage, done));
    }

    CompletionStage<Void> unsubscribe(String channel) {
        return end(done -> unsubscribe(channel, done), () -> consumers.remove(channel));
    }

    CompletionStage<Void> subscribeShard(String channel, Consumer<String> onMessage, Runnable onEnded) {
        return begin(done -> shards.subscribe(channel, onMessage, onEnded, done));
    }

    CompletionStage<Void> unsubscribeShard(String channel) {
        return end(done -> shards.unsubscribe(channel, done), () -> shards.forget(channel));
    }

    private CompletionStage<Void> begin(Consumer<CompletableFuture<Void>> whenUp) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (!enter(() -> begin(whenUp, done))) {
            done.completeExceptionally(unknown("the driver is closed"));
        }
        return done;
    }

    private CompletionStage<Void> end(Consumer<CompletableFuture<Void>> whenUp, Runnable forget) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (!enter(() -> end(whenUp, forget, done))) {
            done.complete(null);
        }
        return done;
    }

    /** Breaks the connection, if there is one; Lettuce then opens it again. */
    void breakOff() {
        enter(() -> {
            if (link != null) {
                link.breakOff();
            }
        });
    }

    /** Completes when the connection is closed. One that is still being opened closes as soon as it is there. */
    CompletableFuture<Void> close() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        boolean entered = enter(() -> {
            state = State.CLOSED;
            unwatch();
            consumers.clear();
            shards.forgetAll();
            failWaiting(unknown("the driver is closed"));
            CompletableFuture<Void> closing = link == null ? CompletableFuture.completedFuture(null) : link.close();
            var unused = closing.whenComplete((nothing, failure) -> done.complete(null));
        });
        if (!entered) {
            done.complete(null);
        }
        return done;
    }

    @Override
    public void up(Epoch next) {
        Asked fresh = asking(next);
        present.set(fresh);
        enter(() -> resubscribe(fresh));
    }

    @Override
    public void down() {
        enter(this::broken);
    }

    /** False if the lane has ended, which is when its client was shut down. */
    private boolean enter(Runnable step) {
        try {
            lane.execute(step);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    // From here on all is called on the lane.

    private void begin(Consumer<CompletableFuture<Void>> whenUp, CompletableFuture<Void> done) {
        switch (state) {
            case UNOPENED, OPENING -> {
                waiting.add(new Waiting(() -> begin(whenUp, done), done::completeExceptionally));
                if (state == State.UNOPENED) {
                    open();
                }
            }
            case UP -> whenUp.accept(done);
            case DOWN, RESUBSCRIBING -> done.completeExceptionally(unknown("the message connection is down"));
            case CLOSED -> done.completeExceptionally(unknown("the driver is closed"));
        }
    }

    private void end(Consumer<CompletableFuture<Void>> whenUp, Runnable forget, CompletableFuture<Void> done) {
        switch (state) {
            case OPENING -> waiting.add(new Waiting(() -> end(whenUp, forget, done), failure -> done.complete(null)));
            case UP -> whenUp.accept(done);
            case UNOPENED, DOWN, RESUBSCRIBING, CLOSED -> {
                forget.run();
                done.complete(null);
            }
        }
    }

    private void subscribe(String channel, Consumer<String> onMessage, CompletableFuture<Void> done) {
        consumers.put(channel, onMessage);
        var unused = ask(CommandType.SUBSCRIBE, channel).whenComplete((acknowledged, failure) -> {
            if (failure == null) {
                done.complete(null);
            } else {
                consumers.remove(channel, onMessage);
                done.completeExceptionally(failure);
            }
        });
    }

    private void unsubscribe(String channel, CompletableFuture<Void> done) {
        if (consumers.remove(channel) == null && !known.contains(channel)) {
            done.complete(null);
            return;
        }
        var unused = ask(CommandType.UNSUBSCRIBE, channel).whenComplete((acknowledged, failure) -> {
            if (failure instanceof DriverException e && e.kind() == DriverException.Kind.REJECTED) {
                done.completeExceptionally(e);
            } else {
                done.complete(null);
            }
        });
    }

    private void open() {
        state = State.OPENING;
        CompletionStage<StatefulRedisPubSubConnection<String, String>> opening;
        try {
            opening = opener.get();
        } catch (RuntimeException | Error e) { // there may be no room for another thread
            opening = CompletableFuture.failedFuture(e);
        }
        var unused = opening.whenComplete((connection, failure) -> enter(() -> opened(connection, failure)));
    }

    private void opened(
            @Nullable StatefulRedisPubSubConnection<String, String> connection, @Nullable Throwable failure) {
        if (connection == null) {
            if (state == State.OPENING) {
                state = State.UNOPENED;
                failWaiting(Failures.ofConnect(
                        failure == null ? new IllegalStateException("no connection") : failure, where.get()));
            }
            return;
        }
        if (state == State.CLOSED) {
            var unused = connection.closeAsync();
            return;
        }
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String message) {
                Consumer<String> consumer = consumers.get(channel);
                if (consumer != null) {
                    DriverCallbacks.run(() -> consumer.accept(message));
                }
                heard(null, channel);
            }

            @Override
            public void smessage(String channel, String message) {
                shards.deliver(channel, message);
                heard(null, channel);
            }

            @Override
            public void subscribed(String channel, long count) {
                heard(CommandType.SUBSCRIBE, channel);
                enter(() -> acknowledged(channel));
            }

            @Override
            public void unsubscribed(String channel, long count) {
                heard(CommandType.UNSUBSCRIBE, channel);
                enter(() -> left(channel));
            }

            @Override
            public void ssubscribed(String channel, long count) {
                enter(() -> shardAcknowledged(channel));
                heard(CommandType.SSUBSCRIBE, channel);
            }

            @Override
            public void sunsubscribed(String channel, long count) {
                Asked now = present.get();
                boolean unasked = now == null || !now.isLeaving(channel);
                enter(() -> shardLeft(channel, unasked));
                heard(null, channel);
            }
        });
        state = State.UP;
        Link opened = new Link(connection, null, this);
        this.connection = connection;
        link = opened;
        asked = follow(opened);
        watch(asked);
        List<Waiting> requests = List.copyOf(waiting);
        waiting.clear();
        requests.forEach(request -> request.opened().run());
    }

    /** Nothing was asked before, so what is heard while this begins is nobody's answer. */
    private Asked follow(Link opened) {
        Asked first = asking(opened.follow());
        // If the connection has broken and come back since, up() knows better.
        present.compareAndSet(null, first);
        return first;
    }

    private Asked asking(Epoch epoch) {
        return new Asked(
                (type, channel, course) -> Call.of(type, channel, where.get(), course),
                (of, call) -> {
                    Link to = link;
                    if (to == null) {
                        call.fail("the message connection is not open", null);
                    } else {
                        to.send(of, call);
                    }
                },
                epoch);
    }

    /**
     * Notices if nothing comes any more on the connection of an epoch. The sign of life is a mark, which the server answers
     * with the same words over both protocols, and whether it has subscriptions or not; to {@code PING} there are three answers.
     */
    private void watch(Asked of) {
        unwatch();
        probe = MessageProbe.begin(new MessageProbe.Line() {
            @Override
            public CompletionStage<?> ask() {
                return of.mark();
            }

            @Override
            public void replace() {
                breakOff();
            }

            @Override
            public void later(long delayNanos, Runnable task) {
                try {
                    var unused = lane.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
                } catch (RejectedExecutionException e) {
                    // The lane has ended, and with it this connection.
                }
            }

            @Override
            public String describe() {
                return where.get();
            }
        });
    }

    private void unwatch() {
        MessageProbe before = probe;
        if (before != null) {
            before.stop();
        }
    }

    /** @param type of the question to which this is the answer; null if there is none */
    private void heard(@Nullable CommandType type, String channel) {
        MessageProbe watching = probe;
        if (watching != null) {
            watching.heard();
        }
        Asked now = present.get();
        if (now == null) {
            return;
        }
        if (type == null) {
            now.heard();
        } else {
            now.heard(type, channel);
        }
    }

    private void failWaiting(DriverException failure) {
        List<Waiting> requests = List.copyOf(waiting);
        waiting.clear();
        requests.forEach(request -> request.failed().accept(failure));
    }

    private void broken() {
        unwatch();
        boolean wasUp = state == State.UP;
        if (wasUp || state == State.RESUBSCRIBING) {
            state = State.DOWN;
        }
        if (wasUp) {
            listeners.tell(ConnectionListener::messagesDown);
        }
    }

    private void resubscribe(Asked next) {
        if (state == State.CLOSED) {
            return;
        }
        state = State.RESUBSCRIBING;
        asked = next;
        watch(next);
        awaited.clear();
        awaited.addAll(known);
        leaving.clear();
        if (shards.reconnected()) {
            var unused = next.mark().whenComplete((passed, failure) -> enter(() -> restoreShards(next)));
        }
        advance();
        nudgeLater(next);
    }

    private void acknowledged(String channel) {
        known.add(channel);
        awaited.remove(channel);
        if (state == State.UP && !consumers.containsKey(channel)) {
            // The one who asked has gone, or could not wait for the answer.
            var unused = ask(CommandType.UNSUBSCRIBE, channel);
        }
        advance();
    }

    private void left(String channel) {
        known.remove(channel);
        leaving.remove(channel);
        advance();
    }

    private void shardAcknowledged(String channel) {
        if (!shards.acknowledged(channel) && state == State.UP) {
            var unused = leave(channel);
        }
        advance();
    }

    private void shardLeft(String channel, boolean unasked) {
        shards.left(channel, unasked);
        advance();
    }

    /** Lettuce's attempt is over. */
    private void restoreShards(Asked of) {
        if (state == State.RESUBSCRIBING && asked == of) {
            shards.restore();
            advance();
        }
    }

    /** One step of subscribing again: first all that Lettuce asks for, then away with what nobody wants, then up. */
    private void advance() {
        if (state != State.RESUBSCRIBING || !awaited.isEmpty() || !shards.areBack()) {
            return;
        }
        boolean clean = shards.leaveUnwanted();
        for (String channel : known) {
            if (!consumers.containsKey(channel)) {
                clean = false;
                if (leaving.add(channel)) {
                    var unused = ask(CommandType.UNSUBSCRIBE, channel);
                }
            }
        }
        if (clean) {
            state = State.UP;
            listeners.tell(ConnectionListener::messagesUp);
        }
    }

    private void nudgeLater(Asked of) {
        if (state == State.RESUBSCRIBING) {
            var unused = lane.schedule(() -> nudge(of), NUDGE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void nudge(Asked of) {
        if (state != State.RESUBSCRIBING || asked != of) {
            return;
        }
        awaited.retainAll(consumers.keySet());
        for (String channel : awaited) {
            var unused = ask(CommandType.SUBSCRIBE, channel);
        }
        leaving.clear();
        shards.nudge();
        advance();
        nudgeLater(of);
    }

    private CompletableFuture<String> ask(CommandType type, String channel) {
        Asked now = asked;
        return now == null ? notOpen() : now.ask(type, channel);
    }

    private CompletableFuture<String> leave(String channel) {
        Asked now = asked;
        return now == null
                ? notOpen()
                : now.leave(speaksRespThree() ? CommandType.SUNSUBSCRIBE : Call.DISGUISED_SUNSUBSCRIBE, channel);
    }

    private CompletableFuture<String> notOpen() {
        return CompletableFuture.failedFuture(unknown("the message connection is not open"));
    }

    private boolean speaksRespThree() {
        return connection instanceof StatefulRedisConnectionImpl<?, ?> negotiated
                && negotiated.getConnectionState().getNegotiatedProtocolVersion() == ProtocolVersion.RESP3;
    }

    private DriverException unknown(String reason) {
        return DriverException.unknown(where.get() + ": " + reason, null);
    }
}
