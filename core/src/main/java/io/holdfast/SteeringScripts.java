package io.holdfast;

import io.holdfast.QueueScripts.State;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The scripts that look at locks of the queue and steer them by name: what is said to each of them, and what it replies. */
final class SteeringScripts {
    enum RevokeWord {
        RELEASED,
        NOTHING,
        OTHER
    }

    /**
     * @param held the hold that ended, or for OTHER the present one
     * @param dropped how many waiters were dropped
     */
    record RevokeReply(RevokeWord word, Optional<Holder> held, int dropped, State state) {}

    /** @param left how many waiters are left */
    record CleanReply(int removed, int left, State state) {}

    private final ScriptCalls calls;
    private final QueueScripts queue;

    SteeringScripts(ScriptCalls calls, QueueScripts queue) {
        this.calls = calls;
        this.queue = queue;
    }

    /** Holder and waiters of some locks of one partition, in their order. */
    void info(
            List<Keys> locks,
            int mostWaiters,
            BiConsumer<@Nullable List<LockInfo>, @Nullable DriverException> callback) {
        List<String> keys = locks.stream().flatMap(lock -> lock.all().stream()).toList();
        calls.call(
                Script.INFO,
                keys,
                queue.common().add(mostWaiters),
                reply -> reply.each((i, lock) -> LockInfo.decode(locks.get(i).name(), lock)),
                callback);
    }

    /** Releases by name: the hold with this token, or that reserved it, or any if it is 0. */
    void revoke(
            Keys keys,
            long token,
            boolean drop,
            Duration refused,
            BiConsumer<@Nullable RevokeReply, @Nullable DriverException> callback) {
        calls.call(
                Script.REVOKE,
                keys.allToRevoke(),
                queue.common()
                        .add(token == 0 ? "" : Long.toString(token))
                        .add(drop)
                        .add(refused),
                reply -> new RevokeReply(
                        reply.word(RevokeWord.class), reply.holder(1), reply.count(6), State.of(reply, 7)),
                callback);
    }

    /** Extends by name; the answer is the remaining term, zero if nobody holds the lock. */
    void prolong(Keys keys, Duration atLeast, BiConsumer<@Nullable Duration, @Nullable DriverException> callback) {
        Arguments args = new Arguments().add(atLeast);
        calls.call(Script.PROLONG, List.of(keys.hold()), args, reply -> Duration.ofMillis(reply.number(1)), callback);
    }

    /** Removes dead waiters, as many as one script may. */
    void clean(Keys keys, BiConsumer<@Nullable CleanReply, @Nullable DriverException> callback) {
        calls.call(
                Script.CLEAN,
                keys.all(),
                queue.common(),
                reply -> new CleanReply(reply.count(0), reply.count(1), State.of(reply, 2)),
                callback);
    }
}
