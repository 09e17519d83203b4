package io.holdfast.model.exclusive;

import io.holdfast.model.Fingerprint;
import io.holdfast.model.ServerModel;
import io.holdfast.model.queue.QueueRun;
import io.holdfast.model.queue.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A server whose clients may send anything at any time: each call of each client, with tokens that are right and wrong, in any order. It
 * has each state of the server's part that any clients can cause, whatever they, their connections and the network do.
 */
public final class AnyCalls implements ServerModel<LockState, Call> {
    /** What can happen. */
    public enum Act {
        ACQUIRE,
        QUEUE_LIMIT,
        NOT_TO_QUEUE,
        RELEASE,
        TOMBSTONE,
        REST,
        CONFIRM,
        RENEW,
        WRONG_TOKEN,
        REFRESH,
        CHECK,
        REVOKE,
        DROP,
        PROLONG,
        CLEAN,
        ADOPT,
        LISTEN,
        DELETE_KEY,
        TICK
    }

    private final Bounds bounds;
    private final Set<Act> acts;
    private final LockServer server;

    public AnyCalls(Bounds bounds, Set<Rule> rules, Set<Act> acts) {
        this.bounds = bounds;
        this.acts = acts;
        this.server = new LockServer(bounds, rules);
    }

    public Bounds bounds() {
        return bounds;
    }

    public LockServer server() {
        return server;
    }

    @Override
    public LockState initial() {
        LockState state = new LockState(bounds.owners(), bounds.clients());
        for (int client = 0; client < bounds.operator(); client++) {
            state.listens[client] = true;
        }
        return state;
    }

    @Override
    public void next(LockState state, BiConsumer<Action, LockState> to) {
        for (Call call : calls(state)) {
            to.accept(Action.of(() -> "The server runs the " + call + "."), normal(server.run(state, call).state()));
        }
        if (acts.contains(Act.TICK)) {
            to.accept(Action.of(() -> "A tick passes."), normal(server.later(state)));
        }
        if (acts.contains(Act.LISTEN)) {
            for (int client = 0; client < bounds.operator(); client++) {
                LockState changed = state.copy();
                changed.listens[client] ^= true;
                String what = Words.client(client) + (changed.listens[client] ? " listens again." : " listens no more.");
                to.accept(Action.of(() -> what), changed);
            }
        }
        if (acts.contains(Act.DELETE_KEY)) {
            if (state.queueLeft != 0) {
                to.accept(
                        Action.of(() -> "Somebody deletes the key of the queue."),
                        normal(QueueRun.withoutKey(state, LockState.QUEUED)));
            }
            if (state.parkedLeft != 0) {
                to.accept(
                        Action.of(() -> "Somebody deletes the key of those parked."),
                        normal(QueueRun.withoutKey(state, LockState.ASIDE)));
            }
        }
    }

    @Override
    public List<Call> calls(LockState state) {
        List<Call> calls = new ArrayList<>();
        boolean granted = state.last > 0;
        int token = state.holder == LockState.NOBODY ? state.last : state.token;
        for (int owner = 0; owner < bounds.owners(); owner++) {
            int client = bounds.clientOf(owner);
            add(calls, Act.ACQUIRE, new Call.Acquire(client, owner, true, 0));
            if (!state.known[owner]) {
                add(calls, Act.QUEUE_LIMIT, new Call.Acquire(client, owner, true, 1));
                add(calls, Act.NOT_TO_QUEUE, new Call.Acquire(client, owner, false, 0));
            }
            add(calls, Act.RELEASE, new Call.Release(client, owner, false, 0, 0));
            add(calls, Act.TOMBSTONE, new Call.Release(client, owner, true, 0, 0));
            add(calls, Act.REST, new Call.Release(client, owner, true, 1, 0));
            if (bounds.wishes().get(owner).keeps() && granted) {
                add(calls, Act.RELEASE, new Call.Release(client, owner, false, 0, token));
                add(calls, Act.TOMBSTONE, new Call.Release(client, owner, true, 0, token + 1));
            }
            if (granted) {
                add(calls, Act.CONFIRM, new Call.Confirm(client, owner, token));
                add(calls, Act.RENEW, new Call.Renew(client, owner, token));
                if (acts.contains(Act.WRONG_TOKEN)) {
                    add(calls, Act.CONFIRM, new Call.Confirm(client, owner, token - 1));
                    add(calls, Act.RENEW, new Call.Renew(client, owner, token - 1));
                }
            }
            for (int count = 1; count <= bounds.requestsOf(client); count++) {
                add(calls, Act.REFRESH, new Call.Refresh(client, count, owner, false));
                if (state.suspect[client]) {
                    add(calls, Act.REFRESH, new Call.Refresh(client, count, owner, true));
                }
            }
            if (acts.contains(Act.DROP)) {
                calls.add(new Call.Revoke(bounds.operator(), 1_000, owner + 1));
            }
            if (acts.contains(Act.ADOPT) && granted) {
                calls.add(new Call.Adopted(client, owner, token));
                for (int old = 0; old < bounds.owners(); old++) {
                    if (old != owner) {
                        calls.add(new Call.Adopt(client, old, token, owner, token));
                        if (state.last > token) {
                            calls.add(new Call.Adopt(client, old, token, owner, state.last));
                        }
                        if (acts.contains(Act.WRONG_TOKEN)) {
                            calls.add(new Call.Adopt(client, old, token - 1, owner, token - 1));
                        }
                    }
                }
            }
        }
        for (int client = 0; client < bounds.clients(); client++) {
            add(calls, Act.CHECK, new Call.Refresh(client, 0, LockState.NOBODY, false));
            add(calls, Act.REVOKE, new Call.Revoke(client, 0, 0));
            add(calls, Act.DROP, new Call.Revoke(client, 0, Call.Revoke.ALL));
            add(calls, Act.CLEAN, new Call.Clean(client));
        }
        if (granted && acts.contains(Act.WRONG_TOKEN)) {
            add(calls, Act.REVOKE, new Call.Revoke(bounds.operator(), token - 1, 0));
            add(calls, Act.REVOKE, new Call.Revoke(bounds.operator(), token + 1, 0));
            add(calls, Act.PROLONG, new Call.Prolong(bounds.operator(), token - 1));
        }
        add(calls, Act.PROLONG, new Call.Prolong(bounds.operator(), 0));
        return calls;
    }

    private void add(List<Call> calls, Act act, Call call) {
        if (acts.contains(act)) {
            calls.add(call);
        }
    }

    /** Tokens as small as they can be: what matters is how they compare. */
    private static LockState normal(LockState state) {
        int least = state.holder == LockState.NOBODY ? state.last : state.token;
        if (least > 0) {
            state.last += 2 - least;
            state.token += state.holder == LockState.NOBODY ? 0 : 2 - least;
        }
        state.shortenOrders();
        return state;
    }

    /** What is true of a server's keys, whatever clients do. */
    @Override
    public @Nullable String violation(LockState state) {
        if (state.queueLeft == LockState.UNENDING
                || state.parkedLeft == LockState.UNENDING
                || state.detailsLeft == LockState.UNENDING) {
            return "a key has no expiry";
        }
        if (state.queueLeft > state.detailsLeft || state.parkedLeft > state.detailsLeft) {
            return "somebody stands in line of whom nothing is known";
        }
        return null;
    }

    @Override
    public long fingerprint(LockState state) {
        Fingerprint print = new Fingerprint();
        state.addTo(print);
        return print.get();
    }
}
