package io.holdfast;

import io.holdfast.internal.client.Client;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.queue.Downgrade;
import io.holdfast.internal.wire.Asked;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Require;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock that any number of readers hold together, or one writer alone. Cheap, stateless, and usable by any number of threads.
 *
 * <pre>{@code
 * DistributedReadWriteLock catalogue = holdfast.readWriteLock("catalogue");
 * catalogue.read().call(lease -> search(words));
 * catalogue.write().call(lease -> store.replace(pages, lease.token()));
 * }</pre>
 *
 * <p><b>Order.</b> Readers and writers wait in one queue, and are served in the order in which their requests reached the
 * server. A reader that comes after a writer waits for it, and adjacent readers at the front are granted the lock together.
 * Neither side therefore waits for ever. An application that prefers one of them gives its requests a higher
 * {@linkplain LockOptions#withPriority priority}.
 *
 * <p><b>Each reader and writer has its own lease</b>, with its own lease duration, renewal and loss. A reader whose process has
 * died keeps a writer waiting for the rest of the reader's lease duration and its lock-delay, and no longer.
 *
 * <p><b>Tokens.</b> A writer's token is greater than all earlier ones. Readers that hold the lock together have the same token.
 * A store that refuses tokens older than the newest that it has seen, such as {@link FencedValue}, works for both.
 */
public final class DistributedReadWriteLock {
    private final Client client;
    private final Keys keys;
    private final DistributedLock read;
    private final DistributedLock write;

    DistributedReadWriteLock(Client client, Keys keys, LockOptions options) {
        this.client = client;
        this.keys = keys;
        this.read = new DistributedLock(client, keys, Asked.SHARED, options, null);
        this.write = new DistributedLock(client, keys, Asked.ALONE, options, null);
    }

    /** Returns the lock's name. */
    public String name() {
        return keys.name();
    }

    /**
     * Returns the lock for reading. Any number of readers can hold it at the same time, but not while a writer holds the lock.
     */
    public DistributedLock read() {
        return read;
    }

    /**
     * Returns the lock for writing. While a writer holds it, no other writer and no reader holds the lock. An actor that holds
     * the lock for reading cannot also have it for writing. If its options say that it must not wait for itself, the answer is
     * {@link Attempt.Reason#UPGRADE}; otherwise it waits until its reading lease has ended.
     */
    public DistributedLock write() {
        return write;
    }

    /** Returns a copy with the given options for both sides. For one side, use {@code read().with(…)}. */
    public DistributedReadWriteLock with(LockOptions options) {
        return new DistributedReadWriteLock(client, keys, Require.given("options", options));
    }

    /**
     * Replaces a writing lease with a reading lease, without another writer in between. The writing lease ends, and with it
     * every lease that has entered the same hold. Work under such a lease is not interrupted, because its own actor ended it.
     * Other readers at the front of the queue are granted the lock. Usually blocks for one round trip. If an answer leaves too
     * little of the lease, or none arrives, the client asks again until the command timeout has passed.
     *
     * @param writing a lease of this lock for writing
     * @return a lease for reading, with a token that is greater than that of {@code writing}
     * @throws IllegalArgumentException if the lease is of another lock or client, or not for writing
     * @throws LeaseLostException if it is over
     * @throws ServerUnreachableException if the server does not answer; neither lease is then held, and the lock is released in
     *     the background
     * @throws LockRefusedException if too few replicas confirm the lease, or because of a quarantine; the lock is then released
     */
    public Lease downgrade(Lease writing) {
        return Lease.join(downgradeAsync(writing));
    }

    /**
     * As {@link #downgrade}, without blocking. The future completes on the client's executor, and fails with the same
     * exceptions, except that an {@code IllegalArgumentException} is thrown at once. If the caller completes the future, for
     * example by {@code cancel}, the lease for reading is released as soon as it is granted.
     */
    public CompletableFuture<Lease> downgradeAsync(Lease writing) {
        Require.given("writing", writing);
        Hold hold = writing.hold;
        if (!hold.keys().equals(keys) || writing.mode() != LockMode.EXCLUSIVE || hold.kit != client.kit) {
            throw new IllegalArgumentException("writing is " + writing + ", must be a lease for writing of "
                    + LogText.lock(name()) + " and this client");
        }
        CompletableFuture<Lease> asked = new CompletableFuture<>();
        var unused = new Downgrade(client.queue, hold)
                .begin()
                .whenCompleteAsync((handle, failure) -> hand(asked, handle, failure), client.kit.executor())
                .exceptionally(failure -> {
                    asked.completeExceptionally(failure); // if it is not by now: the executor has refused
                    return null;
                });
        return asked;
    }

    private static void hand(CompletableFuture<Lease> asked, @Nullable Handle handle, @Nullable Throwable failure) {
        if (handle == null) {
            asked.completeExceptionally(Calls.unwrap(Objects.requireNonNull(failure)));
            return;
        }
        Lease reading = new Lease(handle);
        if (!asked.complete(reading)) {
            var unused = reading.releaseAsync(); // nobody wants it any more
        }
    }

    /**
     * Returns a view of this lock as a lock of {@code java.util.concurrent}: owned by threads, and re-entrant, like a
     * {@code ReentrantReadWriteLock}. A thread that writes may lock for reading as well. If it then unlocks the writing side
     * first, it continues as a reader together with others, without another writer in between. A thread that reads enters again
     * even if writers wait. All views of one lock in one client are one, including those of {@link #read()} and
     * {@link #write()}.
     *
     * <p>It differs from {@code ReentrantReadWriteLock} as follows, in addition to the differences of
     * {@link DistributedLock#asJavaLock()}:
     *
     * <ul>
     *   <li>As there, a thread that reads cannot lock for writing. But {@code lock()} throws {@link LockRefusedException} at
     *       once instead of waiting for ever, and {@code tryLock} returns false at once, even with a time limit.
     *   <li>The change from writer to reader asks the server, as {@link #downgrade} does, and {@code unlock()} throws the same
     *       exceptions. After such an exception the thread holds neither side: the next {@code unlock()} of the reading side
     *       throws {@link LeaseLostException}.
     *   <li>If the thread has leases in the same hold that do not belong to a view, the hold remains one for writing: others
     *       wait until all of these leases are released.
     *   <li>Readers and writers are always served in the order of their requests. The writing side has no conditions either.
     * </ul>
     */
    public ReadWriteLock asJavaLock() {
        Lock reading = new JavaLock(read);
        Lock writing = new JavaLock(write);
        return new ReadWriteLock() {
            @Override
            public Lock readLock() {
                return reading;
            }

            @Override
            public Lock writeLock() {
                return writing;
            }
        };
    }

    /**
     * Returns the holders and the waiters: at most a hundred holders, those whose holds end first, and the first hundred waiters.
     * Blocks for one round trip, at most the command timeout.
     */
    public LockInfo info() {
        return client.look(keys);
    }

    @Override
    public String toString() {
        return "DistributedReadWriteLock[" + LogText.name(name()) + "]";
    }
}
