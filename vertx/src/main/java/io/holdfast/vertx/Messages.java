package io.holdfast.vertx;

import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverCallbacks;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.MessageProbe;
import io.vertx.core.Future;
import io.vertx.redis.client.Command;
import io.vertx.redis.client.Response;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection over which messages come. Opened with the first subscription. All state is the lane's.
 *
 * <p>A channel is in {@link #subscribed} from the acknowledgement of its subscription on until that of its end. On a fresh
 * connection the subscriptions are sent again before anything else.
 *
 * <h2>Sharded channels</h2>
 *
 * They are in {@link #shards} from the request on until they are given up, rejected or ended. The server ends a subscription
 * by itself with the very words that answer {@code SUNSUBSCRIBE}, and rejects a {@code SUNSUBSCRIBE} that comes after that.
 * Therefore an {@code UNSUBSCRIBE} of {@link Asked#MARK} follows each {@code SUNSUBSCRIBE}, and its answer is unmistakable.
 * Whatever came before it, the channel is left.
 */
final class Messages implements Keeper.Duty {
    private enum State {
        /** No connection is wanted yet, or the first could not be opened. */
        IDLE,
        /** The first connection is being opened; requests wait for it in {@link #early}. */
        OPENING,
        /** There was a connection, and there is one or will be again. */
        KEPT,
        CLOSED
    }

    /** A subscription to a sharded channel. */
    private static final class Shard {
        final Consumer<String> onMessage;
        final Runnable onEnded;
        boolean acknowledged;

        Shard(Consumer<String> onMessage, Runnable onEnded) {
            this.onMessage = onMessage;
            this.onEnded = onEnded;
        }
    }

    private final Lane lane;
    private final String where;
    private final DriverCallbacks callbacks;
    private final Keeper keeper;
    private final Map<String, Consumer<String>> subscribed = new HashMap<>();
    private final Map<String, Shard> shards = new HashMap<>();

    /** What was asked on the present connection and not answered. */
    private final ArrayDeque<Asked> asked = new ArrayDeque<>();

    private State state = State.IDLE;
    private List<Asked> early = new ArrayList<>();
    private @Nullable Line line;
    private @Nullable MessageProbe probe;
    private @Nullable DriverException down;

    /** How many acknowledgements are missing until messages are up again. */
    private int missing;

    /** Whether the listeners believe that messages arrive. */
    private boolean up;

    private boolean everUp;

    Messages(Opener opener, DriverCallbacks callbacks) {
        this.lane = opener.lane();
        this.where = opener.where();
        this.callbacks = callbacks;
        this.keeper = new Keeper(opener, this);
    }

    // ---- called by any thread

    CompletableFuture<@Nullable Void> subscribe(String channel, Consumer<String> onMessage) {
        return enter(
                false,
                stage -> begin(Asked.of(
                        Command.SUBSCRIBE,
                        channel,
                        () -> {
                            subscribed.put(channel, onMessage);
                            stage.complete(null);
                        },
                        stage::completeExceptionally)));
    }

    CompletableFuture<@Nullable Void> subscribeShard(String channel, Consumer<String> onMessage, Runnable onEnded) {
        Shard shard = new Shard(onMessage, onEnded);
        return enter(false, stage -> {
            shards.put(channel, shard);
            begin(Asked.of(
                    Command.SSUBSCRIBE,
                    channel,
                    () -> {
                        shard.acknowledged = true;
                        stage.complete(null);
                    },
                    failure -> {
                        shards.remove(channel, shard);
                        stage.completeExceptionally(failure);
                    }));
        });
    }

    CompletableFuture<@Nullable Void> unsubscribe(String channel) {
        return enter(true, stage -> {
            // Without a connection there is no subscription, and with the channel gone, none is made on the next one.
            Runnable gone = () -> {
                subscribed.remove(channel);
                stage.complete(null);
            };
            send(Asked.of(Command.UNSUBSCRIBE, channel, gone, failure -> gone.run()));
        });
    }

    CompletableFuture<@Nullable Void> unsubscribeShard(String channel) {
        return enter(true, stage -> {
            shards.remove(channel);
            send(Asked.leaveShard(channel, () -> stage.complete(null)));
        });
    }

    /** @param ends whether it is done if Vert.x is closed */
    private CompletableFuture<@Nullable Void> enter(boolean ends, Consumer<CompletableFuture<@Nullable Void>> step) {
        CompletableFuture<@Nullable Void> stage = new CompletableFuture<>();
        if (!lane.execute(() -> step.accept(stage))) {
            if (ends) {
                stage.complete(null);
            } else {
                stage.completeExceptionally(Keeper.driverClosed());
            }
        }
        return stage;
    }

    // ---- called on the lane

    void reconnect() {
        keeper.reconnect("nothing was answered on it");
    }

    Future<Void> close() {
        state = State.CLOSED;
        down = Keeper.driverClosed();
        Future<Void> closing = keeper.close();
        takeEarly().forEach(each -> each.failed().accept(Keeper.driverClosed()));
        return closing;
    }

    /** Sends a subscription, for which the connection is opened. */
    private void begin(Asked request) {
        if (state == State.IDLE) {
            state = State.OPENING;
            early.add(request);
            keeper.open();
        } else {
            send(request);
        }
    }

    private void send(Asked request) {
        if (state == State.OPENING) {
            early.add(request);
        } else if (line == null) {
            String reason = down == null ? "" : ": " + down.getMessage();
            request.failed().accept(DriverException.unknown("no connection for messages to " + where + reason, down));
        } else {
            asked.add(request);
            request.requests().forEach(line::say);
        }
    }

    private List<Asked> takeEarly() {
        List<Asked> taken = early;
        early = new ArrayList<>();
        return taken;
    }

    @Override
    public void up(Line fresh) {
        line = fresh;
        state = State.KEPT;
        fresh.receive(response -> receive(fresh, response));
        probe = MessageProbe.begin(new Probed(fresh));
        subscribeAgain(fresh);
        takeEarly().forEach(this::send);
    }

    private void subscribeAgain(Line fresh) {
        List<String> channels = List.copyOf(subscribed.keySet());
        Map<String, Shard> restored = new HashMap<>(shards);
        restored.values().removeIf(shard -> !shard.acknowledged);
        missing = channels.size() + restored.size() + 1;
        // Without its subscriptions the connection is as good as down: another attempt.
        Consumer<DriverException> attemptAgain = fresh::cut;
        for (String channel : channels) {
            send(Asked.of(Command.SUBSCRIBE, channel, this::restored, attemptAgain));
        }
        // One by one: the server takes no two slots in one command, and rejects each by itself.
        restored.forEach((channel, shard) -> send(Asked.of(Command.SSUBSCRIBE, channel, this::restored, failure -> {
            if (failure.kind() == DriverException.Kind.REJECTED) {
                ended(channel, shard);
                restored();
            } else {
                attemptAgain.accept(failure);
            }
        })));
        restored();
    }

    private void restored() {
        missing--;
        if (missing == 0) {
            up = true;
            if (everUp) {
                callbacks.tell(ConnectionListener::messagesUp);
            }
            everUp = true;
        }
    }

    /** Forgets a subscription and reports it, if it is not forgotten already. */
    private void ended(String channel, Shard shard) {
        if (shards.remove(channel, shard)) {
            DriverCallbacks.run(shard.onEnded);
        }
    }

    private void receive(Line from, @Nullable Response response) {
        if (line != from) {
            return;
        }
        if (probe != null) {
            probe.heard();
        }
        if (Replies.isError(response)) {
            refused(from, DriverException.rejected(String.valueOf(response)));
            return;
        }
        List<String> parts = Replies.texts(response);
        if (parts == null || parts.size() < 3) {
            from.cut(DriverException.unknown(where + " has sent something that is no message", null));
            return;
        }
        String name = parts.get(1);
        switch (parts.get(0)) {
            case "message" -> deliver(subscribed.get(name), parts.get(2));
            case "smessage" -> {
                Shard shard = shards.get(name);
                deliver(shard == null ? null : shard.onMessage, parts.get(2));
            }
            case "sunsubscribe" -> left(name);
            case "subscribe", "unsubscribe", "ssubscribe" -> acknowledged(from, parts.get(0), name);
            default -> {
                // Something of a newer server that nobody here has asked for.
            }
        }
    }

    private static void deliver(@Nullable Consumer<String> receiver, String payload) {
        if (receiver != null) {
            DriverCallbacks.run(() -> receiver.accept(payload));
        }
    }

    /** An acknowledgement names what it answers; if that is not what was asked, nothing of this connection is believed. */
    private void acknowledged(Line from, String word, String name) {
        Asked oldest = asked.peek();
        if (oldest == null || !oldest.isAcknowledgedBy(word, name)) {
            from.cut(DriverException.unknown(where + " has acknowledged what was not asked for", null));
            return;
        }
        asked.remove();
        oldest.done().run();
    }

    /** A rejected {@code SUNSUBSCRIBE} is none the less over. The mark is still to come, unless that is not permitted. */
    private void refused(Line from, DriverException error) {
        Asked oldest = asked.peek();
        if (oldest == null) {
            from.cut(error);
            return;
        }
        if (oldest.leavesShard() && !String.valueOf(error.getMessage()).contains("'unsubscribe'")) {
            return;
        }
        asked.remove();
        oldest.failed().accept(error);
    }

    private void left(String channel) {
        Asked oldest = asked.peek();
        if (oldest != null && oldest.leavesShard() && oldest.channel().equals(channel)) {
            return;
        }
        Shard shard = shards.get(channel);
        // One that was asked for and not answered yet was not there to be ended.
        if (shard != null && shard.acknowledged) {
            ended(channel, shard);
        }
    }

    @Override
    public void broken(DriverException reason) {
        line = null;
        down = reason;
        if (probe != null) {
            probe.stop();
        }
        if (up) {
            up = false;
            callbacks.tell(ConnectionListener::messagesDown);
        }
        List<Asked> lost = List.copyOf(asked);
        asked.clear();
        lost.forEach(each -> each.failed().accept(reason));
    }

    @Override
    public boolean notOpened(DriverException reason) {
        down = reason;
        if (state == State.OPENING) {
            state = State.IDLE;
            takeEarly().forEach(each -> each.failed().accept(reason));
        }
        return state == State.KEPT;
    }

    /** A connection as its probe sees it. */
    private final class Probed implements MessageProbe.Line {
        private final Line of;

        Probed(Line of) {
            this.of = of;
        }

        @Override
        public CompletionStage<?> ask() {
            CompletableFuture<@Nullable Void> answered = new CompletableFuture<>();
            send(Asked.mark(() -> answered.complete(null), answered::completeExceptionally));
            return answered;
        }

        @Override
        public void replace() {
            of.cut(DriverException.unknown(
                    "the connection to " + where + " was given up: nothing came on it any more", null));
        }

        @Override
        public void later(long delayNanos, Runnable task) {
            lane.later(delayNanos, task);
        }

        @Override
        public String describe() {
            return where;
        }
    }
}
