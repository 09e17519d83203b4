package io.holdfast.internal.wire;

import io.holdfast.Contention;
import io.holdfast.Contention.Sharing;
import io.holdfast.Holder;
import io.holdfast.LockInfo;
import io.holdfast.LockMode;
import io.holdfast.LockOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What is said to the server about a lock with a queue, and what it replies. There are two ways to keep a hold on the server, and so two
 * of these: as one text, of which there is one at a time, and in a set, beside others. {@link Server#scripts} chooses.
 */
public interface LockScripts {
    /** In place of the name of a hold: each that there is. */
    String ANY = "";

    /**
     * What most replies tell besides their word.
     *
     * @param holder of the lock; empty if it is free
     * @param remainingMillis the rest of the hold
     * @param mode of the hold, of a lock that several may hold; null if it is free, and of other locks
     * @param used how many have it so, or, of a semaphore, how many permits are out
     * @param claims those that belong to this client, told by this reply
     * @param overNanos how long after the server said this the first waiter may be granted the lock: the hold is over, or enough of
     *     them are; negative if the lock is free, or no end of a hold leads to a grant
     * @param handedOverNanos the same of the claim of a handoff to another client that this call caused
     * @param more whether the script stopped at its limit, so that the lock has to be settled again
     */
    record State(
            Optional<Holder> holder,
            long remainingMillis,
            @Nullable LockMode mode,
            int used,
            List<Claim> claims,
            long overNanos,
            long handedOverNanos,
            boolean more) {
        /** Free, without a waiter. */
        public static final State FREE = new State(Optional.empty(), 0, null, 0, List.of(), -1, -1, false);

        /**
         * What it means to a request.
         *
         * @param what it asks for
         */
        public Contention contention(int place, int waiters, Asked what) {
            LockMode how = mode == null && what.mode() == LockMode.PERMITS ? LockMode.PERMITS : mode;
            return new Contention(
                    holder,
                    Duration.ofMillis(remainingMillis),
                    place,
                    waiters,
                    Optional.ofNullable(how).map(known -> new Sharing(known, used, what.weight(), what.limit())),
                    Optional.empty());
        }
    }

    /**
     * What a grant gives.
     *
     * @param sinceMicros when, by the server's clock
     * @param slots of a semaphore's permits, with commas between; empty for none
     */
    record Given(long token, long sinceMicros, String slots) {
        /** Without slots, as most are. */
        public Given(long token, long sinceMicros) {
            this(token, sinceMicros, "");
        }

        /** By a word that is a token, and that slots may follow: {@code 17:0,3}. */
        static Given of(String word, long sinceMicros) {
            int colon = word.indexOf(':');
            return colon < 0
                    ? new Given(Long.parseLong(word), sinceMicros)
                    : new Given(Long.parseLong(word, 0, colon, 10), sinceMicros, word.substring(colon + 1));
        }

        /** The lowest first. */
        public List<Integer> slotNumbers() {
            return slots.isEmpty()
                    ? List.of()
                    : Arrays.stream(slots.split(",", -1)).map(Integer::valueOf).toList();
        }
    }

    /**
     * A grant to a request that waited.
     *
     * @param millis for how long it lasts, from the script that told it
     * @param confirmed whether that is its whole term, as if the request itself had been answered; else it is a claim, to be
     *     confirmed
     */
    record Claim(String ownerPublic, Given given, long millis, boolean confirmed) {}

    /**
     * What an acquire asks for.
     *
     * @param what of a lock that several may hold
     * @param queue whether to queue if the lock is taken
     * @param tokens how many to reserve, at least 1
     * @param keep whether the client is to be told when others want the lock
     * @param actor label of the actor
     */
    record Acquire(
            Keys keys,
            String owner,
            Asked what,
            LockOptions options,
            boolean queue,
            int tokens,
            boolean keep,
            String actor) {}

    enum AcquireWord {
        GRANTED,
        QUEUED,
        TAKEN,
        FULL,
        EVICTED,
        /** What is asked for was done: the holder that is told is a record of it. Of exclusive locks alone. */
        DONE,
        GONE,
        MORE
    }

    /**
     * What became of a request, or where it stands.
     *
     * @param timeMicros the server's time
     * @param given null if the lock was not granted
     * @param kept whether no other request waits, and this client is told when others want the lock
     * @param place of the request, 0 if it does not wait
     * @param state null for the words that tell none
     */
    record AcquireReply(
            AcquireWord word,
            long timeMicros,
            @Nullable Given given,
            boolean kept,
            int place,
            int waiters,
            @Nullable State state) {
        /** Without a grant. */
        AcquireReply(AcquireWord word, long timeMicros, int place, int waiters, @Nullable State state) {
            this(word, timeMicros, null, false, place, waiters, state);
        }
    }

    enum ReleaseWord {
        RELEASED,
        WITHDRAWN,
        GONE
    }

    record ReleaseReply(ReleaseWord word, State state) {
        /** What it means for the holder who released. */
        public ReleaseResult result() {
            return word == ReleaseWord.RELEASED ? ReleaseResult.RELEASED : ReleaseResult.ALREADY_GONE;
        }
    }

    /**
     * What ends: a hold, or a request that waits.
     *
     * @param minHold how long the lock stays taken from the grant
     * @param rest how long it stays taken from now
     * @param token of the hold; 0 if it is not known
     * @param lastToken the last one that was used of several that were reserved; 0 if none were, or it is not known
     * @param done with a rest, of an exclusive lock: the actor's label of the record that it leaves; null if it leaves none
     */
    record Release(
            Keys keys,
            String owner,
            Duration tombstone,
            Duration minHold,
            Duration rest,
            long token,
            long lastToken,
            @Nullable String done) {
        /** Of a request, or of a hold whose token is not known any more. */
        public static Release of(
                Keys keys, String owner, Duration tombstone, Duration minHold, Duration rest, @Nullable String done) {
            return new Release(keys, owner, tombstone, minHold, rest, 0, 0, done);
        }

        /** All keys that it touches. */
        List<String> touched() {
            if (done != null) {
                return keys.allToFinish(owner);
            }
            return tombstone.isZero() ? keys.all() : keys.allWithTombstone(owner);
        }
    }

    /** What one confirmation asks for. */
    record ConfirmEntry(String owner, long token, long leaseDurationMillis) {}

    record RenewEntry(Keys keys, String owner, long token, long leaseDurationMillis) {}

    /** What a renewal says of a hold, in the order of its numbers. */
    enum Renewed {
        GONE,
        HELD,
        /** It is held, and others want the lock, whose hold leases of this client share. */
        RECALLED;

        private static final List<Renewed> BY_NUMBER = List.of(values());

        /** What a script says that renews many holds, in the order of its keys. */
        static List<Renewed> of(ScriptReply reply) {
            return reply.all(i -> BY_NUMBER.get(reply.count(i)));
        }
    }

    /**
     * What one lock of a refresh asks for: {@code count} waiters of this client, of which the first are named; one of an exclusive
     * lock.
     */
    record RefreshEntry(Keys keys, int count, List<String> first) {}

    record RefreshReply(boolean resend, int waiters, State state) {}

    enum RevokeWord {
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
    record RevokeReply(RevokeWord word, Optional<Holder> held, int dropped, State state) {}

    /**
     * What a clean-up has done.
     *
     * @param left how many waiters are left
     */
    record CleanReply(int removed, int left, State state) {}

    /** The outcome of a pause, or of its end. */
    enum PauseWord {
        /** The lock is free, and is not granted. */
        PAUSED,
        /** The lock is held, and is not granted again. */
        NOTED,
        RESUMED,
        /** There was no pause to end. */
        NOTHING
    }

    record PauseReply(PauseWord word, State state) {}

    /** For how long the server keeps the lock of a holder that falls silent, and that counts on so much of it: so long, and the lock-delay. */
    static Duration term(LockOptions lock, Duration lease) {
        return lease.plus(lock.lockDelay());
    }

    /** The same of a lease duration. */
    static Duration term(LockOptions lock) {
        return term(lock, lock.leaseDuration());
    }

    /** Asks, once or again. */
    void acquire(Acquire asked, long sentNanos, BiConsumer<@Nullable AcquireReply, @Nullable DriverException> callback);

    /** Releases, or withdraws a request. */
    void release(Release asked, BiConsumer<@Nullable ReleaseReply, @Nullable DriverException> callback);

    /** The answer is whether the owner holds the lock with this token. */
    void confirm(
            Keys keys,
            ConfirmEntry entry,
            long sentNanos,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback);

    /** Whether the confirmations of several owners of one lock go in one call. */
    boolean confirmsTogether();

    /** Whether its holders can leave notes. */
    default boolean keepsNotes() {
        return false;
    }

    /** The same as a confirmation without a change. */
    void isHeld(
            Keys keys,
            String owner,
            long token,
            long sentNanos,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback);

    /** The answers come in the order of the entries. All entries are of one partition, and of these scripts. */
    void renew(
            List<RenewEntry> entries,
            long sentNanos,
            BiConsumer<@Nullable List<Renewed>, @Nullable DriverException> callback);

    /** How many waiters of one lock a refresh may name. */
    int mostNamed();

    /** The answers come in the order of the entries, of which the same is true as of those that {@link #renew} takes. */
    void refresh(
            List<RefreshEntry> entries,
            String heard,
            long sentNanos,
            BiConsumer<@Nullable List<RefreshReply>, @Nullable DriverException> callback);

    /**
     * How many waiters a list of locks asks for, so that it tells all holders too.
     *
     * @param mostWaiters how many the list is to tell
     */
    int listed(int mostWaiters);

    /** Holders and waiters of some locks of one partition, in their order. */
    void info(
            List<Keys> locks,
            int mostWaiters,
            BiConsumer<@Nullable List<LockInfo>, @Nullable DriverException> callback);

    /** In place of the name of a hold: that of no hold. */
    String none();

    /** How a hold is named, or what rests after it, for an end by name. */
    String named(Holder holder);

    /**
     * Ends what has a name.
     *
     * @param hold which one
     * @param drop which waiters to drop, as drop_waiters.lua has it
     * @param refused for how long those may not ask again
     */
    void revoke(
            Keys keys,
            String hold,
            String drop,
            Duration refused,
            BiConsumer<@Nullable RevokeReply, @Nullable DriverException> callback);

    /** Extends by name; the answer is for how long the last of these is held, zero if the lock is free. */
    void prolong(
            Keys keys,
            String hold,
            Duration atLeast,
            BiConsumer<@Nullable Duration, @Nullable DriverException> callback);

    /**
     * Pauses a lock, or ends its pause.
     *
     * @param time for how long; zero ends it
     * @param actor the operator's words, as a label has those of an actor
     */
    void pause(
            Keys keys,
            Duration time,
            String actor,
            BiConsumer<@Nullable PauseReply, @Nullable DriverException> callback);

    /** Removes dead waiters, as many as one script may. */
    void clean(Keys keys, BiConsumer<@Nullable CleanReply, @Nullable DriverException> callback);
}
