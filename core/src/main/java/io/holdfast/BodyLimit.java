package io.holdfast;

import io.holdfast.internal.lease.Hold;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Interrupts the thread that works under a lease before the lease ends, and never after the work has ended. Limits of one
 * thread may be nested; each takes back its own interrupt.
 */
final class BodyLimit {
    /** The innermost limit under which the current thread works. */
    private static final ThreadLocal<@Nullable BodyLimit> PRESENT = new ThreadLocal<>();

    private final Thread body = Thread.currentThread();
    private final ReentrantLock lock = new ReentrantLock();
    private boolean over; // guarded by lock
    private boolean interrupted; // guarded by lock
    private final @Nullable BodyLimit outer;
    private final Runnable remove;

    private BodyLimit(Hold hold, Duration before, @Nullable BodyLimit outer) {
        this.outer = outer;
        this.remove = hold.beforeEnding(possible(hold.options, before), this::interrupt);
    }

    /**
     * Returns the time before the end that the hold allows. A hold that was entered again is renewed as its own options say,
     * and may never have as much time left as the inner options ask for.
     */
    private static Duration possible(LockOptions ofHold, Duration before) {
        Duration half = ofHold.leaseDuration().dividedBy(2);
        return ofHold.renewal() && before.compareTo(half) > 0 ? half : before;
    }

    /**
     * Runs work in the current thread, and interrupts it the given time before its lease ends; never if {@code before} is null.
     *
     * @throws LeaseEndingException if the work was interrupted by that, and ended with an {@code InterruptedException}
     */
    static <T extends @Nullable Object, X extends Exception> T run(
            Lease lease, @Nullable Duration before, LeaseFunction<Lease, T, X> work) throws X {
        if (before == null) {
            return work.apply(lease);
        }
        BodyLimit limit = new BodyLimit(lease.hold, before, PRESENT.get());
        PRESENT.set(limit);
        try {
            return work.apply(lease);
        } catch (Throwable e) {
            if (e instanceof InterruptedException cause && limit.end(true)) {
                throw new LeaseEndingException(lease.name(), lease.token(), lease.handle.own.lossReason(), cause);
            }
            throw e;
        } finally {
            limit.end(false);
        }
    }

    private void interrupt() {
        lock.lock();
        try {
            if (!over) {
                interrupted = true;
                body.interrupt();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean hasInterrupted() {
        lock.lock();
        try {
            return interrupted;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the limit, because the work is over. An interrupt of ours to which it did not respond does not reach what the thread
     * does next, unless that is work under an outer limit that has interrupted it too. Of several calls the first counts.
     *
     * @param heeded whether the work ended because it was interrupted: the caller outside then learns of it by that
     * @return whether it has interrupted the work
     */
    private boolean end(boolean heeded) {
        boolean ours;
        lock.lock();
        try {
            if (over) {
                return interrupted;
            }
            over = true;
            ours = interrupted;
        } finally {
            lock.unlock();
        }
        remove.run();
        if (outer == null) {
            PRESENT.remove();
        } else {
            PRESENT.set(outer);
        }
        if (ours) {
            var unused = Thread.interrupted();
            for (BodyLimit each = outer; each != null && !heeded; each = each.outer) {
                if (each.hasInterrupted()) { // its interrupt was taken away with ours
                    body.interrupt();
                    break;
                }
            }
        }
        return ours;
    }
}
