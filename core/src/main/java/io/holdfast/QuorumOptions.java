package io.holdfast;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** How a {@link Quorum} works. Immutable; every {@code with} checks its value and gives a copy. */
public final class QuorumOptions {
    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final QuorumOptions DEFAULTS = new QuorumOptions(
            HoldfastOptions.defaults(),
            Duration.ofMillis(100),
            Duration.ofMinutes(1),
            Backoff.exponential(Duration.ofMillis(20), Duration.ofMillis(200)).withJitter(0.9),
            Integer.MAX_VALUE,
            false);

    private final HoldfastOptions client;
    private final Duration nodeTimeout;
    private final Duration longestTerm;
    private final Backoff backoff;
    private final int maxAttempts;
    private final boolean durableNodes;

    private QuorumOptions(
            HoldfastOptions client,
            Duration nodeTimeout,
            Duration longestTerm,
            Backoff backoff,
            int maxAttempts,
            boolean durableNodes) {
        this.client = client;
        this.nodeTimeout = nodeTimeout;
        this.longestTerm = longestTerm;
        this.backoff = backoff;
        this.maxAttempts = maxAttempts;
        this.durableNodes = durableNodes;
    }

    /** The defaults named at each property. */
    public static QuorumOptions defaults() {
        return DEFAULTS;
    }

    /** Prefix, time limits, listeners and the rest of what clients have, the same for every node. */
    public HoldfastOptions client() {
        return client;
    }

    /** With other options for the connections to the nodes. What concerns queues has no effect. */
    public QuorumOptions withClient(HoldfastOptions value) {
        return new QuorumOptions(value, nodeTimeout, longestTerm, backoff, maxAttempts, durableNodes);
    }

    /**
     * How long a round waits for the nodes that have not answered; default 100 ms. It is over sooner, as soon as the answers
     * decide it. The command timeout, by which an answer counts as lost, is another and longer limit.
     */
    public Duration nodeTimeout() {
        return nodeTimeout;
    }

    /**
     * With another limit for the nodes' answers.
     *
     * @param value 1 ms to 10 s
     */
    public QuorumOptions withNodeTimeout(Duration value) {
        Require.between("nodeTimeout", value, MILLISECOND, Duration.ofSeconds(10));
        return new QuorumOptions(client, value, longestTerm, backoff, maxAttempts, durableNodes);
    }

    /**
     * The longest term, and the longest extension, that any client of these nodes asks for; default 1 min. All clients have
     * to agree on it, and the clocks of any two nodes have to differ by less. A node that may have lost its memory, which is
     * one that was restarted, too, unless nodes are {@link #durableNodes() durable}, grants nothing for this time, and 1 %
     * and 1 s more. Locks with a longer term are refused when they are made.
     */
    public Duration longestTerm() {
        return longestTerm;
    }

    /**
     * With another longest term.
     *
     * @param value 100 ms to 1 day
     */
    public QuorumOptions withLongestTerm(Duration value) {
        Require.between("longestTerm", value, LockOptions.SHORTEST_TERM, Duration.ofDays(1));
        return new QuorumOptions(client, nodeTimeout, value, backoff, maxAttempts, durableNodes);
    }

    /**
     * How long a waiting request sleeps after a round that was lost, unless a node tells it of a release; default 20 ms to
     * 200 ms, doubling, less a random part of up to nine tenths. Without randomness, two clients may split the nodes
     * between them again and again.
     */
    public Backoff backoff() {
        return backoff;
    }

    /** With another backoff. */
    public QuorumOptions withBackoff(Backoff value) {
        return new QuorumOptions(client, nodeTimeout, longestTerm, value, maxAttempts, durableNodes);
    }

    /** After how many rounds a waiting request gives up, as timed out, whatever its wait; default no limit. */
    public int maxAttempts() {
        return maxAttempts;
    }

    /**
     * With another number of rounds.
     *
     * @param value 1 or more
     */
    public QuorumOptions withMaxAttempts(int value) {
        if (value < 1) {
            throw new IllegalArgumentException("maxAttempts is " + value + ", must be 1 or more");
        }
        return new QuorumOptions(client, nodeTimeout, longestTerm, backoff, value, durableNodes);
    }

    /**
     * Whether a node that is restarted comes back with everything that it had answered; default false: then a restarted node
     * is kept out for the {@link #longestTerm()}, as if it were empty, since its data may be older than its last grants.
     */
    public boolean durableNodes() {
        return durableNodes;
    }

    /**
     * With nodes of which a restart loses nothing: every one of them writes each change to a disk that keeps it, before it
     * answers ({@code appendonly yes} and {@code appendfsync always}), and is never started from a copy. Then a restart costs
     * no time. With the servers' own defaults, which save now and then, or fsync every second, this would let two leases be
     * valid at once. All clients have to agree on it.
     */
    public QuorumOptions withDurableNodes(boolean value) {
        return new QuorumOptions(client, nodeTimeout, longestTerm, backoff, maxAttempts, value);
    }

    /** A second more than terms take, because tokens may be so far ahead of a node's clock. */
    Duration quarantine() {
        return longestTerm.plusNanos(Deadlines.drift(longestTerm.toNanos())).plusSeconds(1);
    }

    private List<Object> all() {
        return Arrays.asList(client, nodeTimeout, longestTerm, backoff, maxAttempts, durableNodes);
    }

    @Override
    public boolean equals(@org.jspecify.annotations.Nullable Object other) {
        return other instanceof QuorumOptions that && all().equals(that.all());
    }

    @Override
    public int hashCode() {
        return all().hashCode();
    }

    @Override
    public String toString() {
        return "QuorumOptions[node timeout " + nodeTimeout + ", longest term " + longestTerm + "]";
    }
}
