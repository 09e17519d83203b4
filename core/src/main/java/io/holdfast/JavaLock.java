package io.holdfast;

import io.holdfast.internal.client.Client;
import io.holdfast.internal.lease.Engine;
import io.holdfast.internal.queue.Downgrade;
import io.holdfast.internal.turns.LocalLines;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Require;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * The view that {@link DistributedLock#asJavaLock()} returns. All views of one lock in one client, or of one side of a
 * read/write lock, share one state in each thread. It consists of a lease, and of how often the thread has locked. The views
 * therefore agree, and the state ends with the thread.
 *
 * <p>A view requests the lock as its thread, whatever actor was named, and enters a hold that its thread has by a lease outside
 * the views. A hold that leases of several threads share belongs to none of them; a view enters it through views only.
 */
final class JavaLock implements Lock {
    private record Key(Engine engine, Keys keys, LockMode mode) {}

    /** The state that a thread has of a lock by its views. */
    private static final class Held {
        private Lease lease;
        private long count = 1;

        Held(Lease lease) {
            this.lease = lease;
        }
    }

    /** The locks that each thread holds through the views of any client; unset while it holds none. */
    private static final ThreadLocal<@Nullable Map<Key, Held>> HELD = new ThreadLocal<>();

    private final DistributedLock lock;
    private final Key key;
    private final @Nullable Key reading; // of a writer: the other side

    JavaLock(DistributedLock lock) {
        LockOptions options = lock.options();
        // Where the lock is kept; turns alone serve no lease that its thread enters again.
        boolean shared = !options.keepFor().isZero() && LocalLines.isShared(options);
        LockOptions asked = shared ? options : options.withReentrancy(LockOptions.Reentrancy.REENTER);
        this.lock = new DistributedLock(lock.engine, lock.keys, lock.what, asked, null);
        this.key = new Key(lock.engine, lock.keys, lock.what.mode());
        boolean writes = lock.keys.kind() == Keys.Kind.READ_WRITE && lock.what.mode() == LockMode.EXCLUSIVE;
        this.reading = writes ? new Key(lock.engine, lock.keys, LockMode.SHARED) : null;
    }

    private static @Nullable Held heldBy(Key key) {
        Map<Key, Held> all = HELD.get();
        return all == null ? null : all.get(key);
    }

    @Override
    public void lock() {
        if (!enteredAgain()) {
            entered(lock.attemptUninterruptibly(Wait.forever()).orElseThrow());
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (!enteredAgain()) {
            entered(lock.acquire(Wait.forever()));
        }
    }

    @Override
    public boolean tryLock() {
        return enteredAgain() || enteredIfHeld(lock.attemptUninterruptibly(Wait.none()));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (enteredAgain()) {
            return true;
        }
        // "If the time is less than or equal to zero, the method will not wait at all."
        long nanos = Math.min(unit.toNanos(time), Require.LONGEST.toNanos());
        Wait wait = nanos <= 0 ? Wait.none() : Wait.upTo(Duration.ofNanos(Math.max(nanos, 1_000_000)));
        return enteredIfHeld(lock.attempt(wait));
    }

    /**
     * Returns whether the thread has the lock by a view, and counts that. A thread that believes so must not get another hold
     * by the same view.
     *
     * @throws LeaseLostException if the thread has locked it, and its lease was lost
     */
    private boolean enteredAgain() {
        Held mine = heldBy(key);
        if (mine == null) {
            return false;
        }
        if (!mine.lease.isValid()) {
            throw mine.lease.lostException(null);
        }
        mine.count++;
        return true;
    }

    private boolean enteredIfHeld(Attempt<Lease> attempt) {
        if (attempt instanceof Attempt.Unknown<Lease> unknown) {
            throw unknown.cause();
        }
        if (attempt instanceof Attempt.Obtained<Lease> obtained) {
            entered(obtained.lease());
            return true;
        }
        return false;
    }

    private void entered(Lease lease) {
        try {
            Map<Key, Held> all = HELD.get();
            if (all == null) {
                all = new HashMap<>(2);
                HELD.set(all);
            }
            all.put(key, new Held(lease));
        } catch (RuntimeException | Error e) {
            lease.release(); // its thread does not know that it has it
            throw e;
        }
    }

    private void forget() {
        Map<Key, Held> all = HELD.get();
        if (all != null) {
            all.remove(key);
            if (all.isEmpty()) {
                HELD.remove();
            }
        }
    }

    @Override
    public void unlock() {
        Held mine = heldBy(key);
        if (mine == null) {
            throw new IllegalMonitorStateException(LogText.lock(lock.name()) + " is not locked by thread "
                    + LogText.text(Thread.currentThread().getName()) + " through a view of this client");
        }
        LeaseLostException lost = mine.lease.isValid() ? null : mine.lease.lostException(null);
        if (mine.count > 1) {
            mine.count--;
        } else {
            try {
                forget();
            } finally { // an error on the way leaves no lock behind
                if (lost != null || !goesOnReading(mine.lease)) {
                    mine.lease.release();
                }
            }
        }
        if (lost != null) {
            throw lost;
        }
    }

    /** Returns whether the thread also reads in the hold that it wrote in: it is a reader's from now on, together with others. */
    private boolean goesOnReading(Lease writing) {
        Held reads = reading == null ? null : heldBy(reading);
        // With other leases in it, which are not of these views, the hold stays the writer's: they would end.
        if (reads == null
                || reads.lease.hold != writing.hold
                || !writing.hold.hasEntries(2)
                || !(lock.engine instanceof Client client)) {
            return false;
        }
        // Not by way of the client's executor: its only thread may be the one that unlocks.
        reads.lease = new Lease(Lease.join(new Downgrade(client.queue, writing.hold).begin()));
        return true;
    }

    /** Throws {@code UnsupportedOperationException}: a waiter in another process could not be notified. */
    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }

    @Override
    public String toString() {
        Held mine = heldBy(key);
        return lock
                + (mine == null ? "[not locked by this thread]" : "[locked by this thread, " + mine.count + " deep]");
    }
}
