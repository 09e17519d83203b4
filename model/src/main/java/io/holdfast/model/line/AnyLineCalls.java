package io.holdfast.model.line;

import io.holdfast.model.queue.AnyQueueCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A server of shared lines whose clients may send anything at any time. */
public final class AnyLineCalls extends AnyQueueCalls<LineState, LineCall> {
    /** What can happen. */
    public enum Act {
        QUEUE_LIMIT,
        NOT_TO_QUEUE,
        TOMBSTONE,
        REST,
        WRONG_TOKEN,
        DOWNGRADE,
        CHECK,
        REVOKE,
        DROP,
        PROLONG,
        LIMIT,
        CLEAN,
        LISTEN,
        DELETE_KEY
    }

    private final LineBounds bounds;
    private final Set<Act> acts;
    private final LineServer server;
    private final List<LineCall> before;

    /**
     * A server, and what may happen to it.
     *
     * @param before calls that have been run where the look begins
     */
    public AnyLineCalls(LineBounds bounds, Set<LineRule> rules, Set<Act> acts, List<LineCall> before) {
        super(bounds, true, acts.contains(Act.LISTEN), acts.contains(Act.DELETE_KEY));
        this.bounds = bounds;
        this.acts = acts;
        this.server = new LineServer(bounds, rules);
        this.before = List.copyOf(before);
    }

    public LineBounds bounds() {
        return bounds;
    }

    public LineServer server() {
        return server;
    }

    @Override
    public LineState initial() {
        LineState state = listening(new LineState(bounds.owners(), bounds.clients()));
        for (LineCall call : before) {
            state = normal(after(state, call));
        }
        return state;
    }

    @Override
    protected LineState after(LineState state, LineCall call) {
        return server.run(state, call).state();
    }

    @Override
    protected LineState normal(LineState state) {
        state.shortenTokens();
        state.shortenOrders();
        return state;
    }

    @Override
    public List<LineCall> calls(LineState state) {
        List<LineCall> calls = new ArrayList<>();
        int operator = bounds.operator();
        for (int owner = 0; owner < bounds.owners(); owner++) {
            int client = bounds.clientOf(owner);
            calls.add(new LineCall.Acquire(client, owner, true, 0));
            if (!state.known[owner]) {
                add(calls, Act.QUEUE_LIMIT, new LineCall.Acquire(client, owner, true, 1));
                add(calls, Act.NOT_TO_QUEUE, new LineCall.Acquire(client, owner, false, 0));
            }
            calls.add(new LineCall.Release(client, owner, false, 0, false));
            add(calls, Act.TOMBSTONE, new LineCall.Release(client, owner, true, 0, false));
            add(calls, Act.REST, new LineCall.Release(client, owner, true, 1, (state.last & 1) == 0));
            for (long token : tokens(state, owner)) {
                calls.add(new LineCall.Confirm(client, owner, token));
                calls.add(new LineCall.Renew(client, owner, token));
                add(calls, Act.DOWNGRADE, new LineCall.Downgrade(client, owner, token));
            }
            add(calls, Act.DROP, new LineCall.Revoke(operator, LineCall.NONE, 0, owner));
            add(calls, Act.REVOKE, new LineCall.Revoke(operator, owner, 0, LineCall.NONE));
            add(calls, Act.PROLONG, new LineCall.Prolong(operator, owner));
        }
        for (int client = 0; client < bounds.clients(); client++) {
            add(calls, Act.CHECK, new LineCall.Refresh(client, 0, List.of(), false));
            if (client != operator) {
                addRefreshes(calls, state, client);
            }
        }
        addOfOperators(calls, state);
        return calls;
    }

    /** Naming those of a client, in their order, and one more request than it names. */
    private void addRefreshes(List<LineCall> calls, LineState state, int client) {
        List<Integer> own = new ArrayList<>();
        for (int owner = 0; owner < bounds.owners(); owner++) {
            if (bounds.clientOf(owner) == client) {
                own.add(owner);
            }
        }
        for (int owner : own) {
            calls.add(new LineCall.Refresh(client, 1, List.of(owner), false));
            if (own.size() > 1) {
                calls.add(new LineCall.Refresh(client, own.size(), List.of(owner), false));
            }
        }
        if (own.size() > 1) {
            calls.add(new LineCall.Refresh(client, own.size(), own, false));
        }
        if (state.suspect[client]) {
            calls.add(new LineCall.Refresh(client, own.size(), own, true));
        }
    }

    private void addOfOperators(List<LineCall> calls, LineState state) {
        int operator = bounds.operator();
        add(calls, Act.REVOKE, new LineCall.Revoke(0, LineCall.ALL, 0, LineCall.NONE));
        add(calls, Act.DROP, new LineCall.Revoke(operator, LineCall.ALL, 0, LineCall.ALL));
        add(calls, Act.PROLONG, new LineCall.Prolong(operator, LineCall.ALL));
        add(calls, Act.CLEAN, new LineCall.Clean(operator));
        for (int owner = 0; owner < bounds.owners(); owner++) {
            if (state.isThere(owner)) {
                add(calls, Act.REST, new LineCall.Revoke(operator, LineCall.NONE, state.token[owner], LineCall.NONE));
            }
        }
        if (acts.contains(Act.LIMIT)) {
            for (int limit : bounds.limits()) {
                calls.add(new LineCall.Limit(operator, limit, bounds.limitLives()));
            }
            calls.add(new LineCall.Limit(operator, -1, 0));
        }
    }

    private Set<Long> tokens(LineState state, int owner) {
        Set<Long> tokens = new TreeSet<>();
        if (state.last > 0) {
            long token = state.isThere(owner) ? state.token[owner] : state.last;
            tokens.add(token);
            if (acts.contains(Act.WRONG_TOKEN)) {
                tokens.add(token - 1);
            }
        }
        return tokens;
    }

    private void add(List<LineCall> calls, Act act, LineCall call) {
        if (acts.contains(act)) {
            calls.add(call);
        }
    }

    @Override
    public @Nullable String violation(LineState state) {
        String problem = super.violation(state);
        if (problem != null) {
            return problem;
        }
        int others = 0;
        int out = 0;
        int claims = 0;
        int slots = 0;
        for (int owner = 0; owner < state.owners(); owner++) {
            if (state.isThere(owner) && state.mode[owner] != 'W') {
                others++;
                out += state.weight[owner];
            }
            if ((slots & state.slots[owner]) != 0) {
                return "two holds have one slot";
            }
            slots |= state.slots[owner];
            claims += state.claimed[owner] && state.known[owner] ? 1 : 0;
        }
        if (state.writer() != LineState.NOBODY && state.countHolders() > 1) {
            return "somebody holds beside a writer";
        }
        if (state.used != out) {
            return state.used + " permits are out by the count, and " + out + " by the holds";
        }
        if (state.taken != slots) {
            return "slots that are taken by the count are not those of the holds";
        }
        if (others == 0 && state.phase != 0) {
            return "nobody reads, and a phase of reading is open";
        }
        if (Math.max(0, state.claims) != claims) {
            return state.claims + " claims are counted, and there are " + claims;
        }
        return null;
    }
}
