package io.holdfast.testkit;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.spi.Environment;
import java.time.Duration;

/**
 * Clients for the tests of an application, without any server: one that works, and three that always answer in one way.
 * Each is a real {@link Holdfast} with its own in-memory server, so everything that it offers works, including queries. The
 * caller must close it.
 *
 * <p>Statements about locks apply to every kind: to locks and sets of them, to elections, which are locks that candidates
 * request, to read/write locks, to semaphores, and to plain locks.
 *
 * <p>For several clients that contend, use a {@link MemoryServer}; to break leases, use a {@link LeaseControl}.
 */
public final class TestHoldfast {
    private TestHoldfast() {}

    /** Returns a client whose locks behave as those of a real server. */
    public static Holdfast inMemory() {
        return inMemory(HoldfastOptions.defaults());
    }

    /** Returns a client with the given options, otherwise as {@link #inMemory()}. */
    public static Holdfast inMemory(HoldfastOptions options) {
        return MemoryServer.start().client(options);
    }

    /**
     * Returns a client that is granted every lock at once, however many leases of it exist already. Use it if a test is not about
     * locking. A writer is granted the lock despite readers, and a semaphore grants more permits than it has. Each lease is
     * renewed and released like any other; queries report the one that was granted last. Each reader has a token of its own, too.
     */
    public static Holdfast granting() {
        return granting(HoldfastOptions.defaults());
    }

    /** Returns a client with the given options, otherwise as {@link #granting()}. */
    public static Holdfast granting(HoldfastOptions options) {
        MemoryServer server = MemoryServer.start();
        server.obey(new GrantingRule(server.commands()));
        return Holdfast.over(server.driver(), options, Environment.system().withoutSharedHolds());
    }

    /**
     * Returns a client for which every lock is held by another client that never releases it. A request that does not wait ends at
     * once; one that waits is queued until its wait is over. Queries show the holder: a writer of a read/write lock, and a holder
     * of the maximum number of permits of a semaphore. An operator's release by name still hands a lock to the first waiter.
     */
    public static Holdfast refusing() {
        return refusing(HoldfastOptions.defaults());
    }

    /** Returns a client with the given options, otherwise as {@link #refusing()}. */
    public static Holdfast refusing(HoldfastOptions options) {
        MemoryServer server = MemoryServer.start();
        server.obey(new RefusingRule(server.commands()));
        return server.client(options);
    }

    /**
     * Returns a client whose server is unreachable: the outcome of every request is unknown, and queries throw
     * {@link io.holdfast.ServerUnreachableException}. A request that may wait goes on asking until its wait is over.
     */
    public static Holdfast failing() {
        return failing(HoldfastOptions.defaults());
    }

    /** Returns a client with the given options, otherwise as {@link #failing()}. Closing it waits for nothing. */
    public static Holdfast failing(HoldfastOptions options) {
        MemoryServer server = MemoryServer.start();
        Holdfast holdfast = server.client(options.withCloseTimeout(Duration.ZERO));
        server.disconnect();
        return holdfast;
    }
}
