package io.holdfast.testkit;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.Wait;
import io.holdfast.testkit.HoldState.Stranger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Makes happen to leases what a test wants to see handled: they expire, another client takes them, the server cannot be
 * reached. The code under test uses an ordinary {@link Holdfast}, over a {@link MemoryServer}.
 *
 * <p>Leases are those of locks, of read/write locks and of semaphores; what others hold beside a lease is left alone. Where a
 * lock is named by its name it is one of {@link Holdfast#lock(String)}; a {@link DistributedLock} may be of any kind.
 *
 * <p>With {@link HoldfastExtension} it comes as a parameter of the test. May be used from any thread, in virtual time
 * from the test's only.
 */
public final class LeaseControl implements AutoCloseable {
    private static final Duration LEAST = Duration.ofMillis(1);

    private final MemoryServer server;
    private final HoldfastOptions options;
    private final Holdfast somebodyElse;
    private final Map<String, List<Runnable>> theirs = new ConcurrentHashMap<>(); // by key: how it is released
    private final AtomicInteger strangers = new AtomicInteger();
    private final List<Holdfast> clients = new CopyOnWriteArrayList<>();
    private final List<MemoryDriver> drivers = new CopyOnWriteArrayList<>();
    private volatile boolean connected = true;

    private LeaseControl(MemoryServer server, HoldfastOptions options) {
        this.server = server;
        this.options = options;
        this.somebodyElse = server.client(options.withApplication("somebody else"));
    }

    /** Over a new server by the system's time, with the default options. */
    public static LeaseControl start() {
        return over(MemoryServer.start(), HoldfastOptions.defaults());
    }

    /** Over a new server by virtual time, with the default options: for use by one thread. */
    public static LeaseControl start(VirtualTime time) {
        return over(MemoryServer.start(time), HoldfastOptions.defaults());
    }

    /** Over a server that closing this closes, with the options of all clients. */
    public static LeaseControl over(MemoryServer server, HoldfastOptions options) {
        return new LeaseControl(server, options);
    }

    /** A new client, closed with this: what the code under test is given. */
    public Holdfast client() {
        MemoryDriver driver = server.open();
        Holdfast client = server.client(driver, options);
        drivers.add(driver);
        clients.add(client);
        if (!connected) {
            driver.cut();
        }
        return client;
    }

    /** The server. */
    public MemoryServer server() {
        return server;
    }

    /**
     * The virtual time.
     *
     * @throws IllegalStateException if the server goes by the system's
     */
    public VirtualTime time() {
        return server.time();
    }

    /**
     * Ends the hold of a lease on the server as if it had expired there: the lock is free, or goes to the next that
     * waits, unless others hold it beside this lease. The lease is over when this returns, lost as {@link
     * io.holdfast.LossReason#NOT_ON_SERVER}; if its client is cut off, it learns of it like any other, when it is connected again or at
     * its deadline.
     *
     * @throws IllegalStateException if the lease has no hold on this server
     */
    public void expire(Lease lease) {
        String owner = lease.owner();
        change(lease, (data, state) -> state.expire(data, owner));
        tell(lease);
    }

    /**
     * Lets another client take away what a lease has of a lock, and hold it until {@link #release(String)}: the lock, or the
     * right to write it or to read it, or so many permits. A request that waits for it goes on waiting. The lease is over when this
     * returns, as with {@link #expire}.
     *
     * @throws IllegalStateException if the lease has no hold on this server
     */
    public void lose(Lease lease) {
        Stranger somebody = Stranger.numbered(strangers.incrementAndGet());
        HoldState state = change(lease, (data, found) -> found.give(data, lease.owner(), somebody));
        String key = Octets.toText(state.keys().get(0));
        add(key, () -> {
            server.inOneStep(data -> {
                state.expire(data, somebody.owner());
                return state;
            });
            adminOf(key).clean(lease.name()); // whoever waits has what is free now
        });
        tell(lease);
    }

    /**
     * Lets another client hold a lock that is free, until {@link #release(String)}.
     *
     * @throws IllegalStateException if it is held; the message says by whom
     */
    public void hold(String name) {
        hold(others -> others.lock(name));
    }

    /**
     * Lets another client hold what is free of a lock of any kind, until {@link #release(DistributedLock)}: {@code hold(others ->
     * others.readWriteLock("a").write())}, {@code hold(others -> others.semaphore("s", 3).permits(2))}.
     *
     * @param of the lock of another client
     * @throws IllegalStateException if it is not free; the message says why
     */
    public void hold(Function<Holdfast, DistributedLock> of) {
        DistributedLock lock = of.apply(somebodyElse);
        Attempt<Lease> attempt = lock.attemptAsync(Wait.none()).join();
        Lease lease = attempt.asOptional()
                .orElseThrow(() -> new IllegalStateException("lock '" + lock.name() + "' is not free: " + attempt));
        add(lock.key(), lease::release);
    }

    private void add(String key, Runnable release) {
        theirs.computeIfAbsent(key, k -> new CopyOnWriteArrayList<>()).add(release);
    }

    /**
     * Lets another client release a lock that it holds after {@link #hold(String)} or {@link #lose}: it is free, or goes to the
     * next that waits.
     *
     * @throws IllegalStateException if the other client does not hold it
     */
    public void release(String name) {
        release(somebodyElse.lock(name));
    }

    /**
     * Lets another client release all that it holds of a lock of any kind.
     *
     * @param lock of any client; of a read/write lock either side, of a semaphore so many permits as you like
     * @throws IllegalStateException if the other client holds nothing of it
     */
    public void release(DistributedLock lock) {
        List<Runnable> releases = theirs.remove(lock.key());
        if (releases == null) {
            throw new IllegalStateException("lock '" + lock.name() + "' is not held by another client");
        }
        releases.forEach(Runnable::run);
    }

    /** Drops all that wait for a lock, as an operator does: their requests end as {@link Attempt.Reason#DROPPED}. */
    public void drop(String name) {
        drop(somebodyElse.lock(name));
    }

    /**
     * Drops all that wait for a lock of any kind.
     *
     * @param lock of any client; of a read/write lock either side, of a semaphore so many permits as you like
     */
    public void drop(DistributedLock lock) {
        // A token that no hold has: it leaves the holds alone.
        adminOf(lock.key()).release(lock.name(), 1, Admin.Waiters.DROP);
    }

    /** An administrator of the kind of lock that has this key. */
    private Admin adminOf(String key) {
        String name = key.substring(key.indexOf('{') + 1);
        return somebodyElse
                .admin()
                .of(
                        name.startsWith("%rw:")
                                ? LockInfo.Kind.READ_WRITE
                                : name.startsWith("%sem:") ? LockInfo.Kind.SEMAPHORE : LockInfo.Kind.LOCK);
    }

    /**
     * Breaks the connections of the clients of this, until {@link #reconnect}: requests end as {@link Attempt.Unknown},
     * leases live until their deadlines.
     */
    public void disconnect() {
        connected = false;
        drivers.forEach(MemoryDriver::cut);
    }

    /** Lets the clients connect again, which they do at once. */
    public void reconnect() {
        connected = true;
        drivers.forEach(MemoryDriver::restore);
    }

    /** Does something to what is said of the hold of a lease, and answers where that stands. */
    private HoldState change(Lease lease, BiConsumer<Keyspace, HoldState> change) {
        return server.inOneStep(data -> {
            HoldState state = HoldState.find(data, lease.owner());
            if (state == null) {
                throw new IllegalStateException(lease + " has no hold on " + server);
            }
            change.accept(data, state);
            return state;
        });
    }

    /** Has the lease ask the server, which it would do by itself only at its next renewal. */
    private static void tell(Lease lease) {
        try {
            lease.extend(LEAST);
        } catch (HoldfastException e) {
            // That it is lost is what is wanted; and who is cut off cannot be told.
        }
    }

    /** Closes the clients, and the server. */
    @Override
    public void close() {
        reconnect(); // closing waits for answers
        List<Holdfast> all = new ArrayList<>(clients);
        all.add(somebodyElse);
        all.forEach(Holdfast::close);
        server.close();
    }
}
