package io.holdfast.model.world;

import io.holdfast.model.queue.QueueState;
import io.holdfast.model.queue.Words;
import io.holdfast.model.world.World.Party;
import io.holdfast.model.world.World.Phase;
import org.jspecify.annotations.Nullable;

/**
 * What must be true of leases, said apart from how they come about.
 *
 * @param <S> what the server knows
 */
final class Leases<S extends QueueState<S>> {
    private final Kind<S> kind;

    Leases(Kind<S> kind) {
        this.kind = kind;
    }

    /**
     * A lease shows its token to a store that keeps the greatest one. Of two that exclude one another the later has a greater one; those that
     * share have the same, or a greater one.
     */
    void show(World<S> next, int i, Packet packet) {
        Kind.Sharing sharing = sharing(next.parties[i], i);
        long token = packet.token();
        boolean alone = sharing == Kind.Sharing.NOTHING;
        boolean rises = token > next.shownAlone && token >= next.shownShared + (alone ? 1 : 0);
        if (sharing == Kind.Sharing.PERMITS) {
            return; // they exclude nobody by their tokens
        }
        if (!rises && !packet.beforeStep()) {
            next.broken = "the lease of " + Words.owner(i) + " has token " + token + ", and one before had "
                    + Math.max(next.shownAlone, next.shownShared);
        }
        next.shownAlone = Math.max(next.shownAlone, alone ? token : 0L);
        next.shownShared = Math.max(next.shownShared, alone ? 0L : token);
    }

    private Kind.Sharing sharing(Party party, int i) {
        return party.reads ? Kind.Sharing.PHASE : kind.sharing(i);
    }

    /** What is wrong with a state, in words; null if nothing is. */
    @Nullable
    String violation(World<S> world) {
        String together = together(world);
        if (together != null) {
            return together;
        }
        for (int i = 0; i < world.parties.length; i++) {
            Party party = world.parties[i];
            if (isValid(party)
                    && party.phase == Phase.HOLDING
                    && kind.left(world.server, i, party.token) < party.left) {
                return "the lease of " + Words.owner(i) + " is valid, and not held on the server for as long";
            }
            boolean over = party.phase == Phase.DONE && !world.isUnderWay(i, packet -> true);
            boolean holds = kind.holds(world.server, i);
            if (over && (holds || world.server.known[i])) {
                return "orphan: " + Words.owner(i) + " is done, nothing of it is under way, and the server "
                        + (holds ? "has its hold" : "keeps its place");
            }
        }
        return null;
    }

    private @Nullable String together(World<S> world) {
        int permits = 0;
        for (int i = 0; i < world.parties.length; i++) {
            Party party = world.parties[i];
            if (!isValid(party)) {
                continue;
            }
            for (int other = 0; other < i; other++) {
                boolean alone = sharing(party, i) == Kind.Sharing.NOTHING
                        || sharing(world.parties[other], other) == Kind.Sharing.NOTHING;
                if (alone && isValid(world.parties[other])) {
                    return "two leases are valid, of " + Words.owner(other) + " and of " + Words.owner(i);
                }
            }
            permits += sharing(party, i) == Kind.Sharing.PERMITS ? kind.weight(i) : 0;
            if (permits > kind.limit(i)) {
                return permits + " permits are out, of " + kind.limit(i);
            }
        }
        return null;
    }

    private static boolean isValid(Party party) {
        return party.left > 0 && !party.beforeStep;
    }
}
