package io.holdfast.spring.integration;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockName;
import io.holdfast.LockOptions;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.springframework.integration.support.locks.ExpirableLockRegistry;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.support.locks.RenewableLockRegistry;
import org.springframework.integration.util.CheckedCallable;
import org.springframework.integration.util.CheckedRunnable;

/**
 * Spring Integration's locks, kept by Holdfast: the bean to put in place of another {@link LockRegistry}. See
 * docs/guide/spring-integration.md.
 *
 * <pre>{@code
 * LockRegistry<?> locks = HoldfastLockRegistry.of(holdfast, "orders"); // with 6: LockRegistry
 * }</pre>
 *
 * <p><b>One view for each key.</b> As long as anything refers to the lock that {@link #obtain} has returned for a key, or a thread has it
 * locked, the same object is returned again. A lock without references is forgotten by itself: there is no capacity, nothing is evicted, and a
 * lock that is held or awaited never goes.
 *
 * <p><b>The locks</b> are those of {@code java.util.concurrent}: owned by the thread that locked them, and re-entrant, through the same
 * registry. Another registry is another owner, as another process is. They are renewed while they are locked. Waiters stand in the server's
 * queue, those of other processes and those of this one.
 *
 * <ul>
 *   <li>{@code lock()} and {@code lockInterruptibly()} wait for ever, also while the server is away. {@code tryLock()} and
 *       {@code tryLock(time, unit)} throw {@link io.holdfast.ServerUnreachableException} if the server does not answer: whether the lock was
 *       granted is not known; what may have been granted is given back.
 *   <li>If the lock is lost while a thread has it locked, what that thread calls next on it throws
 *       {@link io.holdfast.LeaseLostException}: locking again or trying to, and {@code unlock()}, which unlocks all the same. What was done
 *       under the lock may have overlapped with another holder's work.
 *   <li>{@code unlock()} by a thread that has not locked throws {@code IllegalMonitorStateException}.
 *   <li>Conditions are not supported.
 *   <li>With Spring Integration 7 they are {@code DistributedLock}s, too. The time-to-live given there is the lock's lease duration for
 *       this once: how long it stays taken if its process dies. While its process lives it is renewed.
 *   <li>A thread that ends without unlocking leaves the lock locked, and renewed, until the client is closed or
 *       {@link LockOptions#maxHold()} is over.
 * </ul>
 *
 * <p>Runs on Spring Integration 6.5 and 7. Usable by any number of threads; closes nothing: locks that are held when the client is closed are
 * released by it.
 */
@SuppressWarnings("rawtypes") // with 7 its interfaces have a parameter, with 6 they have none
public final class HoldfastLockRegistry implements ExpirableLockRegistry, RenewableLockRegistry {
    private final Holdfast holdfast;
    private final String registryKey;
    private final @Nullable LockOptions options;
    private final @Nullable LockRegistry old;

    private final ConcurrentMap<String, View> views = new ConcurrentHashMap<>();
    private final ReferenceQueue<RegistryLock> forgotten = new ReferenceQueue<>();

    /** What keeps views that are locked, although no reference to them is left. */
    private final Set<RegistryLock.Hold> holds = ConcurrentHashMap.newKeySet();

    private static final class View extends WeakReference<RegistryLock> {
        private final String key;

        View(String key, RegistryLock lock, ReferenceQueue<RegistryLock> queue) {
            super(lock, queue);
            this.key = key;
        }
    }

    private HoldfastLockRegistry(
            Holdfast holdfast, String registryKey, @Nullable LockOptions options, @Nullable LockRegistry old) {
        this.holdfast = Objects.requireNonNull(holdfast, "holdfast");
        this.registryKey = Objects.requireNonNull(registryKey, "registryKey");
        this.options = options;
        this.old = old;
    }

    /**
     * A registry over a client, which stays the caller's.
     *
     * @param registryKey in front of the keys: the lock for the key {@code 42} of the registry {@code orders} is
     *     {@code holdfast.lock("orders:42")}. A colon or percent sign in either is escaped ({@link LockName})
     */
    public static HoldfastLockRegistry of(Holdfast holdfast, String registryKey) {
        return new HoldfastLockRegistry(holdfast, registryKey, null, null);
    }

    /**
     * Another registry like this one, with other options for its locks than the client's defaults. What a thread does that holds the lock
     * already is not taken from them: it enters again.
     */
    public HoldfastLockRegistry withOptions(LockOptions value) {
        return new HoldfastLockRegistry(holdfast, registryKey, Objects.requireNonNull(value, "options"), old);
    }

    /**
     * Another registry like this one, for a rollout: each of its locks takes the old registry's lock for the key first, then its own, and
     * unlocks in reverse. Instances that have the old registry only, both, or (later) this one only exclude each other, as long as those
     * with the old one only and those with this one only are never there at the same time.
     *
     * @param value what the old version of the application uses, set up in the same way
     */
    public HoldfastLockRegistry beside(LockRegistry value) {
        return new HoldfastLockRegistry(holdfast, registryKey, options, Objects.requireNonNull(value, "old"));
    }

    /**
     * The lock for a key. No I/O.
     *
     * @param lockKey a string
     * @throws IllegalArgumentException if it is none, or too long for a lock's name
     */
    @Override
    public Lock obtain(Object lockKey) {
        return view(lockKey).face();
    }

    private RegistryLock view(Object lockKey) {
        if (!(lockKey instanceof String key)) {
            throw new IllegalArgumentException("lockKey is "
                    + (lockKey == null ? "null" : "a " + lockKey.getClass().getName())
                    + ", must be a string: the text of other objects may differ from process to process");
        }
        sweep();
        while (true) {
            View present = views.get(key);
            RegistryLock known = present == null ? null : present.get();
            if (known != null) {
                return known;
            }
            RegistryLock made = newLock(key);
            View view = new View(key, made, forgotten);
            if (present == null ? views.putIfAbsent(key, view) == null : views.replace(key, present, view)) {
                return made;
            }
        }
    }

    private RegistryLock newLock(String key) {
        String name = LockName.of(registryKey, key);
        DistributedLock lock = options == null ? holdfast.lock(name) : holdfast.lock(name, options);
        return new RegistryLock(
                lock.with(lock.options().withReentrancy(LockOptions.Reentrancy.WAIT)),
                old == null ? null : old.obtain(key),
                holds);
    }

    private void sweep() {
        Reference<? extends RegistryLock> next = forgotten.poll();
        while (next != null) {
            if (next instanceof View view) {
                views.remove(view.key, view);
            }
            next = forgotten.poll();
        }
    }

    /** How many views are known. */
    int size() {
        sweep();
        return views.size();
    }

    /**
     * Forgets nothing that anybody could miss: locks without references, and that are not locked, are forgotten by themselves. A lock with a reference stays the one for its key, whatever its age.
     */
    @Override
    public void expireUnusedOlderThan(long age) {
        sweep();
    }

    /**
     * Makes a lock that this thread holds last for its whole lease duration from now. It is renewed by itself; this asks the server.
     *
     * @throws IllegalStateException if this thread does not hold it, or has lost it
     * @throws io.holdfast.ServerUnreachableException if the server does not answer: it is held as before
     */
    @Override
    public void renewLock(Object lockKey) {
        renew(lockKey, null);
    }

    /**
     * Makes a lock that this thread holds last for at least so long from now; what it was promised before is not shortened. Part of the
     * interface in Spring Integration 7.
     *
     * @param ttl 1 ms to 365 days
     * @throws IllegalStateException if this thread does not hold it, or has lost it
     * @throws io.holdfast.ServerUnreachableException if the server does not answer: it is held as before
     */
    // overrides nothing with 6
    public void renewLock(Object lockKey, Duration ttl) {
        renew(lockKey, Objects.requireNonNull(ttl, "ttl"));
    }

    private void renew(Object lockKey, @Nullable Duration ttl) {
        view(lockKey).renew(ttl);
        if (old instanceof RenewableLockRegistry renewable) {
            renewable.renewLock(lockKey);
        }
    }

    // Declared anew: inherited from interfaces without their parameter, these would throw anything as seen by a
    // compiler with 7.

    /** Does work under the lock for a key, waiting for it for ever. */
    @Override
    public <E extends Throwable> void executeLocked(Object lockKey, CheckedRunnable<E> runnable)
            throws E, InterruptedException {
        ExpirableLockRegistry.super.executeLocked(lockKey, runnable);
    }

    /** Does work under the lock for a key, waiting for it for ever; returns what the work returns. */
    @Override
    public <T, E extends Throwable> T executeLocked(Object lockKey, CheckedCallable<T, E> callable)
            throws E, InterruptedException {
        return ExpirableLockRegistry.super.executeLocked(lockKey, callable);
    }

    /**
     * Does work under the lock for a key, if it is free in time.
     *
     * @throws TimeoutException if it was not: the work was not begun
     */
    @Override
    public <E extends Throwable> void executeLocked(
            Object lockKey, Duration waitLockDuration, CheckedRunnable<E> runnable)
            throws E, InterruptedException, TimeoutException {
        ExpirableLockRegistry.super.executeLocked(lockKey, waitLockDuration, runnable);
    }

    /**
     * Does work under the lock for a key, if it is free in time; returns what the work returns.
     *
     * @throws TimeoutException if it was not: the work was not begun
     */
    @Override
    public <T, E extends Throwable> T executeLocked(
            Object lockKey, Duration waitLockDuration, CheckedCallable<T, E> callable)
            throws E, InterruptedException, TimeoutException {
        return ExpirableLockRegistry.super.executeLocked(lockKey, waitLockDuration, callable);
    }

    @Override
    public String toString() {
        return "HoldfastLockRegistry[" + registryKey + (old == null ? "]" : ", beside " + old + "]");
    }
}
