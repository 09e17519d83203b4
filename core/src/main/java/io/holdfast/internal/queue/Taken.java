package io.holdfast.internal.queue;

import io.holdfast.Attempt;
import io.holdfast.Holder;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.safety.EndedHolders;
import io.holdfast.internal.wire.LockScripts.State;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A request that does not wait has found the lock taken: it ends, unless the holder has ended without a release. */
final class Taken {
    /** How often it asks again because the holder had ended. */
    private static final int MOST_ENDED = 10;

    private final QueuedRequest request;
    private final QueueEngine queue;
    private final AtomicInteger endedMet = new AtomicInteger();

    Taken(QueuedRequest request, QueueEngine queue) {
        this.request = request;
        this.queue = queue;
    }

    void answered(@Nullable State state) {
        Attempt<Handle> answer = request.outcome.because(Attempt.Reason.TAKEN, queue.ownWaits.told(request.outcome));
        Holder holder = state == null ? null : state.holder().orElse(null);
        EndedHolders ended = queue.endedHolders;
        if (ended == null || holder == null || endedMet.incrementAndGet() > MOST_ENDED) {
            request.finish(answer);
            return;
        }
        ended.look(request.keys, holder, released -> {
            if (released) {
                request.ask();
            } else {
                request.finish(answer);
            }
        });
    }
}
