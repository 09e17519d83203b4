package io.holdfast;

import io.holdfast.Options.Option;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Options of a plain lock: how it is acquired and held. Immutable; every {@code with} method checks its value and returns a
 * copy. Each lock has its options; {@link PlainLock#with} gives others for a single call.
 */
public final class PlainOptions {
    /** The meaning of the wait limit, and the action at its end. */
    public enum Patience {
        /** Limits the whole wait, counted from the call. At its end the call times out. */
        IN_ALL,
        /**
         * Limits the time for which one holder keeps the key; it starts again whenever the client sees another value there. So
         * it ends only if a holder is stuck, and not because many others came first. At its end the call times out.
         */
        WITH_EACH_HOLDER,
        /**
         * Limits the time as {@link #WITH_EACH_HOLDER} does, and at its end takes the key over from the stuck holder, whose
         * value must still be there at that moment. If that holder is alive and does not check its lease, both work at the same
         * time.
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

    /** Returns the default options; each property names its default. */
    public static PlainOptions defaults() {
        return DEFAULTS;
    }

    /** Returns how long the key lasts without renewal (the lease duration); default 30 s. */
    public Duration leaseDuration() {
        return values.get(TERM);
    }

    /**
     * Returns a copy with the given lease duration, after which the key expires unless it is renewed. This undoes
     * {@link #withoutExpiry()}, except that renewal stays off.
     *
     * @param value 100 ms to 365 days, in whole milliseconds (a fraction is dropped)
     */
    public PlainOptions withLeaseDuration(Duration value) {
        Require.between("leaseDuration", value, LockOptions.MIN_LEASE_DURATION, Require.LONGEST);
        // What the server is told and what the client counts must be the same.
        Duration whole = Duration.ofMillis(value.toMillis());
        return new PlainOptions(values.with(TERM, whole).with(EXPIRING, true));
    }

    /** Returns whether the key expires; default true. See {@link #withoutExpiry()}. */
    public boolean expiring() {
        return values.get(EXPIRING);
    }

    /**
     * Returns a copy whose key never expires, and is not renewed. <b>If its holder dies, the lock stays taken until the key is
     * deleted, or taken over.</b> A lease always begins with the lease duration; the expiry is removed before the lease is
     * handed out. So a request that gets lost leaves no key for ever.
     */
    public PlainOptions withoutExpiry() {
        return new PlainOptions(values.with(EXPIRING, false).with(RENEWED, false));
    }

    /**
     * Returns whether the client renews the lease; default true. It renews after each third of the lease duration, as long as
     * the {@link PlainLease} is reachable. Without renewal, a lease ends with its lease duration, unless its key has no expiry.
     */
    public boolean renewal() {
        return values.get(RENEWED);
    }

    /** Returns a copy with or without renewal. A key without expiry cannot be renewed. */
    public PlainOptions withRenewal(boolean value) {
        return new PlainOptions(values.with(RENEWED, value));
    }

    /**
     * Returns the time after which renewal stops; null (the default) for never, or after an hour in the methods that take work.
     */
    public @Nullable Duration maxHold() {
        return values.get(LONGEST_HOLD);
    }

    /**
     * Returns a copy in which renewal stops after the given time, so that the lease expires.
     *
     * @param value 1 ms to 365 days, or null for the default
     */
    public PlainOptions withMaxHold(@Nullable Duration value) {
        return new PlainOptions(values.with(LONGEST_HOLD, value, Duration.ofMillis(1), Require.LONGEST));
    }

    /**
     * Returns the function that makes the value of each request; null (the default) for 144 random bits. A value identifies the
     * holder of the key, and frees the key. So it must differ from every other value that any program has ever used for this
     * key. It has 1 to 1,000 characters. The function is called in the thread that requests the lock.
     */
    public @Nullable Supplier<String> values() {
        return values.get(VALUES);
    }

    /**
     * Returns a copy with the given function for values.
     *
     * @param value returns a new value at each call; null for random ones
     */
    public PlainOptions withValues(@Nullable Supplier<String> value) {
        return new PlainOptions(values.with(VALUES, value));
    }

    /** Returns the pause before each further try; default exponential from 10 ms to 250 ms, less a random part of up to half. */
    public Backoff backoff() {
        return values.get(BACKOFF);
    }

    /** Returns a copy with the given backoff. */
    public PlainOptions withBackoff(Backoff value) {
        return new PlainOptions(values.with(BACKOFF, value));
    }

    /** Returns the maximum number of tries; 1 for a single one; default {@link Integer#MAX_VALUE}, which means no limit. */
    public int maxAttempts() {
        return values.get(MAX_ATTEMPTS);
    }

    /**
     * Returns a copy with the given limit on the number of tries.
     *
     * @param value 1 (a single one) or more
     */
    public PlainOptions withMaxAttempts(int value) {
        return new PlainOptions(values.with(MAX_ATTEMPTS, value, 1, Integer.MAX_VALUE));
    }

    /** Returns how long to wait if the call does not say; default 60 s. */
    public Wait waitLimit() {
        return values.get(WAIT_LIMIT);
    }

    /** Returns a copy with the given wait limit. */
    public PlainOptions withWaitLimit(Wait value) {
        return new PlainOptions(values.with(WAIT_LIMIT, value));
    }

    /** Returns the meaning of the wait limit; default {@link Patience#IN_ALL}. */
    public Patience patience() {
        return values.get(PATIENCE);
    }

    /** Returns a copy with the given meaning of the wait limit. */
    public PlainOptions withPatience(Patience value) {
        return new PlainOptions(values.with(PATIENCE, value));
    }

    /**
     * Returns the minimum remaining time of a lease that is handed out; default 0. A lease that arrives with less is first
     * extended to a full lease duration.
     */
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

    /** Returns the lease duration, the renewal, the wait limit, and every option that differs from its default. */
    @Override
    public String toString() {
        return values.text("PlainOptions", TERM, RENEWED, WAIT_LIMIT);
    }
}
