package io.holdfast;

import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a plain lock is asked for and held. Immutable; checked when built. A lock has one set, and so may a single call
 * ({@link PlainLock#with}).
 *
 * @param term how long the key lasts without renewal, 100 ms to 365 days, in whole milliseconds (a fraction is dropped);
 *     default 30 s
 * @param expiring whether the key expires; default true. See {@link #withoutExpiry()}
 * @param renewed whether the client renews the lease, at a third of the term, as long as the {@link PlainLease} is
 *     reachable; default true
 * @param longestHold the time after which renewal stops; null (the default) for never, and for an hour in the scoped forms
 * @param values makes the value of each request; null (the default) for 144 random bits. A value says who holds the key,
 *     and frees it: it must be unlike every other that any program has ever used for this key. 1 to 1,000 characters.
 *     Called in the thread that asks
 * @param backoff how long to wait before asking again; default exponential from 10 ms to 250 ms, less up to a half
 * @param maxAttempts how often to ask at most, 1 for once; default {@link Integer#MAX_VALUE}, which means no limit
 * @param waitLimit how long to wait if the call does not say; default 60 s
 * @param patience what the limit limits; default {@link Patience#IN_ALL}
 * @param leastRemaining a lease that arrives with less than this left is armed anew before it is handed out; default 0;
 *     must be less than nine tenths of the term
 */
public record PlainOptions(
        Duration term,
        boolean expiring,
        boolean renewed,
        @Nullable Duration longestHold,
        @Nullable Supplier<String> values,
        Backoff backoff,
        int maxAttempts,
        Wait waitLimit,
        Patience patience,
        Duration leastRemaining) {

    /** What the wait limit limits, and what happens at its end. */
    public enum Patience {
        /** The whole wait, counted from the call. At its end the call has timed out. */
        IN_ALL,
        /**
         * The time for which one holder keeps the key: it starts anew whenever another value is seen there. So it passes
         * only if the holder is stuck, and not because many others came first. Then the call has timed out.
         */
        WITH_EACH_HOLDER,
        /**
         * The same, but then takes the key over from the stuck holder, whose value must still be there at that moment. If
         * the holder is alive, two work at the same time, unless it looks at its lease.
         */
        THEN_TAKE_OVER
    }

    private static final PlainOptions DEFAULTS = new PlainOptions(
            Duration.ofSeconds(30),
            true,
            true,
            null,
            null,
            Backoff.exponential(Duration.ofMillis(10), Duration.ofMillis(250)).withJitter(0.5),
            Integer.MAX_VALUE,
            Wait.upTo(Duration.ofSeconds(60)),
            Patience.IN_ALL,
            Duration.ZERO);

    /** Checks each value. */
    public PlainOptions {
        Require.between("term", term, LockOptions.SHORTEST_TERM, Require.LONGEST);
        // What the server is told and what the client counts must be the same.
        term = Duration.ofMillis(term.toMillis());
        if (!expiring && renewed) {
            throw new IllegalArgumentException(
                    "renewed is true, must be false for a key without expiry: there is nothing to renew");
        }
        if (longestHold != null) {
            Require.between("longestHold", longestHold, Duration.ofMillis(1), Require.LONGEST);
        }
        if (maxAttempts < 1) {
            throw new IllegalArgumentException("maxAttempts is " + maxAttempts + ", must be at least 1");
        }
        Require.zeroOrMore("leastRemaining", leastRemaining);
        if (leastRemaining.compareTo(term.multipliedBy(9).dividedBy(10)) >= 0) {
            throw new IllegalArgumentException("leastRemaining is " + leastRemaining
                    + ", must be less than nine tenths of the term, which is " + term);
        }
    }

    /** The defaults named at each parameter. */
    public static PlainOptions defaults() {
        return DEFAULTS;
    }

    private PlainOptions with(Duration newTerm, boolean newExpiring, boolean newRenewed) {
        return new PlainOptions(
                newTerm,
                newExpiring,
                newRenewed,
                longestHold,
                values,
                backoff,
                maxAttempts,
                waitLimit,
                patience,
                leastRemaining);
    }

    /** With another term, at whose end the key expires. */
    public PlainOptions withTerm(Duration value) {
        return with(value, true, renewed);
    }

    /**
     * With a key that never expires, and is not renewed. <b>If its holder dies, the lock stays taken until somebody deletes
     * the key, or takes it over.</b> A lease always begins with the term, and its key is made unexpiring before it is handed
     * out, so that a request that gets lost leaves nothing for ever.
     */
    public PlainOptions withoutExpiry() {
        return with(term, false, false);
    }

    /** With or without renewal. */
    public PlainOptions withRenewed(boolean value) {
        return with(term, expiring, value);
    }

    /** With another limit on the whole hold; null for none. */
    public PlainOptions withLongestHold(@Nullable Duration value) {
        return new PlainOptions(
                term, expiring, renewed, value, values, backoff, maxAttempts, waitLimit, patience, leastRemaining);
    }

    /** With values of the caller's own making, a fresh one each time; null for random ones. */
    public PlainOptions withValues(@Nullable Supplier<String> value) {
        return new PlainOptions(
                term, expiring, renewed, longestHold, value, backoff, maxAttempts, waitLimit, patience, leastRemaining);
    }

    /** With another backoff. */
    public PlainOptions withBackoff(Backoff value) {
        return new PlainOptions(
                term, expiring, renewed, longestHold, values, value, maxAttempts, waitLimit, patience, leastRemaining);
    }

    /** With another limit on the number of attempts, 1 for a single one. */
    public PlainOptions withMaxAttempts(int value) {
        return new PlainOptions(
                term, expiring, renewed, longestHold, values, backoff, value, waitLimit, patience, leastRemaining);
    }

    /** With another limit for waiting. */
    public PlainOptions withWaitLimit(Wait value) {
        return new PlainOptions(
                term, expiring, renewed, longestHold, values, backoff, maxAttempts, value, patience, leastRemaining);
    }

    /** With another meaning of the limit for waiting. */
    public PlainOptions withPatience(Patience value) {
        return new PlainOptions(
                term, expiring, renewed, longestHold, values, backoff, maxAttempts, waitLimit, value, leastRemaining);
    }

    /** With another least remaining term. */
    public PlainOptions withLeastRemaining(Duration value) {
        return new PlainOptions(
                term, expiring, renewed, longestHold, values, backoff, maxAttempts, waitLimit, patience, value);
    }
}
