package io.holdfast;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** How a client works. Immutable; every {@code with} checks its value and gives a copy. */
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

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final HoldfastOptions DEFAULTS = new HoldfastOptions(new Draft());

    private final Draft values;

    /** The fields of one set. Changed only before it is given to a constructor. */
    private static final class Draft {
        String prefix = "hf";
        String application = Label.applicationName();
        LockOptions lockDefaults = LockOptions.defaults();
        Duration connectTimeout = Duration.ofSeconds(5);
        Duration commandTimeout = Duration.ofSeconds(2);
        Duration closeTimeout = Duration.ofSeconds(3);
        Duration refreshInterval = Duration.ofSeconds(2);
        Duration waiterDeadline = Duration.ofSeconds(30);
        Duration tokenLife = Duration.ofHours(1);
        Eviction eviction = Eviction.WARN;
        Duration quarantine = Duration.ZERO;
        List<HoldfastListener> listeners = List.of();
        double eventSampling = 1;
        double logSampling = 1;

        @Nullable
        Executor executor = null;

        Draft() {}

        Draft(Draft other) {
            prefix = other.prefix;
            application = other.application;
            lockDefaults = other.lockDefaults;
            connectTimeout = other.connectTimeout;
            commandTimeout = other.commandTimeout;
            closeTimeout = other.closeTimeout;
            refreshInterval = other.refreshInterval;
            waiterDeadline = other.waiterDeadline;
            tokenLife = other.tokenLife;
            eviction = other.eviction;
            quarantine = other.quarantine;
            listeners = other.listeners;
            eventSampling = other.eventSampling;
            logSampling = other.logSampling;
            executor = other.executor;
        }

        List<@Nullable Object> all() {
            return Arrays.asList(
                    prefix,
                    application,
                    lockDefaults,
                    connectTimeout,
                    commandTimeout,
                    closeTimeout,
                    refreshInterval,
                    waiterDeadline,
                    tokenLife,
                    eviction,
                    quarantine,
                    listeners,
                    eventSampling,
                    logSampling,
                    executor);
        }
    }

    private HoldfastOptions(Draft values) {
        this.values = values;
        Require.between(
                "waiterDeadline",
                values.waiterDeadline,
                values.refreshInterval.multipliedBy(3),
                Duration.ofMinutes(10));
    }

    /** The defaults named at each property. */
    public static HoldfastOptions defaults() {
        return DEFAULTS;
    }

    /** What the names of all keys and channels begin with; default {@code hf}. */
    public String prefix() {
        return values.prefix;
    }

    /**
     * With another prefix. Clients that are to exclude each other need the same.
     *
     * @param value 1 to 64 characters without braces and spaces
     */
    public HoldfastOptions withPrefix(String value) {
        Require.text("prefix", value, 64);
        if (value.chars().anyMatch(c -> c <= ' ' || c == '{' || c == '}' || c == 127)) {
            throw new IllegalArgumentException(
                    "prefix is '" + value + "', must have no braces, spaces or control characters");
        }
        Draft changed = new Draft(values);
        changed.prefix = value;
        return new HoldfastOptions(changed);
    }

    /** What people see as the holder, with the host's name; default the main class or jar. */
    public String application() {
        return values.application;
    }

    /**
     * With another application name.
     *
     * @param value 1 to 100 characters
     */
    public HoldfastOptions withApplication(String value) {
        Draft changed = new Draft(values);
        changed.application = Require.text("application", value, 100);
        return new HoldfastOptions(changed);
    }

    /** For locks that do not say otherwise. */
    public LockOptions lockDefaults() {
        return values.lockDefaults;
    }

    /** With other defaults for locks. */
    public HoldfastOptions withLockDefaults(LockOptions value) {
        Draft changed = new Draft(values);
        changed.lockDefaults = value;
        return new HoldfastOptions(changed);
    }

    /** The longest time for one connection; default 5 s. */
    public Duration connectTimeout() {
        return values.connectTimeout;
    }

    /**
     * With another limit for connecting.
     *
     * @param value 10 ms to 1 min
     */
    public HoldfastOptions withConnectTimeout(Duration value) {
        Draft changed = new Draft(values);
        changed.connectTimeout = Require.between("connectTimeout", value, Duration.ofMillis(10), MINUTE);
        return new HoldfastOptions(changed);
    }

    /**
     * How long an answer may take before the outcome counts as unknown; default 2 s. A connection on which nothing was
     * answered for three times as long is opened anew.
     */
    public Duration commandTimeout() {
        return values.commandTimeout;
    }

    /**
     * With another limit for answers.
     *
     * @param value 10 ms to 1 min
     */
    public HoldfastOptions withCommandTimeout(Duration value) {
        Draft changed = new Draft(values);
        changed.commandTimeout = Require.between("commandTimeout", value, Duration.ofMillis(10), MINUTE);
        return new HoldfastOptions(changed);
    }

    /** How long {@link Holdfast#close()} waits at most for its releases to be confirmed; default 3 s. */
    public Duration closeTimeout() {
        return values.closeTimeout;
    }

    /**
     * With another limit for closing.
     *
     * @param value 0 to 1 min
     */
    public HoldfastOptions withCloseTimeout(Duration value) {
        Draft changed = new Draft(values);
        changed.closeTimeout = Require.between("closeTimeout", value, Duration.ZERO, MINUTE);
        return new HoldfastOptions(changed);
    }

    /** How often a client that waits reports to the server; default 2 s. */
    public Duration refreshInterval() {
        return values.refreshInterval;
    }

    /**
     * With another refresh interval; see also {@link #withWaiterDeadline}.
     *
     * @param value 100 ms to 10 s
     */
    public HoldfastOptions withRefreshInterval(Duration value) {
        Draft changed = new Draft(values);
        changed.refreshInterval =
                Require.between("refreshInterval", value, Duration.ofMillis(100), Duration.ofSeconds(10));
        return new HoldfastOptions(changed);
    }

    /** How long a waiter keeps its place without a report; default 30 s. */
    public Duration waiterDeadline() {
        return values.waiterDeadline;
    }

    /**
     * With another waiter deadline.
     *
     * @param value at least three refresh intervals, at most 10 min
     */
    public HoldfastOptions withWaiterDeadline(Duration value) {
        Draft changed = new Draft(values);
        changed.waiterDeadline = value;
        return new HoldfastOptions(changed);
    }

    /**
     * How long the last fencing token of a lock is remembered after its own time: by so much the server's clock may go
     * back without tokens falling; default 1 h.
     */
    public Duration tokenLife() {
        return values.tokenLife;
    }

    /**
     * With another life of tokens.
     *
     * @param value 1 s to 365 days
     */
    public HoldfastOptions withTokenLife(Duration value) {
        Draft changed = new Draft(values);
        changed.tokenLife = Require.between("tokenLife", value, Duration.ofSeconds(1), Require.LONGEST);
        return new HoldfastOptions(changed);
    }

    /** What to do about a server that may drop locks when its memory is full; default warn. */
    public Eviction eviction() {
        return values.eviction;
    }

    /** With another answer to servers that may drop locks. */
    public HoldfastOptions withEviction(Eviction value) {
        Draft changed = new Draft(values);
        changed.eviction = value;
        return new HoldfastOptions(changed);
    }

    /** Who hears of all that this client does; default nobody. */
    public List<HoldfastListener> listeners() {
        return values.listeners;
    }

    /** With a further listener. */
    public HoldfastOptions withListener(HoldfastListener value) {
        Draft changed = new Draft(values);
        List<HoldfastListener> more = new ArrayList<>(values.listeners);
        more.add(value);
        changed.listeners = List.copyOf(more);
        return new HoldfastOptions(changed);
    }

    /** How long leases are held back after the server may have lost its memory; default 0, which is not at all. */
    public Duration quarantine() {
        return values.quarantine;
    }

    /**
     * With a quarantine. A server that was restarted, with or without data, that was emptied, or that has taken over from
     * another, may have forgotten leases that are still valid where they are held. With a quarantine a lease that is granted
     * within this time of the change is kept, but handed out only when the time, and 1 %, is over; a request that does not
     * wait so long gets {@link Attempt.Unconfirmed}. So leases do not overlap although the server has forgotten some.
     *
     * <p>A key on the server, the <em>marker</em>, tells since when which process of it has its memory. The time is counted
     * from when the first client finds that the marker is not there, or is of another process; the very first client of a
     * server waits the time once, and clients that connect later do not. Each lease costs a round trip more, which asks for
     * the marker; for that the user needs the permission for {@code INFO}.
     *
     * <p>Every client of the locks needs it, with the same time. Locks with a longer term are refused when they are made, as
     * are longer extensions. Plain locks have none.
     *
     * @param value 0 to 1 hour; at least the longest term and the longest extension that any client uses
     */
    public HoldfastOptions withQuarantine(Duration value) {
        Draft changed = new Draft(values);
        changed.quarantine = Require.between("quarantine", value, Duration.ZERO, Duration.ofHours(1));
        return new HoldfastOptions(changed);
    }

    /** For which part of the requests listeners hear events; default 1, which is all of them. */
    public double eventSampling() {
        return values.eventSampling;
    }

    /**
     * With another part. A request that is drawn is heard of from its first event to its last, the others never. A listener
     * that was given for a lock or a call ({@link LockOptions#withListener}) hears of all its requests.
     *
     * @param value 0 (none) to 1 (all)
     */
    public HoldfastOptions withEventSampling(double value) {
        Draft changed = new Draft(values);
        changed.eventSampling = part("eventSampling", value);
        return new HoldfastOptions(changed);
    }

    /** For which part of the requests steps are logged; default 1. What is at level debug or below only. */
    public double logSampling() {
        return values.logSampling;
    }

    /**
     * With another part.
     *
     * @param value 0 (none) to 1 (all)
     */
    public HoldfastOptions withLogSampling(double value) {
        Draft changed = new Draft(values);
        changed.logSampling = part("logSampling", value);
        return new HoldfastOptions(changed);
    }

    /**
     * Where stages complete and listeners run; null (the default) for daemon threads of the client's own, as many as
     * there are callbacks that block at one time.
     */
    public @Nullable Executor executor() {
        return values.executor;
    }

    /** With an executor for callbacks; null for threads of the client's own. */
    public HoldfastOptions withExecutor(@Nullable Executor value) {
        Draft changed = new Draft(values);
        changed.executor = value;
        return new HoldfastOptions(changed);
    }

    private static double part(String parameter, double value) {
        if (!(value >= 0 && value <= 1)) {
            throw new IllegalArgumentException(parameter + " is " + value + ", must be from 0 to 1");
        }
        return value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof HoldfastOptions that && values.all().equals(that.values.all());
    }

    @Override
    public int hashCode() {
        return values.all().hashCode();
    }

    @Override
    public String toString() {
        return "HoldfastOptions[prefix " + values.prefix + ", application " + values.application + "]";
    }
}
