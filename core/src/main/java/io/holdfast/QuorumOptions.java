package io.holdfast;

import io.holdfast.Options.Option;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a {@link Quorum} works. Immutable; every {@code with} checks its value and returns a copy. */
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

    /** The defaults named at each property. */
    public static QuorumOptions defaults() {
        return DEFAULTS;
    }

    /** Prefix, time limits, listeners and the rest of what clients have, the same for every node. */
    public HoldfastOptions client() {
        return values.get(CLIENT);
    }

    /** With other options for the connections to the nodes. What concerns queues has no effect. */
    public QuorumOptions withClient(HoldfastOptions value) {
        return new QuorumOptions(values.with(CLIENT, value));
    }

    /**
     * How long a round waits for the nodes that have not answered; default 100 ms. It is over sooner, as soon as the answers
     * decide it. The command timeout, by which an answer counts as lost, is another and longer limit.
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
     * The maximum lease duration, and the longest extension, that any client of these nodes asks for; default 1 min. All clients have
     * to agree on it, and the clocks of any two nodes have to differ by less. A node that may have lost its memory, which is
     * one that was restarted, too, unless nodes are {@link #durableNodes() durable}, grants nothing for this time, and 1 %
     * and 1 s more. Locks with a longer lease duration are refused when they are made.
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
     * How long a waiting request sleeps after a round that was lost, unless a node notifies it of a release; default 20 ms
     * to 200 ms, doubling, less a random part of up to nine tenths. Without randomness, two clients may split the nodes
     * between them again and again.
     */
    public Backoff backoff() {
        return values.get(BACKOFF);
    }

    /** Returns a copy with the given backoff. */
    public QuorumOptions withBackoff(Backoff value) {
        return new QuorumOptions(values.with(BACKOFF, value));
    }

    /** After how many rounds a waiting request gives up, as timed out, whatever its wait; default no limit. */
    public int maxAttempts() {
        return values.get(MAX_ATTEMPTS);
    }

    /**
     * Returns a copy with the given number of rounds.
     *
     * @param value 1 or more
     */
    public QuorumOptions withMaxAttempts(int value) {
        return new QuorumOptions(values.with(MAX_ATTEMPTS, value, 1, Integer.MAX_VALUE));
    }

    /**
     * Whether a node that is restarted comes back with everything that it had answered; default false: then a restarted node
     * is kept out for the {@link #maxLeaseDuration()}, as if it were empty, since its data may be older than its last grants.
     */
    public boolean durableNodes() {
        return values.get(DURABLE_NODES);
    }

    /**
     * With nodes of which a restart loses nothing: every one of them writes each change to a disk that keeps it, before it
     * answers ({@code appendonly yes} and {@code appendfsync always}), and is never started from a copy. Then a restart costs
     * no time. With the servers' own defaults, which save now and then, or fsync every second, this would let two leases be
     * valid at once. All clients have to agree on it.
     */
    public QuorumOptions withDurableNodes(boolean value) {
        return new QuorumOptions(values.with(DURABLE_NODES, value));
    }

    /**
     * The name of the quorum, which stands for its nodes; default null: their addresses do. Each node keeps how many nodes there are, a
     * checksum of this name or of the addresses, the {@link #maxLeaseDuration()} and {@link #durableNodes()} of the first client that asked
     * it, and grants nothing to a client that differs: two clients that were given different nodes could hold one lock at the same time.
     */
    public @Nullable String name() {
        return values.get(NAME);
    }

    /**
     * With a name, for clients that reach the same nodes by different addresses. All clients have to have the same name, and a name stands
     * for one set of nodes: two sets under one name are not distinguished.
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

    /** The time limit of the nodes and the maximum lease duration, and what differs from the defaults. */
    @Override
    public String toString() {
        return values.text("QuorumOptions", NODE_TIMEOUT, LONGEST_TERM);
    }
}
