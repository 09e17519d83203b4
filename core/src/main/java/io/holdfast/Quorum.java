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
 * A client for locks on a quorum: an odd number of independent servers, called nodes, of which a majority must grant a lock.
 * It keeps working while a minority of the nodes is unreachable or frozen, or has lost its memory. There is no queue: a waiting
 * request asks again after a random time, or when a node notifies it of a release. See docs/guide/quorum.md for when to use it.
 *
 * <p>The nodes must be independent of each other: no replicas, no cluster. All clients must be given the same nodes and the
 * same {@link QuorumOptions#maxLeaseDuration()}. A node that is new, or has lost its memory, votes only when a little more than
 * that time has passed. So, with the defaults, nodes that are used for the first time grant nothing for that minute.
 *
 * <p>One client per application is enough. It is thread-safe and keeps two connections to each node. Closing it ends its open
 * leases as lost ({@link LossReason#CLIENT_CLOSED}), releases them, and ends its threads.
 */
public final class Quorum implements AutoCloseable {
    private static final int FEWEST_NODES = 3;
    private static final int MOST_NODES = 15;

    private final QuorumClient client;

    private Quorum(QuorumClient client) {
        this.client = client;
    }

    /**
     * Connects to nodes by their addresses, with the driver that is on the class path. A minority of them may be unreachable.
     *
     * @param addresses an odd number of different addresses, 3 to 15, each as for {@link QuorumNode#at}
     * @throws IllegalArgumentException if an address cannot be parsed, if the options do not fit it, or if the addresses are
     *     not an odd number of different ones, 3 to 15
     * @throws IllegalStateException if there is no driver on the class path, or more than one
     * @throws ServerUnreachableException if no majority can be reached; it names the error of each node that failed
     * @throws ServerRefusedException if one of the servers cannot be a node; the message says why
     */
    public static Quorum connect(String... addresses) {
        return connect(Stream.of(addresses).map(QuorumNode::at).toList(), QuorumOptions.defaults());
    }

    /** Connects to nodes, by their addresses or over drivers, with options; see {@link #connect(String...)}. */
    public static Quorum connect(List<QuorumNode> nodes, QuorumOptions options) {
        return connect(nodes, options, Environment.system());
    }

    /** Connects with the given source of time and randomness, for tests and simulations; see {@link #connect(String...)}. */
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

    /** The drivers of the nodes. A driver of a node with an address connects later, each by itself. */
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

    /** Returns the lock with this name, with the client's default options. No I/O. */
    public DistributedLock lock(String name) {
        return lock(name, client.options.client().lockDefaults(name));
    }

    /**
     * Returns the lock with this name, with the given options. No I/O.
     *
     * @param name 1 to 1,000 characters of any kind
     * @throws IllegalArgumentException if an option has no meaning without a queue, or the lease duration is longer than
     *     {@link QuorumOptions#maxLeaseDuration()}
     */
    public DistributedLock lock(String name, LockOptions options) {
        return new DistributedLock(client, Keys.of(client.options.client().prefix(), name), options, null);
    }

    /**
     * Returns the election with this name. Its candidates use the client's lock options, with a lease duration of at most 15 s.
     * No I/O.
     */
    public Election election(String name) {
        return election(name, Election.defaults(client.options.client().lockDefaults()));
    }

    /**
     * Returns the election with this name, with the given options. No I/O. There is no queue: any candidate may lead next. But
     * a candidate that has resigned campaigns again only after {@link HoldfastOptions#refreshInterval()}.
     *
     * @param name 1 to 1,000 characters of any kind; an election and a lock with the same name are independent of each other
     * @throws IllegalArgumentException as {@link #lock(String, LockOptions)} throws it, and if an option has no meaning for an
     *     election
     */
    public Election election(String name, LockOptions options) {
        Keys keys = Keys.of(client.options.client().prefix(), Keys.Kind.ELECTION, name);
        return new Election(client, keys, Require.given("options", options));
    }

    /**
     * Returns a set of locks that are obtained together or not at all, with the client's default options. No I/O.
     *
     * @param names 2 to 100 different names, in any order
     * @throws IllegalArgumentException if there are fewer or more names, or one of them is given twice
     */
    public LockSet locks(String... names) {
        return LockSet.of(
                client,
                client.options.client().lockDefaults().waitLimit(),
                Stream.of(names).map(this::lock).toList());
    }

    /**
     * Returns a set of locks of this client that are obtained together or not at all. Each lock has its own options, except
     * for the wait: the set has its own. No I/O.
     *
     * @param locks 2 to 100 different locks, in any order
     * @throws IllegalArgumentException if there are fewer or more locks, if a lock is given twice or belongs to another client,
     *     or if its options say to wait until its holder is stuck
     */
    public LockSet allOf(DistributedLock... locks) {
        return LockSet.ofEach(client, client.options.client().lockDefaults().waitLimit(), List.of(locks));
    }

    /**
     * Returns the state of a lock on each node, in the order of the nodes. Blocks until all nodes have answered, for at most the
     * node timeout. To release a lock by name, connect to each node with {@link Holdfast#connect(String)} and use its
     * {@link Admin}.
     */
    public List<NodeInfo> inspect(String name) {
        return client.lookAtEach(Keys.of(client.options.client().prefix(), name));
    }

    /** Returns the id of this client, as listings show it. */
    public String id() {
        return client.kit.ids.client();
    }

    /** Returns how many leases this client holds at present. */
    public int leaseCount() {
        return client.kit.holds().size();
    }

    /** Returns how many requests of this client are in progress at present. */
    public int waiterCount() {
        return Math.max(0, client.requests.size() - client.kit.holds().size());
    }

    /** Returns the options of this client. */
    public QuorumOptions options() {
        return client.options;
    }

    /**
     * Closes the client: its leases are lost and released, and its threads end. Blocks until the nodes have confirmed the
     * releases, for at most {@link HoldfastOptions#closeTimeout()}. A hold whose release is not confirmed by then expires at the
     * end of its lease duration. A second call does nothing.
     */
    @Override
    public void close() {
        client.close();
    }
}
