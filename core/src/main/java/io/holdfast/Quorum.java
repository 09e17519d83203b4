package io.holdfast;

import io.holdfast.internal.quorum.LateDriver;
import io.holdfast.internal.quorum.QuorumClient;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.Require;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Environment;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Locks on a quorum: an odd number of independent servers, called nodes, of which a majority has to grant a lock. It goes on
 * while a minority of them is away, frozen, or has lost its memory. There is no queue; a waiting request asks again after a
 * random time, or when a node notifies it of a release. See docs/guide/quorum.md for when to use it.
 *
 * <p>The nodes must know nothing of each other: no replicas, no cluster. All clients have to be given the same nodes, and the
 * same {@link QuorumOptions#maxLeaseDuration()}. A node that is new, or has lost its memory, votes only after that time: a set of
 * nodes that is used for the first time grants nothing for a little longer than a minute, with the defaults.
 *
 * <p>One per application is enough; it is thread-safe and holds two connections to each node. Closing it ends its
 * open leases as lost ({@link LossReason#CLIENT_CLOSED}), releases them, and ends its threads.
 */
public final class Quorum implements AutoCloseable {
    private static final int FEWEST_NODES = 3;
    private static final int MOST_NODES = 15;

    private final QuorumClient client;

    private Quorum(QuorumClient client) {
        this.client = client;
    }

    /**
     * Connects to nodes by their addresses, with the driver that is on the class path. A minority of them may be away.
     *
     * @param addresses as for {@link QuorumNode#at}
     * @throws IllegalArgumentException if one cannot be parsed, or the options do not fit it, or they are not an odd number
     *     of different ones, 3 to 15
     * @throws IllegalStateException if there is no driver on the class path, or more than one
     * @throws ServerUnreachableException if no majority is there; it knows what is wrong with each
     * @throws ServerRefusedException if one of them cannot be a node; the message says why
     */
    public static Quorum connect(String... addresses) {
        return connect(Stream.of(addresses).map(QuorumNode::at).toList(), QuorumOptions.defaults());
    }

    /** Connects to nodes by addresses or over drivers, with options; see {@link #connect(String...)}. */
    public static Quorum connect(List<QuorumNode> nodes, QuorumOptions options) {
        return connect(nodes, options, Environment.system());
    }

    /** Connects with a time and a randomness of its own: for tests and simulations. */
    public static Quorum connect(List<QuorumNode> nodes, QuorumOptions options, Environment environment) {
        check(nodes);
        nodes.forEach(node -> node.check(options.client()));
        QuorumClient.check(options.client());
        QuorumClient client = new QuorumClient(drivers(nodes, options.client()), options, environment);
        try {
            client.accept(options.client().lockDefaults());
            client.connect();
        } catch (RuntimeException e) {
            client.close();
            throw e;
        } catch (InterruptedException e) {
            client.close();
            Thread.currentThread().interrupt();
            throw new ServerUnreachableException("interrupted while connecting to " + nodes, e);
        }
        return new Quorum(client);
    }

    /** Those of nodes with an address connect later, each by itself. */
    private static List<RedisDriver> drivers(List<QuorumNode> nodes, HoldfastOptions options) {
        RedisDriverProvider provider =
                nodes.stream().anyMatch(node -> node.address() != null) ? Holdfast.driver() : null;
        List<RedisDriver> drivers = new ArrayList<>();
        for (QuorumNode node : nodes) {
            RedisDriver driver = node.driver();
            RedisAddress address = node.address();
            if (address != null && provider != null) {
                ConnectOptions how = node.connecting(options);
                driver = new LateDriver(address.hostAndPort(), () -> provider.connect(address, how));
            }
            if (driver == null) {
                throw new IllegalStateException("a node needs an address or a driver");
            }
            drivers.add(driver);
        }
        return drivers;
    }

    private static void check(List<QuorumNode> nodes) {
        int size = nodes.size();
        if (size < FEWEST_NODES || size > MOST_NODES) {
            throw new IllegalArgumentException("nodes are " + size + ", must be " + FEWEST_NODES + " to " + MOST_NODES);
        }
        if (size % 2 == 0) {
            throw new IllegalArgumentException("nodes are " + size + ", must be an odd number: " + size
                    + " survive the failure of as many as " + (size - 1) + " do, and one more of them can fail");
        }
        for (int i = 0; i < size; i++) {
            for (int j = 0; j < i; j++) {
                if (nodes.get(i).sameAs(nodes.get(j))) {
                    throw new IllegalArgumentException("nodes contain " + nodes.get(i) + " twice, must be different");
                }
            }
        }
    }

    /** A lock, with the client's default options. No I/O. */
    public DistributedLock lock(String name) {
        return lock(name, client.options.client().lockDefaults(name));
    }

    /**
     * A lock with options of its own. No I/O.
     *
     * @param name 1 to 1,000 characters, any of them
     * @throws IllegalArgumentException if an option means nothing without a queue, or the lease duration is longer than
     *     {@link QuorumOptions#maxLeaseDuration()}
     */
    public DistributedLock lock(String name, LockOptions options) {
        return new DistributedLock(client, Keys.of(client.options.client().prefix(), name), options, null);
    }

    /** An election, whose candidates ask with the client's lock options, with a lease duration of 15 s at most. No I/O. */
    public Election election(String name) {
        return election(name, Election.defaults(client.options.client().lockDefaults()));
    }

    /**
     * An election with options of its own. No I/O. There is no queue: any candidate may lead next, but for the one that has
     * resigned, which campaigns again after {@link HoldfastOptions#refreshInterval()} only.
     *
     * @param name 1 to 1,000 characters, any of them; names of elections and of locks have nothing to do with each other
     * @throws IllegalArgumentException as {@link #lock(String, LockOptions)} does, and if an option means nothing for an
     *     election
     */
    public Election election(String name, LockOptions options) {
        Keys keys = Keys.of(client.options.client().prefix(), Keys.Kind.ELECTION, name);
        return new Election(client, keys, Require.given("options", options));
    }

    /**
     * Several locks that are obtained together or not at all, with the client's default options. No I/O.
     *
     * @param names 2 to 100 different ones; their order is of no importance
     * @throws IllegalArgumentException if they are fewer, more, or one of them is there twice
     */
    public LockSet locks(String... names) {
        return LockSet.of(
                client,
                client.options.client().lockDefaults().waitLimit(),
                Stream.of(names).map(this::lock).toList());
    }

    /**
     * Several locks of this client that are obtained together or not at all, each with its own options but the wait: that is
     * the set's. No I/O.
     *
     * @param locks 2 to 100 different ones; their order is of no importance
     * @throws IllegalArgumentException if they are fewer, more, one of them is there twice or of another client, or its options
     *     say to wait until it is stuck
     */
    public LockSet allOf(DistributedLock... locks) {
        return LockSet.ofEach(client, client.options.client().lockDefaults().waitLimit(), List.of(locks));
    }

    /**
     * A lock as each node has it, in the order of the nodes. Blocks until all have answered, at most the node timeout.
     * To release a lock by name, connect to each node with {@link Holdfast#connect(String)} and use its {@link Admin}.
     */
    public List<NodeInfo> inspect(String name) {
        return client.lookAtEach(Keys.of(client.options.client().prefix(), name));
    }

    /** The id of this client, as listings show it. */
    public String id() {
        return client.kit.ids.client();
    }

    /** How many leases this client holds at present. */
    public int leaseCount() {
        return client.kit.holds().size();
    }

    /** How many requests of this client are under way at present. */
    public int waiterCount() {
        return Math.max(0, client.requests.size() - client.kit.holds().size());
    }

    /** The options of this client. */
    public QuorumOptions options() {
        return client.options;
    }

    /**
     * Ends the client; see above. Blocks until the nodes have confirmed the releases, at most
     * {@link HoldfastOptions#closeTimeout()}; what is not confirmed by then expires at the end of its lease duration. Closing twice is a
     * no-op.
     */
    @Override
    public void close() {
        client.close();
    }
}
