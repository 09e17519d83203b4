package io.holdfast;

import io.holdfast.internal.lease.Hold;
import io.holdfast.internal.queue.LocalLines;
import io.holdfast.internal.wire.Require;
import io.holdfast.internal.wire.Shown;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * See {@link DistributedLock#asJavaLock()}. A thread's leases are touched by that thread only.
 *
 * <p>A thread enters its own hold again by asking for the lock once more, which gives it another lease of that hold. A hold
 * that leases of several threads share belongs to none of them: there this view counts by itself how often its thread has
 * entered, and the same lease stands here so often.
 */
final class JavaLock implements Lock {
    private final DistributedLock lock;
    private final boolean shared;
    private final Map<Thread, Deque<Lease>> held = new ConcurrentHashMap<>();

    /** Of a writer: the view of the reading side, and how to go on there. */
    private final @Nullable JavaLock reading;

    private final UnaryOperator<Lease> downgrade;

    JavaLock(DistributedLock lock) {
        this(lock, null, UnaryOperator.identity());
    }

    /**
     * The view of a writer.
     *
     * @param reading the view of the same lock for reading
     * @param downgrade ends a lease for writing, and returns one for reading
     */
    JavaLock(DistributedLock lock, @Nullable JavaLock reading, UnaryOperator<Lease> downgrade) {
        this.reading = reading;
        this.downgrade = downgrade;
        // Where the lock is kept; turns alone serve no lease that its thread enters again.
        this.shared = !lock.options().keepFor().isZero() && LocalLines.isShared(lock.options());
        this.lock = shared ? lock : lock.with(lock.options().withReentrancy(LockOptions.Reentrancy.REENTER));
    }

    @Override
    public void lock() {
        refuseLost();
        if (!enteredAgain()) {
            entered(lock.attemptUninterruptibly(Wait.forever()).orElseThrow());
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        refuseLost();
        if (!enteredAgain()) {
            entered(lock.acquire(Wait.forever()));
        }
    }

    @Override
    public boolean tryLock() {
        refuseLost();
        return enteredAgain() || enteredIfHeld(lock.attemptUninterruptibly(Wait.none()));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        refuseLost();
        if (enteredAgain()) {
            return true;
        }
        // "If the time is less than or equal to zero, the method will not wait at all."
        long nanos = Math.min(unit.toNanos(time), Require.LONGEST.toNanos());
        Wait wait = nanos <= 0 ? Wait.none() : Wait.upTo(Duration.ofNanos(Math.max(nanos, 1_000_000)));
        return enteredIfHeld(lock.attempt(wait));
    }

    /** Whether the thread has a lease that it has to share with nobody but itself. */
    private boolean enteredAgain() {
        Deque<Lease> mine = shared ? held.get(Thread.currentThread()) : null;
        if (mine == null) {
            return false;
        }
        mine.push(mine.element());
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
            held.computeIfAbsent(Thread.currentThread(), thread -> new ArrayDeque<>())
                    .push(lease);
        } catch (RuntimeException | Error e) {
            lease.release(); // its thread does not know that it has it
            throw e;
        }
    }

    /** A thread that believes it holds the lock must not get another hold under the same roof. */
    private void refuseLost() {
        Deque<Lease> mine = held.get(Thread.currentThread());
        if (mine != null && !mine.element().isValid()) {
            throw mine.element().lostException(null);
        }
    }

    @Override
    public void unlock() {
        Thread thread = Thread.currentThread();
        Deque<Lease> mine = held.get(thread);
        if (mine == null) {
            throw new IllegalMonitorStateException(Shown.lock(lock.name()) + " is not held by thread "
                    + Shown.text(thread.getName()) + " through this view");
        }
        Lease last = mine.pop();
        if (mine.isEmpty()) {
            held.remove(thread);
        }
        boolean lost = !last.isValid();
        LeaseLostException loss = last.lostException(null);
        boolean goesOn = !lost && mine.isEmpty() && goesOnReading(last);
        if (!goesOn && (mine.isEmpty() || mine.element() != last)) {
            last.release();
        }
        if (lost) {
            throw loss;
        }
    }

    /** Whether the thread reads, too, in the hold that it wrote in: it is a reader's from now on, beside others. */
    private boolean goesOnReading(Lease writing) {
        Deque<Lease> reads = reading == null ? null : reading.held.get(Thread.currentThread());
        // With other leases in it, which are not of this view, the hold stays the writer's: they would end.
        if (reads == null
                || !reads.stream().allMatch(read -> read.hold == writing.hold)
                || !(writing.hold instanceof Hold hold && hold.hasEntries(1 + reads.size()))) {
            return false;
        }
        Lease now = downgrade.apply(writing);
        int entries = reads.size();
        reads.clear();
        reads.addAll(Collections.nCopies(entries, now)); // one lease, which counts so often
        return true;
    }

    /** Not supported: a waiter in another process could not be told. */
    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }

    @Override
    public String toString() {
        return lock + (held.isEmpty() ? "[unlocked here]" : "[locked by " + held.size() + " thread here]");
    }
}
