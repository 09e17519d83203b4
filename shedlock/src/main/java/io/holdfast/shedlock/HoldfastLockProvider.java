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
 * A {@link LockProvider} that keeps ShedLock's locks in Holdfast: define it as a bean instead of another provider. Annotations,
 * executors and listeners of ShedLock stay as they are. See docs/guide/shedlock.md.
 *
 * <pre>{@code
 * LockProvider provider = HoldfastLockProvider.renewing(holdfast);
 * }</pre>
 *
 * <p>There are two kinds of provider. They differ in the meaning of {@code lockAtMostFor}:
 *
 * <ul>
 *   <li>{@link #renewing}: {@code lockAtMostFor} limits how long a run may have the lock. The lock is renewed while its process
 *       lives. If the process dies, the lock is free at the end of its {@linkplain LockOptions#leaseDuration() lease duration}
 *       (30 s by default), however long a run may last.
 *   <li>{@link #exact}: {@code lockAtMostFor} has ShedLock's meaning. The lock is not renewed, and is free after that time,
 *       whether the run has ended, goes on, or has died with its process.
 * </ul>
 *
 * <p>In both, the lock stays taken for at least {@code lockAtLeastFor} if the run ends sooner, also if it ends because the client
 * is closed. The server counts that time from the grant. The name of ShedLock's lock is the name of the lock:
 * {@code @SchedulerLock(name = "nightly")} and {@code holdfast.lock("nightly")} exclude each other, and {@code holdfast ls} shows
 * it. {@code lockAtMostFor} counts from the call of {@link #lock}, and not from the creation of the configuration.
 *
 * <p><b>{@link #lock} never waits</b> for a lock that is taken. It blocks for one round trip, for at most the client's command
 * timeout, and for the replicas if the options ask for some. It returns empty only if the lock is taken. If the outcome is
 * unknown, it throws, so ShedLock does not run the task.
 *
 * <p><b>An extension</b> ({@code SimpleLock.extend}, {@code LockExtender}) restarts both times. It returns empty if the lock is no
 * longer held. It never shortens the {@code lockAtLeastFor} with which the lock was acquired. If the process dies, it does not
 * shorten the time for which the server was asked to keep the lock either. {@code KeepAliveLockProvider} is not needed around this
 * provider.
 *
 * <p>Immutable, and usable by any number of threads. Unlock a lock as ShedLock does; any thread may do that.
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
     * Returns a provider whose locks are renewed while their process lives, until {@code lockAtMostFor} is over. Then the lock is
     * released even if the run goes on, and a warning is logged ({@code io.holdfast.shedlock}). A dead process blocks the job for
     * a lease duration, or for {@code lockAtMostFor} if that is shorter.
     */
    public static HoldfastLockProvider renewing(Holdfast holdfast) {
        return new HoldfastLockProvider(holdfast, null, true, false);
    }

    /**
     * Returns a provider whose locks are those of ShedLock's other providers: free when {@code lockAtMostFor} is over, and never
     * renewed. A process that dies blocks the job for the whole of that time. If {@code lockAtMostFor} is less than 100 ms, a
     * living process gives the lock back in time, and a dead one blocks the job for 100 ms.
     */
    public static HoldfastLockProvider exact(Holdfast holdfast) {
        return new HoldfastLockProvider(holdfast, null, false, false);
    }

    /**
     * Returns a copy with the given options instead of the client's defaults, for the lease duration of {@link #renewing},
     * metadata, listeners and replicas. Options that ShedLock decides are ignored: renewal, the maximum and the minimum hold
     * time, waiting, and re-entry. So are the minimum remaining time, the interruption before the end, and the time for which the
     * client keeps a lock. A caller that already holds the lock is refused, as every other caller is.
     */
    public HoldfastLockProvider withOptions(LockOptions value) {
        return new HoldfastLockProvider(holdfast, Objects.requireNonNull(value, "options"), renewed, interrupting);
    }

    /**
     * Returns a copy that interrupts the thread that acquired a lock, once, if the lock is lost, or if {@code lockAtMostFor} is
     * over before it is unlocked. So a run that reacts to interrupts ends instead of overlapping with the next. Use it for tasks
     * that run in the thread in which ShedLock calls them, and not for tasks that return a future or a publisher. An interrupt
     * that the run has not noticed is cleared when it unlocks.
     */
    public HoldfastLockProvider withInterrupt() {
        return new HoldfastLockProvider(holdfast, options, renewed, true);
    }

    /**
     * Returns a provider for a rollout, which acquires each lock from this provider and from that of the application's old
     * version. It returns empty unless both are free. Instances with only the old provider, with both, and (later) with only this
     * one exclude each other. The condition: instances with only the old one and instances with only this one never run at the
     * same time. If a lock is not free at the old provider, it is given back here without a minimum hold time. An extension needs
     * an old provider whose locks can be extended.
     *
     * @param old the provider that the old version of the application uses
     */
    public ExtensibleLockProvider beside(LockProvider old) {
        return new BothProviders(this, Objects.requireNonNull(old, "old"));
    }

    /**
     * Acquires the lock if it is free, without waiting.
     *
     * @return the lock; empty if another holder has it
     * @throws io.holdfast.HoldfastException if the server does not answer or refuses: the lock is not held, and a lease that may
     *     have been granted is given back
     * @throws LockException if the thread is interrupted; its interrupt status stays set
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
