package io.holdfast.internal.wire;

import io.holdfast.Holder;
import io.holdfast.LockInfo;
import io.holdfast.Waiter;
import io.holdfast.internal.wire.QueueScripts.State;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** The scripts that look at locks of the queue and steer them by name: what is said to each of them, and what it replies. */
public final class SteeringScripts {
    public enum RevokeWord {
        RELEASED,
        NOTHING,
        OTHER
    }

    /**
     * What a release by name has done.
     *
     * @param held the hold that ended, or for OTHER the present one
     * @param dropped how many waiters were dropped
     */
    public record RevokeReply(RevokeWord word, Optional<Holder> held, int dropped, State state) {}

    /**
     * What a clean-up has done.
     *
     * @param left how many waiters are left
     */
    public record CleanReply(int removed, int left, State state) {}

    private static final int FIRST_WAITER = 3;
    private static final int PER_WAITER = 6;

    private final ScriptCalls calls;
    private final QueueScripts queue;

    SteeringScripts(ScriptCalls calls, QueueScripts queue) {
        this.calls = calls;
        this.queue = queue;
    }

    /** Holder and waiters of some locks of one partition, in their order. */
    public void info(
            List<Keys> locks,
            int mostWaiters,
            BiConsumer<@Nullable List<LockInfo>, @Nullable DriverException> callback) {
        List<String> keys = locks.stream().flatMap(lock -> lock.all().stream()).toList();
        calls.call(
                Script.INFO,
                keys,
                queue.common().add(mostWaiters),
                reply -> reply.each((i, lock) -> infoOf(locks.get(i).name(), lock)),
                callback);
    }

    /** Decodes one element of the reply of info.lua. */
    private static LockInfo infoOf(String name, ScriptReply reply) {
        int hold = FIRST_WAITER + PER_WAITER * reply.count(2);
        List<Waiter> queue = new ArrayList<>();
        for (int i = FIRST_WAITER; i < hold; i += PER_WAITER) {
            Holder read = Label.holder(reply.text(i), 0, reply.number(i + 1), reply.text(i + 2));
            queue.add(new Waiter(
                    read.owner(),
                    read.application(),
                    read.host(),
                    read.pid(),
                    read.actor(),
                    read.metadata(),
                    read.since(),
                    reply.count(i + 3),
                    QueueScripts.orderOf(reply.text(i + 4)),
                    Waiter.State.valueOf(reply.text(i + 5).toUpperCase(Locale.ROOT))));
        }
        return new LockInfo(
                name,
                reply.holder(hold),
                reply.text(1).equals("held"),
                Duration.ofMillis(reply.termMillis(hold)),
                Duration.ofMillis(reply.remainingMillis(hold)),
                reply.count(0),
                queue);
    }

    /** Releases by name: the hold with this token, or that reserved it, or any if it is 0. */
    public void revoke(
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
                SteeringScripts::revoked,
                callback);
    }

    /** Decodes the reply of revoke.lua. */
    private static RevokeReply revoked(ScriptReply reply) {
        List<ScriptReply> parts = reply.each((i, part) -> part);
        ScriptReply words = parts.get(0);
        return new RevokeReply(
                words.word(RevokeWord.class), parts.get(1).holder(1), words.count(1), State.of(words, 2));
    }

    /** Extends by name; the answer is the remaining term, zero if nobody holds the lock. */
    public void prolong(
            Keys keys, Duration atLeast, BiConsumer<@Nullable Duration, @Nullable DriverException> callback) {
        Arguments args = new Arguments().add(atLeast);
        calls.call(Script.PROLONG, List.of(keys.hold()), args, reply -> Duration.ofMillis(reply.number(1)), callback);
    }

    /** Removes dead waiters, as many as one script may. */
    public void clean(Keys keys, BiConsumer<@Nullable CleanReply, @Nullable DriverException> callback) {
        calls.call(
                Script.CLEAN,
                keys.all(),
                queue.common(),
                reply -> new CleanReply(reply.count(0), reply.count(1), State.of(reply, 2)),
                callback);
    }
}
