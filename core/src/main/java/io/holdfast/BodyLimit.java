package io.holdfast;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Interrupts the thread that works under a lease before the lease ends, and never after the work has. */
final class BodyLimit {
    private final Thread body = Thread.currentThread();
    private final ReentrantLock lock = new ReentrantLock();
    private boolean over; // guarded by lock
    private boolean interrupted; // guarded by lock
    private final @Nullable Holding hold;

    private BodyLimit(@Nullable Holding hold) {
        this.hold = hold;
    }

    /** Begins for the present thread; without effect if there is no limit. */
    static BodyLimit begin(Holding hold, @Nullable Duration before) {
        BodyLimit limit = new BodyLimit(before == null ? null : hold);
        if (before != null) {
            hold.beforeEnding(before, limit::interrupt);
            hold.lost().thenRun(limit::interrupt);
        }
        return limit;
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

    /** The work is over. An interrupt of ours that it did not heed does not reach what the thread does next. */
    void end() {
        if (hold == null) {
            return;
        }
        hold.beforeEnding(null, () -> {});
        boolean ours;
        lock.lock();
        try {
            over = true;
            ours = interrupted;
        } finally {
            lock.unlock();
        }
        if (ours) {
            var unused = Thread.interrupted();
        }
    }
}
