package io.holdfast.internal.wire;

import io.holdfast.Contention;
import io.holdfast.Contention.Sharing;
import io.holdfast.Holder;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockMode;
import io.holdfast.LockOptions;
import io.holdfast.ReleaseResult;
import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The scripts of the queue: what is said to each of them, and what it replies. The arguments stand in the order of the
 * script's header, and nowhere else.
 */
public final class QueueScripts {
    /**
     * What most replies tell besides their word.
     *
     * @param holder who holds the lock; empty if nobody does
     * @param remainingMillis the rest of the hold
     * @param mode of the hold, of a lock that several may hold; null if nobody does, and of other locks
     * @param used how many have it so, or, of a semaphore, how many permits are out
     * @param claims those that belong to this client, told by this reply
     * @param overNanos how long after the server said this the first waiter may be granted the lock: the hold is over, or enough of
     *     them are; negative if nobody holds it, or it never is
     * @param handedOverNanos the same of the claim of a handoff to another client that this call caused
     * @param more whether the script stopped at its limit, so that the lock has to be settled again
     */
    public record State(
            Optional<Holder> holder,
            long remainingMillis,
            @Nullable LockMode mode,
            int used,
            List<Claim> claims,
            long overNanos,
            long handedOverNanos,
            boolean more) {
        /** Nobody holds, and nobody waits. */
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

        /** Decodes what {@code describe} in common.lua has put here. */
        static State of(ScriptReply reply, int at) {
            String mine = reply.text(at);
            int hold = at + 6;
            long handed = reply.number(at + 4);
            return new State(
                    reply.holder(hold),
                    reply.remainingMillis(hold),
                    null,
                    0,
                    mine.isEmpty()
                            ? List.of()
                            : List.of(new Claim(
                                    mine, reply.number(at + 1), reply.number(at + 3), reply.number(at + 2), false)),
                    reply.overNanos(hold),
                    handed == 0 ? -1 : reply.expiryNanos(handed),
                    reply.flag(at + 5));
        }
    }

    /**
     * A grant to a request that waited.
     *
     * @param millis for how long it lasts, from the script that told it
     * @param sinceMicros when it was granted
     * @param confirmed whether that is its whole term, as if the request itself had been answered; else it is a claim, to be
     *     confirmed
     */
    public record Claim(String ownerPublic, long token, long millis, long sinceMicros, boolean confirmed) {}

    /**
     * What an acquire asks for.
     *
     * @param what of a lock that several may hold
     * @param queue whether to queue if the lock is taken
     * @param tokens how many to reserve, at least 1
     * @param keep whether the client is to be told when others want the lock
     * @param actor label of the actor
     */
    public record Acquire(
            Keys keys,
            String owner,
            Asked what,
            LockOptions options,
            boolean queue,
            int tokens,
            boolean keep,
            String actor) {}

    public enum AcquireWord {
        GRANTED,
        QUEUED,
        TAKEN,
        FULL,
        EVICTED,
        GONE,
        MORE
    }

    /**
     * What became of a request, or where it stands.
     *
     * @param timeMicros the server's time
     * @param sinceMicros when the lock was granted; 0 if it was not
     * @param kept whether nobody else waits, and this client is told when others want the lock
     * @param place of the request, 0 if it does not wait
     * @param state null for the words that tell none
     */
    public record AcquireReply(
            AcquireWord word,
            long timeMicros,
            long token,
            long sinceMicros,
            boolean kept,
            int place,
            int waiters,
            @Nullable State state) {
        private static AcquireReply of(ScriptReply reply, boolean keep) {
            AcquireWord word = reply.word(AcquireWord.class);
            long time = reply.timeMicros();
            return switch (word) {
                case GRANTED ->
                    new AcquireReply(
                            word,
                            time,
                            reply.number(1),
                            reply.number(2),
                            reply.size() == 3 ? keep : reply.flag(3),
                            0,
                            0,
                            null);
                case QUEUED, TAKEN, FULL ->
                    new AcquireReply(word, time, 0, 0, false, reply.count(1), reply.count(2), State.of(reply, 3));
                case GONE, MORE, EVICTED -> new AcquireReply(word, time, 0, 0, false, 0, 0, null);
            };
        }
    }

    enum ReleaseWord {
        RELEASED,
        WITHDRAWN,
        GONE
    }

    public record ReleaseReply(ReleaseWord word, State state) {
        /** What it means for the holder who released. */
        public ReleaseResult result() {
            return word == ReleaseWord.RELEASED ? ReleaseResult.RELEASED : ReleaseResult.ALREADY_GONE;
        }
    }

    /**
     * What goes on under another owner.
     *
     * @param old the owner until now
     * @param token by which the server knows the hold
     * @param used the last of the tokens that were reserved for it which a lease has had; the same if it had its own alone
     * @param actor label of the actor
     * @param tombstone how long the old owner's lives
     */
    public record Adopt(
            Keys keys,
            String old,
            long token,
            long used,
            String owner,
            Duration term,
            String actor,
            Duration tombstone) {}

    /**
     * Whether the hold has been taken over.
     *
     * @param sinceMicros when the lock was granted to the first owner
     */
    public record AdoptReply(boolean held, long sinceMicros) {}

    public record RenewEntry(Keys keys, String owner, long token, long leaseDurationMillis) {}

    /** What a renewal says of a hold, in the order of its numbers. */
    public enum Renewed {
        GONE,
        HELD,
        /** It is held, and others want the lock, whose hold leases of this client share. */
        RECALLED;

        private static final List<Renewed> BY_NUMBER = List.of(values());

        /** What a script says that renews many holds, in the order of its keys. */
        static List<Renewed> of(ScriptReply reply) {
            List<Renewed> told = new ArrayList<>(reply.size());
            reply.elements().forEach(held -> told.add(BY_NUMBER.get((int) held.asLong())));
            return told;
        }
    }

    /**
     * What one lock of a refresh asks for: {@code count} waiters of this client, of which the first are named; one of an exclusive
     * lock.
     */
    public record RefreshEntry(Keys keys, int count, List<String> first) {}

    public record RefreshReply(boolean resend, int waiters, State state) {}

    private final ScriptCalls calls;
    private final OwnerIds ids;
    private final String channelPrefix;
    private final String label;
    /** In milliseconds, as texts: each call of a script that touches a queue begins with them. */
    private final String tokenLife;

    private final String waiterDeadline;

    /** Where several may hold a lock: then these are meant by every method here. */
    private final LineScripts lines;

    /**
     * The scripts of one client.
     *
     * @param channelPrefix by which scripts find the channels
     * @param label the part that all requests of the client share
     */
    QueueScripts(ScriptCalls calls, OwnerIds ids, String channelPrefix, HoldfastOptions options, String label) {
        this.calls = calls;
        this.ids = ids;
        this.channelPrefix = channelPrefix;
        this.label = label;
        this.tokenLife = Long.toString(options.tokenLife().toMillis());
        this.waiterDeadline = Long.toString(options.waiterDeadline().toMillis());
        this.lines = new LineScripts(calls, this);
    }

    LineScripts lines() {
        return lines;
    }

    /** The first of every script that touches a queue; see common.lua. */
    Arguments common() {
        return new Arguments()
                .add(ids.client() + " " + waiterDeadline + " " + channelPrefix)
                .add(tokenLife);
    }

    public void acquire(
            Acquire asked, long sentNanos, BiConsumer<@Nullable AcquireReply, @Nullable DriverException> callback) {
        if (asked.keys().kind().isLine()) {
            lines.acquire(asked, sentNanos, callback);
            return;
        }
        String term = Long.toString(asked.options().leaseDuration().toMillis());
        Arguments args = common().add(asked.owner())
                .add(term)
                .add(held(term, asked.actor()) + (asked.keep() ? " K" : ""))
                .add(asked.tokens() - 1)
                .add(queueing(asked.options(), asked.queue()));
        calls.call(
                Script.ACQUIRE,
                asked.keys().allToAcquire(asked.owner()),
                args,
                sentNanos,
                reply -> AcquireReply.of(reply, asked.keep()),
                callback);
    }

    /** What a hold is to end with. */
    String held(String term, String actor) {
        return term + " " + label(actor);
    }

    /** Who acts, in words. */
    String label(String actor) {
        return label + "/" + actor;
    }

    /** What only the queue needs of a request, as words; see acquire.lua. */
    static String queueing(LockOptions lock, boolean queue) {
        Duration life = lock.requestLife();
        return (queue ? "1 " : "0 ")
                + lock.queueLimit()
                + " "
                + lock.priority()
                + " "
                + letterOf(lock.order())
                + " "
                + (life == null ? 0 : life.toMillis())
                + (lock.requestEnd() == LockOptions.RequestEnd.TO_TAIL ? " T " : " L ")
                + claimWindow(lock).toMillis();
    }

    /** How long a waiter may take to confirm: never longer than the term. */
    static Duration claimWindow(LockOptions lock) {
        return lock.handoffTimeout().compareTo(lock.leaseDuration()) < 0 ? lock.handoffTimeout() : lock.leaseDuration();
    }

    private static String letterOf(LockOptions.Order order) {
        return switch (order) {
            case FIFO -> "F";
            case LIFO -> "N";
            case RANDOM -> "R";
        };
    }

    static LockOptions.Order orderOf(String letter) {
        return switch (letter) {
            case "N" -> LockOptions.Order.LIFO;
            case "R" -> LockOptions.Order.RANDOM;
            default -> LockOptions.Order.FIFO;
        };
    }

    /**
     * Releases, or withdraws a request.
     *
     * @param minHold how long the lock stays taken from the grant
     * @param rest how long it stays taken from now
     * @param lastToken the last one that was used of several that were reserved, or, of a hold beside others, its own; 0 if none
     *     were, or it is not known
     */
    public void release(
            Keys keys,
            String owner,
            Duration tombstone,
            Duration minHold,
            Duration rest,
            long lastToken,
            BiConsumer<@Nullable ReleaseReply, @Nullable DriverException> callback) {
        if (keys.kind().isLine()) {
            lines.release(keys, owner, tombstone, minHold, rest, lastToken, callback);
            return;
        }
        String words = releaseOf(tombstone, minHold, rest, lastToken);
        calls.call(
                Script.RELEASE,
                tombstone.isZero() ? keys.all() : keys.allWithTombstone(owner),
                common().add(owner).add(words.equals("0 0 0 0") ? "" : words),
                reply -> new ReleaseReply(
                        reply.word(ReleaseWord.class), reply.size() == 1 ? State.FREE : State.of(reply, 1)),
                callback);
    }

    static String releaseOf(Duration tombstone, Duration minHold, Duration rest, long token) {
        return tombstone.toMillis() + " " + minHold.toMillis() + " "
                + rest.plusNanos(999_999).toMillis() + " " + token;
    }

    /** The answer is whether the owner holds the lock with this token. */
    public void confirm(
            Keys keys,
            String owner,
            long token,
            Duration term,
            long sentNanos,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        if (keys.kind().isLine()) {
            lines.confirm(
                    keys,
                    List.of(new LineScripts.ConfirmEntry(owner, token, term.toMillis())),
                    sentNanos,
                    (held, failure) -> callback.accept(held == null ? null : held.get(0), failure));
            return;
        }
        Arguments args = common().add(owner).add(token).add(term);
        calls.call(Script.CONFIRM, keys.all(), args, sentNanos, reply -> reply.says("HELD"), callback);
    }

    /** Goes on with a hold under another owner. */
    public void adopt(
            Adopt asked, long sentNanos, BiConsumer<@Nullable AdoptReply, @Nullable DriverException> callback) {
        calls.call(
                Script.ADOPT,
                asked.keys().allToAdopt(asked.old(), asked.owner()),
                common().add(asked.old())
                        .add(asked.token())
                        .add(asked.owner())
                        .add(asked.term())
                        .add(label + "/" + asked.actor())
                        .add(asked.tombstone())
                        .add(asked.used()),
                sentNanos,
                reply -> new AdoptReply(reply.says("HELD"), reply.number(1)),
                callback);
    }

    /** The answer is whether another process goes on with a hold, of which the last lease had this token, or has done so lately. */
    public void adopted(
            Keys keys, String owner, long token, BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        calls.call(
                Script.ADOPTED,
                List.of(keys.hold(), keys.tombstone(owner)),
                new Arguments().add(owner).add(token),
                reply -> reply.says("ADOPTED"),
                callback);
    }

    /**
     * The answers come in the order of the entries. All entries are of one partition, and all or none are of locks that several
     * may hold.
     */
    public void renew(
            List<RenewEntry> entries,
            long sentNanos,
            BiConsumer<@Nullable List<Renewed>, @Nullable DriverException> callback) {
        if (entries.get(0).keys().kind().isLine()) {
            lines.renew(entries, sentNanos, callback);
            return;
        }
        List<String> keys = new ArrayList<>(entries.size());
        Arguments args = new Arguments();
        for (RenewEntry entry : entries) {
            keys.add(entry.keys().hold());
            args.add(entry.owner()).add(entry.token()).add(entry.leaseDurationMillis());
        }
        calls.call(Script.RENEW, keys, args, sentNanos, Renewed::of, callback);
    }

    /** The answers come in the order of the entries, of which the same is true as of those that {@link #renew} takes. */
    public void refresh(
            List<RefreshEntry> entries,
            String heard,
            long sentNanos,
            BiConsumer<@Nullable List<RefreshReply>, @Nullable DriverException> callback) {
        if (entries.get(0).keys().kind().isLine()) {
            lines.refresh(entries, heard, sentNanos, callback);
            return;
        }
        List<String> keys = new ArrayList<>();
        Arguments args = common().add(heard);
        for (RefreshEntry entry : entries) {
            keys.addAll(entry.keys().all());
            args.add(entry.count())
                    .add(entry.first().isEmpty() ? "" : entry.first().get(0));
        }
        calls.call(
                Script.REFRESH,
                keys,
                args,
                sentNanos,
                reply -> reply.each(
                        (i, lock) -> new RefreshReply(lock.says("RESEND"), lock.count(1), State.of(lock, 2))),
                callback);
    }
}
