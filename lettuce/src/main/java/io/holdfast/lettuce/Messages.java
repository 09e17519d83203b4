package io.holdfast.lettuce;

import io.holdfast.spi.DriverException;
import io.lettuce.core.protocol.CommandType;
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
 * After a reconnect Lettuce by itself subscribes to all channels whose acknowledgement it has seen ({@link #known} follows
 * its list). Until all of them are acknowledged anew the connection does not count as up, and nothing is sent: Lettuce's
 * one command gets many replies and counts one, so the surplus would be taken for replies to commands sent meanwhile. If
 * acknowledgements do not come, because the server has rejected that command, the missing channels are asked for one by
 * one, once a second. A channel that nobody wants any more is unsubscribed before the connection counts as up.
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
        /** Connected; {@link #awaited} are still missing, or {@link #leaving} still there. */
        RESUBSCRIBING,
        CLOSED
    }

    /** A request that waits for the connection to be opened. */
    private record Waiting(Runnable opened, Consumer<DriverException> failed) {}

    private final EventExecutor lane;
    private final Supplier<CompletionStage<StatefulRedisPubSubConnection<String, String>>> opener;
    private final Listeners listeners;
    private final Supplier<String> where;

    /** Written on the lane, and by failing subscriptions; read where messages arrive. */
    private final Map<String, Consumer<String>> consumers = new ConcurrentHashMap<>();

    private State state = State.UNOPENED;
    private final List<Waiting> waiting = new ArrayList<>();
    private final Set<String> known = new HashSet<>();
    private final Set<String> awaited = new HashSet<>();
    private final Set<String> leaving = new HashSet<>();
    private @Nullable Link link;
    private @Nullable Epoch epoch;

    /**
     * @param lane where the driver's own threads do things in turn
     * @param opener connects, without blocking the lane
     */
    Messages(
            EventExecutor lane,
            Supplier<CompletionStage<StatefulRedisPubSubConnection<String, String>>> opener,
            Listeners listeners,
            Supplier<String> where) {
        this.lane = lane;
        this.opener = opener;
        this.listeners = listeners;
        this.where = where;
    }

    CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (!enter(() -> subscribe(channel, onMessage, done))) {
            done.completeExceptionally(unknown("the driver is closed"));
        }
        return done;
    }

    CompletionStage<Void> unsubscribe(String channel) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        if (!enter(() -> unsubscribe(channel, done))) {
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
            consumers.clear();
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
        enter(() -> resubscribe(next));
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

    private void subscribe(String channel, Consumer<String> onMessage, CompletableFuture<Void> done) {
        switch (state) {
            case UNOPENED, OPENING -> {
                waiting.add(new Waiting(() -> subscribe(channel, onMessage, done), done::completeExceptionally));
                if (state == State.UNOPENED) {
                    open();
                }
            }
            case UP -> {
                consumers.put(channel, onMessage);
                var unused = send(CommandType.SUBSCRIBE, channel).whenComplete((acknowledged, failure) -> {
                    if (failure == null) {
                        done.complete(null);
                    } else {
                        consumers.remove(channel, onMessage);
                        done.completeExceptionally(failure);
                    }
                });
            }
            case DOWN, RESUBSCRIBING -> done.completeExceptionally(unknown("the message connection is down"));
            case CLOSED -> done.completeExceptionally(unknown("the driver is closed"));
        }
    }

    private void unsubscribe(String channel, CompletableFuture<Void> done) {
        switch (state) {
            case OPENING -> waiting.add(new Waiting(() -> unsubscribe(channel, done), failure -> done.complete(null)));
            case UP -> {
                if (consumers.remove(channel) == null && !known.contains(channel)) {
                    done.complete(null);
                    return;
                }
                var unused = send(CommandType.UNSUBSCRIBE, channel).whenComplete((acknowledged, failure) -> {
                    if (failure instanceof DriverException e && e.kind() == DriverException.Kind.REJECTED) {
                        done.completeExceptionally(e);
                    } else {
                        done.complete(null);
                    }
                });
            }
            case UNOPENED, DOWN, RESUBSCRIBING, CLOSED -> {
                consumers.remove(channel);
                done.complete(null);
            }
        }
    }

    private void open() {
        state = State.OPENING;
        CompletionStage<StatefulRedisPubSubConnection<String, String>> opening;
        try {
            opening = opener.get();
        } catch (RuntimeException e) {
            opening = CompletableFuture.failedFuture(e);
        }
        var unused = opening.whenComplete((connection, failure) -> enter(() -> opened(connection, failure)));
    }

    private void opened(
            @Nullable StatefulRedisPubSubConnection<String, String> connection, @Nullable Throwable failure) {
        if (connection == null) {
            if (state == State.OPENING) {
                state = State.UNOPENED;
                failWaiting(Failures.of(
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
                    Callout.run(() -> consumer.accept(message));
                }
            }

            @Override
            public void subscribed(String channel, long count) {
                enter(() -> acknowledged(channel));
            }

            @Override
            public void unsubscribed(String channel, long count) {
                enter(() -> left(channel));
            }
        });
        state = State.UP;
        link = new Link(connection, null, this);
        epoch = link.follow();
        List<Waiting> requests = List.copyOf(waiting);
        waiting.clear();
        requests.forEach(request -> request.opened().run());
    }

    private void failWaiting(DriverException failure) {
        List<Waiting> requests = List.copyOf(waiting);
        waiting.clear();
        requests.forEach(request -> request.failed().accept(failure));
    }

    private void broken() {
        boolean wasUp = state == State.UP;
        if (wasUp || state == State.RESUBSCRIBING) {
            state = State.DOWN;
        }
        if (wasUp) {
            listeners.messagesDown();
        }
    }

    private void resubscribe(Epoch next) {
        if (state == State.CLOSED) {
            return;
        }
        state = State.RESUBSCRIBING;
        epoch = next;
        awaited.clear();
        awaited.addAll(known);
        leaving.clear();
        advance();
        nudgeLater(next);
    }

    private void acknowledged(String channel) {
        known.add(channel);
        if (state == State.RESUBSCRIBING) {
            awaited.remove(channel);
            advance();
        } else if (state == State.UP && !consumers.containsKey(channel)) {
            // The one who asked has gone, or could not wait for the answer.
            var unused = send(CommandType.UNSUBSCRIBE, channel);
        }
    }

    private void left(String channel) {
        known.remove(channel);
        if (state == State.RESUBSCRIBING) {
            leaving.remove(channel);
            advance();
        }
    }

    /** One step of subscribing again: first all that Lettuce asks for, then away with what nobody wants, then up. */
    private void advance() {
        if (!awaited.isEmpty()) {
            return;
        }
        boolean clean = true;
        for (String channel : known) {
            if (!consumers.containsKey(channel)) {
                clean = false;
                if (leaving.add(channel)) {
                    var unused = send(CommandType.UNSUBSCRIBE, channel);
                }
            }
        }
        if (clean) {
            state = State.UP;
            listeners.messagesUp();
        }
    }

    private void nudgeLater(Epoch of) {
        if (state == State.RESUBSCRIBING) {
            var unused = lane.schedule(() -> nudge(of), NUDGE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void nudge(Epoch of) {
        if (state != State.RESUBSCRIBING || epoch != of) {
            return;
        }
        awaited.retainAll(consumers.keySet());
        for (String channel : awaited) {
            var unused = send(CommandType.SUBSCRIBE, channel);
        }
        leaving.clear();
        advance();
        nudgeLater(of);
    }

    private CompletableFuture<String> send(CommandType type, String channel) {
        Call<String> call = Call.of(type, channel, where.get());
        Link to = link;
        if (to == null) {
            call.fail("the message connection is not open", null);
            return call.outcome();
        }
        return to.send(epoch, call);
    }

    private DriverException unknown(String reason) {
        return DriverException.unknown(where.get() + ": " + reason, null);
    }
}
