package io.holdfast.testkit;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.Wait;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Makes happen to leases what a test wants to see handled: they expire, somebody else takes them, the server cannot be
 * reached. The code under test uses an ordinary {@link Holdfast}, over a {@link MemoryServer}.
 *
 * <p>With {@link HoldfastExtension} it comes as a parameter of the test. May be used from any thread, in virtual time
 * from the test's only.
 */
public final class LeaseControl implements AutoCloseable {
    private static final Duration LEAST = Duration.ofMillis(1);

    private final MemoryServer server;
    private final HoldfastOptions options;
    private final Holdfast somebodyElse;
    private final Map<String, Runnable> theirs = new ConcurrentHashMap<>(); // how each of their locks is released
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
     * waits. The lease is over when this returns, lost as {@link io.holdfast.LossReason#GONE}; if its client is cut off,
     * it learns of it like any other, when it is connected again or at its deadline.
     *
     * @throws IllegalStateException if the lease has no hold on this server
     */
    public void expire(Lease lease) {
        server.command("DEL", keyOf(lease));
        tell(lease);
    }

    /**
     * Has somebody else take the lock of a lease away, and hold it. Whoever waits for it goes on waiting. The lease is
     * over when this returns, as with {@link #expire}.
     *
     * @throws IllegalStateException if the lease has no hold on this server
     */
    public void lose(Lease lease) {
        String name = lease.name();
        String hold = RefusingRule.hold(lease.token() + 1);
        server.command("SET", keyOf(lease), hold, "PX", Long.toString(RefusingRule.TERM_MILLIS));
        theirs.put(name, () -> somebodyElse.admin().release(name, Admin.Waiters.HAND_OFF));
        tell(lease);
    }

    /**
     * Has somebody else hold a lock that is free, until {@link #release}.
     *
     * @throws IllegalStateException if it is held; the message says by whom
     */
    public void hold(String name) {
        Attempt attempt = somebodyElse.lock(name).attemptAsync(Wait.none()).join();
        Lease lease = attempt.lease()
                .orElseThrow(() -> new IllegalStateException("lock '" + name + "' is not free: " + attempt));
        theirs.put(name, lease::release);
    }

    /**
     * Has somebody else release a lock that it holds after {@link #hold} or {@link #lose}: it is free, or goes to the next
     * that waits.
     *
     * @throws IllegalStateException if somebody else does not hold it
     */
    public void release(String name) {
        Runnable release = theirs.remove(name);
        if (release == null) {
            throw new IllegalStateException("lock '" + name + "' is not held by somebody else");
        }
        release.run();
    }

    /** Drops all that wait for a lock, as an operator does: their requests end as {@link Attempt.Evicted}. */
    public void evict(String name) {
        // A token that no hold has: it leaves the hold alone.
        somebodyElse.admin().release(name, 1, Admin.Waiters.DROP);
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

    private String keyOf(Lease lease) {
        for (Reply key : server.command("KEYS", "*").asList()) {
            if (server.command("TYPE", key.asString()).asString().equals("string")
                    && server.command("GET", key.asString()).toString().startsWith(lease.owner() + "~")) {
                return key.asString();
            }
        }
        throw new IllegalStateException(lease + " has no hold on " + server);
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
