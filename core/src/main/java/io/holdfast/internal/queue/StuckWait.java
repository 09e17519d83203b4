package io.holdfast.internal.queue;

import io.holdfast.Holder;
import io.holdfast.LockEvent;
import io.holdfast.internal.wire.LockScripts.AcquireReply;
import io.holdfast.internal.wire.LockScripts.Claim;
import io.holdfast.internal.wire.LockScripts.RevokeWord;
import io.holdfast.internal.wire.LockScripts.State;
import io.holdfast.internal.wire.OwnerIds;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A wait that ends when the lock is stuck: when one holder has kept it for too long. It is asked how long the present one
 * has, whenever that could be over; then the wait ends, or the lock is taken over.
 */
final class StuckWait {
    /** @param token of the grant to the request that came of it */
    private record TakeOver(Holder from, long token) {}

    private final QueuedRequest request;
    private final QueueEngine queue;
    private volatile @Nullable TakeOver takeOver;

    StuckWait(QueuedRequest request, QueueEngine queue) {
        this.request = request;
        this.queue = queue;
    }

    /** The answer to the question how long the holder has kept the lock. */
    void judge(AcquireReply reply) {
        Duration limit = Objects.requireNonNull(request.waitLimit.limit());
        State state = reply.state();
        Holder holder = state == null ? null : state.holder().orElse(null);
        Duration kept = Duration.ZERO;
        if (holder != null && !holder.resting()) {
            long since = ChronoUnit.MICROS.between(Instant.EPOCH, holder.since());
            kept = Duration.of(Math.max(0, reply.timeMicros() - since), ChronoUnit.MICROS);
        }
        if (holder == null || kept.compareTo(limit) < 0) {
            request.askHowLongIn(limit.minus(kept));
        } else if (request.waitLimit.takesOver()) {
            takeOver(holder);
            request.askHowLongIn(limit);
        } else {
            request.timeOut();
        }
    }

    private void takeOver(Holder stuck) {
        long sent = queue.kit.nanoTime();
        queue.server.adminScripts.revoke(request.keys, stuck, false, Duration.ZERO, (revoked, failure) -> {
            if (revoked != null) {
                if (revoked.word() == RevokeWord.RELEASED) {
                    tookOver(revoked.held().orElse(stuck), revoked.state());
                }
                queue.waitingRoom.observe(request.keys, revoked.state(), sent);
            }
        });
    }

    /** The stuck holder's hold has ended, and the lock has gone to whoever was next: this request, or another. */
    private void tookOver(Holder from, State state) {
        for (Claim next : state.claims()) {
            if (next.ownerPublic().equals(OwnerIds.publicPart(request.owner))) {
                takeOver = new TakeOver(from, next.given().token());
            }
        }
        request.outcome.tell(subject -> new LockEvent.TookOver(subject, from));
    }

    /** The stuck holder whom the request took the lock from, and so got the hold with this token. */
    Optional<Holder> takenOverFrom(long token) {
        TakeOver present = takeOver;
        return present != null && present.token() == token ? Optional.of(present.from()) : Optional.empty();
    }
}
