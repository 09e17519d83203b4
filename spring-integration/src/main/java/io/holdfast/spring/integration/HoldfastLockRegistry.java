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
 * A {@link LockRegistry} that keeps Spring Integration's locks in Holdfast: define it as a bean instead of another registry. See
 * docs/guide/spring-integration.md.
 *
 * <pre>{@code
 * LockRegistry<?> locks = HoldfastLockRegistry.of(holdfast, "orders"); // with 6: LockRegistry
 * }</pre>
 *
 * <p><b>One view for each key.</b> {@link #obtain} returns the same object for a key while anything refers to it, or a thread has
 * it locked. The registry forgets an unlocked lock to which nothing refers. So it has no capacity, evicts nothing, and never
 * forgets a lock that is held or awaited.
 *
 * <p><b>The locks</b> behave as those of {@code java.util.concurrent}: the thread that locked one owns it, and may lock it again
 * through the same registry. Another registry is another owner, as another process is. Locks are renewed while they are locked.
 * Processes wait in the server's queue. By default one request there stands for all threads of a process that wait for the lock;
 * see {@link LockOptions#withStrictOrder()}.
 *
 * <ul>
 *   <li>{@code lock()} and {@code lockInterruptibly()} wait for ever, also while the server is unreachable. {@code tryLock()} and
 *       {@code tryLock(time, unit)} throw {@link io.holdfast.ServerUnreachableException} if the server does not answer: the
 *       outcome is unknown, and a lock that may have been granted is given back.
 *   <li>If the lock is lost while a thread has it locked, each call of that thread on it that locks, tries to lock or unlocks
 *       throws {@link io.holdfast.LeaseLostException}; {@code unlock()} unlocks nevertheless. Work under the lock may have
 *       overlapped with another holder's work.
 *   <li>{@code unlock()} by a thread that has not locked throws {@code IllegalMonitorStateException}.
 *   <li>Conditions are not supported.
 *   <li>With Spring Integration 7 the locks are {@code DistributedLock}s, too. The time-to-live given there is the lease duration
 *       of that one hold: how long the lock stays taken if its process dies. While its process lives, the lock is renewed.
 *   <li>A thread that ends without unlocking leaves the lock locked, and renewed, until the client is closed or
 *       {@link LockOptions#maxHold()} is over.
 * </ul>
 *
 * <p>Runs on Spring Integration 6.5 and 7. Usable by any number of threads. The registry closes nothing: when the client is
 * closed, it releases the locks that are held.
 */
@SuppressWarnings("rawtypes") // with 7 its interfaces have a parameter, with 6 they have none
public final class HoldfastLockRegistry implements ExpirableLockRegistry, RenewableLockRegistry {
    private final Holdfast holdfast;
    private final String registryKey;
    private final @Nullable LockOptions options;
    private final @Nullable LockRegistry old;

    private final ConcurrentMap<String, View> views = new ConcurrentHashMap<>();
    private final ReferenceQueue<RegistryLock> forgotten = new ReferenceQueue<>();

    /** The locked views, which are kept even if nothing else refers to them. */
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
     * Returns a registry over a client, which the caller must close.
     *
     * @param registryKey the prefix of the keys: the lock for the key {@code 42} of the registry {@code orders} is
     *     {@code holdfast.lock("orders:42")}. A colon or percent sign in either is escaped ({@link LockName})
     */
    public static HoldfastLockRegistry of(Holdfast holdfast, String registryKey) {
        return new HoldfastLockRegistry(holdfast, registryKey, null, null);
    }

    /**
     * Returns a copy with the given options for its locks instead of the client's defaults. The option for re-entry is ignored: a
     * thread that already holds a lock enters again.
     */
    public HoldfastLockRegistry withOptions(LockOptions value) {
        return new HoldfastLockRegistry(holdfast, registryKey, Objects.requireNonNull(value, "options"), old);
    }

    /**
     * Returns a copy for a rollout: each of its locks acquires the old registry's lock for the key first, then its own, and
     * unlocks in reverse. Instances with only the old registry, with both, and (later) with only this one exclude each other. The
     * condition: instances with only the old one and instances with only this one never run at the same time.
     *
     * @param value the registry that the old version of the application uses, set up in the same way
     */
    public HoldfastLockRegistry beside(LockRegistry value) {
        return new HoldfastLockRegistry(holdfast, registryKey, options, Objects.requireNonNull(value, "old"));
    }

    /**
     * Returns the lock for a key. No I/O.
     *
     * @param lockKey a string
     * @throws IllegalArgumentException if the key is not a string, or is too long for a lock's name
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

    /** Returns how many views are known. */
    int size() {
        sweep();
        return views.size();
    }

    /**
     * Removes the entries of locks to which nothing refers and that are not locked, which also happens by itself. The age has no
     * effect: a lock to which anything refers stays the one for its key.
     */
    @Override
    public void expireUnusedOlderThan(long age) {
        sweep();
    }

    /**
     * Extends a lock that this thread holds to at least the lease duration of this registry's options from now, and never
     * shortens the remaining time. The client renews locks by itself; this call asks the server at once. If the registry is
     * {@link #beside} one that can renew, it renews the lock there, too.
     *
     * @throws IllegalStateException if this thread does not hold the lock, or has lost it
     * @throws io.holdfast.ServerUnreachableException if the server does not answer: the lock is held as before
     */
    @Override
    public void renewLock(Object lockKey) {
        renew(lockKey, null);
    }

    /**
     * Extends a lock that this thread holds to at least {@code ttl} from now, and never shortens the remaining time. Part of the
     * interface in Spring Integration 7.
     *
     * @param ttl 1 ms to 365 days
     * @throws IllegalStateException if this thread does not hold the lock, or has lost it
     * @throws io.holdfast.ServerUnreachableException if the server does not answer: the lock is held as before
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

    /** Runs work under the lock for a key, and waits for the lock for ever. */
    @Override
    public <E extends Throwable> void executeLocked(Object lockKey, CheckedRunnable<E> runnable)
            throws E, InterruptedException {
        ExpirableLockRegistry.super.executeLocked(lockKey, runnable);
    }

    /** Runs work under the lock for a key, and waits for the lock for ever; returns the work's result. */
    @Override
    public <T, E extends Throwable> T executeLocked(Object lockKey, CheckedCallable<T, E> callable)
            throws E, InterruptedException {
        return ExpirableLockRegistry.super.executeLocked(lockKey, callable);
    }

    /**
     * Runs work under the lock for a key, if the lock is free in time.
     *
     * @throws TimeoutException if the lock was not free in time; the work did not begin
     */
    @Override
    public <E extends Throwable> void executeLocked(
            Object lockKey, Duration waitLockDuration, CheckedRunnable<E> runnable)
            throws E, InterruptedException, TimeoutException {
        ExpirableLockRegistry.super.executeLocked(lockKey, waitLockDuration, runnable);
    }

    /**
     * Runs work under the lock for a key, if the lock is free in time; returns the work's result.
     *
     * @throws TimeoutException if the lock was not free in time; the work did not begin
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
