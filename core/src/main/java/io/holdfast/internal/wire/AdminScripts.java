package io.holdfast.internal.wire;

import io.holdfast.Holder;
import io.holdfast.LockInfo;
import io.holdfast.Waiter;
import io.holdfast.internal.wire.LockScripts.CleanReply;
import io.holdfast.internal.wire.LockScripts.PauseReply;
import io.holdfast.internal.wire.LockScripts.RevokeReply;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Looks at locks with a queue, and ends and extends by name, of whatever kind they are. */
public final class AdminScripts {
    /** Which waiters a release drops; or the public id of one owner. */
    private static final String ALL = "1";

    private static final String NONE = "0";

    private final ScriptCalls calls;
    private final Function<Keys, LockScripts> scripts;

    AdminScripts(ScriptCalls calls, Function<Keys, LockScripts> scripts) {
        this.calls = calls;
        this.scripts = scripts;
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
        scripts.apply(locks.get(0)).info(locks, mostWaiters, callback);
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
        String hold = token == 0 ? LockScripts.ANY : Long.toString(token);
        scripts.apply(keys).revoke(keys, hold, drop ? ALL : NONE, refused, callback);
    }

    /** Drops one waiter, and ends no hold. */
    public void drop(
            Keys keys,
            Waiter waiter,
            Duration refused,
            BiConsumer<@Nullable RevokeReply, @Nullable DriverException> callback) {
        LockScripts of = scripts.apply(keys);
        of.revoke(keys, of.none(), waiter.owner(), refused, callback);
    }

    /** Drops all waiters, as many as one script may, and ends no hold. */
    public void dropAll(
            Keys keys, Duration refused, BiConsumer<@Nullable RevokeReply, @Nullable DriverException> callback) {
        LockScripts of = scripts.apply(keys);
        of.revoke(keys, of.none(), ALL, refused, callback);
    }

    /** Releases by name what a holder has, and no later hold; or ends what rests with its token. */
    public void revoke(
            Keys keys,
            Holder holder,
            boolean drop,
            Duration refused,
            BiConsumer<@Nullable RevokeReply, @Nullable DriverException> callback) {
        LockScripts of = scripts.apply(keys);
        of.revoke(keys, of.named(holder), drop ? ALL : NONE, refused, callback);
    }

    /** Extends by name; the answer is the remaining term, of several the longest, zero if the lock is free. */
    public void prolong(
            Keys keys, Duration atLeast, BiConsumer<@Nullable Duration, @Nullable DriverException> callback) {
        scripts.apply(keys).prolong(keys, LockScripts.ANY, atLeast, callback);
    }

    /** The same of what one holder has. */
    public void prolong(
            Keys keys,
            Holder holder,
            Duration atLeast,
            BiConsumer<@Nullable Duration, @Nullable DriverException> callback) {
        LockScripts of = scripts.apply(keys);
        of.prolong(keys, of.named(holder), atLeast, callback);
    }

    /** Pauses a lock for a time, or ends its pause if that is zero. */
    public void pause(
            Keys keys,
            Duration time,
            String actor,
            BiConsumer<@Nullable PauseReply, @Nullable DriverException> callback) {
        scripts.apply(keys).pause(keys, time, actor, callback);
    }

    /** Removes dead waiters, as many as one script may. */
    public void clean(Keys keys, BiConsumer<@Nullable CleanReply, @Nullable DriverException> callback) {
        scripts.apply(keys).clean(keys, callback);
    }
}
