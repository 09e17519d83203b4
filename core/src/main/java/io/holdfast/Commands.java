package io.holdfast;

import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.Timers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The one place that calls a script: puts the arguments in the order of its header, loads it where the server does not
 * know it, sets the time limit, and decodes the reply.
 *
 * <p>Answers go to a callback with either a value or a {@link DriverException}, exactly once, on a thread of the driver
 * or of the timers. Every reply of a script carries the server's time, which is noted.
 *
 * <p><b>Whose reply it is.</b> Replies have no address: a driver pairs them with requests by counting. One mistake there, or
 * in a client library, or in a proxy, and a grant of one lock would be taken for one of another. So every call of a script
 * has a number, its last argument, which is the last element of its reply. A reply without it is not believed: the outcome
 * of the call is unknown, and the connections to that server are opened anew.
 */
final class Commands {
    /**
     * What most replies tell besides their word.
     *
     * @param holder who holds the lock; empty if nobody does
     * @param remainingMillis the rest of the hold
     * @param claim a claim that belongs to this client, told by this reply
     * @param handedMillis the claim window of a handoff to another client that this call caused, 0 for none
     * @param more whether the script stopped at its limit, so that the lock has to be settled again
     */
    record State(
            Optional<Holder> holder,
            long remainingMillis,
            @Nullable Claim claim,
            long handedMillis,
            boolean more) {
        /** Nobody holds, and nobody waits. */
        static final State FREE = new State(Optional.empty(), 0, null, 0, false);
    }

    /**
     * A grant by handoff that is not confirmed yet.
     *
     * @param sinceMicros when it was granted
     */
    record Claim(String ownerPublic, long token, long millis, long sinceMicros) {}

    /** @param sinceMicros when the lock was granted to the first owner */
    record AdoptReply(boolean held, long sinceMicros) {}

    enum AcquireWord {
        GRANTED,
        QUEUED,
        TAKEN,
        FULL,
        EVICTED,
        GONE,
        MORE
    }

    /**
     * @param timeMicros the server's time
     * @param sinceMicros when the lock was granted; 0 if it was not
     * @param kept whether this client is told when others want the lock
     * @param place of the request, 0 if it does not wait
     * @param state null for the words that tell none
     */
    record AcquireReply(
            AcquireWord word,
            long timeMicros,
            long token,
            long sinceMicros,
            boolean kept,
            int place,
            int waiters,
            @Nullable State state) {}

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

    enum FenceAct {
        SET,
        DELETE,
        READ
    }

    enum FenceWord {
        PASSED,
        STALE
    }

    /** @param value what a read found */
    record FenceReply(FenceWord word, long newest, Optional<String> value) {}

    enum ReleaseWord {
        RELEASED,
        WITHDRAWN,
        GONE
    }

    record ReleaseReply(ReleaseWord word, State state) {}

    record RefreshReply(boolean resend, int waiters, State state) {}

    /** What one lock of a refresh asks for: {@code count} waiters of this client, the first of which is {@code first}. */
    record RefreshEntry(Keys keys, int count, String first) {}

    /** What a renewal says of a hold. */
    enum Renewed {
        GONE,
        HELD,
        /** It is held, and others want the lock, which this client keeps. */
        RECALLED
    }

    record RenewEntry(Keys keys, String owner, long token, long termMillis) {}

    /**
     * @param timeMicros the server's time
     * @param replaced whether the value was put in the place of the holder's that the call named
     * @param holder who holds the key; null if it was granted
     */
    record PlainAcquireReply(
            long timeMicros, boolean replaced, @Nullable PlainHolder holder) {}

    enum QuorumWord {
        GRANTED,
        TAKEN,
        FRESH,
        GONE
    }

    /**
     * @param token of the grant
     * @param holder who holds the lock on the node instead
     * @param remainingMillis the rest of that hold, or of the node's quarantine
     */
    record QuorumReply(QuorumWord word, long timeMicros, long token, Optional<Holder> holder, long remainingMillis) {}

    private static final System.Logger LOG = System.getLogger("io.holdfast");
    /** After so many times the limit without any answer, the connection is opened anew. */
    private static final int SILENT_LIMITS = 3;

    /** Thirty days: far longer than nobody asks, and a bound for what is left behind. */
    private static final String MARKER_MILLIS = "2592000000";

    /** Numbers of calls begin at one of a million places, and have room for a thousand million before the next. */
    private static final long PLACES = 1L << 20;

    private static final int RANGE_BITS = 30;

    /** One command under way. Whoever sets {@code done} first calls the callback. */
    private static final class Flight extends AtomicBoolean {
        private static final long serialVersionUID = 1L;
        final transient BiConsumer<@Nullable Reply, @Nullable DriverException> callback;
        final long sentNanos;

        Flight(BiConsumer<@Nullable Reply, @Nullable DriverException> callback, long sentNanos) {
            this.callback = callback;
            this.sentNanos = sentNanos;
        }

        boolean land(@Nullable Reply reply, @Nullable DriverException failure) {
            if (!compareAndSet(false, true)) {
                return false;
            }
            try {
                callback.accept(reply, failure);
            } catch (RuntimeException | Error e) {
                // Mostly a defect of ours; on a thread of the driver nobody else would tell.
                LOG.log(System.Logger.Level.ERROR, "handling a reply failed", e);
            }
            return true;
        }
    }

    private final RedisDriver driver;
    private final Ticker ticker;
    private final Timers timers;
    private final ServerClock clock;
    private final OwnerIds ids;
    private final Mailboxes mailboxes;
    private final String waiterMillis;
    private final String tokenMillis;
    private final String label;
    private final long timeoutNanos;
    /** The number of the last call. Begins anywhere, so that clients that share a driver do not count in step. */
    private final AtomicLong calls;
    /** When connections were given up last because of a reply of another call. */
    private final AtomicLong gaveUp;

    private final ConcurrentLinkedQueue<Flight> flights = new ConcurrentLinkedQueue<>(); // in the order of sending
    private final Set<Script> loading = ConcurrentHashMap.newKeySet(); // those whose text is on its way
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final Silences silences;

    Commands(
            RedisDriver driver,
            Ticker ticker,
            Timers timers,
            ServerClock clock,
            OwnerIds ids,
            Mailboxes mailboxes,
            HoldfastOptions options) {
        this.driver = driver;
        this.ticker = ticker;
        this.timers = timers;
        this.clock = clock;
        this.ids = ids;
        this.mailboxes = mailboxes;
        this.waiterMillis = Long.toString(options.waiterDeadline().toMillis());
        this.tokenMillis = Long.toString(options.tokenLife().toMillis());
        this.label = Label.ofClient(options.application());
        this.timeoutNanos = options.commandTimeout().toNanos();
        this.silences = new Silences(driver, SILENT_LIMITS * timeoutNanos);
        this.calls = new AtomicLong(Math.floorMod(ids.client().hashCode(), PLACES) << RANGE_BITS);
        this.gaveUp = new AtomicLong(ticker.nanoTime());
    }

    void acquire(
            Keys keys,
            String owner,
            LockOptions options,
            boolean queue,
            int tokens,
            boolean keep,
            String actor,
            long sentNanos,
            BiConsumer<@Nullable AcquireReply, @Nullable DriverException> callback) {
        List<String> args = common(17);
        args.add(owner);
        args.add(millis(options.term()));
        args.add(queue ? "1" : "0");
        args.add(millis(options.claimWindow()));
        args.add(options.requestLife() == null ? "0" : millis(options.requestLife()));
        args.add(options.requestEnd() == LockOptions.RequestEnd.TO_TAIL ? "T" : "L");
        args.add(label);
        args.add(actor);
        args.add(modeOf(options.order()));
        args.add(Integer.toString(options.priority()));
        args.add(Integer.toString(options.queueLimit()));
        args.add(Integer.toString(tokens));
        args.add(keep ? "K" : "");
        script(Script.ACQUIRE, keys.allToAcquire(owner), args, sentNanos, Commands::decodeAcquire, callback);
    }

    void release(
            Keys keys,
            String owner,
            Duration tombstone,
            Duration shortestHold,
            BiConsumer<@Nullable ReleaseReply, @Nullable DriverException> callback) {
        release(keys, owner, tombstone, shortestHold, 0, callback);
    }

    /** @param lastToken the last one that was used of several that were reserved; 0 if none were */
    void release(
            Keys keys,
            String owner,
            Duration tombstone,
            Duration shortestHold,
            long lastToken,
            BiConsumer<@Nullable ReleaseReply, @Nullable DriverException> callback) {
        List<String> args = common(8);
        args.add(owner);
        args.add(millis(tombstone));
        args.add(millis(shortestHold));
        args.add(Long.toString(lastToken));
        script(
                Script.RELEASE,
                keys.allWithTombstone(owner),
                args,
                ticker.nanoTime(),
                Commands::decodeRelease,
                callback);
    }

    /** The answer is whether the owner holds the lock with this token. */
    void confirm(
            Keys keys,
            String owner,
            long token,
            Duration term,
            long sentNanos,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        List<String> args = common(7);
        args.add(owner);
        args.add(Long.toString(token));
        args.add(millis(term));
        script(
                Script.CONFIRM,
                keys.all(),
                args,
                sentNanos,
                list -> list.get(0).asString().equals("HELD"),
                callback);
    }

    /**
     * Goes on with a hold under another owner.
     *
     * @param actor label of the actor
     */
    void adopt(
            Keys keys,
            String old,
            long token,
            String owner,
            Duration term,
            String actor,
            Duration tombstone,
            long sentNanos,
            BiConsumer<@Nullable AdoptReply, @Nullable DriverException> callback) {
        List<String> args = common(10);
        args.add(old);
        args.add(Long.toString(token));
        args.add(owner);
        args.add(millis(term));
        args.add(label + "/" + actor);
        args.add(millis(tombstone));
        script(
                Script.ADOPT,
                keys.allToAdopt(old, owner),
                args,
                sentNanos,
                list -> new AdoptReply(
                        list.get(0).asString().equals("HELD"), list.get(2).asLong()),
                callback);
    }

    /** The answer is whether another process goes on with a hold, or has done so lately. */
    void adopted(
            Keys keys, String owner, long token, BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        script(
                Script.ADOPTED,
                List.of(keys.hold(), keys.tombstone(owner)),
                List.of(owner, Long.toString(token)),
                ticker.nanoTime(),
                list -> list.get(0).asString().equals("ADOPTED"),
                callback);
    }

    /** The answers come in the order of the entries. All entries are of one partition. */
    void renew(
            List<RenewEntry> entries,
            long sentNanos,
            BiConsumer<@Nullable List<Renewed>, @Nullable DriverException> callback) {
        List<String> keys = new ArrayList<>(entries.size());
        List<String> args = new ArrayList<>(entries.size() * 3);
        for (RenewEntry entry : entries) {
            keys.add(entry.keys().hold());
            args.add(entry.owner());
            args.add(Long.toString(entry.token()));
            args.add(Long.toString(entry.termMillis()));
        }
        script(
                Script.RENEW,
                keys,
                args,
                sentNanos,
                Commands::decodeRenewed,
                callback);
    }

    /** The answers come in the order of the entries. All entries are of one partition. */
    void refresh(
            List<RefreshEntry> entries,
            String heard,
            long sentNanos,
            BiConsumer<@Nullable List<RefreshReply>, @Nullable DriverException> callback) {
        List<String> keys = new ArrayList<>(entries.size() * 5);
        List<String> args = common(6 + entries.size() * 2);
        args.add(label);
        args.add(heard);
        for (RefreshEntry entry : entries) {
            keys.addAll(entry.keys().all());
            args.add(Integer.toString(entry.count()));
            args.add(entry.first());
        }
        script(
                Script.REFRESH,
                keys,
                args,
                sentNanos,
                list -> {
                    List<RefreshReply> replies = new ArrayList<>(entries.size());
                    for (int i = 1; i < list.size(); i++) {
                        List<Reply> one = list.get(i).asList();
                        replies.add(new RefreshReply(
                                one.get(0).asString().equals("RESEND"),
                                (int) one.get(1).asLong(),
                                state(one, 2)));
                    }
                    return replies;
                },
                callback);
    }

    /** Holder and waiters of some locks of one partition, in their order. */
    void info(
            List<Keys> locks,
            int mostWaiters,
            BiConsumer<@Nullable List<LockInfo>, @Nullable DriverException> callback) {
        List<String> keys = new ArrayList<>(locks.size() * 5);
        for (Keys lock : locks) {
            keys.addAll(lock.all());
        }
        List<String> args = common(5);
        args.add(Integer.toString(mostWaiters));
        script(
                Script.INFO,
                keys,
                args,
                ticker.nanoTime(),
                list -> {
                    List<LockInfo> infos = new ArrayList<>(locks.size());
                    for (int i = 1; i < list.size(); i++) {
                        infos.add(LockInfo.decode(
                                locks.get(i - 1).name(), list.get(i).asList()));
                    }
                    return infos;
                },
                callback);
    }

    /** Releases by name: the hold with this token, or that reserved it, or any if it is 0. */
    void revoke(
            Keys keys,
            long token,
            boolean drop,
            Duration refused,
            BiConsumer<@Nullable RevokeReply, @Nullable DriverException> callback) {
        List<String> args = common(7);
        args.add(token == 0 ? "" : Long.toString(token));
        args.add(drop ? "1" : "0");
        args.add(millis(refused));
        script(
                Script.REVOKE,
                keys.allToRevoke(),
                args,
                ticker.nanoTime(),
                list -> new RevokeReply(
                        RevokeWord.valueOf(list.get(0).asString()),
                        list.get(2).asString().isEmpty()
                                ? Optional.empty()
                                : Optional.of(Label.holder(
                                        list.get(2).asString(),
                                        Long.parseLong(list.get(3).asString()),
                                        Long.parseLong(list.get(4).asString()),
                                        list.get(5).asString())),
                        (int) list.get(6).asLong(),
                        state(list, 7)),
                callback);
    }

    /** Extends by name; the answer is the remaining term, zero if nobody holds the lock. */
    void prolong(Keys keys, Duration atLeast, BiConsumer<@Nullable Duration, @Nullable DriverException> callback) {
        List<String> args = common(5);
        args.add(millis(atLeast));
        script(
                Script.PROLONG,
                List.of(keys.hold()),
                args,
                ticker.nanoTime(),
                list -> Duration.ofMillis(list.get(2).asLong()),
                callback);
    }

    /** Removes dead waiters, as many as one script may. */
    void clean(Keys keys, BiConsumer<@Nullable CleanReply, @Nullable DriverException> callback) {
        script(
                Script.CLEAN,
                keys.all(),
                common(4),
                ticker.nanoTime(),
                list -> new CleanReply(
                        (int) list.get(1).asLong(), (int) list.get(2).asLong(), state(list, 3)),
                callback);
    }

    /**
     * Sets, deletes or reads a value under a token.
     *
     * @param life zero for ever
     * @param value what to set; empty for other acts
     */
    void fence(
            Keys keys,
            FenceAct act,
            long token,
            Duration life,
            String value,
            BiConsumer<@Nullable FenceReply, @Nullable DriverException> callback) {
        String letter = switch (act) {
            case SET -> "S";
            case DELETE -> "D";
            case READ -> "R";
        };
        script(
                Script.FENCE,
                List.of(keys.value()),
                List.of(letter, Long.toString(token), millis(life), value),
                ticker.nanoTime(),
                list -> new FenceReply(
                        FenceWord.valueOf(list.get(0).asString()),
                        list.get(2).asLong(),
                        list.get(3).asLong() == 1 ? Optional.of(list.get(4).asString()) : Optional.empty()),
                callback);
    }

    private static String modeOf(LockOptions.Order order) {
        return switch (order) {
            case FIFO -> "F";
            case LIFO -> "N";
            case RANDOM -> "R";
        };
    }

    static LockOptions.Order orderOf(String mode) {
        return switch (mode) {
            case "N" -> LockOptions.Order.LIFO;
            case "R" -> LockOptions.Order.RANDOM;
            default -> LockOptions.Order.FIFO;
        };
    }

    // ---- the plain protocol

    /**
     * @param mayBeMine whether an earlier copy may have put the value there
     * @param replace the value of the holder to replace; null for none
     */
    void plainAcquire(
            String key,
            String value,
            Duration term,
            boolean mayBeMine,
            @Nullable String replace,
            long sentNanos,
            BiConsumer<@Nullable PlainAcquireReply, @Nullable DriverException> callback) {
        List<String> args = List.of(
                value,
                millis(term),
                mayBeMine ? "1" : "0",
                replace == null ? "0" : "1",
                replace == null ? "" : replace);
        script(
                Script.PLAIN_ACQUIRE,
                List.of(key),
                args,
                sentNanos,
                list -> list.get(0).asString().equals("GRANTED")
                        ? new PlainAcquireReply(
                                list.get(1).asLong(), list.get(2).asLong() == 1, null)
                        : new PlainAcquireReply(list.get(1).asLong(), false, plainHolder(list)),
                callback);
    }

    /** The answer is whether the key had the value. */
    void plainRelease(String key, String value, BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        script(
                Script.PLAIN_RELEASE,
                List.of(key),
                List.of(value),
                ticker.nanoTime(),
                list -> list.get(0).asString().equals("RELEASED"),
                callback);
    }

    /** The answer is whether the key has the value, and so the term. Zero takes the expiry away. */
    void plainExtend(
            String key,
            String value,
            Duration term,
            long sentNanos,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        plainExtend(
                List.of(new RenewEntry(Keys.plain(key), value, 0, term.toMillis())),
                sentNanos,
                (held, failure) -> callback.accept(held == null ? null : held.get(0) == Renewed.HELD, failure));
    }

    /** The answers come in the order of the entries. All entries are of one partition. */
    void plainExtend(
            List<RenewEntry> entries,
            long sentNanos,
            BiConsumer<@Nullable List<Renewed>, @Nullable DriverException> callback) {
        List<String> keys = new ArrayList<>(entries.size());
        List<String> args = new ArrayList<>(entries.size() * 2);
        for (RenewEntry entry : entries) {
            keys.add(entry.keys().hold());
            args.add(entry.owner());
            args.add(Long.toString(entry.termMillis()));
        }
        script(Script.PLAIN_EXTEND, keys, args, sentNanos, Commands::decodeRenewed, callback);
    }

    private static List<Renewed> decodeRenewed(List<Reply> list) {
        List<Renewed> renewed = new ArrayList<>(list.size() - 1);
        for (Reply each : list.subList(1, list.size())) {
            renewed.add(
                    switch ((int) each.asLong()) {
                        case 1 -> Renewed.HELD;
                        case 2 -> Renewed.RECALLED;
                        default -> Renewed.GONE;
                    });
        }
        return renewed;
    }

    /** @param whole a value that is told whole however long it is; empty for none */
    void plainInfo(
            String key, String whole, BiConsumer<@Nullable Optional<PlainHolder>, @Nullable DriverException> callback) {
        script(
                Script.PLAIN_INFO,
                List.of(key),
                List.of(whole),
                ticker.nanoTime(),
                list -> list.get(0).asString().equals("HELD") ? Optional.of(plainHolder(list)) : Optional.empty(),
                callback);
    }

    private static PlainHolder plainHolder(List<Reply> list) {
        long millis = list.get(3).asLong();
        return new PlainHolder(
                list.get(2).asString(),
                millis == -1 ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, millis))));
    }

    // ---- one node of a quorum

    /**
     * @param proposedToken for a grant; may be 0
     * @param quarantine how long a node that has lost its memory grants nothing
     * @param durable whether a restart of the node loses nothing
     */
    void quorumAcquire(
            Keys keys,
            String owner,
            Duration term,
            long proposedToken,
            Duration quarantine,
            boolean durable,
            String actor,
            long sentNanos,
            BiConsumer<@Nullable QuorumReply, @Nullable DriverException> callback) {
        script(
                Script.QUORUM_ACQUIRE,
                List.of(keys.hold(), keys.token(), keys.tombstone(owner), Keys.nodeMarker(keys.prefix())),
                List.of(
                        owner,
                        millis(term),
                        Long.toString(proposedToken),
                        millis(quarantine),
                        tokenMillis,
                        MARKER_MILLIS,
                        label + "/" + actor,
                        durable ? "1" : "0"),
                sentNanos,
                list -> {
                    QuorumWord word = QuorumWord.valueOf(list.get(0).asString());
                    long time = list.get(1).asLong();
                    return switch (word) {
                        case GRANTED -> new QuorumReply(word, time, list.get(2).asLong(), Optional.empty(), 0);
                        case TAKEN ->
                            new QuorumReply(
                                    word,
                                    time,
                                    0,
                                    Optional.of(Label.holder(
                                            list.get(2).asString(),
                                            list.get(3).asLong(),
                                            list.get(4).asLong(),
                                            list.get(6).asString())),
                                    list.get(5).asLong());
                        case FRESH ->
                            new QuorumReply(
                                    word, time, 0, Optional.empty(), list.get(2).asLong());
                        case GONE -> new QuorumReply(word, time, 0, Optional.empty(), 0);
                    };
                },
                callback);
    }

    /**
     * The answer is for how many milliseconds a server may have forgotten what it granted; 0 if it knows all of it.
     *
     * @param to the server that is asked
     * @param marker a key on it
     * @param durable whether a restart of it loses nothing
     */
    void memory(
            RedisDriver to,
            String marker,
            Duration quarantine,
            boolean durable,
            BiConsumer<@Nullable Long, @Nullable DriverException> callback) {
        script(
                to,
                Script.MEMORY,
                List.of(marker),
                List.of(millis(quarantine), MARKER_MILLIS, durable ? "1" : "0"),
                ticker.nanoTime(),
                list -> list.get(0).asString().equals("KNOWS") ? 0 : list.get(2).asLong(),
                callback);
    }

    /** The answer is whether the owner holds the lock on this node with the token of the node's own grant. */
    void quorumRaise(
            Keys keys,
            String owner,
            long nodeToken,
            long leaseToken,
            Duration term,
            long sentNanos,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        script(
                Script.QUORUM_RAISE,
                List.of(keys.hold(), keys.token()),
                List.of(owner, Long.toString(nodeToken), Long.toString(leaseToken), millis(term), tokenMillis),
                sentNanos,
                list -> list.get(0).asString().equals("HELD"),
                callback);
    }

    /** The answer is whether the owner held the lock on this node. */
    void quorumRelease(
            Keys keys,
            String owner,
            Duration tombstone,
            BiConsumer<@Nullable Boolean, @Nullable DriverException> callback) {
        script(
                Script.QUORUM_RELEASE,
                List.of(keys.hold(), keys.tombstone(owner)),
                List.of(owner, millis(tombstone), keys.freedChannel()),
                ticker.nanoTime(),
                list -> list.get(0).asString().equals("RELEASED"),
                callback);
    }

    private List<String> common(int size) {
        List<String> args = new ArrayList<>(size);
        args.add(ids.client());
        args.add(mailboxes.channelPrefix());
        args.add(waiterMillis);
        args.add(tokenMillis);
        return args;
    }

    private static String millis(Duration duration) {
        return Long.toString(duration.toMillis());
    }

    private static AcquireReply decodeAcquire(List<Reply> list) {
        AcquireWord word = AcquireWord.valueOf(list.get(0).asString());
        long time = list.get(1).asLong();
        return switch (word) {
            case GRANTED ->
                new AcquireReply(
                        word,
                        time,
                        list.get(2).asLong(),
                        list.get(3).asLong(),
                        list.size() > 4 && list.get(4).asLong() == 1,
                        0,
                        0,
                        null);
            case QUEUED, TAKEN, FULL ->
                new AcquireReply(
                        word,
                        time,
                        0,
                        0,
                        false,
                        (int) list.get(2).asLong(),
                        (int) list.get(3).asLong(),
                        state(list, 4));
            case GONE, MORE, EVICTED -> new AcquireReply(word, time, 0, 0, false, 0, 0, null);
        };
    }

    private static ReleaseReply decodeRelease(List<Reply> list) {
        ReleaseWord word = ReleaseWord.valueOf(list.get(0).asString());
        return new ReleaseReply(word, list.size() == 2 ? State.FREE : state(list, 2));
    }

    /** Decodes what {@code describe} in common.lua appended. */
    private static State state(List<Reply> list, int at) {
        String owner = list.get(at).asString();
        Optional<Holder> holder = owner.isEmpty()
                ? Optional.empty()
                : Optional.of(Label.holder(
                        owner,
                        list.get(at + 1).asLong(),
                        list.get(at + 2).asLong(),
                        list.get(at + 4).asString()));
        String mine = list.get(at + 5).asString();
        return new State(
                holder,
                owner.isEmpty() ? 0 : list.get(at + 3).asLong(),
                mine.isEmpty()
                        ? null
                        : new Claim(
                                mine,
                                list.get(at + 6).asLong(),
                                list.get(at + 7).asLong(),
                                list.get(at + 2).asLong()),
                list.get(at + 8).asLong(),
                list.get(at + 9).asLong() == 1);
    }

    private <T> void script(
            Script script,
            List<String> keys,
            List<String> args,
            long sentNanos,
            Function<List<Reply>, T> decode,
            BiConsumer<@Nullable T, @Nullable DriverException> callback) {
        script(driver, script, keys, args, sentNanos, decode, callback);
    }

    private <T> void script(
            RedisDriver to,
            Script script,
            List<String> keys,
            List<String> args,
            long sentNanos,
            Function<List<Reply>, T> decode,
            BiConsumer<@Nullable T, @Nullable DriverException> callback) {
        String number = Long.toString(calls.incrementAndGet(), Character.MAX_RADIX);
        List<String> numbered = new ArrayList<>(args.size() + 1);
        numbered.addAll(args);
        numbered.add(number);
        BiConsumer<@Nullable Reply, @Nullable DriverException> decoding = (reply, failure) -> {
            if (reply == null) {
                callback.accept(null, failure);
                return;
            }
            @Nullable T value;
            try {
                List<Reply> list = own(reply, number);
                if (list == null) {
                    value = null;
                } else {
                    // Those that answer with a word put it before the time.
                    clock.read(
                            driver.partition(keys.get(0)),
                            sentNanos,
                            list.get(timeIndex(script)).asLong());
                    value = decode.apply(list);
                }
            } catch (IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException | Error e) {
                callback.accept(
                        null,
                        DriverException.unknown("the reply of " + script.fileName() + " is not one: " + reply, e));
                return;
            }
            if (value == null) {
                giveUp(keys.get(0), sentNanos);
                callback.accept(
                        null,
                        DriverException.unknown(
                                driver.describe() + " sent the reply of another call in place of that of "
                                        + script.fileName(),
                                null));
            } else {
                callback.accept(value, null);
            }
        };
        send(to, evalsha(script, keys, numbered), (reply, failure) -> {
            if (isUnknownScript(failure)) {
                load(to, script, keys, numbered, decoding);
            } else {
                decoding.accept(reply, failure);
            }
        });
    }

    /** What a script has replied, without the call's number; null if it is the reply of another call. */
    private static @Nullable List<Reply> own(Reply reply, String number) {
        if (!reply.isList()) {
            return null;
        }
        List<Reply> list = reply.asList();
        int last = list.size() - 1;
        return last >= 0 && list.get(last).toString().equals(number) ? list.subList(0, last) : null;
    }

    /** Opens the connections to a key's server anew; once for all calls that were under way on them. */
    private void giveUp(String key, long sentNanos) {
        long before = gaveUp.get();
        long now = ticker.nanoTime();
        if (sentNanos - before < 0 || !gaveUp.compareAndSet(before, now)) {
            return;
        }
        LOG.log(
                System.Logger.Level.ERROR,
                () -> driver.describe() + " has sent the reply of another call; it is not believed: connecting anew");
        RedisDriver server = driver.master(driver.partition(key));
        (server == null ? driver : server).reconnect();
    }

    /**
     * Runs a script that a restarted server, or one after SCRIPT FLUSH, does not know. The text goes along with the first
     * call only: of thousands that meet such a server together, the others follow it and find the script there.
     */
    private void load(
            RedisDriver to,
            Script script,
            List<String> keys,
            List<String> args,
            BiConsumer<@Nullable Reply, @Nullable DriverException> decoding) {
        if (loading.add(script)) {
            send(to, eval(script, keys, args), (reply, failure) -> {
                loading.remove(script);
                decoding.accept(reply, failure);
            });
            return;
        }
        send(to, evalsha(script, keys, args), (reply, failure) -> {
            if (isUnknownScript(failure)) {
                send(to, eval(script, keys, args), decoding); // overtook the text, or went elsewhere
            } else {
                decoding.accept(reply, failure);
            }
        });
    }

    private static boolean isUnknownScript(@Nullable DriverException failure) {
        return failure != null && failure.code().equals("NOSCRIPT");
    }

    private static int timeIndex(Script script) {
        return switch (script) {
            case ACQUIRE,
                    RELEASE,
                    CONFIRM,
                    REVOKE,
                    PROLONG,
                    PLAIN_ACQUIRE,
                    PLAIN_RELEASE,
                    PLAIN_INFO,
                    ADOPT,
                    ADOPTED,
                    FENCE,
                    QUORUM_ACQUIRE,
                    QUORUM_RAISE,
                    QUORUM_RELEASE,
                    MEMORY -> 1;
            case RENEW, REFRESH, INFO, CLEAN, PLAIN_EXTEND -> 0;
        };
    }

    private static Command evalsha(Script script, List<String> keys, List<String> args) {
        return words("EVALSHA", script.sha1(), keys, args);
    }

    private static Command eval(Script script, List<String> keys, List<String> args) {
        return words("EVAL", script.text(), keys, args);
    }

    private static Command words(String name, String script, List<String> keys, List<String> args) {
        List<String> words = new ArrayList<>(3 + keys.size() + args.size());
        words.add(name);
        words.add(script);
        words.add(Integer.toString(keys.size()));
        words.addAll(keys);
        words.addAll(args);
        return new Command(keys.get(0), words);
    }

    /** Any command, with the client's time limit. */
    void send(Command command, BiConsumer<@Nullable Reply, @Nullable DriverException> callback) {
        send(driver, command, callback);
    }

    /** The same, to one of several servers. */
    void send(RedisDriver to, Command command, BiConsumer<@Nullable Reply, @Nullable DriverException> callback) {
        Flight flight = new Flight(callback, ticker.nanoTime());
        flights.add(flight);
        AtomicLong silence = silences.asked(to, command, flight.sentNanos);
        try {
            to.send(command).whenComplete((reply, failure) -> {
                DriverException known = failure == null ? null : asDriverException(failure);
                if (known == null || known.kind() == DriverException.Kind.REJECTED) {
                    Silences.answered(silence);
                }
                flight.land(reply, known);
                flights.remove(flight); // mostly the first, since answers come in order
            });
        } catch (RuntimeException | Error e) {
            // Perhaps it was sent: a heap or a stack can be too small for any step.
            flight.land(null, asDriverException(e));
            flights.remove(flight);
        }
        if (!flight.get() && sweeping.compareAndSet(false, true)) {
            timers.schedule(timeoutNanos / 4, this::sweep);
        }
    }

    private static DriverException asDriverException(Throwable failure) {
        if (failure instanceof DriverException known) {
            return known;
        }
        if (failure.getCause() instanceof DriverException known) {
            return known;
        }
        return DriverException.unknown("the driver failed: " + failure, failure);
    }

    /** The servers are to be given time anew. */
    void heard() {
        silences.clear();
    }

    /** Ends commands that took too long. They are in the order of sending, so it stops at the first young one. */
    private void sweep() {
        long now = ticker.nanoTime();
        for (Iterator<Flight> i = flights.iterator(); i.hasNext(); ) {
            Flight flight = i.next();
            if (!flight.get() && now - flight.sentNanos < timeoutNanos) {
                break;
            }
            i.remove();
            flight.land(
                    null,
                    DriverException.unknown(
                            driver.describe() + " did not answer within " + timeoutNanos / 1_000_000 + " ms", null));
        }
        silences.check(now);
        sweeping.set(false);
        if (!flights.isEmpty() && sweeping.compareAndSet(false, true)) {
            timers.schedule(timeoutNanos / 4, this::sweep);
        }
    }
}
