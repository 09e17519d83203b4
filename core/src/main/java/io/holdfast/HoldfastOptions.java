package io.holdfast;

import java.time.Duration;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How a client works. Immutable; checked when built.
 *
 * @param prefix what the names of all keys and channels begin with; 1 to 64 characters without braces and spaces; default
 *     {@code hf}. Clients that are to exclude each other need the same
 * @param application what people see as the holder, with the host's name; 1 to 100 characters; default the main class or
 *     jar
 * @param lockDefaults for locks that do not say otherwise
 * @param connectTimeout the longest time for one connection; 10 ms to 1 min, default 5 s
 * @param commandTimeout how long an answer may take before the outcome counts as unknown; 10 ms to 1 min, default 2 s
 * @param closeTimeout how long {@link Holdfast#close()} waits for its releases to be confirmed; 0 to 1 min, default 3 s
 * @param refreshInterval how often a client that waits reports to the server; 100 ms to 10 s, default 2 s
 * @param waiterDeadline how long a waiter keeps its place without a report; at least three refresh intervals, at most 10
 *     min; default 30 s
 * @param tokenLife how long the last fencing token of a lock is remembered after its own time: by so much the server's
 *     clock may go back without tokens falling; 1 s to 365 days, default 1 h
 * @param eviction what to do about a server that may drop locks when its memory is full; default warn
 * @param executor where stages complete and listeners run; null (the default) for daemon threads of the client's own, as
 *     many as there are callbacks that block at one time
 */
public record HoldfastOptions(
        String prefix,
        String application,
        LockOptions lockDefaults,
        Duration connectTimeout,
        Duration commandTimeout,
        Duration closeTimeout,
        Duration refreshInterval,
        Duration waiterDeadline,
        Duration tokenLife,
        Eviction eviction,
        @Nullable Executor executor) {

    /** What to do about a server with an eviction policy that could drop locks. */
    public enum Eviction {
        /** Say nothing. */
        IGNORE,
        /** Log a warning when connecting. */
        WARN,
        /** Refuse to connect. */
        REFUSE
    }

    private static final HoldfastOptions DEFAULTS = new HoldfastOptions(
            "hf",
            Label.applicationName(),
            LockOptions.defaults(),
            Duration.ofSeconds(5),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofSeconds(2),
            Duration.ofSeconds(30),
            Duration.ofHours(1),
            Eviction.WARN,
            null);

    /** Checks each value. */
    public HoldfastOptions {
        Require.text("prefix", prefix, 64);
        if (prefix.chars().anyMatch(c -> c <= ' ' || c == '{' || c == '}' || c == 127)) {
            throw new IllegalArgumentException(
                    "prefix is '" + prefix + "', must have no braces, spaces or control characters");
        }
        Require.text("application", application, 100);
        Duration minute = Duration.ofMinutes(1);
        Require.between("connectTimeout", connectTimeout, Duration.ofMillis(10), minute);
        Require.between("commandTimeout", commandTimeout, Duration.ofMillis(10), minute);
        Require.between("closeTimeout", closeTimeout, Duration.ZERO, minute);
        Require.between("refreshInterval", refreshInterval, Duration.ofMillis(100), Duration.ofSeconds(10));
        Require.between("waiterDeadline", waiterDeadline, refreshInterval.multipliedBy(3), Duration.ofMinutes(10));
        Require.between("tokenLife", tokenLife, Duration.ofSeconds(1), Require.LONGEST);
    }

    /** The defaults named at each parameter. */
    public static HoldfastOptions defaults() {
        return DEFAULTS;
    }

    /** With another prefix. */
    public HoldfastOptions withPrefix(String value) {
        return new HoldfastOptions(
                value,
                application,
                lockDefaults,
                connectTimeout,
                commandTimeout,
                closeTimeout,
                refreshInterval,
                waiterDeadline,
                tokenLife,
                eviction,
                executor);
    }

    /** With another application name. */
    public HoldfastOptions withApplication(String value) {
        return new HoldfastOptions(
                prefix,
                value,
                lockDefaults,
                connectTimeout,
                commandTimeout,
                closeTimeout,
                refreshInterval,
                waiterDeadline,
                tokenLife,
                eviction,
                executor);
    }

    /** With other defaults for locks. */
    public HoldfastOptions withLockDefaults(LockOptions value) {
        return new HoldfastOptions(
                prefix,
                application,
                value,
                connectTimeout,
                commandTimeout,
                closeTimeout,
                refreshInterval,
                waiterDeadline,
                tokenLife,
                eviction,
                executor);
    }

    /** With another limit for connecting. */
    public HoldfastOptions withConnectTimeout(Duration value) {
        return new HoldfastOptions(
                prefix,
                application,
                lockDefaults,
                value,
                commandTimeout,
                closeTimeout,
                refreshInterval,
                waiterDeadline,
                tokenLife,
                eviction,
                executor);
    }

    /** With another limit for answers. */
    public HoldfastOptions withCommandTimeout(Duration value) {
        return new HoldfastOptions(
                prefix,
                application,
                lockDefaults,
                connectTimeout,
                value,
                closeTimeout,
                refreshInterval,
                waiterDeadline,
                tokenLife,
                eviction,
                executor);
    }

    /** With another limit for closing. */
    public HoldfastOptions withCloseTimeout(Duration value) {
        return new HoldfastOptions(
                prefix,
                application,
                lockDefaults,
                connectTimeout,
                commandTimeout,
                value,
                refreshInterval,
                waiterDeadline,
                tokenLife,
                eviction,
                executor);
    }

    /** With another refresh interval; see also {@link #withWaiterDeadline}. */
    public HoldfastOptions withRefreshInterval(Duration value) {
        return new HoldfastOptions(
                prefix,
                application,
                lockDefaults,
                connectTimeout,
                commandTimeout,
                closeTimeout,
                value,
                waiterDeadline,
                tokenLife,
                eviction,
                executor);
    }

    /** With another waiter deadline. */
    public HoldfastOptions withWaiterDeadline(Duration value) {
        return new HoldfastOptions(
                prefix,
                application,
                lockDefaults,
                connectTimeout,
                commandTimeout,
                closeTimeout,
                refreshInterval,
                value,
                tokenLife,
                eviction,
                executor);
    }

    /** With another life of tokens. */
    public HoldfastOptions withTokenLife(Duration value) {
        return new HoldfastOptions(
                prefix,
                application,
                lockDefaults,
                connectTimeout,
                commandTimeout,
                closeTimeout,
                refreshInterval,
                waiterDeadline,
                value,
                eviction,
                executor);
    }

    /** With another answer to eviction policies. */
    public HoldfastOptions withEviction(Eviction value) {
        return new HoldfastOptions(
                prefix,
                application,
                lockDefaults,
                connectTimeout,
                commandTimeout,
                closeTimeout,
                refreshInterval,
                waiterDeadline,
                tokenLife,
                value,
                executor);
    }

    /** With an executor for callbacks; null for threads of the client's own. */
    public HoldfastOptions withExecutor(@Nullable Executor value) {
        return new HoldfastOptions(
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
                value);
    }
}
