package io.holdfast;

import io.holdfast.Options.Option;
import io.holdfast.internal.wire.ClientLabel;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options with which a lock is requested and held. Immutable; every {@code with} method checks its value and returns a
 * copy. A client has default options, a lock may have its own, and so may a call ({@code lock.with(options)} costs nothing).
 */
public final class LockOptions {
    /** The fate of a request that has outlived its {@linkplain LockOptions#requestLife() life} in the queue. */
    public enum RequestEnd {
        /**
         * The request moves behind all requests of its priority that are served in the order of their arrival, and begins a new
         * life. Requests of a client that holds the lock in {@linkplain LockOptions#withLocalHandoffs(int, Duration) turns}
         * enter the server's queue when the turn ends, behind this request.
         */
        TO_TAIL,
        /** The request leaves the queue, and the call ends as timed out. */
        LEAVE
    }

    /**
     * The point at which a request enters the queue, among those of its priority. The server decides it when it queues the
     * request. The server always serves requests of one priority as follows: first the {@code SHARES} requests, then the
     * {@code LIFO} ones, newest first, then the {@code FIFO} ones, oldest first, then the {@code RANDOM} ones.
     */
    public enum Order {
        /** The request enters behind the others of this order: first come, first served. */
        FIFO,
        /** The request enters before the others of this order: last come, first served. Requests that came first may starve. */
        LIFO,
        /** The request enters among the others of this order, at a position that the server draws at random. */
        RANDOM,
        /** The share of its group determines where the request enters; see {@link LockOptions#withGroup(String, int)}. */
        SHARES
    }

    /** The answer to a request whose actor already holds the lock. */
    public enum Reentrancy {
        /** The request waits like any other, until the first lease is released. */
        WAIT,
        /**
         * The actor enters again, with the same hold and token, without asking the server. Entries are counted; the last
         * release frees the lock. If less than {@link LockOptions#minRemaining()} of the lease is left, it is extended first.
         */
        REENTER,
        /** The actor enters again, and the hold is extended to at least a lease duration from now. */
        REENTER_AND_EXTEND,
        /** The request is refused: the call ends as {@link Attempt.Reason#HELD_BY_CALLER}. */
        REFUSE
    }

    /** The fate of a request that is found to wait in a deadlock. */
    public enum OnDeadlock {
        /** The request continues to wait; the deadlock is only reported. */
        WAIT,
        /**
         * The request may be ended to break the deadlock: the call ends as {@link Attempt.Reason#DEADLOCK}, or throws
         * {@link DeadlockException}. Of all requests in the deadlock with this option, one is ended: if possible the last one
         * queued whose end lets another continue.
         */
        BREAK
    }

    /** The minimum lease duration. */
    public static final Duration MIN_LEASE_DURATION = Duration.ofMillis(100);

    /** The maximum weight of a group; the minimum is 1. */
    public static final int MAX_GROUP_WEIGHT = 100;

    /** The maximum priority; the minimum is minus this. */
    public static final int MAX_PRIORITY = 100;

    /** The maximum number of characters of all metadata of one hold, as it is stored. */
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

    /** Returns options with all defaults; each property names its default. */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    // ---- the lease

    /**
     * Returns how long the lease lasts without renewal, and so how long others wait for a holder that died; default 30 s. A
     * short lease duration frees the lock of a dead holder sooner. It also loses the lease of a living holder sooner, if the
     * server is away or the process stands still.
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
     * Returns whether the client renews the lease while the {@link Lease} is reachable; default true. It does so after each
     * third of the lease duration. A lease that is not renewed expires at the end of its lease duration.
     */
    public boolean renewal() {
        return values.get(RENEWED);
    }

    /** Returns a copy with or without renewal. Without it, the lock is requested in {@link #withStrictOrder() strict order}. */
    public LockOptions withRenewal(boolean value) {
        return new LockOptions(values.with(RENEWED, value));
    }

    /** Returns the time from the grant after which renewal stops and the lease is left to expire; null for never (default). */
    public @Nullable Duration maxHold() {
        return values.get(LONGEST_HOLD);
    }

    /**
     * Returns a copy in which renewal stops after the given time. It does not apply to methods that take work, which have
     * {@link #maxScopedHold()} instead.
     *
     * @param value 1 ms to 365 days, or null for never
     */
    public LockOptions withMaxHold(@Nullable Duration value) {
        return new LockOptions(values.with(LONGEST_HOLD, value, MILLISECOND, Require.LONGEST));
    }

    /** Returns the time from the grant after which renewal stops in methods that take work (default 1 h); null for never. */
    public @Nullable Duration maxScopedHold() {
        return values.get(LONGEST_SCOPE);
    }

    /**
     * Returns a copy in which renewal stops after the given time in the methods that take work.
     *
     * @param value 1 ms to 365 days, or null for never
     */
    public LockOptions withMaxScopedHold(@Nullable Duration value) {
        return new LockOptions(values.with(LONGEST_SCOPE, value, MILLISECOND, Require.LONGEST));
    }

    /**
     * Returns how long before the end of the lease the thread of a blocking method that takes work is interrupted; null for
     * never (the default). Without {@link #withRenewal renewal}, this limits the work to the lease duration less this time.
     */
    public @Nullable Duration interruptBefore() {
        return values.get(INTERRUPT_BEFORE);
    }

    /**
     * Returns a copy in which work is interrupted before its lease ends. Work that responds to interrupts then ends while the
     * lock is still held. If it ends with an {@code InterruptedException}, the call throws a {@link LeaseEndingException} with
     * that as its cause, which distinguishes it from any other interrupt. Other exceptions of the work are thrown unchanged.
     *
     * <p>A lease that is granted by handoff is confirmed before the work begins, which costs a round trip. Until then it lasts
     * for the {@linkplain #withHandoffTimeout handoff timeout} instead of its lease duration. If the work re-entered a renewed
     * hold, it is interrupted at most half of that hold's lease duration before the end.
     *
     * @param value 1 ms to half of the lease duration; without renewal, less than nine tenths of it; or null for never
     */
    public LockOptions withInterruptBefore(@Nullable Duration value) {
        return new LockOptions(values.with(INTERRUPT_BEFORE, value, MILLISECOND, Require.LONGEST));
    }

    /** Returns how many replicas must confirm a grant before the lease is returned; default 0. */
    public int replicas() {
        return values.get(REPLICAS);
    }

    /** Returns how long the replicas may take to confirm a grant, a renewal or an extension; default 1 s. */
    public Duration replicaTimeout() {
        return values.get(REPLICA_TIMEOUT);
    }

    /**
     * Returns a copy with confirmation by replicas. After the grant, the client asks the server, on a separate connection, to
     * wait until this many replicas have the grant ({@code WAIT}). If fewer have it in time, the lock is given back, and the
     * outcome is {@link Attempt.Reason#TOO_FEW_REPLICAS}. A renewal or extension counts only if as many confirm it. A lease then
     * survives more failovers, but not all: a replica without it may still be promoted, unless all replicas must confirm. Each
     * grant, renewal and extension costs a round trip more; a grant by handoff is confirmed first. See {@link Lease#replicas()}.
     *
     * @param replicas 0 (not asked) to 100
     * @param within 1 ms to 1 minute
     */
    public LockOptions withReplicas(int replicas, Duration within) {
        return new LockOptions(
                values.with(REPLICAS, replicas, 0, 100).with(REPLICA_TIMEOUT, within, MILLISECOND, MINUTE));
    }

    /** Returns how much time a new lease must have left; default 0. One with less is first extended to its lease duration. */
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
     * Returns the minimum hold time: after a release the lock stays taken until this long after the grant; default 0. It
     * prevents a short job from running again on a machine whose clock is late.
     */
    public Duration minHold() {
        return values.get(SHORTEST_HOLD);
    }

    /**
     * Returns a copy with the given minimum hold time. Unless it is 0, it implies {@link #withStrictOrder() strict order}.
     *
     * @param value 0, or 1 ms to 365 days
     */
    public LockOptions withMinHold(Duration value) {
        return new LockOptions(values.withZeroOrUpTo(SHORTEST_HOLD, value, Require.LONGEST));
    }

    /** Returns how much longer a lock stays taken after its lease is lost (the lock-delay of Chubby and Consul); default 0. */
    public Duration lockDelay() {
        return values.get(LOCK_DELAY);
    }

    /**
     * Returns a copy with the given lock-delay, for resources that cannot check a fencing token. Anything that the last holder
     * has sent arrives before the next one begins, unless it was under way for longer than this. The delay applies if the
     * holder dies, if its lease expires or reaches its limit, and if its client is closed. It does not apply to a release, or
     * to a lease that an operator ends. A lease granted by handoff is confirmed before its holder sees it, which costs one more
     * round trip. A delay implies {@link #withStrictOrder() strict order}. Re-entry keeps the delay of the hold.
     *
     * @param value 0, or 1 ms to 365 days
     */
    public LockOptions withLockDelay(Duration value) {
        return new LockOptions(values.withZeroOrUpTo(LOCK_DELAY, value, Require.LONGEST));
    }

    /** Returns the metadata of the hold, which every client can see (see {@link Holder#metadata()}); default none. */
    public Map<String, String> metadata() {
        return values.get(METADATA);
    }

    /**
     * Returns a copy with the given metadata of the hold, and of the request while it waits. The library itself uses the keys
     * {@value Holder#NOTE}, {@value Holder#GROUP} and {@value Holder#TRY}, and replaces their values where it needs them.
     *
     * @param value any texts, together at most 2,000 characters when they are URL-encoded
     */
    public LockOptions withMetadata(Map<String, String> value) {
        return new LockOptions(values.with(METADATA, ClientLabel.storable(value, LONGEST_METADATA)));
    }

    // ---- waiting

    /** Returns how long to wait if the call does not say; default 60 s. */
    public Wait waitLimit() {
        return values.get(WAIT_LIMIT);
    }

    /** Returns a copy with the given limit for waiting. */
    public LockOptions withWaitLimit(Wait value) {
        return new LockOptions(values.with(WAIT_LIMIT, value));
    }

    /**
     * Returns how long a waiter that was granted the lock by handoff may take to confirm; default 1 s, and never more than the
     * lease duration. It bounds the delay that a frozen waiter causes to the others.
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
     * Returns how long a request keeps its position in the queue; null for as long as it waits (the default). The time is
     * counted by the server's clock. For a request that must {@linkplain RequestEnd#LEAVE leave}, it is also counted by the
     * client's clock, and the earlier end applies.
     */
    public @Nullable Duration requestLife() {
        return values.get(REQUEST_LIFE);
    }

    /** Returns what happens to a request that has outlived {@link #requestLife()}; default {@link RequestEnd#TO_TAIL}. */
    public RequestEnd requestEnd() {
        return values.get(REQUEST_END);
    }

    /**
     * Returns a copy with the given life of requests in the queue, and the given fate at its end. A life implies
     * {@link #withStrictOrder() strict order}.
     *
     * @param value 100 ms to 365 days, or null for no limit
     */
    public LockOptions withRequestLife(@Nullable Duration value, RequestEnd end) {
        return new LockOptions(
                values.with(REQUEST_LIFE, value, SHORTEST_LIFE, Require.LONGEST).with(REQUEST_END, end));
    }

    /** Returns where requests of one priority enter the queue: {@link Order#FIFO} (default); {@link Order#SHARES} in a group. */
    public Order order() {
        return group().isEmpty() ? values.get(ORDER) : Order.SHARES;
    }

    /**
     * Returns a copy with the given order. Any but {@link Order#FIFO} implies {@link #withStrictOrder() strict order}.
     *
     * @param value not {@link Order#SHARES}, which needs a {@linkplain #withGroup(String, int) group}
     */
    public LockOptions withOrder(Order value) {
        if (value == Order.SHARES) {
            throw new IllegalArgumentException("order is SHARES, must come with a group: use withGroup");
        }
        return new LockOptions(values.with(ORDER, value));
    }

    /** Returns the group whose share determines where requests enter the queue; empty for none (the default). */
    public String group() {
        return values.get(GROUP);
    }

    /** Returns the weight of the group's share, compared with a group of weight 1; default 1. */
    public int groupWeight() {
        return values.get(GROUP_WEIGHT);
    }

    /** Returns a copy with the given group, with weight 1; see {@link #withGroup(String, int)}. */
    public LockOptions withGroup(String name) {
        return withGroup(name, 1);
    }

    /**
     * Returns a copy with the given group, such as a tenant or a customer. While requests of several groups wait, each group is
     * granted its share, by weight, however many requests it has. A group with its first request, or its first one after a
     * while, is served soon: it does not wait for all requests of the others. But it has not saved up a larger share. Within a
     * group, requests are served first come, first served. A request for several permits counts as that many. The method is
     * start-time fair queueing (Goyal, Vin and Cheng, 1996).
     *
     * <p>All requests for the lock should have groups: requests of priority 0 without one are served after all that have one.
     * A group implies {@link #withStrictOrder() strict order}, and excludes a priority and another order. Shares count grants
     * and not time: a group whose holders keep the lock longer has it longer.
     *
     * @param name up to 100 characters; empty for no group
     * @param weight 1 to {@value #MAX_GROUP_WEIGHT}; it applies to the requests that are made with it
     */
    public LockOptions withGroup(String name, int weight) {
        if (!Require.given("group", name).isEmpty()) {
            Require.text("group", name, LONGEST_GROUP);
        }
        return new LockOptions(values.with(GROUP, name).with(GROUP_WEIGHT, weight, 1, MAX_GROUP_WEIGHT));
    }

    /** Returns the priority of requests; default 0. All requests of a higher priority are served before those of a lower one. */
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
     * Returns the maximum length of the queue; 0 for no limit (the default). A request that would make the queue longer ends at
     * once as {@link Attempt.Reason#QUEUE_FULL}.
     */
    public int queueLimit() {
        return values.get(QUEUE_LIMIT);
    }

    /**
     * Returns a copy with the given limit on the queue. A limit implies {@link #withStrictOrder() strict order}.
     *
     * @param value 0 to 1,000,000
     */
    public LockOptions withQueueLimit(int value) {
        return new LockOptions(values.with(QUEUE_LIMIT, value, 0, 1_000_000));
    }

    /**
     * Returns the answer to a request whose actor already holds the lock; default {@link Reentrancy#WAIT}. A lease that was
     * obtained with {@code WAIT} in a {@link #withLocalHandoffs(int, Duration) turn} belongs to the client's line. No actor can
     * enter it again: even the next request of the actor that obtained it waits, or finds the lock taken.
     */
    public Reentrancy reentrancy() {
        return values.get(OWN_CONFLICT);
    }

    /**
     * Returns a copy with the given answer to a request whose {@linkplain DistributedLock#withActor(String) actor} already
     * holds the lock. With each answer except {@code WAIT}, the lock is requested in {@link #withStrictOrder() strict order}.
     */
    public LockOptions withReentrancy(Reentrancy value) {
        return new LockOptions(values.with(OWN_CONFLICT, value));
    }

    /** Returns what happens to a request that is found to wait in a deadlock; default {@link OnDeadlock#WAIT}. */
    public OnDeadlock deadlock() {
        return values.get(DEADLOCK);
    }

    /** Returns a copy with the given fate in a deadlock; {@code BREAK} needs {@link HoldfastOptions#withDeadlockDetection}. */
    public LockOptions withDeadlock(OnDeadlock value) {
        return new LockOptions(values.with(DEADLOCK, value));
    }

    // ---- among the threads of one client

    /**
     * Returns how many critical sections a turn of this client may have after the client learns that others wait (lock
     * cohorting); default 64. If it is 0 there are no turns, and the server's order of all requests is kept strictly.
     */
    public int localHandoffs() {
        return values.get(TURN_SECTIONS);
    }

    /** Returns how long critical sections of a turn may begin after the client learns that others wait; default 100 ms. */
    public Duration localHandoffTime() {
        return values.get(TURN_TIME);
    }

    /** Returns a copy with default turns, at most 64 sections and 100 ms; see {@link #withLocalHandoffs(int, Duration)}. */
    public LockOptions withLocalHandoffs() {
        return withLocalHandoffs(MANY_SECTIONS, Duration.ofMillis(100));
    }

    /**
     * Returns a copy with turns, which are fair among clients and fast within one (lock cohorting). One request of this client stands in
     * the server's queue for all its requests for the lock with equal options. When it is granted, the client serves the
     * requests that are in its own line at that moment, in their order, without asking the server. A later request waits for
     * the next turn, behind the other clients. While no other client waits, the client serves every request that comes, and
     * asks the server about every 100 ms whether that is still so. If a message is lost, others are therefore passed for at most
     * 200 ms before the limits of the turn apply. Each lease has its own token, greater than every earlier one. If a client has
     * one request for a lock at a time, the order is the server's.
     *
     * <p>Requests for read/write locks, semaphores and locks of a {@link Quorum} ask the server themselves, in
     * {@link #withStrictOrder() strict order}. So do requests that do not wait, or use {@link Wait#untilStuck}. So do those
     * without {@linkplain #withRenewal renewal}, with a {@linkplain #withMinHold minimum hold time} or {@linkplain #withLockDelay
     * lock-delay}, or with a {@link #reentrancy()} other than {@code WAIT}. So do those with an {@link #order()} other than
     * {@code FIFO}, or with a {@linkplain #withRequestLife life} or a {@linkplain #withQueueLimit limit} in the server's queue. A
     * lease that has given a {@linkplain Lease#ticket() ticket}, or was {@linkplain Lease#detach() detached}, ends the turn: from
     * then on the hold is its own.
     *
     * @param most the maximum number of critical sections in a turn after the client learns that others wait, 1 to 10,000
     * @param within how long after that moment they may begin, 1 ms to 1 minute
     */
    public LockOptions withLocalHandoffs(int most, Duration within) {
        return new LockOptions(
                values.with(TURN_SECTIONS, most, 1, 10_000).with(TURN_TIME, within, MILLISECOND, MINUTE));
    }

    /**
     * Returns a copy without turns: every request stands in the server's queue itself, where {@linkplain Inspector listings}
     * show it, in the server's order. Each critical section costs a message of the server to the next waiter. With
     * {@link #withLocalHandoffs(int, Duration) turns}, a client with one request at a time has that order, too.
     */
    public LockOptions withStrictOrder() {
        return new LockOptions(values.with(TURN_SECTIONS, 0));
    }

    /** Returns how long the client keeps a lock that was released while no request waited for it; default 0 (not at all). */
    public Duration keepFor() {
        return values.get(KEEP_FOR);
    }

    /**
     * Returns a copy in which the client keeps a lock for this long after its release, if no request waits (lock caching with
     * callbacks). Until then the client grants the lock again without asking the server. Another client's request recalls the
     * lock at once. That client gets the lock one hop later, or when a lease that was granted meanwhile is released; if no
     * message arrives, after a third of the lease duration. Until then others see the lock as taken, even those that do not
     * wait. Other calls of this client get the lock, whatever their options; those with equal options share a request. A lease
     * that an extension has left more than its lease duration is not kept. Each lease has its own, greater token.
     *
     * <p>Other clients wait for one more hop if this client is alive. If it is frozen, cut off or killed while it keeps the lock,
     * they wait for the rest of the lease duration, as with any holder. A lock whose leases are not renewed is not kept. If
     * there are also {@link #withLocalHandoffs(int, Duration) turns}, a third of the lease duration replaces their 100 ms. Only
     * exclusive locks can be kept, not those of a {@link Quorum}, and none with {@link #withMinHold}, {@link #withLockDelay}, or
     * a {@link #reentrancy()} other than {@code WAIT}.
     *
     * @param value 0 for not at all, or 1 ms to 1 hour
     */
    public LockOptions withKeepFor(Duration value) {
        return new LockOptions(values.withZeroOrUpTo(KEEP_FOR, value, Duration.ofHours(1)));
    }

    // ---- events

    /** Returns the value of {@link LockEvent#data()} in all events of this call; null for none (the default). */
    public @Nullable Object eventData() {
        return values.get(EVENT_DATA);
    }

    /** Returns a copy with the caller's own data for events. */
    public LockOptions withEventData(@Nullable Object value) {
        return new LockOptions(values.with(EVENT_DATA, value));
    }

    /** Returns the listener for requests with these options, in addition to those of the client; null for none (the default). */
    public @Nullable HoldfastListener listener() {
        return values.get(LISTENER);
    }

    /** Returns a copy with a listener. It gets the events of all these requests, even if the client's listeners get a sample. */
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

    /** Returns the lease duration, the renewal, the limit for waiting, and all values that differ from the defaults. */
    @Override
    public String toString() {
        return values.text("LockOptions", TERM, RENEWED, WAIT_LIMIT);
    }
}
