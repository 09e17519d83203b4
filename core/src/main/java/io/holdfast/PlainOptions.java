package io.holdfast;

import io.holdfast.Options.Option;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How a plain lock is asked for and held. Immutable; every {@code with} checks its value and returns a copy. A lock has one
 * set, and so may a single call ({@link PlainLock#with}).
 */
public final class PlainOptions {
    /** What the wait limit limits, and what happens at its end. */
    public enum Patience {
        /** The whole wait, counted from the call. At its end the call has timed out. */
        IN_ALL,
        /**
         * The time for which one holder keeps the key: it starts again whenever another value is seen there. So it passes
         * only if the holder is stuck, and not because many others came first. Then the call has timed out.
         */
        WITH_EACH_HOLDER,
        /**
         * Like {@link #WITH_EACH_HOLDER}, but then takes the key over from the stuck holder, whose value must still be there
         * at that moment. If the holder is alive, two work at the same time, unless it looks at its lease.
         */
        THEN_TAKE_OVER
    }

    private static final Options.Kind KIND = new Options.Kind();
    private static final Option<Duration> TERM = KIND.option("leaseDuration", Duration.ofSeconds(30));
    private static final Option<Boolean> EXPIRING = KIND.option("expiring", true);
    private static final Option<Boolean> RENEWED = KIND.option("renewal", true);
    private static final Option<Wait> WAIT_LIMIT = KIND.option("waitLimit", Wait.upTo(Duration.ofSeconds(60)));
    private static final Option<Patience> PATIENCE = KIND.option("patience", Patience.IN_ALL);
    private static final Option<Duration> LONGEST_HOLD = KIND.optional("maxHold", null);
    private static final Option<Supplier<String>> VALUES = KIND.callers("values", null);
    private static final Option<Backoff> BACKOFF = KIND.option(
            "backoff",
            Backoff.exponential(Duration.ofMillis(10), Duration.ofMillis(250)).withJitter(0.5));
    private static final Option<Integer> MAX_ATTEMPTS = KIND.option("maxAttempts", Integer.MAX_VALUE);
    private static final Option<Duration> LEAST_REMAINING = KIND.option("minRemaining", Duration.ZERO);

    private static final PlainOptions DEFAULTS = new PlainOptions(KIND.defaults());

    private final Options values;

    private PlainOptions(Options values) {
        this.values = values;
        if (!expiring() && renewal()) {
            throw new IllegalArgumentException(
                    "renewal is true, must be false for a key without expiry: there is nothing to renew");
        }
        Require.withinTerm("minRemaining", minRemaining(), leaseDuration());
    }

    /** The defaults named at each property. */
    public static PlainOptions defaults() {
        return DEFAULTS;
    }

    /** How long the key lasts without renewal (the lease duration); default 30 s. */
    public Duration leaseDuration() {
        return values.get(TERM);
    }

    /**
     * Returns a copy with the given lease duration, at whose end the key expires.
     *
     * @param value 100 ms to 365 days, in whole milliseconds (a fraction is dropped)
     */
    public PlainOptions withLeaseDuration(Duration value) {
        Require.between("leaseDuration", value, LockOptions.MIN_LEASE_DURATION, Require.LONGEST);
        // What the server is told and what the client counts must be the same.
        Duration whole = Duration.ofMillis(value.toMillis());
        return new PlainOptions(values.with(TERM, whole).with(EXPIRING, true));
    }

    /** Whether the key expires; default true. See {@link #withoutExpiry()}. */
    public boolean expiring() {
        return values.get(EXPIRING);
    }

    /**
     * With a key that never expires, and is not renewed. <b>If its holder dies, the lock stays taken until the key is
     * deleted, or taken over.</b> A lease always begins with the lease duration, and its key is made unexpiring before it is handed
     * out, so that a request that gets lost leaves nothing for ever.
     */
    public PlainOptions withoutExpiry() {
        return new PlainOptions(values.with(EXPIRING, false).with(RENEWED, false));
    }

    /**
     * Whether the client renews the lease, at a third of the lease duration, as long as the {@link PlainLease} is reachable; default
     * true. A lease that is not renewed expires at the end of its lease duration.
     */
    public boolean renewal() {
        return values.get(RENEWED);
    }

    /** With or without renewal. A key without expiry cannot be renewed. */
    public PlainOptions withRenewal(boolean value) {
        return new PlainOptions(values.with(RENEWED, value));
    }

    /** The time after which renewal stops; null (the default) for never, and for an hour in the scoped forms. */
    public @Nullable Duration maxHold() {
        return values.get(LONGEST_HOLD);
    }

    /**
     * Returns a copy with the given limit on the whole hold.
     *
     * @param value 1 ms to 365 days, or null for none
     */
    public PlainOptions withMaxHold(@Nullable Duration value) {
        return new PlainOptions(values.with(LONGEST_HOLD, value, Duration.ofMillis(1), Require.LONGEST));
    }

    /**
     * Makes the value of each request; null (the default) for 144 random bits. A value says who holds the key, and frees it:
     * it must be unlike every other that any program has ever used for this key. 1 to 1,000 characters. Called in the thread
     * that asks.
     */
    public @Nullable Supplier<String> values() {
        return values.get(VALUES);
    }

    /** With values of the caller's own making, a fresh one each time; null for random ones. */
    public PlainOptions withValues(@Nullable Supplier<String> value) {
        return new PlainOptions(values.with(VALUES, value));
    }

    /** How long to wait before asking again; default exponential from 10 ms to 250 ms, less up to a half. */
    public Backoff backoff() {
        return values.get(BACKOFF);
    }

    /** Returns a copy with the given backoff. */
    public PlainOptions withBackoff(Backoff value) {
        return new PlainOptions(values.with(BACKOFF, value));
    }

    /** How often to ask at most, 1 for once; default {@link Integer#MAX_VALUE}, which means no limit. */
    public int maxAttempts() {
        return values.get(MAX_ATTEMPTS);
    }

    /**
     * Returns a copy with the given limit on the number of attempts.
     *
     * @param value 1 (a single one) or more
     */
    public PlainOptions withMaxAttempts(int value) {
        return new PlainOptions(values.with(MAX_ATTEMPTS, value, 1, Integer.MAX_VALUE));
    }

    /** How long to wait if the call does not say; default 60 s. */
    public Wait waitLimit() {
        return values.get(WAIT_LIMIT);
    }

    /** Returns a copy with the given limit for waiting. */
    public PlainOptions withWaitLimit(Wait value) {
        return new PlainOptions(values.with(WAIT_LIMIT, value));
    }

    /** What the wait limit limits; default {@link Patience#IN_ALL}. */
    public Patience patience() {
        return values.get(PATIENCE);
    }

    /** Returns a copy with the given meaning of the limit for waiting. */
    public PlainOptions withPatience(Patience value) {
        return new PlainOptions(values.with(PATIENCE, value));
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
    public PlainOptions withMinRemaining(Duration value) {
        return new PlainOptions(values.withZeroOrUpTo(LEAST_REMAINING, value, Require.LONGEST));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PlainOptions that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** The lease duration, the renewal and the limit for waiting, and what differs from the defaults. */
    @Override
    public String toString() {
        return values.text("PlainOptions", TERM, RENEWED, WAIT_LIMIT);
    }
}
