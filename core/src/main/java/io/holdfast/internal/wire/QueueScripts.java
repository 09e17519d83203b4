package io.holdfast.internal.wire;

import io.holdfast.Holder;
import io.holdfast.HoldfastOptions;
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
     * @param claim a claim that belongs to this client, told by this reply
     * @param handedMillis the claim window of a handoff to another client that this call caused, 0 for none
     * @param more whether the script stopped at its limit, so that the lock has to be settled again
     */
    public record State(
            Optional<Holder> holder,
            long remainingMillis,
            @Nullable Claim claim,
            long handedMillis,
            boolean more) {
        /** Nobody holds, and nobody waits. */
        static final State FREE = new State(Optional.empty(), 0, null, 0, false);

        /** Decodes what {@code describe} in common.lua has put here. */
        static State of(ScriptReply reply, int at) {
            String mine = reply.text(at);
            int hold = at + 6;
            return new State(
                    reply.holder(hold),
                    reply.remainingMillis(hold),
                    mine.isEmpty()
                            ? null
                            : new Claim(mine, reply.number(at + 1), reply.number(at + 3), reply.number(at + 2)),
                    reply.number(at + 4),
                    reply.flag(at + 5));
        }
    }

    /**
     * A grant by handoff that is not confirmed yet.
     *
     * @param sinceMicros when it was granted
     */
    public record Claim(String ownerPublic, long token, long millis, long sinceMicros) {}

    /**
     * What an acquire asks for.
     *
     * @param queue whether to queue if the lock is taken
     * @param tokens how many to reserve, at least 1
     * @param keep whether the client is to be told when others want the lock
     * @param actor label of the actor
     */
    public record Acquire(
            Keys keys, String owner, LockOptions options, boolean queue, int tokens, boolean keep, String actor) {}

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
     * @param actor label of the actor
     * @param tombstone how long the old owner's lives
     */
    public record Adopt(
            Keys keys, String old, long token, String owner, Duration term, String actor, Duration tombstone) {}

    /**
     * Whether the hold has been taken over.
     *
     * @param sinceMicros when the lock was granted to the first owner
     */
    public record AdoptReply(boolean held, long sinceMicros) {}

    public record RenewEntry(Keys keys, String owner, long token, long termMillis) {}

    /** What a renewal says of a hold, in the order of its numbers. */
    public enum Renewed {
        GONE,
        HELD,
        /** It is held, and others want the lock, whose hold leases of this client share. */
        RECALLED;

        private static final List<Renewed> BY_NUMBER = List.of(values());

        /** What a script says that renews many holds, in the order of its keys. */
        static List<Renewed> of(ScriptReply reply) {
            return reply.elements().stream()
                    .map(held -> BY_NUMBER.get((int) held.asLong()))
                    .toList();
        }
    }

    /** What one lock of a refresh asks for: {@code count} waiters of this client, the first of which is {@code first}. */
    public record RefreshEntry(Keys keys, int count, String first) {}

    public record RefreshReply(boolean resend, int waiters, State state) {}

    private final ScriptCalls calls;
    private final OwnerIds ids;
    private final String channelPrefix;
    private final String label;
    /** In milliseconds, as texts: each call of a script that touches a queue begins with them. */
    private final String tokenLife;

    private final String waiterDeadline;

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
    }

    /** The first of every script that touches a queue; see common.lua. */
    Arguments common() {
        return new Arguments()
                .add(ids.client() + " " + waiterDeadline + " " + channelPrefix)
                .add(tokenLife);
    }

    public void acquire(
            Acquire asked, long sentNanos, BiConsumer<@Nullable AcquireReply, @Nullable DriverException> callback) {
        LockOptions lock = asked.options();
        Duration life = lock.requestLife();
        String term = Long.toString(lock.term().toMillis());
        String queueing = (asked.queue() ? "1 " : "0 ")
                + lock.queueLimit()
                + " "
                + lock.priority()
                + " "
                + letterOf(lock.order())
                + " "
                + (life == null ? 0 : life.toMillis())
                + (lock.requestEnd() == LockOptions.RequestEnd.TO_TAIL ? " T " : " L ")
                + claimWindow(lock).toMillis();
        Arguments args = common().add(asked.owner())
                .add(term)
                .add(term + " " + label + "/" + asked.actor() + (asked.keep() ? " K" : ""))
                .add(asked.tokens() - 1)
                .add(queueing);
        calls.call(
                Script.ACQUIRE,
                asked.keys().allToAcquire(asked.owner()),
                args,
                sentNanos,
                reply -> AcquireReply.of(reply, asked.keep()),
                callback);
    }

    /** How long a waiter may take to confirm: never longer than the term. */
    static Duration claimWindow(LockOptions lock) {
        return lock.claim().compareTo(lock.term()) < 0 ? lock.claim() : lock.term();
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

    public void release(
            Keys keys,
            String owner,
            Duration tombstone,
            Duration shortestHold,
            BiConsumer<@Nullable ReleaseReply, @Nullable DriverException> callback) {
        release(keys, owner, tombstone, shortestHold, 0, callback);
    }

    /**
     * Releases, or withdraws a request.
     *
     * @param lastToken the last one that was used of several that were reserved; 0 if none were
     */
    public void release(
            Keys keys,
            String owner,
            Duration tombstone,
            Duration shortestHold,
            long lastToken,
            BiConsumer<@Nullable ReleaseReply, @Nullable DriverException> callback) {
        boolean usual = tombstone.isZero() && shortestHold.isZero() && lastToken == 0;
        calls.call(
                Script.RELEASE,
                tombstone.isZero() ? keys.all() : keys.allWithTombstone(owner),
                common().add(owner)
                        .add(usual ? "" : tombstone.toMillis() + " " + shortestHold.toMillis() + " " + lastToken),
                reply -> new ReleaseReply(
                        reply.word(ReleaseWord.class), reply.size() == 1 ? State.FREE : State.of(reply, 1)),
                callback);
    }

    /** The answer is whether the owner holds the lock with this token. */
    public void confirm(
            Keys keys,
            String owner,
            long token,
            Duration term,
            long sentNanos,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
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
                        .add(asked.tombstone()),
                sentNanos,
                reply -> new AdoptReply(reply.says("HELD"), reply.number(1)),
                callback);
    }

    /** The answer is whether another process goes on with a hold, or has done so lately. */
    public void adopted(
            Keys keys, String owner, long token, BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        calls.call(
                Script.ADOPTED,
                List.of(keys.hold(), keys.tombstone(owner)),
                new Arguments().add(owner).add(token),
                reply -> reply.says("ADOPTED"),
                callback);
    }

    /** The answers come in the order of the entries. All entries are of one partition. */
    public void renew(
            List<RenewEntry> entries,
            long sentNanos,
            BiConsumer<@Nullable List<Renewed>, @Nullable DriverException> callback) {
        List<String> keys = new ArrayList<>(entries.size());
        Arguments args = new Arguments();
        for (RenewEntry entry : entries) {
            keys.add(entry.keys().hold());
            args.add(entry.owner()).add(entry.token()).add(entry.termMillis());
        }
        calls.call(Script.RENEW, keys, args, sentNanos, Renewed::of, callback);
    }

    /** The answers come in the order of the entries. All entries are of one partition. */
    public void refresh(
            List<RefreshEntry> entries,
            String heard,
            long sentNanos,
            BiConsumer<@Nullable List<RefreshReply>, @Nullable DriverException> callback) {
        List<String> keys = new ArrayList<>();
        Arguments args = common().add(heard);
        for (RefreshEntry entry : entries) {
            keys.addAll(entry.keys().all());
            args.add(entry.count()).add(entry.first());
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
