package io.holdfast.testkit;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.spi.Environment;
import java.time.Duration;

/**
 * Clients for the tests of an application, without any server: one that works, and three that always answer the same.
 * Each is a real {@link Holdfast} with an in-memory server of its own, so that everything it offers works, queries
 * included. The caller closes it.
 *
 * <p>What is said here of locks is true of every kind: of locks and of sets of them, of elections, which are locks that
 * candidates ask for, of read/write locks, of semaphores, and of plain locks.
 *
 * <p>For several clients that contend, make a {@link MemoryServer}; to break leases, a {@link LeaseControl}.
 */
public final class TestHoldfast {
    private TestHoldfast() {}

    /** A client with locks that behave as those of a real server do. */
    public static Holdfast inMemory() {
        return inMemory(HoldfastOptions.defaults());
    }

    /** Like the method without options. */
    public static Holdfast inMemory(HoldfastOptions options) {
        return MemoryServer.start().client(options);
    }

    /**
     * A client that is granted every lock at once, however many leases of it there are already: for code whose locking is
     * not what is tested. So it is with writers beside readers, and with more permits than a semaphore has. Each lease is
     * renewed and released like any other; queries report the one that was granted last. Readers, too, have a token each.
     */
    public static Holdfast granting() {
        return granting(HoldfastOptions.defaults());
    }

    /** Like the method without options. */
    public static Holdfast granting(HoldfastOptions options) {
        MemoryServer server = MemoryServer.start();
        server.obey(new GrantingRule(server.commands()));
        return Holdfast.over(server.driver(), options, Environment.system().withoutSharedHolds());
    }

    /**
     * A client to whom every lock is taken, by another client that never lets go: a request that does not want to wait learns that at once, one that waits is queued until the wait is over. Queries show the holder: of a read/write lock a writer, of a semaphore one
     * that has all permits there can be. An operator's release by name still hands a lock to the first that waits.
     */
    public static Holdfast refusing() {
        return refusing(HoldfastOptions.defaults());
    }

    /** Like the method without options. */
    public static Holdfast refusing(HoldfastOptions options) {
        MemoryServer server = MemoryServer.start();
        server.obey(new RefusingRule(server.commands()));
        return server.client(options);
    }

    /**
     * A client whose server has gone away: the outcome of every request is unknown, and queries throw
     * {@link io.holdfast.ServerUnreachableException}. A request that may wait goes on asking until its wait is over.
     */
    public static Holdfast failing() {
        return failing(HoldfastOptions.defaults());
    }

    /** A client with options, whose closing waits for nothing. */
    public static Holdfast failing(HoldfastOptions options) {
        MemoryServer server = MemoryServer.start();
        Holdfast holdfast = server.client(options.withCloseTimeout(Duration.ZERO));
        server.disconnect();
        return holdfast;
    }
}
