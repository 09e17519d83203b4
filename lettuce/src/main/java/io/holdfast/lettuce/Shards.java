package io.holdfast.lettuce;

import io.holdfast.spi.DriverCallbacks;
import io.holdfast.spi.DriverException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The sharded channels of the message connection: who wants which, and which of them the present connection brings.
 *
 * <h2>Subscribing again</h2>
 *
 * After a reconnect Lettuce by itself subscribes to all whose acknowledgement it has seen ({@link #ofLettuce}), in one
 * command. With channels of several slots the server never takes that, and its rejection does not say of which channel. So
 * when Lettuce's attempt is over, those that it did not bring back are asked for one by one. One that is rejected then is
 * forgotten here. Lettuce forgets only what the server says has ended, so it may ask for it again and again, in vain or not;
 * if not, the channel is one that nobody wants.
 *
 * <p><b>Threads.</b> All is called on the lane, but for {@link #deliver}, which is called where messages arrive.
 */
final class Shards {
    /** A subscription. */
    private static final class Shard {
        final Consumer<String> onMessage;
        final Runnable onEnded;

        /** Whether it is to be restored, and its end to be told. Belongs to the lane. */
        boolean acknowledged;

        Shard(Consumer<String> onMessage, Runnable onEnded) {
            this.onMessage = onMessage;
            this.onEnded = onEnded;
        }
    }

    private final Executor lane;
    private final Function<String, CompletableFuture<String>> ask;
    private final Function<String, CompletableFuture<String>> leave;
    private final Runnable onProgress;

    /** From the request on. Written on the lane, and by failing subscriptions. */
    private final Map<String, Shard> wanted = new ConcurrentHashMap<>();

    /** For these Lettuce asks after a reconnect. */
    private final Set<String> ofLettuce = new HashSet<>();

    /** Those of them to which the present connection is subscribed. */
    private final Set<String> known = new HashSet<>();

    /** Whether Lettuce has asked on the present connection, and what it has not brought back. */
    private boolean lettuceAsked;

    private final Set<String> awaited = new HashSet<>();
    private final Set<String> leaving = new HashSet<>();

    /**
     * @param lane where its steps are done in turn; drops them when it has ended
     * @param ask subscribes to a channel on the present connection
     * @param leave leaves a channel there
     * @param onProgress told on the lane, when one that was awaited has ended instead
     */
    Shards(
            Executor lane,
            Function<String, CompletableFuture<String>> ask,
            Function<String, CompletableFuture<String>> leave,
            Runnable onProgress) {
        this.lane = lane;
        this.ask = ask;
        this.leave = leave;
        this.onProgress = onProgress;
    }

    // Asked for by others, while the connection is up.

    void subscribe(String channel, Consumer<String> onMessage, Runnable onEnded, CompletableFuture<Void> done) {
        Shard shard = new Shard(onMessage, onEnded);
        wanted.put(channel, shard);
        var unused = ask.apply(channel).whenComplete((acknowledged, failure) -> {
            if (failure == null) {
                lane.execute(() -> shard.acknowledged = true);
                done.complete(null);
            } else {
                wanted.remove(channel, shard);
                done.completeExceptionally(failure);
            }
        });
    }

    void unsubscribe(String channel, CompletableFuture<Void> done) {
        if (wanted.remove(channel) == null && !known.contains(channel)) {
            done.complete(null);
            return;
        }
        // Rejected is left, too: the server does not serve the slot.
        var unused = leave.apply(channel).whenComplete((acknowledged, failure) -> done.complete(null));
    }

    /** Nobody wants it any more, and no connection is there to be told. */
    void forget(String channel) {
        wanted.remove(channel);
    }

    /** Nobody wants any more. */
    void forgetAll() {
        wanted.clear();
    }

    // Said by the server.

    void deliver(String channel, String message) {
        Shard shard = wanted.get(channel);
        if (shard != null) {
            DriverCallbacks.run(() -> shard.onMessage.accept(message));
        }
    }

    /** Whether somebody wants what was acknowledged. */
    boolean acknowledged(String channel) {
        known.add(channel);
        ofLettuce.add(channel);
        awaited.remove(channel);
        return wanted.containsKey(channel);
    }

    /** @param unasked whether the server has ended it by itself */
    void left(String channel, boolean unasked) {
        known.remove(channel);
        ofLettuce.remove(channel);
        leaving.remove(channel);
        Shard shard = wanted.get(channel);
        // One that was asked for and not answered yet was not there to be ended.
        if (unasked && shard != null && shard.acknowledged) {
            ended(channel, shard);
        }
    }

    /** Forgets a subscription and says so, if it is not forgotten already. */
    private void ended(String channel, Shard shard) {
        if (wanted.remove(channel, shard)) {
            awaited.remove(channel);
            DriverCallbacks.run(shard.onEnded);
        }
    }

    // Subscribing again, in this order.

    /** There is a fresh connection. Whether Lettuce asks for channels on it: then {@link #restore} is to follow. */
    boolean reconnected() {
        leaving.clear();
        awaited.clear();
        wanted.values().removeIf(shard -> !shard.acknowledged);
        known.clear();
        lettuceAsked = ofLettuce.isEmpty();
        return !lettuceAsked;
    }

    /** Lettuce's attempt is over: asks for what it has not brought back. */
    void restore() {
        lettuceAsked = true;
        wanted.keySet().stream().filter(channel -> !known.contains(channel)).forEach(awaited::add);
        askAgain();
    }

    /** Asks again for what is missing, and soon for the end of what nobody wants. */
    void nudge() {
        askAgain();
        leaving.clear();
    }

    private void askAgain() {
        for (String channel : List.copyOf(awaited)) {
            Shard shard = wanted.get(channel);
            if (shard == null) {
                awaited.remove(channel);
                continue;
            }
            var unused = ask.apply(channel).whenComplete((acknowledged, failure) -> {
                if (failure instanceof DriverException e && e.kind() == DriverException.Kind.REJECTED) {
                    lane.execute(() -> {
                        ended(channel, shard);
                        onProgress.run();
                    });
                }
            });
        }
    }

    /** Whether all that are wanted are back. */
    boolean areBack() {
        awaited.retainAll(wanted.keySet());
        return lettuceAsked && awaited.isEmpty();
    }

    /** Leaves what nobody wants, each once. Whether there is nothing of that sort. */
    boolean leaveUnwanted() {
        boolean clean = true;
        for (String channel : known) {
            if (!wanted.containsKey(channel)) {
                clean = false;
                if (leaving.add(channel)) {
                    var unused = leave.apply(channel);
                }
            }
        }
        return clean;
    }
}
