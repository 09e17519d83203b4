package io.holdfast.internal.lease;

import io.holdfast.ReleaseResult;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LockScripts.Release;
import io.holdfast.internal.wire.LockScripts.State;
import io.holdfast.internal.wire.Server;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Ends owners at a server, in the background until it has answered. */
public final class Withdrawals {
    /** Whoever follows up what replies tell of a lock. */
    public interface Observer {
        /**
         * A reply has told the state of a lock.
         *
         * @param sent when the request left that was answered
         */
        void observe(Keys keys, State state, long sent);
    }

    private final Kit kit;
    private final Server server;
    private final TakeBack takeBack;
    private final Observer observer;

    public Withdrawals(Kit kit, Server server, TakeBack takeBack, Observer observer) {
        this.kit = kit;
        this.server = server;
        this.takeBack = takeBack;
        this.observer = observer;
    }

    /**
     * Ends an owner that was granted the lock, or may have been.
     *
     * @param unanswered whether a copy of its acquire may still be under way
     * @param rest how long the lock rests then
     */
    public void takeBack(Keys keys, String owner, boolean unanswered, Rest rest) {
        var unused = takeBack.add(new Withdrawal(keys, owner, tombstone(unanswered), rest, true));
    }

    /**
     * Ends an owner that stands in a queue perhaps.
     *
     * @param unanswered whether a copy of its acquire may be under way, so that it may have been granted, or be yet
     * @return whether the server has answered at the first attempt; the others follow without being waited for
     */
    public CompletableFuture<Boolean> withdraw(Keys keys, String owner, boolean unanswered) {
        return takeBack.add(new Withdrawal(keys, owner, tombstone(unanswered), Rest.NONE, unanswered))
                .thenApply(result -> result != ReleaseResult.UNCONFIRMED);
    }

    /**
     * An owner's release was answered: a server that forgets it is told again, with the tombstone that it has forgotten, too.
     *
     * @param unanswered whether a copy of its acquire may still be under way
     */
    public void released(Keys keys, String owner, boolean unanswered) {
        takeBack.released(new Withdrawal(keys, owner, tombstone(unanswered), Rest.NONE, false));
    }

    /** How long a release refuses copies of its owner's acquire: not at all if none can come. */
    public static Duration tombstone(boolean unanswered) {
        return unanswered ? TakeBack.TOMBSTONE : Duration.ZERO;
    }

    private final class Withdrawal implements TakeBack.Release {
        private final Keys keys;
        private final String owner;
        /** How long copies of the acquire that come later are refused; zero if none can come. */
        private final Duration tombstone;

        private final Rest rest;
        private final boolean mayHold;

        Withdrawal(Keys keys, String owner, Duration tombstone, Rest rest, boolean mayHold) {
            this.keys = keys;
            this.owner = owner;
            this.tombstone = tombstone;
            this.rest = rest;
            this.mayHold = mayHold;
        }

        @Override
        public Object id() {
            return owner;
        }

        @Override
        public String key() {
            return keys.hold();
        }

        @Override
        public boolean mayHold() {
            return mayHold;
        }

        @Override
        public TakeBack.Release after(TakeBack.Release earlier) {
            return earlier instanceof Withdrawal before
                    ? new Withdrawal(
                            keys,
                            owner,
                            longer(tombstone, before.tombstone),
                            rest.and(before.rest),
                            mayHold || before.mayHold)
                    : this;
        }

        @Override
        public void send(BiConsumer<@Nullable ReleaseResult, @Nullable DriverException> answer) {
            long sent = kit.nanoTime();
            Release asked = Release.of(keys, owner, tombstone, rest.sinceGrant(), rest.left(sent), rest.done());
            server.scripts(keys).release(asked, (reply, failure) -> {
                answer.accept(reply == null ? null : reply.result(), failure);
                if (reply != null) {
                    observer.observe(keys, reply.state(), sent);
                }
            });
        }
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) >= 0 ? one : other;
    }
}
