package io.holdfast;

import io.holdfast.Options.Option;
import io.holdfast.internal.wire.ClientLabel;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is asked for and held. Immutable; every {@code with} checks its value and returns a copy. A client has one set
 * as its default, a lock may have its own, and so may a single call ({@code lock.with(options)} costs nothing).
 */
public final class LockOptions {
    /** What happens to a request that has outlived its life in the queue. */
    public enum RequestEnd {
        /**
         * It goes to the tail of those that are served in the order of their arrival, and begins a new life. The tail is that of the
         * server's queue: requests of a client that holds the lock in {@linkplain LockOptions#withLocalHandoffs(int, Duration) turns} enter that
         * queue when the turn ends, behind this one.
         */
        TO_TAIL,
        /** It leaves the queue: the call ends as timed out. */
        LEAVE
    }

    /**
     * Where a request enters the queue, among those of its priority. Decided on the server when it is queued; whatever
     * the orders of the others are, the server serves from the front: among requests of one priority first the {@code SHARES} ones, then the
     * {@code LIFO} ones, newest first, then the {@code FIFO} ones, oldest first, then the {@code RANDOM} ones.
     */
    public enum Order {
        /** At the tail: first come, first served. */
        FIFO,
        /** At the head: last come, first served. Requests that came first may starve. */
        LIFO,
        /** At a position that the server draws. */
        RANDOM,
        /** Where the share of its group puts it: see {@link LockOptions#withGroup(String, int)}. */
        SHARES
    }

    /** What to do if the actor that asks holds the lock already. */
    public enum Reentrancy {
        /** Wait like any other request: until the first lease is released. */
        WAIT,
        /**
         * Enter again: the same hold and token, counted, without asking the server. The last release frees the lock. Not
         * while less of the lease is left than {@link LockOptions#minRemaining()}: it is extended first.
         */
        REENTER,
        /** Enter again, and extend the hold to at least a lease duration from now. */
        REENTER_AND_EXTEND,
        /** Refuse: the call ends as {@link Attempt.Reason#HELD_BY_CALLER}. */
        REFUSE
    }

    /** What becomes of a request that is found to wait in a deadlock. */
    public enum OnDeadlock {
        /** It waits on: the deadlock is only reported. */
        WAIT,
        /**
         * It may be ended to break the deadlock: the call ends as {@link Attempt.Reason#DEADLOCK}, or throws {@link DeadlockException}. Of
         * all requests in the deadlock that have this, one is ended: the one that was queued last, if another can go on without it.
         */
        BREAK
    }

    /** The minimum lease duration. */
    public static final Duration MIN_LEASE_DURATION = Duration.ofMillis(100);

    /** Weights of groups go from 1 to this. */
    public static final int MAX_GROUP_WEIGHT = 100;

    /** Priorities go from minus to plus this. */
    public static final int MAX_PRIORITY = 100;

    /** The most characters of all metadata of one hold, as it is stored. */
    static final int LONGEST_METADATA = 2_000;

    private static final int LONGEST_GROUP = 100;
    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final Duration SHORTEST_LIFE = Duration.ofMillis(100);
    private static final int MANY_SECTIONS = 64;
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static final Options.Kind KIND = new Options.Kind();
    private static final Option<Duration> TERM = KIND.option("leaseDuration", Duration.ofSeconds(30));
    private static final Option<Boolean> RENEWED = KIND.option("renewal", true);
    private static final Option<Wait> WAIT_LIMIT = KIND.option("waitLimit", Wait.upTo(Duration.ofSeconds(60)));
    private static final Option<Duration> LONGEST_HOLD = KIND.optional("maxHold", null);
    private static final Option<Duration> LONGEST_SCOPE = KIND.optional("maxScopedHold", Duration.ofHours(1));
    private static final Option<Duration> INTERRUPT_BEFORE = KIND.optional("interruptBefore", null);
    private static final Option<Integer> REPLICAS = KIND.option("replicas", 0);
    private static final Option<Duration> REPLICA_TIMEOUT = KIND.option("replicaTimeout", Duration.ofSeconds(1));
    private static final Option<Duration> LEAST_REMAINING = KIND.option("minRemaining", Duration.ZERO);
    private static final Option<Duration> SHORTEST_HOLD = KIND.option("minHold", Duration.ZERO);
    private static final Option<Duration> LOCK_DELAY = KIND.option("lockDelay", Duration.ZERO);
    private static final Option<Map<String, String>> METADATA = KIND.option("metadata", Map.of());
    private static final Option<Duration> CLAIM = KIND.option("handoffTimeout", Duration.ofSeconds(1));
    private static final Option<Duration> REQUEST_LIFE = KIND.optional("requestLife", null);
    private static final Option<RequestEnd> REQUEST_END = KIND.option("requestEnd", RequestEnd.TO_TAIL);
    private static final Option<Order> ORDER = KIND.option("order", Order.FIFO);
    private static final Option<Integer> PRIORITY = KIND.option("priority", 0);
    private static final Option<String> GROUP = KIND.option("group", "");
    private static final Option<Integer> GROUP_WEIGHT = KIND.option("groupWeight", 1);
    private static final Option<Integer> QUEUE_LIMIT = KIND.option("queueLimit", 0);
    private static final Option<Reentrancy> OWN_CONFLICT = KIND.option("reentrancy", Reentrancy.WAIT);
    private static final Option<OnDeadlock> DEADLOCK = KIND.option("deadlock", OnDeadlock.WAIT);
    private static final Option<Integer> TURN_SECTIONS = KIND.option("localHandoffs", MANY_SECTIONS);
    private static final Option<Duration> TURN_TIME = KIND.option("localHandoffTime", Duration.ofMillis(100));
    private static final Option<Duration> KEEP_FOR = KIND.option("keepFor", Duration.ZERO);
    private static final Option<Object> EVENT_DATA = KIND.callers("eventData", null);
    private static final Option<HoldfastListener> LISTENER = KIND.callers("listener", null);

    private static final LockOptions DEFAULTS = new LockOptions(KIND.defaults());

    private final Options values;

    private LockOptions(Options values) {
        this.values = values;
        Require.withinTerm("minRemaining", minRemaining(), leaseDuration());
        Duration before = interruptBefore();
        if (before != null && renewal()) {
            Require.withinHalf("interruptBefore", before, leaseDuration());
        } else if (before != null) {
            Require.withinTerm("interruptBefore", before, leaseDuration());
        }
        if (!group().isEmpty() && requestLife() != null && requestEnd() == RequestEnd.TO_TAIL) {
            throw new IllegalArgumentException(
                    "requestEnd is TO_TAIL, must be LEAVE with a group: its share says where a request stands");
        }
        if (!group().isEmpty() && (priority() != 0 || values.get(ORDER) != Order.FIFO)) {
            throw new IllegalArgumentException("priority is " + priority() + " and order is " + values.get(ORDER)
                    + ", must be 0 and FIFO with a group: its share says where a request enters the queue");
        }
    }

    /** The defaults named at each property. */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    // ---- the lease

    /**
     * How long the lease lasts without renewal (the lease duration), and so how long the others wait for a holder that
     * died; default 30 s. Short lease durations free the lock of a dead holder sooner, and lose the lease of a living one sooner when
     * the server is away or the process stands still.
     */
    public Duration leaseDuration() {
        return values.get(TERM);
    }

    /**
     * Returns a copy with the given lease duration.
     *
     * @param value 100 ms to 365 days
     */
    public LockOptions withLeaseDuration(Duration value) {
        return new LockOptions(values.with(TERM, value, MIN_LEASE_DURATION, Require.LONGEST));
    }

    /**
     * Whether the client renews the lease, at a third of the lease duration, as long as the {@link Lease} is reachable; default
     * true. A lease that is not renewed expires at the end of its lease duration.
     */
    public boolean renewal() {
        return values.get(RENEWED);
    }

    /** With or without renewal. Without it there are no {@link #withLocalHandoffs(int, Duration) turns}. */
    public LockOptions withRenewal(boolean value) {
        return new LockOptions(values.with(RENEWED, value));
    }

    /**
     * The time after which renewal stops; null for never (the default). The lease then expires when the time that it
     * has left is over.
     */
    public @Nullable Duration maxHold() {
        return values.get(LONGEST_HOLD);
    }

    /**
     * Returns a copy with the given limit on the whole hold.
     *
     * @param value 1 ms to 365 days, or null for none
     */
    public LockOptions withMaxHold(@Nullable Duration value) {
        return new LockOptions(values.with(LONGEST_HOLD, value, MILLISECOND, Require.LONGEST));
    }

    /** The time after which renewal stops in the scoped forms ({@code call}, {@code tryCall}, {@code callAsync}); default 1 h. */
    public @Nullable Duration maxScopedHold() {
        return values.get(LONGEST_SCOPE);
    }

    /**
     * Returns a copy with the given limit on scoped holds.
     *
     * @param value 1 ms to 365 days, or null for none
     */
    public LockOptions withMaxScopedHold(@Nullable Duration value) {
        return new LockOptions(values.with(LONGEST_SCOPE, value, MILLISECOND, Require.LONGEST));
    }

    /**
     * How long before the end of the lease the thread that runs the work of a blocking scoped form is interrupted; null for
     * never (the default). With {@link #withRenewal renewal} off this limits the work to the lease duration.
     */
    public @Nullable Duration interruptBefore() {
        return values.get(INTERRUPT_BEFORE);
    }

    /**
     * With work that is interrupted before its lease ends. Work that heeds interrupts then ends while the lock is still
     * held. If it ends with an {@code InterruptedException}, the call throws a {@link LeaseEndingException} with that as its
     * cause, which distinguishes it from any other interrupt; other exceptions of the work are passed on.
     *
     * <p>A lease that is handed over is confirmed before the work begins, which costs a round trip: until then it lasts for the
     * {@linkplain #withHandoffTimeout handoff timeout} and not for its lease duration. Work in a hold that was entered again is
     * interrupted half of the lease duration with which that hold began before its end, if that is later.
     *
     * @param value 1 ms to half of the lease duration; with renewal off, less than nine tenths of it; or null for never
     */
    public LockOptions withInterruptBefore(@Nullable Duration value) {
        return new LockOptions(values.with(INTERRUPT_BEFORE, value, MILLISECOND, Require.LONGEST));
    }

    /** How many replicas must have a grant before the lease is returned; default 0. */
    public int replicas() {
        return values.get(REPLICAS);
    }

    /** How long they may take; default 1 s. */
    public Duration replicaTimeout() {
        return values.get(REPLICA_TIMEOUT);
    }

    /**
     * With confirmation by replicas: after the grant the server is asked, on a connection of its own, to wait until this many
     * replicas have it ({@code WAIT}). If fewer have it in time, the lock is given back, and the outcome is
     * {@link Attempt.Reason#TOO_FEW_REPLICAS}. {@link Lease#replicas()} reports how many have confirmed. It makes a lease survive more
     * failovers, not all: a replica without it may still be promoted, unless all replicas have to confirm. Costs a round
     * trip, and a confirmation of each grant by handoff.
     *
     * @param replicas 0 (not asked) to 100
     * @param within 1 ms to 1 minute
     */
    public LockOptions withReplicas(int replicas, Duration within) {
        return new LockOptions(
                values.with(REPLICAS, replicas, 0, 100).with(REPLICA_TIMEOUT, within, MILLISECOND, MINUTE));
    }

    /** A lease that arrives with less than this left is extended to a full lease duration before it is handed out; default 0. */
    public Duration minRemaining() {
        return values.get(LEAST_REMAINING);
    }

    /**
     * Returns a copy with the given minimum remaining time.
     *
     * @param value 0, or 1 ms to less than nine tenths of the lease duration
     */
    public LockOptions withMinRemaining(Duration value) {
        return new LockOptions(values.withZeroOrUpTo(LEAST_REMAINING, value, Require.LONGEST));
    }

    /**
     * After a release the lock stays taken until this long after the grant (a minimum hold), so that a short job does not
     * run again on a machine whose clock is late; default 0.
     */
    public Duration minHold() {
        return values.get(SHORTEST_HOLD);
    }

    /**
     * Returns a copy with the given minimum hold time. If there is one, there are no {@link #withLocalHandoffs(int, Duration) turns}.
     *
     * @param value 0, or 1 ms to 365 days
     */
    public LockOptions withMinHold(Duration value) {
        return new LockOptions(values.withZeroOrUpTo(SHORTEST_HOLD, value, Require.LONGEST));
    }

    /**
     * How much longer the lock stays taken when its lease is lost, and not released (Chubby and Consul call it the lock-delay); default
     * 0.
     */
    public Duration lockDelay() {
        return values.get(LOCK_DELAY);
    }

    /**
     * Returns a copy with the given lock-delay, for resources that cannot check a fencing token: what the last holder has sent arrives before the next
     * one begins, unless it was under way for longer. It applies when the holder dies, when its lease expires or has lasted as long as
     * it may, and when its client is closed; not to a release, and not to a lease that an operator ends. A lease that is handed over is
     * confirmed before its holder sees it: a round trip more. Without {@link #withLocalHandoffs turns}; re-entry keeps that of the hold.
     *
     * @param value 0, or 1 ms to 365 days
     */
    public LockOptions withLockDelay(Duration value) {
        return new LockOptions(values.withZeroOrUpTo(LOCK_DELAY, value, Require.LONGEST));
    }

    /** Data that stands beside the hold for all to see (see {@link Holder#metadata()}); default none. */
    public Map<String, String> metadata() {
        return values.get(METADATA);
    }

    /**
     * With other data beside the hold, and beside the request while it waits. It does not affect what the library itself
     * stores there. A {@linkplain Lease#note note} takes the place of a value with the key {@value Holder#NOTE}.
     *
     * @param value any texts; URL-encoded, all of them together have at most 2,000 characters
     */
    public LockOptions withMetadata(Map<String, String> value) {
        return new LockOptions(values.with(METADATA, ClientLabel.storable(value, LONGEST_METADATA)));
    }

    // ---- waiting

    /** How long to wait if the call does not say; default 60 s. */
    public Wait waitLimit() {
        return values.get(WAIT_LIMIT);
    }

    /** Returns a copy with the given limit for waiting. */
    public LockOptions withWaitLimit(Wait value) {
        return new LockOptions(values.with(WAIT_LIMIT, value));
    }

    /**
     * How long a waiter that was handed the lock may take to confirm, never more than the lease duration; default 1 s. It bounds
     * what a frozen waiter costs the others.
     */
    public Duration handoffTimeout() {
        return values.get(CLAIM);
    }

    /**
     * Returns a copy with the given handoff timeout.
     *
     * @param value 50 ms to 10 s
     */
    public LockOptions withHandoffTimeout(Duration value) {
        return new LockOptions(values.with(CLAIM, value, Duration.ofMillis(50), Duration.ofSeconds(10)));
    }

    /**
     * How long a request keeps its position in the queue; null for as long as it waits (the default). Counted on the server's
     * clock; one that is to leave then is ended by its client's clock, too, whichever is first.
     */
    public @Nullable Duration requestLife() {
        return values.get(REQUEST_LIFE);
    }

    /** What happens to a request that has outlived {@link #requestLife()}; default {@link RequestEnd#TO_TAIL}. */
    public RequestEnd requestEnd() {
        return values.get(REQUEST_END);
    }

    /**
     * Returns a copy with the given life of requests in the queue, and what happens at its end. If there is one, there are no
     * {@link #withLocalHandoffs(int, Duration) turns}.
     *
     * @param value 100 ms to 365 days, or null for no limit
     */
    public LockOptions withRequestLife(@Nullable Duration value, RequestEnd end) {
        return new LockOptions(
                values.with(REQUEST_LIFE, value, SHORTEST_LIFE, Require.LONGEST).with(REQUEST_END, end));
    }

    /** Where a request enters the queue, among those of its priority; default {@link Order#FIFO}, and {@link Order#SHARES} with a group. */
    public Order order() {
        return group().isEmpty() ? values.get(ORDER) : Order.SHARES;
    }

    /**
     * Returns a copy with the given order. If it is not {@link Order#FIFO}, there are no {@link #withLocalHandoffs(int, Duration) turns}.
     *
     * @param value not {@link Order#SHARES}, which needs a {@linkplain #withGroup(String, int) group}
     */
    public LockOptions withOrder(Order value) {
        if (value == Order.SHARES) {
            throw new IllegalArgumentException("order is SHARES, must come with a group: use withGroup");
        }
        return new LockOptions(values.with(ORDER, value));
    }

    /** The group whose share says where requests enter the queue; empty for none (the default). */
    public String group() {
        return values.get(GROUP);
    }

    /** How much of the lock the group gets, beside a group of weight 1; default 1. */
    public int groupWeight() {
        return values.get(GROUP_WEIGHT);
    }

    /** Equivalent to {@link #withGroup(String, int)} with weight 1. */
    public LockOptions withGroup(String name) {
        return withGroup(name, 1);
    }

    /**
     * With a group, as a tenant or a customer: while requests of several groups wait, each group is granted its share, by weight, however
     * many requests it has. A group that asks for the first time, or again after a while, is served soon: it does not wait until the others'
     * requests are served, and has saved nothing. In a group, requests are served first come, first served. A request for several permits
     * counts as so many. By start-time fair queueing (Goyal, Vin and Cheng, 1996).
     *
     * <p>All requests for the lock should have groups: those without are served after all that have one. With a group there are no
     * {@link #withLocalHandoffs(int, Duration) turns}, no priority, and no other order. Shares count grants and not time: a group whose
     * holders keep the lock for longer has it for longer.
     *
     * @param name up to 100 characters; empty for no group
     * @param weight 1 to {@value #MAX_GROUP_WEIGHT}; the last request of a group says it
     */
    public LockOptions withGroup(String name, int weight) {
        if (!Require.given("group", name).isEmpty()) {
            Require.text("group", name, LONGEST_GROUP);
        }
        return new LockOptions(values.with(GROUP, name).with(GROUP_WEIGHT, weight, 1, MAX_GROUP_WEIGHT));
    }

    /** Requests of higher priority are served before all of lower; default 0. */
    public int priority() {
        return values.get(PRIORITY);
    }

    /**
     * Returns a copy with the given priority.
     *
     * @param value -100 to 100
     */
    public LockOptions withPriority(int value) {
        return new LockOptions(values.with(PRIORITY, value, -MAX_PRIORITY, MAX_PRIORITY));
    }

    /**
     * A request that would make the queue longer than this is answered at once as {@link Attempt.Reason#QUEUE_FULL}; 0 for no
     * limit (the default).
     */
    public int queueLimit() {
        return values.get(QUEUE_LIMIT);
    }

    /**
     * Returns a copy with the given limit on the queue. If there is one, each request counts in it, and there are no
     * {@link #withLocalHandoffs(int, Duration) turns}.
     *
     * @param value 0 to 1,000,000
     */
    public LockOptions withQueueLimit(int value) {
        return new LockOptions(values.with(QUEUE_LIMIT, value, 0, 1_000_000));
    }

    /**
     * What to do if the actor that asks holds the lock already; default {@link Reentrancy#WAIT}. A lease that was obtained with
     * {@code WAIT} in a {@link #withLocalHandoffs(int, Duration) turn} belongs to its line and not to an actor: no actor enters it again,
     * and its actor's next request waits for it, or finds it taken.
     */
    public Reentrancy reentrancy() {
        return values.get(OWN_CONFLICT);
    }

    /**
     * Returns a copy with the given answer to a request of the {@linkplain DistributedLock#withActor(String) actor} that holds the lock already. With
     * each answer but {@code WAIT}, the lock is asked for in {@link #withStrictOrder() strict order}.
     */
    public LockOptions withReentrancy(Reentrancy value) {
        return new LockOptions(values.with(OWN_CONFLICT, value));
    }

    /** What becomes of a request that is found to wait in a deadlock; default {@link OnDeadlock#WAIT}. */
    public OnDeadlock deadlock() {
        return values.get(DEADLOCK);
    }

    /** Returns a copy with the given answer to deadlocks; {@code BREAK} needs a client that {@linkplain HoldfastOptions#withDeadlockDetection finds} them. */
    public LockOptions withDeadlock(OnDeadlock value) {
        return new LockOptions(values.with(DEADLOCK, value));
    }

    // ---- among the threads of one client

    /**
     * How many sections a turn of this client may have from when it knows that others wait (lock cohorting); default 64. If it is
     * 0 there are no turns, and the server's order of all requests is kept strictly.
     */
    public int localHandoffs() {
        return values.get(TURN_SECTIONS);
    }

    /** How long a turn may last from when it is known that others wait; default 100 ms. */
    public Duration localHandoffTime() {
        return values.get(TURN_TIME);
    }

    /** With turns of at most 64 sections and 100 ms (the default); see {@link #withLocalHandoffs(int, Duration)}. */
    public LockOptions withLocalHandoffs() {
        return withLocalHandoffs(MANY_SECTIONS, Duration.ofMillis(100));
    }

    /**
     * With turns: order among clients, speed inside of one (lock cohorting). One request of this client stands in the server's
     * queue for all its requests for the lock with equal options. When it is granted, the client serves those who stand in its
     * own line at that moment, in their order, without asking the server; a request that comes later waits for the next turn, behind
     * the others. While no other client waits, it goes on serving every request that comes, and asks the server at least every 100 ms whether
     * that is still so: so a message that is lost costs others that much, and no more. Each lease has a token of its own,
     * greater than all before. Where a client has one request for a lock at a time, this is the server's order.
     *
     * <p>Requests that a line cannot serve ask the server themselves, in {@link #withStrictOrder() strict order}, and so do all
     * requests to a {@link Quorum}: those that do not wait, or use {@link Wait#untilStuck}; those whose leases are not
     * {@linkplain #withRenewal renewed}, or have a {@linkplain #withMinHold minimum hold time}; those with an
     * {@linkplain #withOrder order} other than first in, first out, with a {@linkplain #withRequestLife life} or a
     * {@linkplain #withQueueLimit limit} in the server's queue; and those that do not wait {@linkplain #withReentrancy for
     * themselves}. A lease of which a {@linkplain Lease#ticket() ticket} is given, or which is {@linkplain Lease#detach()
     * detached}, ends the turn: the hold is its alone from then on.
     *
     * @param most sections of a turn from when it is known that others wait, 1 to 10,000
     * @param within how long they may begin from then on, 1 ms to 1 minute
     */
    public LockOptions withLocalHandoffs(int most, Duration within) {
        return new LockOptions(
                values.with(TURN_SECTIONS, most, 1, 10_000).with(TURN_TIME, within, MILLISECOND, MINUTE));
    }

    /**
     * Without turns: every request stands in the server's queue itself, where {@linkplain Inspector listings} show it, and the
     * order is the server's. Each section costs the server's notice to the next. In {@link #withLocalHandoffs(int, Duration) turns} a client
     * with one request at a time has that order, too.
     */
    public LockOptions withStrictOrder() {
        return new LockOptions(values.with(TURN_SECTIONS, 0));
    }

    /** How long the client keeps a lock that was released while no request waited for it; default 0: it does not. */
    public Duration keepFor() {
        return values.get(KEEP_FOR);
    }

    /**
     * With locks that the client keeps for a while after they were released, if no request waits (lock caching with
     * callbacks): until then it grants them again without asking the server. Another client's request recalls the lock at
     * once, and is granted one hop later, or when the lease that was granted meanwhile is released; if no message arrives,
     * after a third of the lease duration. Until then others see the lock as taken, also those that do not wait. Another request of
     * this client gets it, with whatever options. A lease that was extended beyond its lease duration is released, not kept. Each lease
     * has a token of its own, greater than all before.
     *
     * <p>What it costs others: a hop if the client lives, the rest of the lease duration if it is frozen, cut off or killed while it
     * keeps the lock, as with any holder. A lock whose leases are not renewed is not kept. It is combined with
     * {@link #withLocalHandoffs(int, Duration) turns}, if there are any: then a third of the lease duration takes the place of their 100
     * ms. It cannot be combined with {@link #withReentrancy re-entry} or {@link #withMinHold}.
     *
     * @param value 0 for not at all, or 1 ms to 1 hour
     */
    public LockOptions withKeepFor(Duration value) {
        return new LockOptions(values.withZeroOrUpTo(KEEP_FOR, value, Duration.ofHours(1)));
    }

    // ---- events

    /** What {@link LockEvent#data()} of all events of this call is; null for nothing (the default). */
    public @Nullable Object eventData() {
        return values.get(EVENT_DATA);
    }

    /** With the caller's own data on events. */
    public LockOptions withEventData(@Nullable Object value) {
        return new LockOptions(values.with(EVENT_DATA, value));
    }

    /** Hears of what is asked with these options, besides the listeners of the client; null for none (the default). */
    public @Nullable HoldfastListener listener() {
        return values.get(LISTENER);
    }

    /** With a listener of its own. It hears of every request, also where the client's listeners hear of a part only. */
    public LockOptions withListener(@Nullable HoldfastListener value) {
        return new LockOptions(values.with(LISTENER, value));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockOptions that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** The lease duration, the renewal and the limit for waiting, and what differs from the defaults. */
    @Override
    public String toString() {
        return values.text("LockOptions", TERM, RENEWED, WAIT_LIMIT);
    }
}
