package io.holdfast.model.exclusive;

import io.holdfast.model.queue.AnyQueueCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A server of exclusive locks whose clients may send anything at any time. */
public final class AnyCalls extends AnyQueueCalls<LockState, Call> {
    /** What can happen. */
    public enum Act {
        ACQUIRE,
        QUEUE_LIMIT,
        NOT_TO_QUEUE,
        RELEASE,
        TOMBSTONE,
        REST,
        DONE,
        CONFIRM,
        RENEW,
        WRONG_TOKEN,
        REFRESH,
        CHECK,
        REVOKE,
        DROP,
        PROLONG,
        PAUSE,
        NOTE,
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
        super(bounds, acts.contains(Act.TICK), acts.contains(Act.LISTEN), acts.contains(Act.DELETE_KEY));
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
        return listening(new LockState(bounds.owners(), bounds.clients()));
    }

    @Override
    protected LockState after(LockState state, Call call) {
        return server.run(state, call).state();
    }

    @Override
    public List<Call> calls(LockState state) {
        List<Call> calls = new ArrayList<>();
        boolean granted = state.last > 0;
        long token = state.hasToken() ? state.token : state.last;
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
            add(calls, Act.REST, new Call.Release(client, owner, false, -1, 0));
            add(calls, Act.DONE, new Call.Release(client, owner, false, 1, 0, true));
            if (bounds.wishes().get(owner).keeps() && granted) {
                add(calls, Act.RELEASE, new Call.Release(client, owner, false, 0, token));
                add(calls, Act.TOMBSTONE, new Call.Release(client, owner, true, 0, token + 1));
            }
            if (granted) {
                add(calls, Act.CONFIRM, new Call.Confirm(client, owner, token));
                add(calls, Act.RENEW, new Call.Renew(client, owner, token));
                add(calls, Act.NOTE, new Call.Note(client, owner, token));
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
        add(calls, Act.PAUSE, new Call.Pause(bounds.operator(), 0));
        add(calls, Act.PAUSE, new Call.Pause(bounds.operator(), 1));
        add(calls, Act.PAUSE, new Call.Pause(bounds.operator(), bounds.term() + 1));
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

    @Override
    protected LockState normal(LockState state) {
        long least = state.hasToken() ? state.token : state.last;
        if (least > 0) {
            state.last += 2 - least;
            state.token += state.hasToken() ? 2 - least : 0;
        }
        state.shortenOrders();
        return state;
    }
}
