package io.holdfast.spring.integration;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/**
 * The lock for a key: a lease for each thread that has locked it, and how often it has. There may be more than one, if one has lost the lock
 * and does not know yet. A thread's hold is touched by that thread only.
 */
final class RegistryLock implements Lock {
    private static final Duration LONGEST = Duration.ofDays(365);

    private final DistributedLock lock;
    private final @Nullable Lock old;
    private final Set<Hold> kept;
    private final Map<Thread, Hold> holds = new ConcurrentHashMap<>();
    private final Lock face;

    /**
     * @param old taken before and unlocked after it, if there is one
     * @param kept where holds are while they last
     */
    RegistryLock(DistributedLock lock, @Nullable Lock old, Set<Hold> kept) {
        this.lock = lock;
        this.old = old;
        this.kept = kept;
        this.face = TimedLock.faceOf(this);
    }

    /** What a thread has: while it is kept somewhere, its view is. */
    static final class Hold {
        private final RegistryLock view;
        private final Lease lease;
        private int entries = 1;

        Hold(RegistryLock view, Lease lease) {
            this.view = view;
            this.lease = lease;
        }

        @Override
        public String toString() {
            return view.lock.name() + ", " + lease;
        }
    }

    /** What callers have: this, or what looks like it and has more interfaces. */
    Lock face() {
        return face;
    }

    @Override
    public void lock() {
        lockBy(lock);
    }

    /** @param ttl the lease duration */
    void lock(Duration ttl) {
        lockBy(withLeaseDuration(ttl));
    }

    private void lockBy(DistributedLock asked) {
        if (enteredAgain()) {
            return;
        }
        if (old != null) {
            old.lock();
        }
        entered(() -> Optional.of(join(asked.acquireAsync(Wait.forever()))));
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (enteredAgain()) {
            return;
        }
        if (old != null) {
            old.lockInterruptibly();
        }
        entered(() -> Optional.of(lock.acquire(Wait.forever())));
    }

    @Override
    public boolean tryLock() {
        if (enteredAgain()) {
            return true;
        }
        return (old == null || old.tryLock()) && entered(() -> known(join(lock.attemptAsync(Wait.none()))));
    }

    @Override
    public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
        // "If the time is less than or equal to zero, the method will not wait at all."
        return tryLockBy(lock, Duration.ofNanos(Math.min(Math.max(0, unit.toNanos(time)), LONGEST.toNanos())));
    }

    /** @param ttl the lease duration */
    boolean tryLock(Duration waitTime, Duration ttl) throws InterruptedException {
        Duration wait = waitTime.isNegative() ? Duration.ZERO : waitTime;
        return tryLockBy(withLeaseDuration(ttl), wait.compareTo(LONGEST) > 0 ? LONGEST : wait);
    }

    private boolean tryLockBy(DistributedLock asked, Duration wait) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (enteredAgain()) {
            return true;
        }
        long begin = System.nanoTime();
        if (old != null && !old.tryLock(wait.toNanos(), TimeUnit.NANOSECONDS)) {
            return false;
        }
        Duration rest = old == null ? wait : wait.minusNanos(System.nanoTime() - begin);
        return entered(() -> known(asked.attempt(wait(wait.isZero() ? wait : rest))));
    }

    private static Wait wait(Duration time) {
        return time.toMillis() <= 0 && (time.isZero() || time.isNegative())
                ? Wait.none()
                : Wait.upTo(time.toMillis() < 1 ? Duration.ofMillis(1) : time);
    }

    private DistributedLock withLeaseDuration(Duration ttl) {
        return lock.with(lock.options().withLeaseDuration(ttl));
    }

    private static Optional<Lease> known(Attempt<Lease> attempt) {
        if (attempt instanceof Attempt.Unknown<Lease> unknown) {
            throw unknown.cause();
        }
        return attempt.asOptional();
    }

    /** Waits without heeding interrupts, which stay set. */
    private static <T> T join(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw e;
        }
    }

    private interface Ask<X extends Exception> {
        Optional<Lease> lease() throws X;
    }

    private boolean enteredAgain() {
        Hold mine = holds.get(Thread.currentThread());
        if (mine == null) {
            return false;
        }
        // A thread that believes it holds the lock must not get another hold under the same roof.
        mine.lease.requireValid();
        mine.entries++;
        return true;
    }

    /** Asks, with the old lock taken; unlocks that if nothing comes of it. */
    private <X extends Exception> boolean entered(Ask<X> ask) throws X {
        boolean taken = false;
        try {
            Optional<Lease> lease = ask.lease();
            if (lease.isPresent()) {
                Hold hold = new Hold(this, lease.get());
                holds.put(Thread.currentThread(), hold);
                kept.add(hold);
                taken = true;
            }
        } finally {
            if (!taken && old != null) {
                old.unlock();
            }
        }
        return taken;
    }

    @Override
    public void unlock() {
        Hold mine = holds.get(Thread.currentThread());
        if (mine == null) {
            throw new IllegalMonitorStateException(
                    lock + " is not held by thread " + Thread.currentThread().getName() + " through this registry");
        }
        LeaseLostException lost = lost(mine.lease);
        mine.entries--;
        if (mine.entries == 0) {
            holds.remove(Thread.currentThread());
            kept.remove(mine);
            try {
                mine.lease.release();
            } finally {
                if (old != null) {
                    old.unlock();
                }
            }
        }
        if (lost != null) {
            throw lost;
        }
    }

    private static @Nullable LeaseLostException lost(Lease lease) {
        try {
            lease.requireValid();
            return null;
        } catch (LeaseLostException e) {
            return e;
        }
    }

    /** @param ttl null for the lease duration that it has */
    void renew(@Nullable Duration ttl) {
        Hold mine = holds.get(Thread.currentThread());
        if (mine == null) {
            throw new IllegalStateException(lock + " is not held by thread "
                    + Thread.currentThread().getName()
                    + " through this registry, and cannot be renewed by that thread");
        }
        try {
            mine.lease.extend(ttl == null ? lock.options().leaseDuration() : ttl);
        } catch (LeaseLostException e) {
            throw new IllegalStateException("could not be renewed: " + e.getMessage(), e);
        }
    }

    /** Not supported: a waiter in another process could not be told. */
    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("a distributed lock has no conditions");
    }

    @Override
    public String toString() {
        return lock + (holds.isEmpty() ? "[unlocked here]" : "[locked here]");
    }
}
