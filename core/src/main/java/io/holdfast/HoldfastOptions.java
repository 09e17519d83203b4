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

/** The options of a client. Immutable; every {@code with} method checks its value and returns a copy. */
public final class HoldfastOptions {
    /** The reaction to a server with an eviction policy that could drop locks. */
    public enum Eviction {
        /** The client ignores the policy. */
        IGNORE,
        /** The client logs a warning when it connects. */
        WARN,
        /** The client refuses to connect. */
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

    /** Returns options with all defaults; each property names its default. */
    public static HoldfastOptions defaults() {
        return DEFAULTS;
    }

    /** Returns the prefix of all keys and channels, except the keys of plain locks; default {@code hf}. */
    public String prefix() {
        return values.get(PREFIX);
    }

    /**
     * Returns a copy with the given prefix. Clients that exclude each other must have the same prefix.
     *
     * @param value 1 to 64 characters without braces, spaces and control characters
     */
    public HoldfastOptions withPrefix(String value) {
        Require.text("prefix", value, 64);
        if (value.chars().anyMatch(c -> c <= ' ' || c == '{' || c == '}' || c == 127)) {
            throw new IllegalArgumentException(
                    "prefix is '" + value + "', must have no braces, spaces or control characters");
        }
        return new HoldfastOptions(values.with(PREFIX, value));
    }

    /** Returns the name that people see for the holder, with the host's name; default the name of the main class or jar. */
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

    /** Returns the options of locks that have none of their own; default {@link LockOptions#defaults()}. */
    public LockOptions lockDefaults() {
        return values.get(LOCK_DEFAULTS);
    }

    /** Returns a copy with the given options for locks that have none of their own. */
    public HoldfastOptions withLockDefaults(LockOptions value) {
        return new HoldfastOptions(values.with(LOCK_DEFAULTS, value));
    }

    /**
     * Returns the options of the lock, read/write lock, semaphore or {@link Once} of this name, if it has none of its own.
     * Usually these are {@link #lockDefaults()}.
     */
    public LockOptions lockDefaults(String name) {
        Function<? super String, @Nullable LockOptions> byName = lockDefaultsByName();
        LockOptions special = byName == null ? null : byName.apply(name);
        return special == null ? lockDefaults() : special;
    }

    /** Returns the function that {@link #lockDefaults(String)} calls first; null for none (the default). */
    public @Nullable Function<? super String, @Nullable LockOptions> lockDefaultsByName() {
        return values.get(LOCK_DEFAULTS_BY_NAME);
    }

    /**
     * Returns a copy with lock options that depend on the name of a lock. They apply to locks that have none of their own, and
     * not to elections, which use {@link #lockDefaults()}.
     *
     * @param value a function from a name to options; it may return null for {@link #lockDefaults()}. It is called in the
     *     application's thread whenever the application creates a lock, so it should not block; the caller gets its exceptions.
     *     Null for no such function (the default)
     */
    public HoldfastOptions withLockDefaultsByName(@Nullable Function<? super String, @Nullable LockOptions> value) {
        return new HoldfastOptions(values.with(LOCK_DEFAULTS_BY_NAME, value));
    }

    /** Returns how long opening one connection may take, counted from the start of the try; default 5 s. */
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

    /** Returns the supplier of user and password; null (the default) for those of the address. */
    public @Nullable Supplier<Credentials> credentials() {
        return values.get(CREDENTIALS);
    }

    /**
     * Returns a copy with a supplier of user and password, which are used instead of those of the address. If it supplies no
     * user, that of the address counts. It is for a password that changes while the application runs, or that must not be in an
     * address. The client calls it before it opens each connection, also to reconnect, on a thread that connects. It may block,
     * for less than the connect timeout. If it throws, that attempt to connect fails with its exception as the cause. A client
     * that reconnects calls it again after the usual pause.
     *
     * <p>It applies to servers, nodes of clusters and of quorums, and the servers behind Sentinels. A client over a driver, and
     * a client of the embedded server, ignore it.
     *
     * @param value called on any thread, perhaps on several at a time; null for the credentials of the address
     */
    public HoldfastOptions withCredentials(@Nullable Supplier<Credentials> value) {
        return new HoldfastOptions(values.with(CREDENTIALS, value));
    }

    /** Returns the supplier of user and password for Sentinels; null (the default) for those of the address. */
    public @Nullable Supplier<Credentials> sentinelCredentials() {
        return values.get(SENTINEL_CREDENTIALS);
    }

    /**
     * Returns a copy with a supplier of user and password for Sentinels, which never get those of the servers; see
     * {@link #withCredentials}.
     */
    public HoldfastOptions withSentinelCredentials(@Nullable Supplier<Credentials> value) {
        return new HoldfastOptions(values.with(SENTINEL_CREDENTIALS, value));
    }

    /** Returns how connections to {@code rediss} addresses are encrypted; default {@link Tls#defaults()}. */
    public Tls tls() {
        return values.get(TLS);
    }

    /**
     * Returns a copy with the given certificates, for {@code rediss} addresses. With any other address, connecting throws
     * {@code IllegalArgumentException}. A client over a driver, and a client of the embedded server, ignore them.
     */
    public HoldfastOptions withTls(Tls value) {
        return new HoldfastOptions(values.with(TLS, value));
    }

    /** Returns the options that drivers need to connect to servers. */
    ConnectOptions connecting() {
        return new ConnectOptions(connectTimeout(), "holdfast", credentials(), tls());
    }

    /**
     * Returns how long an answer may take before the outcome counts as unknown; default 2 s. The client checks that four times
     * in this time, so a call can last up to a quarter longer. If a server has answered nothing for three times as long, although
     * it was asked, the client connects to it again.
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

    /** Returns the maximum time that {@link Holdfast#close()} waits for the server to confirm its releases; default 3 s. */
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

    /** Returns how often a client that waits reports to the server; default 2 s. */
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

    /** Returns how long a waiter keeps its position without a report; default 30 s. */
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
     * Returns how long the server remembers the last fencing token of a lock, counted from the time that the token encodes;
     * default 1 h. If the server's clock goes back by less than this, tokens still grow.
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

    /**
     * Returns the reaction to a server that may drop locks when its memory is full; default {@link Eviction#WARN}. The policy is
     * not checked if the user has no permission for {@code INFO}.
     */
    public Eviction eviction() {
        return values.get(EVICTION);
    }

    /** Returns a copy with the given reaction to servers that may drop locks. */
    public HoldfastOptions withEviction(Eviction value) {
        return new HoldfastOptions(values.with(EVICTION, value));
    }

    /** Returns the listeners, which receive the events of this client; default none. */
    public List<HoldfastListener> listeners() {
        return values.get(LISTENERS);
    }

    /** Returns a copy with a further listener. */
    public HoldfastOptions withListener(HoldfastListener value) {
        List<HoldfastListener> more = new ArrayList<>(listeners());
        more.add(Require.given("listener", value));
        return new HoldfastOptions(values.with(LISTENERS, List.copyOf(more)));
    }

    /** Returns how long leases are held back after the server may have lost its memory; default 0, which is not at all. */
    public Duration quarantine() {
        return values.get(QUARANTINE);
    }

    /**
     * Returns a copy with the given quarantine. A server may have forgotten leases that are still valid for their holders. This
     * happens if it was restarted, with or without data, was emptied, or has taken over from another. With a quarantine, the
     * client holds back a lease that was granted within this time after the change. It hands out the lease only when the time,
     * plus 1 % and 2 ms, is over. A request that does not wait that long is refused ({@link Attempt.Reason#QUARANTINE}). Leases
     * therefore do not overlap although the server has forgotten some.
     *
     * <p>A key on the server, the <em>marker</em>, records which process of the server has its memory, and since when. The time
     * is counted from the moment when the first client finds that the marker is missing, or belongs to another process. So all
     * clients wait for this time once after the very first one has connected to a server. Each grant by the server costs one
     * more round trip, which reads the marker. For that the user needs the permission for {@code INFO}.
     *
     * <p>Every client of the locks needs a quarantine of the same time. A lock whose lease duration and lock-delay together are
     * longer is refused when it is made, and so is a longer extension. Plain locks have no quarantine.
     *
     * @param value 0 to 1 hour; at least the longest lease duration and the longest extension that any client uses, each with
     *     its lock-delay
     */
    public HoldfastOptions withQuarantine(Duration value) {
        return new HoldfastOptions(values.with(QUARANTINE, value, Duration.ZERO, Duration.ofHours(1)));
    }

    /**
     * Returns how much faster a server's clock may run than that of this process before its locks are refused; default 0.1,
     * which is 10 %.
     */
    public double largestClockDrift() {
        return values.get(LARGEST_CLOCK_DRIFT);
    }

    /**
     * Returns a copy with the given limit of the clock drift. Keys on a server expire by its wall clock. If that clock runs
     * fast, holds end there before their leases are over here. Leases allow for 1 % and 2 ms. A client compares the times in the
     * server's replies with its own monotonic clock. If the server's clock runs faster than the allowance, the client logs a
     * warning and renews its holds. It then counts the durations of its leases by the measured rate.
     *
     * <p>If the drift exceeds this limit in three readings in a row, a lock that is granted is given back, and its request fails
     * with a {@link ServerRefusedException}. A node of a quorum is not asked meanwhile. Locks are obtained again once the clock
     * runs within the limit. See docs/safety.md for drift that cannot be noticed.
     *
     * @param value 0.01 to 1
     */
    public HoldfastOptions withLargestClockDrift(double value) {
        if (!(value >= 0.01 && value <= 1)) {
            throw new IllegalArgumentException("largestClockDrift is " + value + ", must be from 0.01 to 1");
        }
        return new HoldfastOptions(values.with(LARGEST_CLOCK_DRIFT, value));
    }

    /** Returns how long a request waits before the client checks whether it waits in a deadlock; null (the default) for never. */
    public @Nullable Duration deadlockDetection() {
        return values.get(DEADLOCK_DETECTION);
    }

    /**
     * Returns a copy with detection of deadlocks: cycles of actors, each of which waits for a lock that the next one has. If a
     * request waits longer than this, its client writes to the server what its actors wait for and what they hold. It also
     * reads what other clients have written, until the request ends. A deadlock is reported by {@link LockEvent.Deadlock} and
     * by a warning in the log of each client whose request is in it, usually after two to three times this long. If the options
     * of a request in the deadlock allow that ({@link LockOptions#withDeadlock}), it is ended. The client writes and reads
     * nothing while no request waits this long.
     *
     * <p>An actor is a thread that blocks in a call of this library, or an id that the caller gave
     * ({@link DistributedLock#withActor}). An id counts as one flow of control, which owns all that is held and waited for
     * under it. An asynchronous request without an id belongs to no actor. A cycle is found only if every client in it uses
     * detection. Only waits for locks of this server are seen; those for plain locks, for locks of a {@link Quorum}, or for
     * anything else, are not. See docs/guide/deadlocks.md.
     *
     * @param after 1 s to 1 h, or null for none
     */
    public HoldfastOptions withDeadlockDetection(@Nullable Duration after) {
        return new HoldfastOptions(values.with(DEADLOCK_DETECTION, after, Duration.ofSeconds(1), Duration.ofHours(1)));
    }

    /** Returns the fraction of the requests whose events are sent to listeners; default 1, which is all of them. */
    public double eventSampling() {
        return values.get(EVENT_SAMPLING);
    }

    /**
     * Returns a copy with the given fraction. Listeners receive every event of a request that is drawn, and no event of the
     * others. Requests that share a hold on the server ({@link LockOptions#withLocalHandoffs turns}) are drawn together. If a
     * request of such a client waits for the next hold, only a part of its events may be sent. Events of an operator's acts are
     * always sent. A listener of a lock or a call ({@link LockOptions#withListener}) receives the events of all its requests.
     *
     * @param value 0 (none) to 1 (all)
     */
    public HoldfastOptions withEventSampling(double value) {
        return withPart(EVENT_SAMPLING, value);
    }

    /** Returns the fraction of the requests whose steps are logged at level debug ({@code io.holdfast.steps}); default 1. */
    public double logSampling() {
        return values.get(LOG_SAMPLING);
    }

    /**
     * Returns a copy with the given fraction.
     *
     * @param value 0 (none) to 1 (all)
     */
    public HoldfastOptions withLogSampling(double value) {
        return withPart(LOG_SAMPLING, value);
    }

    /**
     * Returns the executor on which stages complete and listeners run. Null (the default) means the client's own daemon
     * threads, as many as there are callbacks that block at one time. The library's own work does not depend on it. If an
     * executor runs a callback in the thread that submits it, the callback can block a thread that reads replies. That is a
     * thread of the client, or a thread that is blocked in a call of this library. Callbacks nested more than eight deep in one
     * thread, and callbacks that an executor rejects, run on the client's own threads.
     */
    public @Nullable Executor executor() {
        return values.get(EXECUTOR);
    }

    /** Returns a copy with an executor for callbacks; null for threads of the client's own. */
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

    /** Returns the prefix, the application, and all values that differ from the defaults. */
    @Override
    public String toString() {
        return values.text("HoldfastOptions", PREFIX, APPLICATION);
    }
}
