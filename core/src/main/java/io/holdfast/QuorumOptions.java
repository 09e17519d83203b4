package io.holdfast;

import io.holdfast.Options.Option;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Options of a {@link Quorum}. Immutable; every {@code with} method checks its value and returns a copy. */
public final class QuorumOptions {
    private static final Options.Kind KIND = new Options.Kind();
    private static final Option<Duration> NODE_TIMEOUT = KIND.option("nodeTimeout", Duration.ofMillis(100));
    private static final Option<Duration> LONGEST_TERM = KIND.option("maxLeaseDuration", Duration.ofMinutes(1));
    private static final Option<Backoff> BACKOFF = KIND.option(
            "backoff",
            Backoff.exponential(Duration.ofMillis(20), Duration.ofMillis(200)).withJitter(0.9));
    private static final Option<Integer> MAX_ATTEMPTS = KIND.option("maxAttempts", Integer.MAX_VALUE);
    private static final Option<Boolean> DURABLE_NODES = KIND.option("durableNodes", false);
    private static final Option<String> NAME = KIND.optional("name", null);
    private static final Option<HoldfastOptions> CLIENT = KIND.option("client", HoldfastOptions.defaults());

    private static final QuorumOptions DEFAULTS = new QuorumOptions(KIND.defaults());

    private final Options values;

    private QuorumOptions(Options values) {
        this.values = values;
    }

    /** Returns the default options; each property names its default. */
    public static QuorumOptions defaults() {
        return DEFAULTS;
    }

    /** Returns the client's options, such as prefix, time limits and listeners, which are the same for every node. */
    public HoldfastOptions client() {
        return values.get(CLIENT);
    }

    /** Returns a copy with the given client options. Options that concern queues have no effect. */
    public QuorumOptions withClient(HoldfastOptions value) {
        return new QuorumOptions(values.with(CLIENT, value));
    }

    /**
     * Returns how long a round waits for the answers of the nodes; default 100 ms. It ends earlier if the answers decide it. If
     * the nodes gave different tokens, a second question follows, for which the round waits once more. The command timeout,
     * after which an answer counts as lost, is a separate limit, and longer by default.
     */
    public Duration nodeTimeout() {
        return values.get(NODE_TIMEOUT);
    }

    /**
     * Returns a copy with the given limit for the nodes' answers.
     *
     * @param value 1 ms to 10 s
     */
    public QuorumOptions withNodeTimeout(Duration value) {
        return new QuorumOptions(values.with(NODE_TIMEOUT, value, Duration.ofMillis(1), Duration.ofSeconds(10)));
    }

    /**
     * Returns the maximum lease duration, and the maximum extension, that any client of these nodes requests; default 1 min.
     * All clients must use the same value, and the clocks of any two nodes must differ by less than it. A node that may have
     * lost its memory grants nothing for this time, plus 1 % and a little more than 1 s. Unless nodes are
     * {@link #durableNodes() durable}, this applies to a restarted node, too. A lock with a longer lease duration is refused when
     * it is created.
     */
    public Duration maxLeaseDuration() {
        return values.get(LONGEST_TERM);
    }

    /**
     * Returns a copy with the given maximum lease duration.
     *
     * @param value 100 ms to 1 day
     */
    public QuorumOptions withMaxLeaseDuration(Duration value) {
        return new QuorumOptions(values.with(LONGEST_TERM, value, LockOptions.MIN_LEASE_DURATION, Duration.ofDays(1)));
    }

    /**
     * Returns how long a waiting request sleeps after a lost round, unless a node notifies it of a release. Default: 20 ms to
     * 200 ms, doubling, less a random part of up to nine tenths. Without randomness, two clients may split the nodes between
     * them again and again.
     */
    public Backoff backoff() {
        return values.get(BACKOFF);
    }

    /** Returns a copy with the given backoff. */
    public QuorumOptions withBackoff(Backoff value) {
        return new QuorumOptions(values.with(BACKOFF, value));
    }

    /**
     * Returns the maximum number of rounds of a waiting request, whatever its wait; default no limit. If the lock was taken in
     * the last one, the request ends with {@link Attempt.Reason#TRIES_EXHAUSTED}.
     */
    public int maxAttempts() {
        return values.get(MAX_ATTEMPTS);
    }

    /**
     * Returns a copy with the given limit on the number of rounds.
     *
     * @param value 1 or more
     */
    public QuorumOptions withMaxAttempts(int value) {
        return new QuorumOptions(values.with(MAX_ATTEMPTS, value, 1, Integer.MAX_VALUE));
    }

    /**
     * Returns whether a restarted node comes back with everything that it had answered; default false. If false, a restarted
     * node is excluded for the {@link #maxLeaseDuration()}, as an empty one is, because its data may be older than its last
     * grants.
     */
    public boolean durableNodes() {
        return values.get(DURABLE_NODES);
    }

    /**
     * Returns a copy with the given durability of nodes. Set this to true only if every node writes each change to durable
     * storage before it answers ({@code appendonly yes} and {@code appendfsync always}), and is never started from a copy. Then
     * a restart costs no time. If nodes run with the servers' own defaults, which save from time to time, or fsync every
     * second, the value true would let two leases be valid at once. All clients must use the same value.
     */
    public QuorumOptions withDurableNodes(boolean value) {
        return new QuorumOptions(values.with(DURABLE_NODES, value));
    }

    /**
     * Returns the name of the quorum, which identifies its nodes; default null: their addresses identify them. Each node stores
     * four values: the number of nodes, a checksum of this name or of the addresses, the {@link #maxLeaseDuration()} and
     * {@link #durableNodes()}. They are those of the first client that asks the node for a lock when it may vote. It grants
     * nothing to a client whose values differ, because two clients that were given different nodes could hold one lock at the
     * same time.
     */
    public @Nullable String name() {
        return values.get(NAME);
    }

    /**
     * Returns a copy with the given name, for clients that reach the same nodes by different addresses. All clients must have the
     * same name. Use a name for one set of nodes only: two sets with one name are not distinguished.
     *
     * @param value 1 to 200 characters; null for none
     */
    public QuorumOptions withName(@Nullable String value) {
        return new QuorumOptions(values.with(NAME, value == null ? null : Require.text("name", value, 200)));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof QuorumOptions that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** Returns the node timeout, the maximum lease duration, and every option that differs from its default. */
    @Override
    public String toString() {
        return values.text("QuorumOptions", NODE_TIMEOUT, LONGEST_TERM);
    }
}
