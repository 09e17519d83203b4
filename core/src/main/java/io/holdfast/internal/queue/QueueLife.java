package io.holdfast.internal.queue;

import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.wire.Deadlines;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How long a request may stand in the queue, where its options limit that; then it leaves, or goes to the tail. */
final class QueueLife {
    private final QueuedRequest request;
    private final Kit kit;
    private final LockOptions options;
    private volatile @Nullable Runnable timer;
    /** Whether the server is being asked to move the request to the tail. */
    private volatile boolean outlived;

    QueueLife(QueuedRequest request, Kit kit) {
        this.request = request;
        this.kit = kit;
        this.options = request.options;
    }

    /** The request begins to wait. */
    void begin() {
        Duration life = options.requestLife();
        if (life != null && options.requestEnd() == LockOptions.RequestEnd.LEAVE) {
            timer = kit.schedule(life.toNanos(), request::timeOut);
        }
    }

    /**
     * The server has said that the request stands in the queue. A life that ends at the tail the server knows, and moves the
     * request when it meets it; so that this is soon, and seen by all, the request asks again then. Counted from an answer,
     * and with the allowance for clocks that differ, so that it is over for the server too.
     */
    void queued(int place, int waiters) {
        Duration life = options.requestLife();
        if (life == null || options.requestEnd() != LockOptions.RequestEnd.TO_TAIL) {
            return;
        }
        if (outlived) {
            outlived = false;
            request.outcome.tell(subject -> new LockEvent.Outlived(subject, place, waiters));
        } else if (timer != null) {
            return;
        }
        timer = kit.schedule(life.toNanos() + Deadlines.drift(life.toNanos()), () -> {
            outlived = true;
            request.ask();
        });
        if (!request.pending()) {
            end();
        }
    }

    void end() {
        Runnable cancel = timer;
        if (cancel != null) {
            cancel.run();
        }
    }
}
