package io.holdfast;

import io.holdfast.Options.Option;
import io.holdfast.internal.wire.ClientLabel;
import io.holdfast.internal.wire.Require;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Credentials;
import io.holdfast.spi.Tls;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** How a client works. Immutable; every {@code with} checks its value and returns a copy. */
public final class HoldfastOptions {
    /** What to do about a server with an eviction policy that could drop locks. */
    public enum Eviction {
        /** Say nothing. */
        IGNORE,
        /** Log a warning when connecting. */
        WARN,
        /** Refuse to connect. */
        REFUSE
    }

    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(10);
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static final Options.Kind KIND = new Options.Kind();
    private static final Option<String> PREFIX = KIND.option("prefix", "hf");
    private static final Option<String> APPLICATION = KIND.option("application", ClientLabel.applicationName());
    private static final Option<LockOptions> LOCK_DEFAULTS = KIND.option("lockDefaults", LockOptions.defaults());
    private static final Option<Duration> CONNECT_TIMEOUT = KIND.option("connectTimeout", Duration.ofSeconds(5));
    private static final Option<Duration> COMMAND_TIMEOUT = KIND.option("commandTimeout", Duration.ofSeconds(2));
    private static final Option<Duration> CLOSE_TIMEOUT = KIND.option("closeTimeout", Duration.ofSeconds(3));
    private static final Option<Duration> REFRESH_INTERVAL = KIND.option("refreshInterval", Duration.ofSeconds(2));
    private static final Option<Duration> WAITER_DEADLINE = KIND.option("waiterDeadline", Duration.ofSeconds(30));
    private static final Option<Duration> TOKEN_LIFE = KIND.option("tokenLife", Duration.ofHours(1));
    private static final Option<Eviction> EVICTION = KIND.option("eviction", Eviction.WARN);
    private static final Option<Duration> QUARANTINE = KIND.option("quarantine", Duration.ZERO);
    private static final Option<Double> LARGEST_CLOCK_DRIFT = KIND.option("largestClockDrift", 0.1);
    private static final Option<Duration> DEADLOCK_DETECTION = KIND.optional("deadlockDetection", null);
    private static final Option<List<HoldfastListener>> LISTENERS = KIND.callers("listeners", List.of());
    private static final Option<Double> EVENT_SAMPLING = KIND.option("eventSampling", 1.0);
    private static final Option<Double> LOG_SAMPLING = KIND.option("logSampling", 1.0);
    private static final Option<Tls> TLS = KIND.option("tls", Tls.defaults());
    private static final Option<Supplier<Credentials>> CREDENTIALS = KIND.callers("credentials", null);
    private static final Option<Supplier<Credentials>> SENTINEL_CREDENTIALS = KIND.callers("sentinelCredentials", null);
    private static final Option<Executor> EXECUTOR = KIND.callers("executor", null);
    private static final Option<Function<? super String, @Nullable LockOptions>> LOCK_DEFAULTS_BY_NAME =
            KIND.callers("lockDefaultsByName", null);

    private static final HoldfastOptions DEFAULTS = new HoldfastOptions(KIND.defaults());

    private final Options values;

    private HoldfastOptions(Options values) {
        this.values = values;
        Require.between("waiterDeadline", waiterDeadline(), refreshInterval().multipliedBy(3), Duration.ofMinutes(10));
    }

    /** The defaults named at each property. */
    public static HoldfastOptions defaults() {
        return DEFAULTS;
    }

    /** What the names of all keys and channels begin with; default {@code hf}. */
    public String prefix() {
        return values.get(PREFIX);
    }

    /**
     * Returns a copy with the given prefix. Clients that are to exclude each other need the same.
     *
     * @param value 1 to 64 characters without braces and spaces
     */
    public HoldfastOptions withPrefix(String value) {
        Require.text("prefix", value, 64);
        if (value.chars().anyMatch(c -> c <= ' ' || c == '{' || c == '}' || c == 127)) {
            throw new IllegalArgumentException(
                    "prefix is '" + value + "', must have no braces, spaces or control characters");
        }
        return new HoldfastOptions(values.with(PREFIX, value));
    }

    /** What people see as the holder, with the host's name; default the main class or jar. */
    public String application() {
        return values.get(APPLICATION);
    }

    /**
     * Returns a copy with the given application name.
     *
     * @param value 1 to 100 characters
     */
    public HoldfastOptions withApplication(String value) {
        return new HoldfastOptions(values.with(APPLICATION, Require.text("application", value, 100)));
    }

    /** For locks that do not say otherwise. */
    public LockOptions lockDefaults() {
        return values.get(LOCK_DEFAULTS);
    }

    /** With other defaults for locks. */
    public HoldfastOptions withLockDefaults(LockOptions value) {
        return new HoldfastOptions(values.with(LOCK_DEFAULTS, value));
    }

    /** For the lock, read/write lock or semaphore of this name, if it does not say otherwise: {@link #lockDefaults()} mostly. */
    public LockOptions lockDefaults(String name) {
        Function<? super String, @Nullable LockOptions> byName = lockDefaultsByName();
        LockOptions special = byName == null ? null : byName.apply(name);
        return special == null ? lockDefaults() : special;
    }

    /** What {@link #lockDefaults(String)} asks first; null for nothing (the default). */
    public @Nullable Function<? super String, @Nullable LockOptions> lockDefaultsByName() {
        return values.get(LOCK_DEFAULTS_BY_NAME);
    }

    /**
     * With defaults that depend on the name of a lock, for all calls that give no options of their own.
     *
     * @param value from a name to its options, or to null for {@link #lockDefaults()}; called whenever the application makes a
     *     lock, in its thread, so that it should not block; what it throws is thrown there. Null for no such defaults (the
     *     default)
     */
    public HoldfastOptions withLockDefaultsByName(@Nullable Function<? super String, @Nullable LockOptions> value) {
        return new HoldfastOptions(values.with(LOCK_DEFAULTS_BY_NAME, value));
    }

    /** The longest time for one connection, counted from when it is tried; default 5 s. */
    public Duration connectTimeout() {
        return values.get(CONNECT_TIMEOUT);
    }

    /**
     * Returns a copy with the given limit for connecting.
     *
     * @param value 10 ms to 1 min
     */
    public HoldfastOptions withConnectTimeout(Duration value) {
        return new HoldfastOptions(values.with(CONNECT_TIMEOUT, value, SHORTEST_TIMEOUT, MINUTE));
    }

    /** Supplies user and password; null (the default) for those of the address. */
    public @Nullable Supplier<Credentials> credentials() {
        return values.get(CREDENTIALS);
    }

    /**
     * With a supplier of user and password, which are used in place of those of the address: for a password that changes
     * while the application runs, or that has no place in an address. It is asked before each connection is opened, also
     * when a client reconnects, on a thread that connects, and may block, for less than the connect timeout. If it throws,
     * connecting fails with its exception as the cause, and it is asked again after the usual pause.
     *
     * <p>It applies to servers, nodes of clusters and of quorums, and the servers behind Sentinels. A client over a driver,
     * and one of the embedded server, ignore it.
     *
     * @param value asked on any thread, perhaps on several at a time; null for the credentials of the address
     */
    public HoldfastOptions withCredentials(@Nullable Supplier<Credentials> value) {
        return new HoldfastOptions(values.with(CREDENTIALS, value));
    }

    /** Supplies user and password for Sentinels; null (the default) for those of the address. */
    public @Nullable Supplier<Credentials> sentinelCredentials() {
        return values.get(SENTINEL_CREDENTIALS);
    }

    /** With a supplier of user and password for Sentinels, which never get those of the servers; see {@link #withCredentials}. */
    public HoldfastOptions withSentinelCredentials(@Nullable Supplier<Credentials> value) {
        return new HoldfastOptions(values.with(SENTINEL_CREDENTIALS, value));
    }

    /** How connections to {@code rediss} addresses are encrypted; default {@link Tls#defaults()}. */
    public Tls tls() {
        return values.get(TLS);
    }

    /**
     * With other certificates, for {@code rediss} addresses; with any other address, connecting is refused. A client over a driver, and
     * one of the embedded server, ignore it.
     */
    public HoldfastOptions withTls(Tls value) {
        return new HoldfastOptions(values.with(TLS, value));
    }

    /** For drivers to servers. */
    ConnectOptions connecting() {
        return new ConnectOptions(connectTimeout(), "holdfast", credentials(), tls());
    }

    /**
     * How long an answer may take before the outcome counts as unknown; default 2 s. A connection on which nothing was
     * answered for three times as long is closed, and the client reconnects.
     */
    public Duration commandTimeout() {
        return values.get(COMMAND_TIMEOUT);
    }

    /**
     * Returns a copy with the given limit for answers.
     *
     * @param value 10 ms to 1 min
     */
    public HoldfastOptions withCommandTimeout(Duration value) {
        return new HoldfastOptions(values.with(COMMAND_TIMEOUT, value, SHORTEST_TIMEOUT, MINUTE));
    }

    /** How long {@link Holdfast#close()} waits at most for its releases to be confirmed; default 3 s. */
    public Duration closeTimeout() {
        return values.get(CLOSE_TIMEOUT);
    }

    /**
     * Returns a copy with the given limit for closing.
     *
     * @param value 0 to 1 min
     */
    public HoldfastOptions withCloseTimeout(Duration value) {
        return new HoldfastOptions(values.with(CLOSE_TIMEOUT, value, Duration.ZERO, MINUTE));
    }

    /** How often a client that waits reports to the server; default 2 s. */
    public Duration refreshInterval() {
        return values.get(REFRESH_INTERVAL);
    }

    /**
     * Returns a copy with the given refresh interval; see also {@link #withWaiterDeadline}.
     *
     * @param value 100 ms to 10 s
     */
    public HoldfastOptions withRefreshInterval(Duration value) {
        return new HoldfastOptions(
                values.with(REFRESH_INTERVAL, value, Duration.ofMillis(100), Duration.ofSeconds(10)));
    }

    /** How long a waiter keeps its position without a report; default 30 s. */
    public Duration waiterDeadline() {
        return values.get(WAITER_DEADLINE);
    }

    /**
     * Returns a copy with the given waiter deadline.
     *
     * @param value at least three refresh intervals, at most 10 min
     */
    public HoldfastOptions withWaiterDeadline(Duration value) {
        return new HoldfastOptions(values.with(WAITER_DEADLINE, value));
    }

    /**
     * How long the last fencing token of a lock is remembered after its own time: by this much the server's clock may go
     * back without tokens falling; default 1 h.
     */
    public Duration tokenLife() {
        return values.get(TOKEN_LIFE);
    }

    /**
     * Returns a copy with the given life of tokens.
     *
     * @param value 1 s to 365 days
     */
    public HoldfastOptions withTokenLife(Duration value) {
        return new HoldfastOptions(values.with(TOKEN_LIFE, value, Duration.ofSeconds(1), Require.LONGEST));
    }

    /** What to do about a server that may drop locks when its memory is full; default warn. */
    public Eviction eviction() {
        return values.get(EVICTION);
    }

    /** Returns a copy with the given reaction to servers that may drop locks. */
    public HoldfastOptions withEviction(Eviction value) {
        return new HoldfastOptions(values.with(EVICTION, value));
    }

    /** Notified of everything that this client does; default none. */
    public List<HoldfastListener> listeners() {
        return values.get(LISTENERS);
    }

    /** With a further listener. */
    public HoldfastOptions withListener(HoldfastListener value) {
        List<HoldfastListener> more = new ArrayList<>(listeners());
        more.add(Require.given("listener", value));
        return new HoldfastOptions(values.with(LISTENERS, List.copyOf(more)));
    }

    /** How long leases are held back after the server may have lost its memory; default 0, which is not at all. */
    public Duration quarantine() {
        return values.get(QUARANTINE);
    }

    /**
     * With a quarantine. A server that was restarted, with or without data, that was emptied, or that has taken over from
     * another, may have forgotten leases that are still valid where they are held. With a quarantine a lease that is granted
     * within this time of the change is kept, but handed out only when the time, and 1 %, is over; a request that does not
     * wait that long is refused ({@link Attempt.Reason#QUARANTINE}). So leases do not overlap although the server has forgotten some.
     *
     * <p>A key on the server, the <em>marker</em>, says which process of the server has its memory, and since when. The time
     * is counted from when the first client finds that the marker is missing, or belongs to another process; the very first
     * client of a server waits the time once, and clients that connect later do not. Each lease costs one round trip more,
     * which asks for the marker; for that the user needs the permission for {@code INFO}.
     *
     * <p>Every client of the locks needs it, with the same time. Locks with a longer lease duration are refused when they are made, as
     * are longer extensions. Plain locks have no quarantine.
     *
     * @param value 0 to 1 hour; at least the longest lease duration and the longest extension that any client uses
     */
    public HoldfastOptions withQuarantine(Duration value) {
        return new HoldfastOptions(values.with(QUARANTINE, value, Duration.ZERO, Duration.ofHours(1)));
    }

    /** By which part a server's clock may run faster than that of this process before its locks are refused; default 0.1, which is 10 %. */
    public double largestClockDrift() {
        return values.get(LARGEST_CLOCK_DRIFT);
    }

    /**
     * Returns a copy with the given limit of the clock drift. What a server keeps for a time it keeps by its wall clock. If that runs fast, holds end
     * there before their leases are over here. Leases allow for 1 %. A client compares the times in the server's replies with its own
     * monotonic clock. If the server's runs faster than the allowance, it logs a warning, renews what it holds, and counts the
     * durations of its leases by the rate that it has measured.
     *
     * <p>Beyond this limit, seen three times in a row, a lock that is granted is given back, and its request fails with a
     * {@link ServerRefusedException}. A node of a quorum is not asked meanwhile. Locks are obtained again once the clock runs within
     * the limit. See docs/safety.md for what cannot be noticed.
     *
     * @param value 0.01 to 1
     */
    public HoldfastOptions withLargestClockDrift(double value) {
        if (!(value >= 0.01 && value <= 1)) {
            throw new IllegalArgumentException("largestClockDrift is " + value + ", must be from 0.01 to 1");
        }
        return new HoldfastOptions(values.with(LARGEST_CLOCK_DRIFT, value));
    }

    /** How long a request waits before it is looked whether it waits in a deadlock; null (the default) for never. */
    public @Nullable Duration deadlockDetection() {
        return values.get(DEADLOCK_DETECTION);
    }

    /**
     * With detection of deadlocks: cycles of actors each of which waits for what the next one has. A client with a request that
     * waits longer than this writes down at the server whom its actors wait with and what they hold, and reads what other clients have
     * written, until the request ends. A deadlock is reported by {@link LockEvent.Deadlock} and by a warning in the log of each
     * client whose request is in it, mostly after two to three times this long; and a request that asks for that
     * ({@link LockOptions#withDeadlock}) is ended. Nothing is written or read while no request waits so long.
     *
     * <p>An actor is a thread that blocks in a call of this library, or an id that was given ({@link DistributedLock#withActor}), which is
     * taken for one flow of control: all that is held and waited for under it is its own. An asynchronous request
     * without an id belongs to no actor. Every client of a cycle needs detection, or the cycle is not found. Waits for
     * anything but locks of this server, and locks of a {@link Quorum}, are not seen; see docs/guide/deadlocks.md.
     *
     * @param after 1 s to 1 h, or null for none
     */
    public HoldfastOptions withDeadlockDetection(@Nullable Duration after) {
        return new HoldfastOptions(values.with(DEADLOCK_DETECTION, after, Duration.ofSeconds(1), Duration.ofHours(1)));
    }

    /** The part of the requests whose events listeners hear; default 1, which is all of them. */
    public double eventSampling() {
        return values.get(EVENT_SAMPLING);
    }

    /**
     * Returns a copy with the given part. Of a request that is drawn listeners hear every event from the first to the last, of the others
     * none. A listener that was given for a lock or a call ({@link LockOptions#withListener}) hears of all its requests.
     *
     * @param value 0 (none) to 1 (all)
     */
    public HoldfastOptions withEventSampling(double value) {
        return withPart(EVENT_SAMPLING, value);
    }

    /** The part of the requests whose steps are logged; default 1. It applies to level debug and below only. */
    public double logSampling() {
        return values.get(LOG_SAMPLING);
    }

    /**
     * Returns a copy with the given part.
     *
     * @param value 0 (none) to 1 (all)
     */
    public HoldfastOptions withLogSampling(double value) {
        return withPart(LOG_SAMPLING, value);
    }

    /**
     * Where stages complete and listeners run; null (the default) for daemon threads of the client's own, as many as
     * there are callbacks that block at one time. The library's own work does not depend on it. An executor that runs a callback
     * in the thread that hands it in lets it hold up a thread that reads replies: one of the client's, or one that is just blocked in
     * a call of this library. Callbacks that nest more than eight deep in one thread, and those that an executor rejects, run on the
     * client's own threads.
     */
    public @Nullable Executor executor() {
        return values.get(EXECUTOR);
    }

    /** With an executor for callbacks; null for threads of the client's own. */
    public HoldfastOptions withExecutor(@Nullable Executor value) {
        return new HoldfastOptions(values.with(EXECUTOR, value));
    }

    private HoldfastOptions withPart(Option<Double> option, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException(option.name() + " is " + value + ", must be from 0 to 1");
        }
        return new HoldfastOptions(values.with(option, value));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HoldfastOptions that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** The prefix and the application, and what differs from the defaults. */
    @Override
    public String toString() {
        return values.text("HoldfastOptions", PREFIX, APPLICATION);
    }
}
