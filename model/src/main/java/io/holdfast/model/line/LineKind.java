package io.holdfast.model.line;

import io.holdfast.model.line.LineBounds.Wish;
import io.holdfast.model.queue.QueueBounds;
import io.holdfast.model.world.Kind;
import io.holdfast.model.world.Packet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;

/** A shared line, for a world of clients. */
final class LineKind implements Kind<LineState> {
    private static final Set<Packet.Kind> ENDS_OR_ASKS =
            EnumSet.of(Packet.Kind.ACQUIRE, Packet.Kind.RELEASE, Packet.Kind.REFRESH);

    private final LineBounds bounds;
    private final LineServer server;

    LineKind(LineBounds bounds, Set<LineRule> rules) {
        this.bounds = bounds;
        this.server = new LineServer(bounds, rules);
    }

    @Override
    public QueueBounds<?> bounds() {
        return bounds;
    }

    @Override
    public LineState nothing() {
        return new LineState(bounds.owners(), bounds.clients());
    }

    @Override
    public Done<LineState> run(LineState before, Packet request) {
        int owner = request.party();
        int client = bounds.clientOf(owner);
        LineCall call = switch (request.kind()) {
            case ACQUIRE -> new LineCall.Acquire(client, owner, true, 0);
            case RELEASE -> new LineCall.Release(client, owner, request.flag(), 0, false);
            case CONFIRM -> new LineCall.Confirm(client, owner, request.token());
            case RENEW -> new LineCall.Renew(client, owner, request.token());
            case DOWNGRADE -> new LineCall.Downgrade(client, owner, request.token());
            default -> new LineCall.Refresh(client, 1, List.of(owner), request.flag());
        };
        LineOutcome outcome = server.run(before, call);
        LineState after = outcome.state();
        String words = outcome.reply().words();
        LineOutcome.Told told = outcome.reply().told();
        boolean tellsHold = told != null && told.grants().contains(owner);
        Packet.Kind reply = switch (request.kind()) {
            case ACQUIRE ->
                words.startsWith("GRANTED")
                        ? Packet.Kind.GRANTED
                        : words.startsWith("QUEUED") ? Packet.Kind.WAITS : Packet.Kind.REFUSED;
            case RELEASE -> Packet.Kind.ENDED;
            case CONFIRM, RENEW -> words.equals("1") ? Packet.Kind.HELD : Packet.Kind.NOT_HELD;
            case DOWNGRADE -> words.equals("GONE") ? Packet.Kind.NOT_HELD : Packet.Kind.DOWNGRADED;
            default -> tellsHold ? Packet.Kind.TAKEN_UP : Packet.Kind.REFRESHED;
        };
        long token = switch (reply) {
            case GRANTED, TAKEN_UP, DOWNGRADED -> after.token[owner];
            case HELD, NOT_HELD -> request.token();
            default -> 0;
        };
        boolean opens =
                request.kind() == Packet.Kind.DOWNGRADE && before.mode[owner] == 'W' && after.mode[owner] == 'D';
        boolean settles = opens || (ENDS_OR_ASKS.contains(request.kind()) && reply != Packet.Kind.REFUSED);
        Set<Integer> granted = new TreeSet<>(outcome.begun());
        granted.removeIf(
                begun -> before.holds(begun) && before.left[begun] > 0); // it reads on, and was not granted anything
        return new Done<>(after, reply, token, granted, settles, outcome.messages());
    }

    @Override
    public int left(LineState state, int owner, long token) {
        return state.holds(owner) && state.token[owner] == token ? state.left[owner] : 0;
    }

    @Override
    public boolean isThere(LineState state, int owner) {
        return state.isThere(owner);
    }

    @Override
    public boolean holds(LineState state, int owner) {
        return state.holds(owner) && state.left[owner] > 0;
    }

    @Override
    public boolean isClaim(LineState state, int owner) {
        return state.claimed[owner];
    }

    @Override
    public boolean fits(LineState state, int owner) {
        Wish wish = bounds.wishes().get(owner);
        int out = 0;
        for (int other = 0; other < state.owners(); other++) {
            if (state.isThere(other) && state.left[other] > 0) {
                if (state.mode[other] == 'W' || wish.mode() == 'W') {
                    return false;
                }
                out += state.weight[other];
            }
        }
        return wish.mode() != 'P' || out + wish.weight() <= wish.limit();
    }

    @Override
    public Sharing sharing(int owner) {
        return switch (bounds.wishes().get(owner).mode()) {
            case 'W' -> Sharing.NOTHING;
            case 'R' -> Sharing.PHASE;
            default -> Sharing.PERMITS;
        };
    }

    @Override
    public int weight(int owner) {
        return bounds.wishes().get(owner).weight();
    }

    @Override
    public int limit(int owner) {
        return bounds.wishes().get(owner).limit();
    }

    @Override
    public boolean areAlike(int owner, int other) {
        Wish wish = bounds.wishes().get(owner);
        Wish wishes = bounds.wishes().get(other);
        return wish.words().equals(wishes.words());
    }

    @Override
    public void tokens(LineState state, LongConsumer to) {
        to.accept(state.last);
        to.accept(state.phase);
        for (long token : state.token) {
            to.accept(token);
        }
    }

    @Override
    public LineState withTokens(LineState state, LongUnaryOperator renamed) {
        LineState after = state.copy();
        after.last = renamed.applyAsLong(state.last);
        after.phase = renamed.applyAsLong(state.phase);
        for (int owner = 0; owner < state.owners(); owner++) {
            after.token[owner] = renamed.applyAsLong(state.token[owner]);
        }
        return after;
    }
}
