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
 * A control with which a test makes leases fail: they expire, another client takes them, the server cannot be reached. The
 * code under test uses an ordinary {@link Holdfast}, over a {@link MemoryServer}.
 *
 * <p>Leases may be those of locks, of read/write locks and of semaphores. Other holders of the same lock are not affected. A
 * method with a name is about {@link Holdfast#lock(String)}; a {@link DistributedLock} may be of any kind.
 *
 * <p>{@link HoldfastExtension} passes it as a parameter of the test. It may be used from any thread; in virtual time only from
 * the test's thread.
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

    /** Starts a new server that uses the system's time, and returns its control, with the default options. */
    public static LeaseControl start() {
        return over(MemoryServer.start(), HoldfastOptions.defaults());
    }

    /** Starts a new server in virtual time, and returns its control, with the default options. For use by one thread. */
    public static LeaseControl start(VirtualTime time) {
        return over(MemoryServer.start(time), HoldfastOptions.defaults());
    }

    /** Returns a control over a server, with the given options for all its clients. Closing it closes the server. */
    public static LeaseControl over(MemoryServer server, HoldfastOptions options) {
        return new LeaseControl(server, options);
    }

    /** Returns a new client for the code under test. It is closed with this control. */
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

    /** Returns the server. */
    public MemoryServer server() {
        return server;
    }

    /**
     * Returns the virtual time.
     *
     * @throws IllegalStateException if the server uses the system's time
     */
    public VirtualTime time() {
        return server.time();
    }

    /**
     * Ends the hold of a lease on the server as if it had expired there. The lock is free, or goes to the next waiter, unless
     * others hold it, too. The lease is lost as {@link io.holdfast.LossReason#NOT_ON_SERVER} when this method returns. If its
     * client is disconnected, the lease ends when the client is connected again, or at its deadline.
     *
     * @throws IllegalStateException if the lease has no hold on this server
     */
    public void expire(Lease lease) {
        String owner = lease.owner();
        change(lease, (data, state) -> state.expire(data, owner));
        tell(lease);
    }

    /**
     * Makes another client take the lock from a lease, and hold it until {@link #release(String)}: the lock, one side of a
     * read/write lock, or the lease's permits. Requests that wait for the lock go on waiting. The lease is over when this method
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
     * Makes another client hold a free lock until {@link #release(String)}.
     *
     * @throws IllegalStateException if the lock is held; the message names the holder
     */
    public void hold(String name) {
        hold(others -> others.lock(name));
    }

    /**
     * Makes another client hold a free lock of any kind until {@link #release(DistributedLock)}. Examples: {@code hold(others ->
     * others.readWriteLock("a").write())}, {@code hold(others -> others.semaphore("s", 3).permits(2))}.
     *
     * @param of returns the lock, given the other client
     * @throws IllegalStateException if the lock is not free; the message says why
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
     * Makes the other client release a lock that it holds after {@link #hold(String)} or {@link #lose}. The lock is free, or goes
     * to the next waiter.
     *
     * @throws IllegalStateException if the other client does not hold it
     */
    public void release(String name) {
        release(somebodyElse.lock(name));
    }

    /**
     * Makes the other client release everything that it holds of a lock of any kind.
     *
     * @param lock a lock of any client: for a read/write lock either side, for a semaphore any number of permits
     * @throws IllegalStateException if the other client holds nothing of it
     */
    public void release(DistributedLock lock) {
        List<Runnable> releases = theirs.remove(lock.key());
        if (releases == null) {
            throw new IllegalStateException("lock '" + lock.name() + "' is not held by another client");
        }
        releases.forEach(Runnable::run);
    }

    /** Drops all waiters of a lock, as an operator does: their requests end as {@link Attempt.Reason#DROPPED}. */
    public void drop(String name) {
        drop(somebodyElse.lock(name));
    }

    /**
     * Drops all waiters of a lock of any kind.
     *
     * @param lock a lock of any client: for a read/write lock either side, for a semaphore any number of permits
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
     * Breaks the connections of this control's clients until {@link #reconnect}. Requests end as {@link Attempt.Unknown}, those
     * that wait when their wait is over, and leases are valid until their deadlines.
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
