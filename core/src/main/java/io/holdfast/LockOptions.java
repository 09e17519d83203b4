package io.holdfast;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is asked for and held. Immutable; every {@code with} checks its value and gives a copy. A client has one set
 * as its default, a lock may have its own, and so may a single call ({@code lock.with(options)} costs nothing).
 */
public final class LockOptions {
    /** What happens to a request that has outlived its life in the queue. */
    public enum RequestEnd {
        /** It goes to the tail of those that are served in the order of their coming, and begins a new life. */
        TO_TAIL,
        /** It leaves the queue: the call ends as timed out. */
        LEAVE
    }

    /**
     * Where a request enters the queue, among those of its priority. Decided on the server when it is queued; whatever
     * the orders of the others are, the server serves from the front: among requests of one priority first the
     * {@code LIFO} ones, newest first, then the {@code FIFO} ones, oldest first, then the {@code RANDOM} ones.
     */
    public enum Order {
        /** At the tail: first come, first served. */
        FIFO,
        /** At the head: last come, first served. Those who came first may never be served. */
        LIFO,
        /** At a place that the server draws. */
        RANDOM
    }

    /** What to do if the actor that asks holds the lock already. */
    public enum OwnConflict {
        /** Wait like anybody: until the other lease is released. */
        WAIT,
        /**
         * Enter again: the same hold and token, counted, without asking the server. The last release frees the lock. Not
         * while less of the lease is left than {@link LockOptions#leastRemaining()}: it is extended first.
         */
        REENTER,
        /** Enter again, and extend the hold to at least a term from now. */
        REENTER_AND_EXTEND,
        /** Refuse: the call ends as {@link Attempt.OwnConflict}. */
        REFUSE
    }

    /** The shortest term. */
    public static final Duration SHORTEST_TERM = Duration.ofMillis(100);

    /** Priorities go from minus to plus this. */
    public static final int HIGHEST_PRIORITY = 100;

    /** All metadata of one hold, as it is stored, has at most so many characters. */
    static final int LONGEST_METADATA = 2_000;

    /** Leases that one hold is good for where the client keeps it: a tenth of a second's worth of tokens. */
    private static final int KEPT_TOKENS = 100_000;

    private static final LockOptions DEFAULTS = new LockOptions(new Draft());

    private final Draft values;
    private int hash; // 0 until it is asked for; threads that meet here compute the same

    /** The fields of one set. Changed only before it is given to a constructor. */
    private static final class Draft {
        Duration term = Duration.ofSeconds(30);
        boolean renewed = true;

        @Nullable
        Duration longestHold = null;

        @Nullable
        Duration longestScope = Duration.ofHours(1);

        @Nullable
        Duration interruptBefore = null;

        Wait waitLimit = Wait.upTo(Duration.ofSeconds(60));
        Duration claim = Duration.ofSeconds(1);
        Duration leastRemaining = Duration.ZERO;
        Duration shortestHold = Duration.ZERO;

        @Nullable
        Duration requestLife = null;

        RequestEnd requestEnd = RequestEnd.TO_TAIL;
        Order order = Order.FIFO;
        int priority = 0;
        int queueLimit = 0;
        OwnConflict ownConflict = OwnConflict.WAIT;
        Map<String, String> metadata = Map.of();
        int replicas = 0;
        Duration replicaTimeout = Duration.ofSeconds(1);
        int localHandoffs = 0;
        Duration localTime = Duration.ofMillis(10);
        Duration keepFor = Duration.ZERO;

        @Nullable
        Object eventData = null;

        @Nullable
        HoldfastListener listener = null;

        Draft() {}

        Draft(Draft other) {
            term = other.term;
            renewed = other.renewed;
            longestHold = other.longestHold;
            longestScope = other.longestScope;
            interruptBefore = other.interruptBefore;
            waitLimit = other.waitLimit;
            claim = other.claim;
            leastRemaining = other.leastRemaining;
            shortestHold = other.shortestHold;
            requestLife = other.requestLife;
            requestEnd = other.requestEnd;
            order = other.order;
            priority = other.priority;
            queueLimit = other.queueLimit;
            ownConflict = other.ownConflict;
            metadata = other.metadata;
            replicas = other.replicas;
            replicaTimeout = other.replicaTimeout;
            localHandoffs = other.localHandoffs;
            localTime = other.localTime;
            keepFor = other.keepFor;
            eventData = other.eventData;
            listener = other.listener;
        }

        /** The names of {@link #all()}, in the same order. */
        static final List<String> NAMES = List.of(
                "term",
                "renewed",
                "longestHold",
                "longestScope",
                "interruptBefore",
                "waitLimit",
                "claim",
                "leastRemaining",
                "shortestHold",
                "requestLife",
                "requestEnd",
                "order",
                "priority",
                "queueLimit",
                "ownConflict",
                "metadata",
                "replicas",
                "replicaTimeout",
                "localHandoffs",
                "localTime",
                "keepFor",
                "eventData",
                "listener");

        static final Set<String> ALWAYS_SHOWN = Set.of("term", "renewed", "waitLimit");
        /** Objects of the caller's, of which is told only that they are there. */
        static final Set<String> THE_CALLERS = Set.of("eventData", "listener");

        List<@Nullable Object> all() {
            return Arrays.asList(
                    term,
                    renewed,
                    longestHold,
                    longestScope,
                    interruptBefore,
                    waitLimit,
                    claim,
                    leastRemaining,
                    shortestHold,
                    requestLife,
                    requestEnd,
                    order,
                    priority,
                    queueLimit,
                    ownConflict,
                    metadata,
                    replicas,
                    replicaTimeout,
                    localHandoffs,
                    localTime,
                    keepFor,
                    eventData,
                    listener);
        }
    }

    private LockOptions(Draft values) {
        this.values = values;
        Duration term = values.term;
        Require.between("term", term, SHORTEST_TERM, Require.LONGEST);
        Duration leastRemaining = values.leastRemaining;
        if (leastRemaining.compareTo(term.multipliedBy(9).dividedBy(10)) >= 0) {
            throw new IllegalArgumentException("leastRemaining is " + leastRemaining
                    + ", must be less than nine tenths of the term, which is " + term);
        }
        Duration before = values.interruptBefore;
        if (before != null && before.compareTo(term.multipliedBy(9).dividedBy(10)) >= 0) {
            throw new IllegalArgumentException(
                    "interruptBefore is " + before + ", must be less than nine tenths of the term, which is " + term);
        }
    }

    /** The defaults named at each property. */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    // ---- the lease

    /**
     * How long the lease lasts without renewal, and so how long the others wait for a holder that died; default 30 s.
     * Short terms free the lock of a dead holder sooner, and lose the lease of a living one sooner when the server is away
     * or the process stands still.
     */
    public Duration term() {
        return values.term;
    }

    /**
     * With another term.
     *
     * @param value 100 ms to 365 days
     */
    public LockOptions withTerm(Duration value) {
        Draft changed = new Draft(values);
        changed.term = value;
        return new LockOptions(changed);
    }

    /**
     * Whether the client renews the lease, at a third of the term, as long as the {@link Lease} is reachable; default
     * true. A lease that is not renewed ends with its term.
     */
    public boolean renewed() {
        return values.renewed;
    }

    /** With or without renewal. */
    public LockOptions withRenewed(boolean value) {
        Draft changed = new Draft(values);
        changed.renewed = value;
        return new LockOptions(changed);
    }

    /**
     * The time after which renewal stops; null for never (the default). The lease then ends with the term that it has
     * left.
     */
    public @Nullable Duration longestHold() {
        return values.longestHold;
    }

    /**
     * With another limit on the whole hold.
     *
     * @param value 1 ms to 365 days, or null for none
     */
    public LockOptions withLongestHold(@Nullable Duration value) {
        Draft changed = new Draft(values);
        changed.longestHold =
                value == null ? null : Require.between("longestHold", value, Duration.ofMillis(1), Require.LONGEST);
        return new LockOptions(changed);
    }

    /** The same for the scoped forms ({@code call}, {@code tryCall}, {@code callAsync}); default 1 h. */
    public @Nullable Duration longestScope() {
        return values.longestScope;
    }

    /**
     * With another limit on scoped holds.
     *
     * @param value 1 ms to 365 days, or null for none
     */
    public LockOptions withLongestScope(@Nullable Duration value) {
        Draft changed = new Draft(values);
        changed.longestScope =
                value == null ? null : Require.between("longestScope", value, Duration.ofMillis(1), Require.LONGEST);
        return new LockOptions(changed);
    }

    /**
     * So long before the lease ends, the thread that runs the work of a blocking scoped form is interrupted; null for
     * never (the default). With {@link #withRenewed renewal} off this limits the work to the term.
     */
    public @Nullable Duration interruptBefore() {
        return values.interruptBefore;
    }

    /**
     * With work that is interrupted before its lease ends. Work that heeds interrupts then ends while the lock is still
     * held. If it ends with an {@code InterruptedException}, the call throws a {@link LeaseEndingException} with that as its
     * cause, so that it can be told from an interrupt by anybody else; other exceptions of the work are passed on.
     *
     * @param value 1 ms to nine tenths of the term, or null for never
     */
    public LockOptions withInterruptBefore(@Nullable Duration value) {
        Draft changed = new Draft(values);
        changed.interruptBefore =
                value == null ? null : Require.between("interruptBefore", value, Duration.ofMillis(1), Require.LONGEST);
        return new LockOptions(changed);
    }

    /** How many replicas must have a grant before the lease is returned; default 0. */
    public int replicas() {
        return values.replicas;
    }

    /** How long they may take; default 1 s. */
    public Duration replicaTimeout() {
        return values.replicaTimeout;
    }

    /**
     * With confirmation by replicas: after the grant the server is asked, on a connection of its own, to wait until so many
     * replicas have it ({@code WAIT}). If fewer have it in time, the lock is given back, and the outcome is
     * {@link Attempt.Unconfirmed}. What was confirmed, {@link Lease#replicas()} tells. It makes a lease survive more
     * failovers, not all: a replica that has not got it may be promoted all the same, unless all have to have it. Costs a
     * round trip, and a confirmation of each grant by handoff.
     *
     * @param replicas 0 (not asked) to 100
     * @param within 1 ms to 1 minute
     */
    public LockOptions withReplicas(int replicas, Duration within) {
        if (replicas < 0 || replicas > 100) {
            throw new IllegalArgumentException("replicas is " + replicas + ", must be from 0 to 100");
        }
        Draft changed = new Draft(values);
        changed.replicas = replicas;
        changed.replicaTimeout = Require.between("within", within, Duration.ofMillis(1), Duration.ofMinutes(1));
        return new LockOptions(changed);
    }

    /**
     * A lease that arrives with less than this left is armed anew before it is handed out; default 0.
     */
    public Duration leastRemaining() {
        return values.leastRemaining;
    }

    /**
     * With another least remaining term.
     *
     * @param value 0, or 1 ms to nine tenths of the term
     */
    public LockOptions withLeastRemaining(Duration value) {
        Draft changed = new Draft(values);
        changed.leastRemaining = Require.zeroOrMore("leastRemaining", value);
        return new LockOptions(changed);
    }

    /**
     * After a release the lock stays taken until this long after the grant, so that a short job does not run again on a
     * machine whose clock is late; default 0.
     */
    public Duration shortestHold() {
        return values.shortestHold;
    }

    /**
     * With another shortest hold.
     *
     * @param value 0, or 1 ms to 365 days
     */
    public LockOptions withShortestHold(Duration value) {
        Draft changed = new Draft(values);
        changed.shortestHold = Require.zeroOrMore("shortestHold", value);
        return new LockOptions(changed);
    }

    /** Data that stands beside the hold for all to see (see {@link Holder#metadata()}); default none. */
    public Map<String, String> metadata() {
        return values.metadata;
    }

    /**
     * With other data beside the hold, and beside the request while it waits. They cannot touch what the library keeps
     * itself.
     *
     * @param value any texts; URL-encoded, all of them together have at most 2,000 characters
     */
    public LockOptions withMetadata(Map<String, String> value) {
        Draft changed = new Draft(values);
        changed.metadata = java.util.Collections.unmodifiableMap(new TreeMap<>(value));
        int size = Label.metadata(changed.metadata).length();
        if (size > LONGEST_METADATA) {
            throw new IllegalArgumentException(
                    "metadata has " + size + " characters when encoded, must have at most " + LONGEST_METADATA);
        }
        return new LockOptions(changed);
    }

    // ---- waiting

    /** How long to wait if the call does not say; default 60 s. */
    public Wait waitLimit() {
        return values.waitLimit;
    }

    /** With another limit for waiting. */
    public LockOptions withWaitLimit(Wait value) {
        Draft changed = new Draft(values);
        changed.waitLimit = Require.given("waitLimit", value);
        return new LockOptions(changed);
    }

    /**
     * How long a waiter that was handed the lock may take to confirm, never more than the term; default 1 s. It bounds
     * what a frozen waiter costs the others.
     */
    public Duration claim() {
        return values.claim;
    }

    /**
     * With another claim window.
     *
     * @param value 50 ms to 10 s
     */
    public LockOptions withClaim(Duration value) {
        Draft changed = new Draft(values);
        changed.claim = Require.between("claim", value, Duration.ofMillis(50), Duration.ofSeconds(10));
        return new LockOptions(changed);
    }

    /**
     * How long a request keeps its place in the queue; null for as long as it waits (the default). Counted on the server's
     * clock; one that is to leave then is ended by its client's clock, too, whichever is first.
     */
    public @Nullable Duration requestLife() {
        return values.requestLife;
    }

    /** What happens to a request that has outlived {@link #requestLife()}; default {@link RequestEnd#TO_TAIL}. */
    public RequestEnd requestEnd() {
        return values.requestEnd;
    }

    /**
     * With another life of requests in the queue, and what happens at its end.
     *
     * @param value 100 ms to 365 days, or null for no limit
     */
    public LockOptions withRequestLife(@Nullable Duration value, RequestEnd end) {
        Draft changed = new Draft(values);
        changed.requestLife =
                value == null ? null : Require.between("requestLife", value, Duration.ofMillis(100), Require.LONGEST);
        changed.requestEnd = end;
        return new LockOptions(changed);
    }

    /** Where a request enters the queue, among those of its priority; default {@link Order#FIFO}. */
    public Order order() {
        return values.order;
    }

    /** With another order. */
    public LockOptions withOrder(Order value) {
        Draft changed = new Draft(values);
        changed.order = Require.given("order", value);
        return new LockOptions(changed);
    }

    /** Requests of higher priority are served before all of lower; default 0. */
    public int priority() {
        return values.priority;
    }

    /**
     * With another priority.
     *
     * @param value -100 to 100
     */
    public LockOptions withPriority(int value) {
        if (value < -HIGHEST_PRIORITY || value > HIGHEST_PRIORITY) {
            throw new IllegalArgumentException(
                    "priority is " + value + ", must be from -" + HIGHEST_PRIORITY + " to " + HIGHEST_PRIORITY);
        }
        Draft changed = new Draft(values);
        changed.priority = value;
        return new LockOptions(changed);
    }

    /**
     * A request that would make the queue longer than this is answered at once as {@link Attempt.QueueFull}; 0 for no
     * limit (the default).
     */
    public int queueLimit() {
        return values.queueLimit;
    }

    /**
     * With another limit on the queue.
     *
     * @param value 0 to 1,000,000
     */
    public LockOptions withQueueLimit(int value) {
        if (value < 0 || value > 1_000_000) {
            throw new IllegalArgumentException("queueLimit is " + value + ", must be from 0 to 1000000");
        }
        Draft changed = new Draft(values);
        changed.queueLimit = value;
        return new LockOptions(changed);
    }

    /** What to do if the actor that asks holds the lock already; default {@link OwnConflict#WAIT}. */
    public OwnConflict ownConflict() {
        return values.ownConflict;
    }

    /** With another answer to a conflict with oneself; see {@link DistributedLock#as(String)} for who that is. */
    public LockOptions withOwnConflict(OwnConflict value) {
        Draft changed = new Draft(values);
        changed.ownConflict = Require.given("ownConflict", value);
        return new LockOptions(changed);
    }

    // ---- among the threads of one client

    /**
     * How often a release may hand the lock on to the next thread of this client that waits, without asking the server, before
     * it goes back to the server and so to those of other clients; default 0: the server's order is kept strictly.
     */
    public int localHandoffs() {
        return values.localHandoffs;
    }

    /** How long after the server's grant a lock may be handed on within this client; default 10 ms. */
    public Duration localTime() {
        return values.localTime;
    }

    /**
     * With handoffs among the threads of this client. Much faster where they contend for one lock, at the price of strict
     * fairness: while the lock goes round in this client, those of other clients wait, though never for longer than
     * {@code within} and one section more for each client that stands before them; among the requests of this client, first come is
     * first served. Each lease has a token of its own, greater than all before. Requests of one client share it if their
     * options are equal; those that do not wait, that wait for a stuck lock, or whose leases are not renewed, are not meant.
     *
     * <p>Such locks cannot be entered again by their actor, rest after a release, or be handed to another process by ticket.
     *
     * @param most how often, 0 to 10,000; 0 for never
     * @param within 1 ms to 1 minute
     */
    public LockOptions withLocalHandoff(int most, Duration within) {
        if (most < 0 || most > 10_000) {
            throw new IllegalArgumentException("localHandoffs is " + most + ", must be from 0 to 10,000");
        }
        Draft changed = new Draft(values);
        changed.localHandoffs = most;
        changed.localTime = Require.between("localTime", within, Duration.ofMillis(1), Duration.ofMinutes(1));
        return new LockOptions(changed);
    }

    /** How long the client keeps a lock that was released while nobody waited for it; default 0: it does not. */
    public Duration keepFor() {
        return values.keepFor;
    }

    /**
     * With locks that the client keeps for a while after they were released, if nobody waits: until then it grants them
     * anew without asking the server. Another client's request recalls the lock at once, and is granted one hop later, or
     * when the lease that was granted meanwhile is released; if no message arrives, after a third of the term. Until then
     * others see the lock as taken, also those that do not wait. Another request of this client gets it, with whatever options. A
     * lease that was extended beyond its term is released, not kept. Each lease has a token of its own, greater than all before.
     *
     * <p>What it costs others: a hop if the client lives, the rest of the term if it is frozen, cut off or killed while it
     * keeps the lock, as with any holder. A lock whose leases are not renewed is not kept. It has the same limits as
     * {@link #withLocalHandoff}.
     *
     * @param value 0 for not at all, or 1 ms to 1 hour
     */
    public LockOptions withKeepFor(Duration value) {
        if (!value.isZero()) {
            Require.between("keepFor", value, Duration.ofMillis(1), Duration.ofHours(1));
        }
        Draft changed = new Draft(values);
        changed.keepFor = value;
        return new LockOptions(changed);
    }

    /**
     * Whether requests of one client share holds of the server. A lease that is not renewed has a hold, and its term, for
     * itself.
     */
    boolean isShared() {
        return values.renewed && (values.localHandoffs > 0 || !values.keepFor.isZero());
    }

    /** How many tokens the server reserves for a hold: one for each of its leases. */
    int tokens() {
        return values.keepFor.isZero() ? values.localHandoffs + 1 : KEPT_TOKENS;
    }

    // ---- events

    /** What {@link LockEvent#data()} of all events of this call is; null for nothing (the default). */
    public @Nullable Object eventData() {
        return values.eventData;
    }

    /** With the caller's own data on events. */
    public LockOptions withEventData(@Nullable Object value) {
        Draft changed = new Draft(values);
        changed.eventData = value;
        return new LockOptions(changed);
    }

    /** Hears of what is asked with these options, besides the listeners of the client; null for nobody (the default). */
    public @Nullable HoldfastListener listener() {
        return values.listener;
    }

    /** With a listener of its own. It hears of every request, also where the client's listeners hear of a part only. */
    public LockOptions withListener(@Nullable HoldfastListener value) {
        Draft changed = new Draft(values);
        changed.listener = value;
        return new LockOptions(changed);
    }

    /** The claim window as it is used: never longer than the term. */
    Duration claimWindow() {
        return values.claim.compareTo(values.term) < 0 ? values.claim : values.term;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof LockOptions that && values.all().equals(that.values.all()));
    }

    @Override
    public int hashCode() {
        if (hash == 0) {
            hash = values.all().hashCode();
        }
        return hash;
    }

    /** The term, the renewal and the wait, and what differs from the defaults. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("LockOptions[term " + values.term
                + (values.renewed ? ", renewed" : ", not renewed") + ", wait " + values.waitLimit);
        List<@Nullable Object> usual = DEFAULTS.values.all();
        List<@Nullable Object> mine = values.all();
        for (int i = 0; i < mine.size(); i++) {
            String name = Draft.NAMES.get(i);
            if (!Draft.ALWAYS_SHOWN.contains(name) && !Objects.equals(usual.get(i), mine.get(i))) {
                text.append(", ").append(name);
                if (!Draft.THE_CALLERS.contains(name)) {
                    text.append(' ').append(Shown.text(String.valueOf(mine.get(i))));
                }
            }
        }
        return text.append(']').toString();
    }
}
