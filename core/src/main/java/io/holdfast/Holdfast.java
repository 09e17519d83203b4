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
 * A client: the access to locks on one server, on a cluster, or on a master that Sentinels watch. One per application is
 * enough. It is thread-safe and holds two connections to each server that has keys, whatever the number of locks, leases and
 * waiters. It also holds two to each sentinel. It opens a further one to a server that takes over slots of a cluster, and one
 * for each number of replicas that must confirm grants.
 *
 * <pre>{@code
 * Holdfast holdfast = Holdfast.connect("redis://localhost"); // once, for the whole application
 * String report = holdfast.lock("month-end").call(lease -> report(lease.token()));
 * holdfast.close(); // when the application ends
 * }</pre>
 *
 * <p>Closing it ends its open leases as lost ({@link LossReason#CLIENT_CLOSED}), releases them, withdraws its waiters, and ends
 * its threads.
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
     * @throws ServerUnreachableException if no server answers there
     * @throws ServerRefusedException if the server there cannot be used; the message says why
     */
    public static Holdfast connect(String address) {
        return connect(address, HoldfastOptions.defaults());
    }

    /** Connects with options; see {@link #connect(String)}. */
    public static Holdfast connect(String address, HoldfastOptions options) {
        return connect(Location.parse(address), Require.given("options", options));
    }

    /**
     * Creates a client over a driver, for example one made from a client that the application already has. Closing this client
     * closes the driver.
     */
    public static Holdfast over(RedisDriver driver) {
        return over(driver, HoldfastOptions.defaults());
    }

    /** Creates a client over a driver, with options; closing this client closes the driver. */
    public static Holdfast over(RedisDriver driver, HoldfastOptions options) {
        return over(driver, options, Environment.system());
    }

    /** Creates a client over a driver, with its own time and randomness, for tests and simulations. */
    public static Holdfast over(RedisDriver driver, HoldfastOptions options, Environment environment) {
        return begin(new Client(
                Require.given("driver", driver),
                Require.given("options", options),
                Require.given("environment", environment)));
    }

    /**
     * Joins the server that the processes of this user share on this machine, and starts it if there is none. Its locks work
     * only among these processes. Needs the module {@code holdfast-embedded}.
     *
     * <p>If that server ends, the client joins again. Its leases are lost ({@link LossReason#NOT_ON_SERVER}), as with any
     * server that has lost its memory, and its waiters are queued again. If a process has ended, its holds are released as soon
     * as another client requests the lock, and not only when their lease durations end. This does not apply to a process that
     * has given a {@linkplain Lease#ticket() ticket}, detached a lease, or requested a minimum hold time or a lock-delay.
     *
     * @throws IllegalStateException if that module or a driver is not on the class path, or more than one driver is
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
     * Creates a client over a server that the caller has joined, and with a driver that the caller has chosen;
     * {@link #embedded()} finds both itself. Closing this client closes the joined server, and so does a failure of this call.
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

    /** The address of the embedded server: at first the one at which it was joined. */
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
     * Examines a server that is meant for locks, even one that {@link #connect(String)} would refuse. It tries the operations
     * that Holdfast needs there: it takes a lock and a read/write lock named {@code holdfast doctor} for a moment, and sends
     * itself a message. If the user has no permission for an operation, the server may log this. Blocks for about fifty round
     * trips. Closes the driver.
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
     * Returns a lock, with the client's default options. No I/O.
     *
     * @param name 1 to 1,000 characters of any kind
     */
    public DistributedLock lock(String name) {
        return lock(name, client.kit.options.lockDefaults(name));
    }

    /** Returns a lock with options of its own. No I/O. */
    public DistributedLock lock(String name, LockOptions options) {
        return new DistributedLock(
                client, Keys.of(client.kit.options.prefix(), name), Require.given("options", options), null);
    }

    /**
     * Returns a read/write lock, with the client's default options. No I/O.
     *
     * @param name 1 to 1,000 characters of any kind; names of locks of different kinds are unrelated
     */
    public DistributedReadWriteLock readWriteLock(String name) {
        return readWriteLock(name, sharedDefaults(name));
    }

    /** Returns a read/write lock with options of its own. No I/O. */
    public DistributedReadWriteLock readWriteLock(String name, LockOptions options) {
        Keys keys = Keys.of(client.kit.options.prefix(), Keys.Kind.READ_WRITE, name);
        return new DistributedReadWriteLock(client, keys, Require.given("options", options));
    }

    /**
     * Returns a semaphore, with the client's default options. No I/O.
     *
     * @param name 1 to 1,000 characters of any kind; names of locks of different kinds are unrelated
     * @param permits how many permits may be in use at a time, 1 to 1,000,000
     */
    public DistributedSemaphore semaphore(String name, int permits) {
        return semaphore(name, permits, sharedDefaults(name).withReentrancy(LockOptions.Reentrancy.WAIT));
    }

    /** Returns a semaphore with options of its own. No I/O. */
    public DistributedSemaphore semaphore(String name, int permits, LockOptions options) {
        Keys keys = Keys.of(client.kit.options.prefix(), Keys.Kind.SEMAPHORE, name);
        return new DistributedSemaphore(client, keys, permits, Require.given("options", options));
    }

    /** Returns the client's lock options for locks that several may hold, without those that have no meaning there. */
    private LockOptions sharedDefaults(String name) {
        LockOptions options = client.kit.options.lockDefaults(name).withKeepFor(Duration.ZERO);
        return options.waitLimit().untilStuck()
                ? options.withWaitLimit(LockOptions.defaults().waitLimit())
                : options;
    }

    /**
     * Returns several locks that are obtained together or not at all, with the client's default options. No I/O.
     *
     * @param names 2 to 100 different names, in any order
     * @throws IllegalArgumentException if there are fewer or more names, or one of them is given twice
     */
    public LockSet locks(String... names) {
        return LockSet.of(
                client,
                client.kit.options.lockDefaults().waitLimit(),
                Stream.of(names).map(this::lock).toList());
    }

    /**
     * Returns several locks of this client that are obtained together or not at all. Each lock has its own options, except for
     * the wait: the set has its own. No I/O.
     *
     * @param locks 2 to 100 locks with different names, in any order
     * @throws IllegalArgumentException if there are fewer or more locks, if two have the same name, if one belongs to another
     *     client, or if its options say to wait until its holder is stuck
     */
    public LockSet allOf(DistributedLock... locks) {
        return LockSet.ofEach(client, client.kit.options.lockDefaults().waitLimit(), List.of(locks));
    }

    /**
     * Returns a lock of the plain protocol, which other programs use too, with the default options. No I/O.
     *
     * @param key the key itself, as the other programs spell it, without a prefix; 1 to 1,000 characters
     */
    public PlainLock plainLock(String key) {
        return plainLock(key, PlainOptions.defaults());
    }

    /** Returns a lock of the plain protocol, with options of its own; see {@link #plainLock(String)}. No I/O. */
    public PlainLock plainLock(String key, PlainOptions options) {
        return new PlainLock(client, Keys.plain(key), Require.given("options", options));
    }

    /**
     * Returns work that is done once under this key, among all clients, with the client's default options. No I/O.
     *
     * @param key 1 to 1,000 characters of any kind; keys and names of locks are unrelated
     */
    public Once once(String key) {
        return once(key, client.kit.options.lockDefaults(key).withKeepFor(Duration.ZERO));
    }

    /**
     * Returns work that is done once, with lock options of its own. No I/O.
     *
     * @throws IllegalArgumentException if an option has no meaning for it
     */
    public Once once(String key, LockOptions options) {
        Keys keys = Keys.of(client.kit.options.prefix(), Keys.Kind.ONCE, key);
        return new Once(client, keys, Require.given("options", options));
    }

    /** Returns an election, whose candidates use the client's lock options, with a lease duration of at most 15 s. No I/O. */
    public Election election(String name) {
        return election(name, Election.defaults(client.kit.options.lockDefaults()));
    }

    /**
     * Returns an election with options of its own. No I/O. Turns do not apply to it: each candidate stands in the server's
     * queue.
     *
     * @param name 1 to 1,000 characters of any kind; names of elections and of locks are unrelated
     * @throws IllegalArgumentException if an option has no meaning for an election
     */
    public Election election(String name, LockOptions options) {
        Keys keys = Keys.of(client.kit.options.prefix(), Keys.Kind.ELECTION, name);
        return new Election(client, keys, Require.given("options", options));
    }

    /** Returns an inspector, which reads locks without changing them. */
    public Inspector inspect() {
        return new Inspector(client);
    }

    /**
     * Continues a lease for which another process has given a ticket. It is renewed, extended and released here, with the same
     * token and under an owner of this client. From then on the giver's lease has no effect on the server: other clients are
     * not affected by what the giver does or fails to do. If several clients adopt with one ticket, one gets the lease. Usually
     * blocks for one round trip, at most the command timeout, and longer for a confirmation by replicas.
     *
     * @throws LeaseLostException if the server says that the ticket's lease no longer holds the lock: it was released or lost,
     *     or another client has adopted it. Also thrown if four answers in a row took longer than the lease
     *     duration
     * @throws ServerUnreachableException if the server does not answer; whether this client has adopted the lease is unknown.
     *     If it has, the lock is released in the background
     * @throws LockRefusedException if fewer replicas confirm the lease in time than the options require, or because of a
     *     quarantine; the lock is then released
     */
    public Lease adopt(LeaseTicket ticket) {
        return adopt(ticket, client.kit.options.lockDefaults());
    }

    /** Continues a lease, with options; the lease duration is that of the ticket. See {@link #adopt(LeaseTicket)}. */
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
     * Returns a text on the server that is guarded by fencing tokens. No I/O.
     *
     * @param name 1 to 1,000 characters of any kind; names of values and of locks are unrelated
     * @param life how long the server keeps the value and its newest token after the last command that it accepted, 1 ms to 365
     *     days. It must be longer than the longest pause after which an old holder might still write
     */
    public FencedValue fencedValue(String name, Duration life) {
        Require.between("life", life, Duration.ofMillis(1), Require.LONGEST);
        return new FencedValue(client, Keys.of(client.kit.options.prefix(), name), life);
    }

    /** Returns a value whose key never expires, not even after a deletion; it must be removed by hand. No I/O. */
    public FencedValue fencedValueForEver(String name) {
        return new FencedValue(client, Keys.of(client.kit.options.prefix(), name), Duration.ZERO);
    }

    /** Returns the administrative operations on locks by name, for operators. They apply to any holder, and need no lease. */
    public Admin admin() {
        return new Admin(client);
    }

    /** Returns the location of the locks, for people: the server's address, or the addresses of several. */
    public String server() {
        return client.server.describe();
    }

    /** Returns the id of this client, as listings show it. */
    public String id() {
        return client.kit.ids.client();
    }

    /** Returns how many leases this client holds at present; those of an actor that has entered one hold again count once. */
    public int leaseCount() {
        return client.kit.holds().size() - client.localLines.kept();
    }

    /** Returns how many requests of this client wait at present. */
    public int waiterCount() {
        return Math.max(
                0,
                client.queue.waitingRoom.size()
                        + client.plain.size()
                        - client.kit.holds().size()
                        + client.localLines.waiting());
    }

    /** Returns the options of this client. */
    public HoldfastOptions options() {
        return client.kit.options;
    }

    /**
     * Closes the client. Its open leases end as lost and are released, its waiters are withdrawn, and its threads end. Blocks
     * until the server has confirmed the releases, for at most {@link HoldfastOptions#closeTimeout()}. Without a connection to
     * the server it blocks for less than a second. A hold whose release is not confirmed by then expires at the end of its
     * lease duration; a plain lock {@linkplain PlainOptions#withoutExpiry() without expiry} stays taken. Closing twice is a
     * no-op.
     */
    @Override
    public void close() {
        client.close();
    }

    /** Returns a text for people: the server, the prefix, the application, and the id of this client. */
    @Override
    public String toString() {
        return "Holdfast[" + client.server.describe() + ", prefix " + LogText.text(client.kit.options.prefix())
                + ", application "
                + LogText.text(client.kit.options.application()) + ", client " + id()
                + (client.kit.isClosed() ? ", closed]" : "]");
    }
}
