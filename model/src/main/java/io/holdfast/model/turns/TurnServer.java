package io.holdfast.model.turns;

import static io.holdfast.model.turns.TurnState.NONE;

import io.holdfast.model.Values;
import io.holdfast.model.turns.TurnBounds.Mishap;
import io.holdfast.model.turns.TurnState.Asked;
import io.holdfast.model.turns.TurnState.Hold;
import io.holdfast.model.turns.TurnState.Kind;
import io.holdfast.model.turns.TurnState.Line;
import io.holdfast.model.turns.TurnState.Packet;
import io.holdfast.model.turns.TurnState.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * What scripts do to one lock: {@code acquire.lua}, {@code refresh.lua}, {@code renew.lua}, {@code release.lua}, with the handoff of
 * {@code settle.lua} and the recall of {@code queue.lua}. Suspects and waiters that stand aside are in the model of the exclusive lock; here
 * a client that is dead is passed over. Tokens do not follow a clock, which would hide that they are counted.
 */
final class TurnServer {
    private static final int GRANTS = 4;

    private final TurnBounds bounds;
    private final Set<TurnRule> rules;

    TurnServer(TurnBounds bounds, Set<TurnRule> rules) {
        this.bounds = bounds;
        this.rules = rules;
    }

    void run(TurnState state, Packet asked) {
        int line = asked.line();
        int owner = asked.owner();
        switch (asked.kind()) {
            case ACQUIRE -> acquire(state, asked);
            case REFRESH -> refresh(state, asked);
            case RENEW -> {
                settle(state);
                if (state.isHeldBy(line, owner)) {
                    state.hold = held(state).lasts(bounds.term());
                    reply(state, Kind.ANSWER, asked, held(state).recalled() && rules.contains(TurnRule.MARK), 0);
                } else {
                    reply(state, Kind.GONE, asked, false, 0);
                }
            }
            case RELEASE -> release(state, asked);
            default -> throw new IllegalStateException("no request: " + asked);
        }
    }

    private static Hold held(TurnState state) {
        return java.util.Objects.requireNonNull(state.hold);
    }

    private void reply(TurnState state, Kind kind, Packet asked, boolean others, int token) {
        if (state.lines[asked.line()].phase != Phase.DEAD) {
            state.send(new Packet(kind, asked.line(), asked.owner(), others, asked.age(), bounds.reply(), token));
        }
    }

    private void tell(TurnState state, Kind kind, int line, int owner, boolean others, int token) {
        if (bounds.has(Mishap.MESSAGES) && state.lines[line].phase != Phase.DEAD) {
            state.send(new Packet(kind, line, owner, others, 0, NONE, token));
        }
    }

    private void acquire(TurnState state, Packet asked) {
        Asked request = new Asked(asked.line(), asked.owner());
        settle(state);
        if (state.ended.contains(request) && rules.contains(TurnRule.TOMBSTONE)) {
            return;
        }
        if (state.isHeldBy(asked.line(), asked.owner())) {
            state.hold = held(state).lasts(bounds.term());
            reply(state, Kind.GRANTED, asked, !held(state).kept(), held(state).token());
        } else if (state.hold == null) {
            grant(state, request, bounds.term(), true);
            reply(state, Kind.GRANTED, asked, false, held(state).token());
        } else {
            if (!state.queue.contains(request)) {
                state.queue = Values.plus(state.queue, request);
                Line waiter = state.lines[asked.line()];
                if (bounds.isTimed() && waiter.has(Phase.ASKING, asked.owner())) {
                    waiter.waits = 0;
                }
            }
            recall(state);
        }
    }

    private void refresh(TurnState state, Packet asked) {
        settle(state);
        if (state.isHeldBy(asked.line(), asked.owner())) {
            state.hold = held(state).lasts(bounds.term());
            boolean others =
                    rules.contains(TurnRule.TOLD_BY_REPLY) || !held(state).kept();
            reply(state, Kind.GRANTED, asked, others, held(state).token());
        } else if (state.queue.contains(new Asked(asked.line(), asked.owner()))) {
            recall(state);
        } else {
            reply(state, Kind.UNKNOWN, asked, false, 0);
        }
    }

    private void release(TurnState state, Packet asked) {
        Asked request = new Asked(asked.line(), asked.owner());
        if (!bounds.isTimed()) {
            state.ended = Values.plusOnce(state.ended, request);
        }
        boolean own = state.hold != null && state.hold.line() == asked.line() && state.hold.owner() == asked.owner();
        if (asked.token() > 0 && (own || !rules.contains(TurnRule.OWN_HOLD))) {
            state.last = asked.token();
        }
        if (own) {
            state.hold = null;
        }
        state.queue = Values.minus(state.queue, request);
        settle(state);
    }

    void settle(TurnState state) {
        if (state.hold != null && state.hold.left() == 0) {
            state.hold = null;
        }
        while (state.hold == null && !state.queue.isEmpty()) {
            Asked next = state.queue.get(0);
            state.queue = Values.minus(state.queue, 0);
            if (state.lines[next.line()].phase != Phase.DEAD) {
                boolean alone = state.queue.isEmpty();
                grant(state, next, bounds.claim(), alone);
                tell(
                        state,
                        Kind.HANDED,
                        next.line(),
                        next.owner(),
                        !alone,
                        held(state).token());
            }
        }
    }

    private void grant(TurnState state, Asked to, int left, boolean kept) {
        int token = 0;
        if (!bounds.isTimed()) {
            token = state.last + 1;
            if (token <= state.used) {
                state.breaks("tokens fall: " + token + " is granted after " + state.used + " was used");
            }
            state.last = rules.contains(TurnRule.RESERVE) ? token + TurnBounds.TOKENS - 1 : token;
            List<Integer> grants = new ArrayList<>(state.grants);
            grants.add(token);
            state.grants = List.copyOf(grants.subList(Math.max(0, grants.size() - GRANTS), grants.size()));
        }
        state.hold = new Hold(to.line(), to.owner(), left, token, kept, false);
    }

    private void recall(TurnState state) {
        Hold hold = held(state);
        if (hold.kept()) {
            state.hold = new Hold(hold.line(), hold.owner(), hold.left(), hold.token(), true, true);
            tell(state, Kind.RECALL, hold.line(), hold.owner(), true, 0);
        }
    }

    /** An operator takes the hold away. */
    void revoke(TurnState state) {
        Hold hold = held(state);
        state.hold = null;
        Line line = state.lines[hold.line()];
        if (line.has(Phase.TURN, hold.owner())) {
            line.deposed = 0;
        } else if (line.has(Phase.ASKING, hold.owner())) { // handed, and not known yet: it stands nowhere
            line.waits = NONE;
            line.overtaken = 0;
        }
        tell(state, Kind.REVOKED, hold.line(), hold.owner(), false, 0);
        settle(state);
    }
}
