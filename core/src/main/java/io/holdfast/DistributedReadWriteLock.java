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
 * <p><b>Order.</b> Readers and writers stand in one queue, and are served in the order in which their requests reached the server:
 * a reader that comes after a writer waits for it, and readers that stand together in front are granted the lock together. So
 * neither waits for ever. An application that prefers one of them gives its requests a higher {@linkplain LockOptions#withPriority priority}.
 *
 * <p><b>Each has a lease of its own</b>, with its own lease duration, renewal and loss: a reader whose process has died keeps a writer
 * waiting for the rest of its own lease duration, and no longer.
 *
 * <p><b>Tokens.</b> A writer's token is greater than all before. Readers that hold the lock together have the same one. A store
 * that refuses tokens older than the newest it has seen, such as {@link FencedValue}, serves both.
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

    /** The name. */
    public String name() {
        return keys.name();
    }

    /** The lock for reading: beside other readers, and no writer. */
    public DistributedLock read() {
        return read;
    }

    /**
     * The lock for writing: alone. An actor that has it for reading cannot have it for writing too: where its options say that it
     * is not to wait for itself, the answer is {@link Attempt.Reason#UPGRADE}; otherwise it waits until its reading lease has ended.
     */
    public DistributedLock write() {
        return write;
    }

    /** Returns this lock with other options for both sides; for one side, {@code read().with(…)}. */
    public DistributedReadWriteLock with(LockOptions options) {
        return new DistributedReadWriteLock(client, keys, Require.given("options", options));
    }

    /**
     * Goes on reading after writing, without another writer in between. The writing lease ends, and with it every lease that has
     * entered the same hold: work under such a lease is not interrupted, since its own actor ended it. Other readers that stand in
     * front of the queue are granted the lock. Blocks for one round trip as a rule, and for the command timeout at most: an answer that
     * leaves too little of the lease is asked for again.
     *
     * @param writing a lease of this lock for writing
     * @return a lease for reading, with a token of its own
     * @throws IllegalArgumentException if the lease is of another lock, or not for writing
     * @throws LeaseLostException if it is over
     * @throws ServerUnreachableException if the server does not answer: neither lease is held then, and the lock is released in
     *     the background
     */
    public Lease downgrade(Lease writing) {
        return Lease.join(downgradeAsync(writing));
    }

    /**
     * Does not block; the future completes on the client's executor, and fails with the same exceptions. If the future is completed
     * from outside, cancelled for one, the lease for reading is released as soon as it is there.
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
     * This lock as one of {@code java.util.concurrent}: owned by threads, and re-entrant, as a {@code ReentrantReadWriteLock}. A thread
     * that writes may lock for reading as well; when it unlocks the writing side first, it goes on as a reader beside others, without
     * another writer in between. A thread that reads enters again although writers wait. All views of one lock in one client are one,
     * those of {@link #read()} and {@link #write()} too.
     *
     * <p>What differs from {@code ReentrantReadWriteLock}, beside what {@link DistributedLock#asJavaLock()} says:
     *
     * <ul>
     *   <li>A thread that reads cannot lock for writing, as there. There {@code lock()} waits for ever; here it throws
     *       {@link LockRefusedException} at once. {@code tryLock} returns false at once, whatever its time.
     *   <li>Going on as a reader asks the server, as {@link #downgrade} does, and {@code unlock()} throws what that throws. The thread
     *       then holds neither side: the next {@code unlock()} of the reading side throws {@link LeaseLostException}.
     *   <li>If the thread has leases in the same hold that are no view's, it stays a writer's: others wait until all are given back.
     *   <li>Readers and writers are served in the order of their requests, always. The writing side has no conditions either.
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

    /** Who holds it and who waits. Blocks for one round trip, at most the command timeout. */
    public LockInfo info() {
        return client.look(keys);
    }

    @Override
    public String toString() {
        return "DistributedReadWriteLock[" + LogText.name(name()) + "]";
    }
}
