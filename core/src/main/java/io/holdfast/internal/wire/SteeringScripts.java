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

    /** In place of a holder: ends nothing. No hold has this token, and no owner begins so. */
    private static final String NOBODY = "@";

    private static final long NO_TOKEN = 1;

    /** Which waiters a release drops; or the public id of one owner. */
    private static final String ALL = "1";

    private static final String NONE = "0";
    private static final int FIRST_WAITER = 3;
    private static final int PER_WAITER = 6;

    private final ScriptCalls calls;
    private final QueueScripts queue;
    private final LineScripts lines;

    SteeringScripts(ScriptCalls calls, QueueScripts queue) {
        this.calls = calls;
        this.queue = queue;
        this.lines = queue.lines();
    }

    /** Holder and waiters of some locks of one partition, all or none of which several may hold, in their order. */
    public void info(
            List<Keys> locks,
            int mostWaiters,
            BiConsumer<@Nullable List<LockInfo>, @Nullable DriverException> callback) {
        if (locks.size() > calls.atOnce(locks.size())) {
            Batches.askAlone(locks, (lock, answer) -> infoOfBatch(lock, mostWaiters, answer), callback);
            return;
        }
        infoOfBatch(locks, mostWaiters, (infos, failure) -> {
            if (failure != null && locks.size() > calls.atOnce(locks.size())) {
                info(locks, mostWaiters, callback); // that calls may speak of one lock each is known since then
            } else {
                callback.accept(infos, failure);
            }
        });
    }

    private void infoOfBatch(
            List<Keys> locks,
            int mostWaiters,
            BiConsumer<@Nullable List<LockInfo>, @Nullable DriverException> callback) {
        if (locks.get(0).kind().isLine()) {
            lines.info(locks, mostWaiters, callback);
            return;
        }
        calls.call(
                Script.INFO,
                Keys.allToLook(locks),
                queue.common().add(mostWaiters),
                reply -> reply.each((i, lock) -> infoOf(locks.get(i), lock)),
                callback);
    }

    /** Decodes one element of the reply of info.lua. */
    private static LockInfo infoOf(Keys keys, ScriptReply reply) {
        int hold = FIRST_WAITER + PER_WAITER * reply.count(2);
        List<Waiter> queue = new ArrayList<>();
        for (int i = FIRST_WAITER; i < hold; i += PER_WAITER) {
            queue.add(waiterOf(reply, i, Asked.ALONE));
        }
        return new LockInfo(
                keys.name(),
                keys.kind().shown(),
                reply.holder(hold),
                reply.text(1).equals("held"),
                Duration.ofMillis(reply.leaseDurationMillis(hold)),
                Duration.ofMillis(reply.remainingMillis(hold)),
                reply.count(0),
                queue);
    }

    /** Decodes what waiters.lua tells of one waiter. */
    static Waiter waiterOf(ScriptReply reply, int at, Asked what) {
        Holder read = Label.holder(reply.text(at), 0, reply.number(at + 1), reply.text(at + 2));
        return new Waiter(
                read.owner(),
                read.application(),
                read.host(),
                read.pid(),
                read.actor(),
                read.metadata(),
                read.since(),
                what.mode(),
                what.weight(),
                what.limit(),
                reply.count(at + 3),
                QueueScripts.orderOf(reply.text(at + 4)),
                Waiter.State.valueOf(reply.text(at + 5).toUpperCase(Locale.ROOT)));
    }

    /**
     * Releases by name: the hold with this token, or that reserved it, or any if it is 0; of a lock that several may hold all of
     * them, for which the token is 0.
     */
    public void revoke(
            Keys keys,
            long token,
            boolean drop,
            Duration refused,
            BiConsumer<@Nullable RevokeReply, @Nullable DriverException> callback) {
        if (keys.kind().isLine()) {
            lines.revoke(keys, "", drop ? ALL : NONE, refused, callback);
        } else {
            revoke(keys, token, drop ? ALL : NONE, refused, callback);
        }
    }

    private void revoke(
            Keys keys,
            long token,
            String drop,
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

    /** Drops one waiter, and ends no hold. */
    public void drop(
            Keys keys,
            Waiter waiter,
            Duration refused,
            BiConsumer<@Nullable RevokeReply, @Nullable DriverException> callback) {
        drop(keys, waiter.owner(), refused, callback);
    }

    /** Drops all waiters, as many as one script may, and ends no hold. */
    public void dropAll(
            Keys keys, Duration refused, BiConsumer<@Nullable RevokeReply, @Nullable DriverException> callback) {
        drop(keys, ALL, refused, callback);
    }

    private void drop(
            Keys keys,
            String which,
            Duration refused,
            BiConsumer<@Nullable RevokeReply, @Nullable DriverException> callback) {
        if (keys.kind().isLine()) {
            lines.revoke(keys, NOBODY, which, refused, callback);
        } else {
            revoke(keys, NO_TOKEN, which, refused, callback);
        }
    }

    /** Releases by name what a holder has, and no later hold; or ends what rests with its token. */
    public void revoke(
            Keys keys,
            Holder holder,
            boolean drop,
            Duration refused,
            BiConsumer<@Nullable RevokeReply, @Nullable DriverException> callback) {
        if (keys.kind().isLine()) {
            String owner = holder.resting() ? LineScripts.resting(holder.token()) : holder.owner();
            lines.revoke(keys, owner, drop ? ALL : NONE, refused, callback);
        } else {
            revoke(keys, holder.token(), drop, refused, callback);
        }
    }

    /** Decodes the reply of revoke.lua. */
    private static RevokeReply revoked(ScriptReply reply) {
        List<ScriptReply> parts = reply.each((i, part) -> part);
        ScriptReply words = parts.get(0);
        return new RevokeReply(
                words.word(RevokeWord.class), parts.get(1).holder(1), words.count(1), State.of(words, 2));
    }

    /** Extends by name; the answer is the remaining term, of several the longest, zero if nobody holds the lock. */
    public void prolong(
            Keys keys, Duration atLeast, BiConsumer<@Nullable Duration, @Nullable DriverException> callback) {
        if (keys.kind().isLine()) {
            lines.prolong(keys, "", atLeast, callback);
            return;
        }
        prolong(keys, "", atLeast, callback);
    }

    /** The same of what one holder has. */
    public void prolong(
            Keys keys,
            Holder holder,
            Duration atLeast,
            BiConsumer<@Nullable Duration, @Nullable DriverException> callback) {
        if (keys.kind().isLine()) {
            lines.prolong(keys, holder.owner(), atLeast, callback);
        } else {
            prolong(keys, Long.toString(holder.token()), atLeast, callback);
        }
    }

    private void prolong(
            Keys keys,
            String token,
            Duration atLeast,
            BiConsumer<@Nullable Duration, @Nullable DriverException> callback) {
        Arguments args = new Arguments().add(atLeast).add(token);
        calls.call(Script.PROLONG, List.of(keys.hold()), args, reply -> Duration.ofMillis(reply.number(1)), callback);
    }

    /** Removes dead waiters, as many as one script may. */
    public void clean(Keys keys, BiConsumer<@Nullable CleanReply, @Nullable DriverException> callback) {
        if (keys.kind().isLine()) {
            lines.clean(keys, callback);
            return;
        }
        calls.call(
                Script.CLEAN,
                keys.all(),
                queue.common(),
                reply -> new CleanReply(reply.count(0), reply.count(1), State.of(reply, 2)),
                callback);
    }
}
