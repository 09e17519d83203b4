package io.holdfast.shedlock;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import org.jspecify.annotations.Nullable;

/**
 * ShedLock's locks, kept by Holdfast: the bean to put in place of another {@link LockProvider}. Annotations, executors and
 * listeners of ShedLock stay as they are. See docs/guide/shedlock.md.
 *
 * <pre>{@code
 * LockProvider provider = HoldfastLockProvider.renewing(holdfast);
 * }</pre>
 *
 * <p>There are two, which differ in what {@code lockAtMostFor} means:
 *
 * <ul>
 *   <li>{@link #renewing}: how long a run may have the lock. While its process lives, the lock is renewed; if it dies, the lock is
 *       free when the {@linkplain LockOptions#leaseDuration() lease duration} is over (30 s by default), however long a run may last.
 *   <li>{@link #exact}: what ShedLock says. The lock is not renewed, and is free after that time, whether the run has ended, goes
 *       on, or has died with its process.
 * </ul>
 *
 * <p>In both, {@code lockAtLeastFor} is how long the lock stays taken at least, counted by the server from the grant, if the run
 * ends sooner, also if it ends because the client is closed. The name of ShedLock's lock is the name of the lock: {@code @SchedulerLock(name = "nightly")}
 * and {@code holdfast.lock("nightly")} exclude each other, and {@code holdfast ls} shows it. Times count from the call, and not
 * from when the configuration was made.
 *
 * <p><b>{@link #lock} never waits.</b> It blocks for one round trip, at most the client's command timeout, and is empty only if
 * another has the lock. If that is not known it throws, so that ShedLock does not run the task.
 *
 * <p><b>Extending</b> ({@code SimpleLock.extend}, {@code LockExtender}) counts both times again from then on, and is empty if the lock
 * is not held any more. It does not shorten the {@code lockAtLeastFor} that the lock was taken with; nor, if the process dies, the
 * time for which the server was asked to keep it. {@code KeepAliveLockProvider} is not needed around this.
 *
 * <p>Immutable, and usable by any number of threads. A lock is to be unlocked as ShedLock does; any thread may do that.
 */
public final class HoldfastLockProvider implements ExtensibleLockProvider {
    private final Holdfast holdfast;
    private final @Nullable LockOptions options;
    private final boolean renewed;
    private final boolean interrupting;

    private HoldfastLockProvider(
            Holdfast holdfast, @Nullable LockOptions options, boolean renewed, boolean interrupting) {
        this.holdfast = Objects.requireNonNull(holdfast, "holdfast");
        this.options = options;
        this.renewed = renewed;
        this.interrupting = interrupting;
    }

    /**
     * Locks that are renewed while their process lives, until {@code lockAtMostFor} is over: then the lock is released, although the
     * run goes on, and a warning is logged ({@code io.holdfast.shedlock}). A dead process blocks the job for a lease duration, or for
     * {@code lockAtMostFor} if that is shorter.
     */
    public static HoldfastLockProvider renewing(Holdfast holdfast) {
        return new HoldfastLockProvider(holdfast, null, true, false);
    }

    /**
     * Locks as ShedLock's other providers have them: free when {@code lockAtMostFor} is over, and never renewed. A process that
     * dies blocks the job for all of it. Of less than 100 ms, a living process gives the lock back in time, and a dead one blocks for
     * 100 ms.
     */
    public static HoldfastLockProvider exact(Holdfast holdfast) {
        return new HoldfastLockProvider(holdfast, null, false, false);
    }

    /**
     * With other options than the client's defaults: the lease duration of {@link #renewing}, metadata, listeners, replicas. What ShedLock
     * decides is not taken from them: renewal, the longest and the minimum hold time, waiting, and what happens to who holds the lock
     * already, who is refused like everybody.
     */
    public HoldfastLockProvider withOptions(LockOptions value) {
        return new HoldfastLockProvider(holdfast, Objects.requireNonNull(value, "options"), renewed, interrupting);
    }

    /**
     * Interrupting the thread that took the lock, once, if the lock is lost or {@code lockAtMostFor} is over before it is unlocked: so
     * that a run that heeds interrupts ends instead of overlapping with the next. For tasks that run in the thread that ShedLock calls
     * them in; not for those that return a future or a publisher. An interrupt that the run has not noticed is cleared when it unlocks.
     */
    public HoldfastLockProvider withInterrupt() {
        return new HoldfastLockProvider(holdfast, options, renewed, true);
    }

    /**
     * For a rollout: takes each lock here and from the provider that the old version of the application uses, and is empty unless both
     * are free. Instances that have the old one only, both, or (later) this one only exclude each other, as long as those with the
     * old one only and those with this one only are never there at the same time. A lock that is not free at the other is given back
     * here without a rest. Extending needs an old provider whose locks can be extended.
     */
    public ExtensibleLockProvider beside(LockProvider old) {
        return new BothProviders(this, Objects.requireNonNull(old, "old"));
    }

    /**
     * Takes the lock if it is free.
     *
     * @return empty if another has it
     * @throws io.holdfast.HoldfastException if the server does not answer or refuses: the lock is not held; what may have been
     *     granted is given back
     * @throws LockException if the thread is interrupted; it stays so
     */
    @Override
    public Optional<SimpleLock> lock(LockConfiguration configuration) {
        return take(configuration, true).map(taken -> taken);
    }

    /** @param restSinceGrant whether {@code lockAtLeastFor} holds from the grant; otherwise from this call, and if it is unlocked */
    Optional<TakenLock> take(LockConfiguration configuration, boolean restSinceGrant) {
        String name = configuration.getName();
        DistributedLock known = options == null ? holdfast.lock(name) : holdfast.lock(name, options);
        LockOptions wanted = options(known.options(), configuration);
        Times times = Times.of(configuration);
        DistributedLock lock = known.with(restSinceGrant ? wanted.withMinHold(times.atLeast()) : wanted);
        try {
            Optional<Lease> lease = lock.tryAcquire();
            return lease.map(held -> new TakenLock(
                    configuration,
                    held,
                    renewed ? lock.options().leaseDuration() : null,
                    restSinceGrant ? times.withoutRest() : times,
                    interrupting ? new Interrupt(Thread.currentThread()) : null));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockException("interrupted while lock '" + name + "' was asked for", e);
        }
    }

    private LockOptions options(LockOptions given, LockConfiguration configuration) {
        Duration most = Times.millis(configuration.getLockAtMostFor());
        Duration term = renewed && given.leaseDuration().compareTo(most) < 0 ? given.leaseDuration() : most;
        return given.withMinRemaining(Duration.ZERO)
                .withInterruptBefore(null)
                .withLeaseDuration(
                        term.compareTo(LockOptions.MIN_LEASE_DURATION) < 0 ? LockOptions.MIN_LEASE_DURATION : term)
                .withRenewal(renewed)
                .withMaxHold(null)
                .withMinHold(Duration.ZERO)
                .withKeepFor(Duration.ZERO)
                .withReentrancy(LockOptions.Reentrancy.WAIT);
    }

    @Override
    public String toString() {
        return "HoldfastLockProvider[" + (renewed ? "renewing" : "exact") + (interrupting ? ", interrupting]" : "]");
    }
}
