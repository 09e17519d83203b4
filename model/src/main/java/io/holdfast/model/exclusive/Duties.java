package io.holdfast.model.exclusive;

import io.holdfast.model.queue.Words;
import org.jspecify.annotations.Nullable;

/** What a script owes to those that wait, said apart from how it is done. */
final class Duties {
    private Duties() {}

    /** What a step has broken; null if nothing. */
    static @Nullable String broken(Bounds bounds, LockState before, Call call, Outcome outcome) {
        LockState after = outcome.state();
        int own = call instanceof Call.Release release ? release.owner() : LockState.NOBODY;
        for (int owner = 0; owner < before.owners(); owner++) {
            boolean stood = before.where[owner] != LockState.NOWHERE && before.known[owner];
            boolean stands = after.where[owner] != LockState.NOWHERE;
            if (stood
                    && !stands
                    && owner != own
                    && after.holder != owner
                    && before.holder != owner
                    && before.deadline[bounds.clientOf(owner)] >= 0) {
                return Words.owner(owner) + " has lost its place";
            }
            for (int other = 0; other < owner; other++) {
                boolean both = stood
                        && stands
                        && before.known[other]
                        && before.where[other] != LockState.NOWHERE
                        && after.where[other] != LockState.NOWHERE;
                boolean earlier = before.order[owner] < before.order[other];
                if (both && earlier != (after.order[owner] < after.order[other])) {
                    return Words.owner(owner) + " and " + Words.owner(other) + " have changed places";
                }
            }
        }
        int granted = outcome.granted();
        for (int owner = 0; owner < before.owners(); owner++) {
            if (!canBeTold(bounds, before, owner, call.client())) {
                continue;
            }
            boolean ahead = granted >= 0
                    && granted != owner
                    && owner != own
                    && owner != before.claim // it had its turn
                    && (before.where[granted] == LockState.NOWHERE || before.order[owner] < before.order[granted]);
            if (ahead) {
                return Words.owner(granted) + " is granted the lock before " + Words.owner(owner);
            }
            if (settles(call, outcome.reply().word())
                    && after.isFree()
                    && canBeTold(bounds, after, owner, call.client())) {
                return "the lock is free, and " + Words.owner(owner) + " was not granted it";
            }
        }
        if (after.queueLeft == LockState.UNENDING
                || after.parkedLeft == LockState.UNENDING
                || after.detailsLeft == LockState.UNENDING) {
            return "a key has no expiry";
        }
        return null;
    }

    /** An acquire that is refused does nothing else. */
    private static boolean settles(Call call, String word) {
        return call instanceof Call.Acquire
                ? !word.equals("GONE") && !word.equals("EVICTED")
                : !(call instanceof Call.Confirm) && !(call instanceof Call.Renew);
    }

    private static boolean canBeTold(Bounds bounds, LockState state, int owner, int requester) {
        int client = bounds.clientOf(owner);
        boolean reached =
                client == requester || (!state.suspect[client] && (state.listens[client] || !state.seen[client]));
        return state.where[owner] == LockState.QUEUED && state.known[owner] && state.deadline[client] >= 0 && reached;
    }
}
