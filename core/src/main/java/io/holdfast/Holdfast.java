package io.holdfast;

import io.holdfast.internal.client.Client;
import io.holdfast.internal.lease.Demand;
import io.holdfast.internal.queue.Adoption;
import io.holdfast.internal.queue.Request;
import io.holdfast.internal.wire.Handshake;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Refusals;
import io.holdfast.internal.wire.Require;
import io.holdfast.routing.Location;
import io.holdfast.routing.RoutedDriver;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.EmbeddedServerProvider;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import io.holdfast.spi.Environment;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A client: the way to locks on one server, on a cluster, or on a master that Sentinels watch. One per application is
 * enough; it is thread-safe and holds two connections to each server that has keys (and one to each sentinel, and to each
 * server where replicas confirm grants), whatever the number of locks, leases and waiters.
 *
 * <pre>{@code
 * Holdfast holdfast = Holdfast.connect("redis://localhost"); // once, for the whole application
 * String report = holdfast.lock("month-end").call(lease -> report(lease.token()));
 * holdfast.close(); // when the application ends
 * }</pre>
 *
 * <p>Closing it ends its open leases as lost ({@link LossReason#CLIENT_CLOSED}), releases them, withdraws its waiters, and
 * ends its threads.
 */
public final class Holdfast implements AutoCloseable {
    private final Client client;

    private Holdfast(Client client) {
        this.client = client;
    }

    /**
     * Connects to the server at an address, with the driver that is on the class path.
     *
     * @param address {@code redis://[user[:password]@]host[:port][/database]}, {@code redis-cluster://…} for a cluster,
     *     {@code redis-sentinel://…} for a master that Sentinels watch, each with {@code rediss} for TLS; see {@link Location}
     * @throws IllegalArgumentException if the address cannot be parsed, or the options do not fit it, such as a file of
     *     {@link HoldfastOptions#tls()} that does not hold a certificate
     * @throws IllegalStateException if there is no driver on the class path, or more than one
     * @throws ServerUnreachableException if nothing answers there
     * @throws ServerRefusedException if what answers will not do; the message says why
     */
    public static Holdfast connect(String address) {
        return connect(address, HoldfastOptions.defaults());
    }

    /** Connects with options; see {@link #connect(String)}. */
    public static Holdfast connect(String address, HoldfastOptions options) {
        return connect(Location.parse(address), Require.given("options", options));
    }

    /** Works over a driver, for example one that was made from a client that the application already has. Closing this client closes the driver. */
    public static Holdfast over(RedisDriver driver) {
        return over(driver, HoldfastOptions.defaults());
    }

    /** Works over a driver, with options; closing this client closes the driver. */
    public static Holdfast over(RedisDriver driver, HoldfastOptions options) {
        return over(driver, options, Environment.system());
    }

    /** Works over a driver, with a time and a randomness of its own: for tests and simulations. */
    public static Holdfast over(RedisDriver driver, HoldfastOptions options, Environment environment) {
        return begin(new Client(
                Require.given("driver", driver),
                Require.given("options", options),
                Require.given("environment", environment)));
    }

    /**
     * Joins the server that the processes of this user share on this machine, and starts it if there is none: its locks
     * exclude these processes from each other, and no others. Needs the module {@code holdfast-embedded}.
     *
     * <p>If that server ends, the client joins again: its leases are lost ({@link LossReason#NOT_ON_SERVER}), as with any server that
     * has lost its memory, and its waiters are queued again. Holds of a process that has ended are released as soon as
     * another client asks for the lock, and not only when their lease durations end.
     *
     * @throws IllegalStateException if that module or a driver is not on the class path
     * @throws ServerUnreachableException if the server cannot be started; the message says what to do
     */
    public static Holdfast embedded() {
        return embedded(HoldfastOptions.defaults());
    }

    /** Joins the server of this machine, with options; see {@link #embedded()}. */
    public static Holdfast embedded(HoldfastOptions options) {
        EmbeddedServerProvider provider = ServiceLoader.load(EmbeddedServerProvider.class)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "no embedded server on the class path: add io.holdfast:holdfast-embedded"));
        RedisDriverProvider driver = driver();
        EmbeddedServer server;
        try {
            server = provider.join();
        } catch (DriverException e) {
            throw new ServerUnreachableException(String.valueOf(e.getMessage()), e);
        }
        return embedded(server, driver, options);
    }

    /**
     * Works over a share and with a driver that were found in another way than {@link #embedded()} does. Closing this client
     * closes the share, and so does a failure of this call.
     *
     * @throws ServerUnreachableException if the server does not answer
     */
    public static Holdfast embedded(EmbeddedServer server, RedisDriverProvider driver, HoldfastOptions options) {
        try {
            ConnectOptions connecting = new ConnectOptions(options.connectTimeout(), "holdfast");
            RedisDriver moving;
            try {
                moving = RoutedDriver.moving(
                        new Whereabouts(server), to -> driver.connect(to, connecting), options.connectTimeout());
            } catch (DriverException e) {
                throw refused(server.address().toString(), e);
            }
            Client client = new Client(moving, options, Environment.system(), server);
            server.present(client.kit.ids.client());
            return begin(client);
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /** Where the embedded server is: at first where it was when it was joined. */
    private static final class Whereabouts implements Supplier<RedisAddress> {
        private final EmbeddedServer server;
        private boolean asked; // it is asked by one thread at a time

        Whereabouts(EmbeddedServer server) {
            this.server = server;
        }

        @Override
        public RedisAddress get() {
            if (asked) {
                return server.find();
            }
            asked = true;
            return server.address();
        }
    }

    private static Holdfast connect(Location address, HoldfastOptions options) {
        RedisDriver driver;
        try {
            ConnectOptions connecting = options.connecting();
            driver = address.connect(driver(), connecting, connecting.withCredentials(options.sentinelCredentials()));
        } catch (DriverException e) {
            throw refused(address.toString(), e);
        }
        return begin(new Client(driver, options, Environment.system()));
    }

    private static HoldfastException refused(String place, DriverException e) {
        return Refusals.of(place, String.valueOf(e.getMessage()), e);
    }

    /**
     * Looks at a server that locks are wanted of, also at one that {@link #connect(String)} would refuse, and tries what
     * Holdfast has to be able to do there: takes a lock named {@code holdfast doctor} for a moment, and sends itself a
     * message. What the user may not do, the server may write to its log of refusals. Blocks for some fifty round trips.
     * Closes the driver.
     *
     * @throws ServerUnreachableException if the server does not answer
     */
    public static Diagnosis diagnose(RedisDriver driver, HoldfastOptions options) {
        // What it leaves is gone after seconds.
        Client client = new Client(driver, options.withTokenLife(Duration.ofSeconds(1)), Environment.system());
        try {
            return Diagnosing.of(client);
        } finally {
            client.close();
        }
    }

    private static Holdfast begin(Client client) {
        try {
            Handshake.with(
                    client.server.driver,
                    client.kit.options,
                    client.server.calls,
                    client.server.adminScripts,
                    client.queue.mailboxes.open());
        } catch (RuntimeException e) {
            client.close();
            throw e;
        } catch (InterruptedException e) {
            client.close();
            Thread.currentThread().interrupt();
            throw new ServerUnreachableException("interrupted while connecting to " + client.server.describe(), e);
        }
        return new Holdfast(client);
    }

    static RedisDriverProvider driver() {
        List<RedisDriverProvider> found = new ArrayList<>();
        ServiceLoader.load(RedisDriverProvider.class).forEach(found::add);
        if (found.isEmpty()) {
            throw new IllegalStateException(
                    "no driver on the class path: add io.holdfast:holdfast-lettuce, holdfast-jedis or holdfast-vertx");
        }
        if (found.size() > 1) {
            throw new IllegalStateException("more than one driver on the class path: "
                    + String.join(
                            ", ",
                            found.stream()
                                    .map(RedisDriverProvider::name)
                                    .sorted()
                                    .toList())
                    + "; keep one, or hand one to Holdfast.over");
        }
        return found.get(0);
    }

    /**
     * A lock, with the client's default options. No I/O.
     *
     * @param name 1 to 1,000 characters, any of them
     */
    public DistributedLock lock(String name) {
        return lock(name, client.kit.options.lockDefaults(name));
    }

    /** A lock with options of its own. No I/O. */
    public DistributedLock lock(String name, LockOptions options) {
        return new DistributedLock(
                client, Keys.of(client.kit.options.prefix(), name), Require.given("options", options), null);
    }

    /**
     * A read/write lock, with the client's default options. No I/O.
     *
     * @param name 1 to 1,000 characters, any of them; names of locks of different kinds have nothing to do with each other
     */
    public DistributedReadWriteLock readWriteLock(String name) {
        return readWriteLock(name, sharedDefaults(name));
    }

    /** A read/write lock with options of its own. No I/O. */
    public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
        Keys keys = Keys.of(client.kit.options.prefix(), Keys.Kind.READ_WRITE, name);
        return new DistributedReadWriteLock(client, keys, Require.given("options", options));
    }

    /**
     * A semaphore, with the client's default options. No I/O.
     *
     * @param name 1 to 1,000 characters, any of them; names of locks of different kinds have nothing to do with each other
     * @param permits how many may be out, 1 to 1,000,000
     */
    public DistributedSemaphore semaphore(String name, int permits) {
        return semaphore(name, permits, sharedDefaults(name).withReentrancy(LockOptions.Reentrancy.WAIT));
    }

    /** A semaphore with options of its own. No I/O. */
    public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
        Keys keys = Keys.of(client.kit.options.prefix(), Keys.Kind.SEMAPHORE, name);
        return new DistributedSemaphore(client, keys, permits, Require.given("options", options));
    }

    /** What locks that several may hold have of the client's lock options: those that mean nothing there are left out. */
    private LockOptions sharedDefaults(String name) {
        LockOptions options = client.kit.options.lockDefaults(name).withKeepFor(Duration.ZERO);
        return options.waitLimit().untilStuck()
                ? options.withWaitLimit(LockOptions.defaults().waitLimit())
                : options;
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
                client.kit.options.lockDefaults().waitLimit(),
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
        return LockSet.ofEach(client, client.kit.options.lockDefaults().waitLimit(), List.of(locks));
    }

    /**
     * A lock of the plain protocol, which other programs speak too, with the default options. No I/O.
     *
     * @param key the key itself, as the others spell it: no prefix is put before it; 1 to 1,000 characters
     */
    public PlainLock plainLock(String key) {
        return plainLock(key, PlainOptions.defaults());
    }

    /** A lock of the plain protocol, with options of its own; see {@link #plainLock(String)}. No I/O. */
    public PlainLock plainLock(String key, PlainOptions options) {
        return new PlainLock(client, Keys.plain(key), Require.given("options", options));
    }

    /**
     * Work that is done once under this key, among all clients, with the client's default options. No I/O.
     *
     * @param key 1 to 1,000 characters, any of them; keys and names of locks have nothing to do with each other
     */
    public Once once(String key) {
        return once(key, client.kit.options.lockDefaults(key).withKeepFor(Duration.ZERO));
    }

    /**
     * Work that is done once, with lock options of its own. No I/O.
     *
     * @throws IllegalArgumentException if an option means nothing for it
     */
    public Once once(String key, LockOptions options) {
        Keys keys = Keys.of(client.kit.options.prefix(), Keys.Kind.ONCE, key);
        return new Once(client, keys, Require.given("options", options));
    }

    /** An election, whose candidates ask with the client's lock options, with a lease duration of 15 s at most. No I/O. */
    public Election election(String name) {
        return election(name, Election.defaults(client.kit.options.lockDefaults()));
    }

    /**
     * An election with options of its own. No I/O. Turns do not apply to it: each candidate stands in the server's queue.
     *
     * @param name 1 to 1,000 characters, any of them; names of elections and of locks have nothing to do with each other
     * @throws IllegalArgumentException if an option means nothing for an election
     */
    public Election election(String name, LockOptions options) {
        Keys keys = Keys.of(client.kit.options.prefix(), Keys.Kind.ELECTION, name);
        return new Election(client, keys, Require.given("options", options));
    }

    /** Looks at locks. */
    public Inspector inspect() {
        return new Inspector(client);
    }

    /**
     * Goes on with a lease that another process has given a ticket for: it is renewed, extended and released here, with the
     * same token and under an owner of this client. From then on the giver's lease has no effect on the server: whatever it
     * does, or stops doing, disturbs no other. Of several clients that adopt with one ticket, one gets the lease. Blocks for one round
     * trip, at most the command timeout.
     *
     * @throws LeaseLostException if the server says that the ticket's lease does not hold the lock any more: it was released
     *     or lost, or another has adopted it
     * @throws ServerUnreachableException if the server does not answer: whether it was adopted is not known, and if it was,
     *     the lock is released in the background
     * @throws LockRefusedException if fewer replicas have it in time than the options ask for; the lock is released then
     */
    public Lease adopt(LeaseTicket ticket) {
        return adopt(ticket, client.kit.options.lockDefaults());
    }

    /** Goes on with a lease, with options; the lease duration is that of the ticket. See {@link #adopt(LeaseTicket)}. */
    public Lease adopt(LeaseTicket ticket, LockOptions options) {
        Require.given("options", options);
        client.server.refuseBeyondQuarantine(
                "the lease duration of the ticket",
                options,
                Require.given("ticket", ticket).leaseDuration());
        Keys keys = Keys.of(client.kit.options.prefix(), ticket.lockName());
        Demand demand = Demand.of(keys, options.withLeaseDuration(ticket.leaseDuration()), Wait.none(), false, null);
        return new Lease(new Adoption(new Request(client.queue, demand, 1)).of(ticket));
    }

    /**
     * A text on the server that is changed under fencing tokens. No I/O.
     *
     * @param name 1 to 1,000 characters, any of them; names of values and of locks have nothing to do with each other
     * @param life how long the value and its newest token last after the last act on it, 1 ms to 365 days: longer than the
     *     longest pause after which an old holder might still write
     */
    public FencedValue fencedValue(String name, Duration life) {
        Require.between("life", life, Duration.ofMillis(1), Require.LONGEST);
        return new FencedValue(client, Keys.of(client.kit.options.prefix(), name), life);
    }

    /** A value whose key never expires, not even after a deletion: it has to be removed by hand. No I/O. */
    public FencedValue fencedValueForEver(String name) {
        return new FencedValue(client, Keys.of(client.kit.options.prefix(), name), Duration.ZERO);
    }

    /** Administers locks by name, for any holder: for operators, and apart from leases. */
    public Admin admin() {
        return new Admin(client);
    }

    /** Where it keeps its locks, for people: the server's address, or the addresses of several. */
    public String server() {
        return client.server.describe();
    }

    /** The id of this client, as listings show it. */
    public String id() {
        return client.kit.ids.client();
    }

    /** How many leases this client holds at present. */
    public int leaseCount() {
        return client.kit.holds().size() - client.localLines.kept();
    }

    /** How many requests of this client wait at present. */
    public int waiterCount() {
        return Math.max(
                0,
                client.queue.waitingRoom.size()
                        + client.plain.size()
                        - client.kit.holds().size()
                        + client.localLines.waiting());
    }

    /** The options of this client. */
    public HoldfastOptions options() {
        return client.kit.options;
    }

    /**
     * Ends the client; see above. Blocks until the server has confirmed the releases, at most
     * {@link HoldfastOptions#closeTimeout()}, and no longer than half a second if there is no connection to the server; what
     * is not confirmed by then expires at the end of its lease duration. Closing twice is a no-op.
     */
    @Override
    public void close() {
        client.close();
    }

    /** For people: the server, the application, and the id of this client. */
    @Override
    public String toString() {
        return "Holdfast[" + client.server.describe() + ", prefix " + LogText.text(client.kit.options.prefix())
                + ", application "
                + LogText.text(client.kit.options.application()) + ", client " + id()
                + (client.kit.isClosed() ? ", closed]" : "]");
    }
}
