package io.holdfast.shedlock;

import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.ReleaseResult;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock of ShedLock over a lease.
 *
 * <p>The lease knows nothing of {@code lockAtMostFor} where the server would not end it by itself: there a timer releases it. A
 * process that stands still, so that the timer is late, does not renew either.
 */
final class TakenLock extends AbstractSimpleLock {
    private static final System.Logger LOG = System.getLogger("io.holdfast.shedlock");

    private final Lease lease;
    private final @Nullable Duration renewedFor;
    private final Times times;
    private final @Nullable Interrupt interrupt;
    private Bound bound;

    /** @param renewedFor its lease duration, for which it is extended, too; null if it is not renewed */
    TakenLock(
            LockConfiguration configuration,
            Lease lease,
            @Nullable Duration renewedFor,
            Times times,
            @Nullable Interrupt interrupt) {
        super(configuration);
        this.lease = lease;
        this.renewedFor = renewedFor;
        this.times = times;
        this.interrupt = interrupt;
        this.bound = startBound();
        if (interrupt != null) {
            lease.whenLost().thenRun(interrupt::send);
        }
    }

    /** Ends the lease when its time is over, unless it is lifted before. */
    private Bound startBound() {
        CompletableFuture<Void> timer = new CompletableFuture<>();
        timer.completeOnTimeout(null, times.leftAtMost().toMillis(), TimeUnit.MILLISECONDS);
        return new Bound(timer, timer.thenCompose(over -> endAtBound()));
    }

    /** In the JDK's thread for timers: nothing blocks. */
    private CompletionStage<ReleaseResult> endAtBound() {
        if (lease.isValid()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    lease + ": lockAtMostFor, " + times.atMost()
                            + ", is over while its run goes on. The lock is free from now on");
        }
        CompletableFuture<ReleaseResult> released = lease.releaseAsync();
        if (interrupt != null) {
            interrupt.send();
        }
        return released;
    }

    /**
     * @param timer completes at the end, or is cancelled
     * @param released completes when the server has answered to the release at the end
     */
    private record Bound(CompletableFuture<Void> timer, CompletableFuture<ReleaseResult> released) {
        /** Whether the end had not come yet; it does not come then. Otherwise the lock is free when this returns. */
        boolean lift() {
            boolean inTime = timer.cancel(false);
            if (!inTime) {
                released.join();
            }
            return inTime;
        }
    }

    @Override
    protected void doUnlock() {
        Duration rest = times.rest();
        endRun();
        if (rest.isZero()) {
            lease.release();
        } else {
            lease.releaseToRest(rest);
        }
    }

    /** As if it had never been taken. */
    void giveBack() {
        endRun();
        lease.release();
    }

    private void endRun() {
        bound.lift();
        if (interrupt != null) {
            interrupt.end();
        }
    }

    @Override
    protected Optional<SimpleLock> doExtend(LockConfiguration newConfiguration) {
        return extended(newConfiguration).map(anew -> anew);
    }

    /** What is to be unlocked from now on; empty if the lock is not held any more. */
    Optional<TakenLock> extended(LockConfiguration newConfiguration) {
        boolean inTime = bound.lift() && !times.leftAtMost().isZero(); // the timer may be late
        Times anew = Times.of(newConfiguration);
        try {
            if (inTime) {
                lease.extend(term(anew));
                return Optional.of(new TakenLock(newConfiguration, lease, renewedFor, anew, interrupt));
            }
        } catch (LeaseLostException e) {
            // As if the bound had been first.
        } catch (RuntimeException e) {
            bound = startBound(); // it is held as before
            throw e;
        }
        giveBack();
        return Optional.empty();
    }

    /** For how long a lease has to be there when it is extended: for all of the time only if nobody renews it. */
    private Duration term(Times anew) {
        Duration most = anew.atMost().isZero() ? Duration.ofMillis(1) : anew.atMost();
        return renewedFor != null && renewedFor.compareTo(most) < 0 ? renewedFor : most;
    }
}
