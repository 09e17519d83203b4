package io.holdfast.model.world;

import io.holdfast.model.queue.QueueBounds;
import io.holdfast.model.queue.QueueState;
import io.holdfast.model.queue.Words;
import org.jspecify.annotations.Nullable;

/**
 * What a script owes to those that wait, said apart from how it is done.
 *
 * @param <S> what the server knows
 */
final class Duties<S extends QueueState<S>> {
    private final Kind<S> kind;
    private final QueueBounds<?> bounds;

    Duties(Kind<S> kind) {
        this.kind = kind;
        this.bounds = kind.bounds();
    }

    /** What a step has broken; null if nothing. */
    @Nullable
    String broken(S before, Packet request, Kind.Done<S> done) {
        S after = done.state();
        int own = request.kind() == Packet.Kind.RELEASE ? request.party() : QueueState.NOBODY;
        for (int owner = 0; owner < before.owners(); owner++) {
            boolean lost = stands(before, owner)
                    && !stands(after, owner)
                    && owner != own
                    && !kind.holds(after, owner)
                    && before.deadline[bounds.clientOf(owner)] >= 0;
            if (lost) {
                return Words.owner(owner) + " has lost its place";
            }
            for (int other = 0; other < owner; other++) {
                boolean both =
                        stands(before, owner) && stands(after, owner) && stands(before, other) && stands(after, other);
                boolean earlier = before.order[owner] < before.order[other];
                if (both && earlier != (after.order[owner] < after.order[other])) {
                    return Words.owner(owner) + " and " + Words.owner(other) + " have changed places";
                }
            }
        }
        String passed = passed(before, own, bounds.clientOf(request.party()), done);
        if (passed != null) {
            return passed;
        }
        boolean unending = after.queueLeft == QueueState.UNENDING
                || after.parkedLeft == QueueState.UNENDING
                || after.detailsLeft == QueueState.UNENDING;
        return unending ? "a key has no expiry" : null;
    }

    private @Nullable String passed(S before, int own, int requester, Kind.Done<S> done) {
        S after = done.state();
        for (int owner = 0; owner < before.owners(); owner++) {
            // One that had a claim had its turn.
            boolean waits = canBeTold(before, owner, requester)
                    && owner != own
                    && !kind.isClaim(before, owner)
                    && !done.granted().contains(owner);
            for (int granted : done.granted()) {
                boolean behind = !stands(before, granted) || before.order[owner] < before.order[granted];
                if (waits && behind) {
                    return Words.owner(granted) + " is granted the lock before " + Words.owner(owner);
                }
            }
        }
        if (!done.settles()) {
            return null;
        }
        for (int owner : after.inLine(QueueState.QUEUED)) {
            if (canBeTold(after, owner, requester)) {
                return kind.fits(after, owner)
                        ? "there is room for " + Words.owner(owner) + ", the first that waits, and it was not granted"
                        : null;
            }
        }
        return null;
    }

    /** Whether it waits, or was handed what it has waited for and may wait again. */
    private boolean stands(S state, int owner) {
        return state.known[owner] && (state.where[owner] != QueueState.NOWHERE || kind.isClaim(state, owner));
    }

    private boolean canBeTold(S state, int owner, int requester) {
        int client = bounds.clientOf(owner);
        boolean reached =
                client == requester || (!state.suspect[client] && (state.listens[client] || !state.seen[client]));
        return state.where[owner] == QueueState.QUEUED && state.known[owner] && state.deadline[client] >= 0 && reached;
    }
}
