package io.holdfast;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a lock is asked for and held. Immutable; checked when built. A client has one set as its default, a lock may have
 * its own, and so may a single call.
 *
 * @param term how long the lease lasts without renewal, and so how long the others wait for a holder that died; 100 ms
 *     to 365 days; default 30 s. Short terms free the lock of a dead holder sooner, and lose the lease of a living one
 *     sooner when the server is away or the process stands still
 * @param renewed whether the client renews the lease, at a third of the term, as long as the {@link Lease} is reachable;
 *     default true. A lease that is not renewed ends with its term
 * @param longestHold the time after which renewal stops; null for never (the default). The lease then ends with the term
 *     that it has left
 * @param longestScope the same for the scoped forms ({@code call}, {@code run}); default 1 h
 * @param waitLimit how long to wait if the call does not say; default 60 s
 * @param claim how long a waiter that was handed the lock may take to confirm; 50 ms to 10 s, default 1 s, never more
 *     than the term. It bounds what a frozen waiter costs the others
 * @param leastRemaining a lease that arrives with less than this left is armed anew before it is handed out; default 0;
 *     must be less than nine tenths of the term
 * @param shortestHold after a release the lock stays taken until this long after the grant, so that a short job does not
 *     run again on a machine whose clock is late; default 0
 * @param requestLife how long a request keeps its place in the queue, on the server's clock; null for as long as it
 *     waits (the default)
 * @param requestEnd what happens to a request that has outlived {@code requestLife}; default {@link RequestEnd#TO_TAIL}
 */
public record LockOptions(
        Duration term,
        boolean renewed,
        @Nullable Duration longestHold,
        @Nullable Duration longestScope,
        Wait waitLimit,
        Duration claim,
        Duration leastRemaining,
        Duration shortestHold,
        @Nullable Duration requestLife,
        RequestEnd requestEnd) {

    /** What happens to a request that has outlived its life in the queue. */
    public enum RequestEnd {
        /** It goes to the tail and begins a new life. */
        TO_TAIL,
        /** It leaves the queue: the call ends as timed out. */
        LEAVE
    }

    /** The shortest term. */
    public static final Duration SHORTEST_TERM = Duration.ofMillis(100);

    private static final LockOptions DEFAULTS = new LockOptions(
            Duration.ofSeconds(30),
            true,
            null,
            Duration.ofHours(1),
            Wait.upTo(Duration.ofSeconds(60)),
            Duration.ofSeconds(1),
            Duration.ZERO,
            Duration.ZERO,
            null,
            RequestEnd.TO_TAIL);

    /** Checks each value. */
    public LockOptions {
        Require.between("term", term, SHORTEST_TERM, Require.LONGEST);
        if (longestHold != null) {
            Require.between("longestHold", longestHold, Duration.ofMillis(1), Require.LONGEST);
        }
        if (longestScope != null) {
            Require.between("longestScope", longestScope, Duration.ofMillis(1), Require.LONGEST);
        }
        Require.between("claim", claim, Duration.ofMillis(50), Duration.ofSeconds(10));
        Require.zeroOrMore("leastRemaining", leastRemaining);
        if (leastRemaining.compareTo(term.multipliedBy(9).dividedBy(10)) >= 0) {
            throw new IllegalArgumentException("leastRemaining is " + leastRemaining
                    + ", must be less than nine tenths of the term, which is " + term);
        }
        Require.zeroOrMore("shortestHold", shortestHold);
        if (requestLife != null) {
            Require.between("requestLife", requestLife, Duration.ofMillis(100), Require.LONGEST);
        }
    }

    /** The defaults named at each parameter. */
    public static LockOptions defaults() {
        return DEFAULTS;
    }

    /** With another term. */
    public LockOptions withTerm(Duration value) {
        return new LockOptions(
                value,
                renewed,
                longestHold,
                longestScope,
                waitLimit,
                claim,
                leastRemaining,
                shortestHold,
                requestLife,
                requestEnd);
    }

    /** With or without renewal. */
    public LockOptions withRenewed(boolean value) {
        return new LockOptions(
                term,
                value,
                longestHold,
                longestScope,
                waitLimit,
                claim,
                leastRemaining,
                shortestHold,
                requestLife,
                requestEnd);
    }

    /** With another limit on the whole hold; null for none. */
    public LockOptions withLongestHold(@Nullable Duration value) {
        return new LockOptions(
                term,
                renewed,
                value,
                longestScope,
                waitLimit,
                claim,
                leastRemaining,
                shortestHold,
                requestLife,
                requestEnd);
    }

    /** With another limit on scoped holds; null for none. */
    public LockOptions withLongestScope(@Nullable Duration value) {
        return new LockOptions(
                term,
                renewed,
                longestHold,
                value,
                waitLimit,
                claim,
                leastRemaining,
                shortestHold,
                requestLife,
                requestEnd);
    }

    /** With another limit for waiting. */
    public LockOptions withWaitLimit(Wait value) {
        return new LockOptions(
                term,
                renewed,
                longestHold,
                longestScope,
                value,
                claim,
                leastRemaining,
                shortestHold,
                requestLife,
                requestEnd);
    }

    /** With another claim window. */
    public LockOptions withClaim(Duration value) {
        return new LockOptions(
                term,
                renewed,
                longestHold,
                longestScope,
                waitLimit,
                value,
                leastRemaining,
                shortestHold,
                requestLife,
                requestEnd);
    }

    /** With another least remaining term. */
    public LockOptions withLeastRemaining(Duration value) {
        return new LockOptions(
                term,
                renewed,
                longestHold,
                longestScope,
                waitLimit,
                claim,
                value,
                shortestHold,
                requestLife,
                requestEnd);
    }

    /** With another shortest hold. */
    public LockOptions withShortestHold(Duration value) {
        return new LockOptions(
                term,
                renewed,
                longestHold,
                longestScope,
                waitLimit,
                claim,
                leastRemaining,
                value,
                requestLife,
                requestEnd);
    }

    /** With another life of requests in the queue, and what happens at its end; null for no limit. */
    public LockOptions withRequestLife(@Nullable Duration value, RequestEnd end) {
        return new LockOptions(
                term, renewed, longestHold, longestScope, waitLimit, claim, leastRemaining, shortestHold, value, end);
    }

    /** The claim window as it is used: never longer than the term. */
    Duration claimWindow() {
        return claim.compareTo(term) < 0 ? claim : term;
    }
}
