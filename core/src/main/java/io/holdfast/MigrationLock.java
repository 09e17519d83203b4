package io.holdfast;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Two locks acquired as one, for the time in which a service moves from an old lock to a Holdfast lock. The old lock is always
 * acquired first, then the new one; they are released in reverse. The old lock excludes processes that know only the old lock,
 * and the new lock excludes those that know only the new one. See docs/guide/migration.md.
 *
 * <p>If the old lock is a {@link Lock}, the thread that acquired it owns it. So only this thread can release the lease, and
 * there are no asynchronous methods. If the old lock is a {@link PlainLock}, any thread may release.
 */
public final class MigrationLock {
    /** The old lock, of any type. */
    private interface Old {
        /** @return the lock that was taken; null if it was not free */
        @Nullable
        Taken take(Wait wait) throws InterruptedException;
    }

    /** The old lock, taken. */
    interface Taken {
        boolean isValid();

        /** Throws if this thread may not release it; nothing is released then. */
        void requireOwner();

        void release();

        /** The lease of a plain lock; null for others. */
        default @Nullable PlainLease plain() {
            return null;
        }
    }

    private final Old old;
    private final String oldName;
    private final DistributedLock next;

    private MigrationLock(Old old, String oldName, DistributedLock next) {
        this.old = old;
        this.oldName = oldName;
        this.next = next;
    }

    /**
     * Returns a lock for an old lock that cannot report whether it is still held: it counts as held until the lease is
     * released.
     *
     * @param old acquired first and released last
     * @param next acquired second and released first
     */
    public static MigrationLock of(Lock old, DistributedLock next) {
        return of(old, () -> true, next);
    }

    /**
     * Returns a lock for an old lock that can report whether it is still held.
     *
     * @param old acquired first and released last
     * @param stillHeld returns whether the old lock is held at this instant; {@link MigrationLease#isValid()} calls it, on its
     *     caller's thread
     * @param next acquired second and released first
     */
    public static MigrationLock of(Lock old, BooleanSupplier stillHeld, DistributedLock next) {
        return new MigrationLock(wait -> takeOwned(old, stillHeld, wait), old.toString(), next);
    }

    /**
     * Returns a lock for an old lock that is a plain lock, which programs in other languages may hold, too.
     *
     * @param old acquired first and released last
     * @param next acquired second and released first
     */
    public static MigrationLock of(PlainLock old, DistributedLock next) {
        return new MigrationLock(
                wait -> {
                    Attempt<PlainLease> attempt = old.attempt(wait);
                    if (attempt instanceof Attempt.Unknown<PlainLease> unknown) {
                        throw unknown.cause();
                    }
                    return attempt.asOptional().map(PlainTaken::new).orElse(null);
                },
                old.toString(),
                next);
    }

    /**
     * Acquires both locks, and waits in total for the time that the new lock's options give.
     *
     * @throws LockNotObtainedException see {@link #acquire(Wait)}
     */
    public MigrationLease acquire() throws InterruptedException {
        return acquire(next.options().waitLimit());
    }

    /**
     * Acquires both locks, and waits in total for the time that {@code wait} gives.
     *
     * @throws LockTimeoutException if one of them was not free in time; neither is held. The message says which one
     * @throws LockNotObtainedException if the new lock was not obtained for another reason; neither is held
     * @throws ServerUnreachableException if the outcome is unknown; a lock that may be held is given back
     */
    public MigrationLease acquire(Wait wait) throws InterruptedException {
        Attempted attempted = attempt(wait);
        if (attempted.lease() != null) {
            return attempted.lease();
        }
        if (attempted.second() != null) {
            attempted.second().orElseThrow();
        }
        var taken = new Attempt.NotObtained<Lease>(
                oldName,
                wait.isNone() ? Attempt.Reason.TAKEN : Attempt.Reason.TIMED_OUT,
                Contention.NOTHING_KNOWN,
                wait,
                0,
                0,
                Optional.empty());
        throw new LockTimeoutException(taken, "old " + taken.describe());
    }

    /** Acquires both locks without waiting; returns empty if one of them is not obtained, for whatever reason. */
    public Optional<MigrationLease> tryAcquire() throws InterruptedException {
        return tryAcquire(Wait.none());
    }

    /**
     * Acquires both locks, and waits in total for the time that {@code wait} gives; returns empty if one of them is not
     * obtained, for whatever reason.
     *
     * @throws ServerUnreachableException if the outcome is unknown
     */
    public Optional<MigrationLease> tryAcquire(Wait wait) throws InterruptedException {
        Attempted attempted = attempt(wait);
        if (attempted.second() instanceof Attempt.Unknown<Lease> unknown) {
            throw unknown.cause();
        }
        return Optional.ofNullable(attempted.lease());
    }

    /**
     * Acquires both locks, runs the work, and always releases them afterwards. Waits as {@link #acquire()} does.
     *
     * @return the result of the work
     * @throws LeaseLostException if one of the locks was lost while the work ran; the exception carries the work's result. An
     *     exception of the work itself is thrown unchanged; an exception of the release is then added to it as suppressed
     */
    public <T extends @Nullable Object, X extends Exception> T call(LeaseFunction<Lease, T, X> work)
            throws X, InterruptedException {
        MigrationLease lease = acquire();
        T value;
        boolean valid;
        try {
            value = work.apply(lease.next());
            valid = lease.isValid();
        } catch (Throwable e) {
            try {
                lease.release();
            } catch (RuntimeException inRelease) {
                e.addSuppressed(inRelease);
            }
            throw e;
        }
        LeaseLostException lost = valid ? null : lease.lostException(value);
        lease.release();
        if (lost != null && lost.reason() != null) {
            throw lost;
        }
        return value;
    }

    /** One of the lease, the outcome of the second lock, or neither if the first was not free. */
    private record Attempted(
            @Nullable MigrationLease lease, @Nullable Attempt<Lease> second) {}

    private Attempted attempt(Wait wait) throws InterruptedException {
        long begin = next.nanoTime();
        Taken first = old.take(wait);
        if (first == null) {
            return new Attempted(null, null);
        }
        boolean both = false;
        try {
            Attempt<Lease> second = next.attempt(rest(wait, next.nanoTime() - begin));
            Optional<Lease> lease = second.asOptional();
            both = lease.isPresent();
            return new Attempted(
                    lease.map(held -> new MigrationLease(first, held)).orElse(null), second);
        } finally {
            if (!both) {
                first.release();
            }
        }
    }

    private static Wait rest(Wait wait, long goneNanos) {
        Duration limit = wait.limit();
        if (limit == null) {
            return wait;
        }
        Duration left = limit.minusNanos(goneNanos);
        return left.compareTo(Duration.ofMillis(1)) < 0 ? Wait.none() : Wait.upTo(left);
    }

    private static @Nullable Taken takeOwned(Lock lock, BooleanSupplier stillHeld, Wait wait)
            throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        Duration limit = wait.limit();
        if (limit == null) {
            lock.lockInterruptibly();
        } else if (!(limit.isZero() ? lock.tryLock() : lock.tryLock(limit.toNanos(), TimeUnit.NANOSECONDS))) {
            return null;
        }
        return new OwnedTaken(lock, stillHeld, Thread.currentThread());
    }

    private record OwnedTaken(Lock lock, BooleanSupplier stillHeld, Thread owner) implements Taken {
        @Override
        public boolean isValid() {
            return stillHeld.getAsBoolean();
        }

        @Override
        public void requireOwner() {
            if (Thread.currentThread() != owner) {
                throw new IllegalMonitorStateException("the old lock belongs to thread '" + owner.getName()
                        + "', which took it, and only that thread can release it; this is thread '"
                        + Thread.currentThread().getName() + "'");
            }
        }

        @Override
        public void release() {
            lock.unlock();
        }
    }

    private record PlainTaken(PlainLease plain) implements Taken {
        @Override
        public boolean isValid() {
            return plain.isValid();
        }

        @Override
        public void requireOwner() {
            // A lease belongs to no thread.
        }

        @Override
        public void release() {
            plain.release();
        }
    }

    @Override
    public String toString() {
        return "MigrationLock[" + oldName + ", then " + next + "]";
    }
}
