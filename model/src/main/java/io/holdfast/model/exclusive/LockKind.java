package io.holdfast.model.exclusive;

import io.holdfast.model.queue.QueueBounds;
import io.holdfast.model.world.Kind;
import io.holdfast.model.world.Packet;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;

/** The exclusive lock, for a world of clients. */
final class LockKind implements Kind<LockState> {
    private final Bounds bounds;
    private final LockServer server;

    LockKind(Bounds bounds, Set<Rule> rules) {
        this.bounds = bounds;
        this.server = new LockServer(bounds, rules);
    }

    @Override
    public QueueBounds<?> bounds() {
        return bounds;
    }

    @Override
    public LockState nothing() {
        return new LockState(bounds.owners(), bounds.clients());
    }

    @Override
    public Done<LockState> run(LockState before, Packet request) {
        int owner = request.party();
        int client = bounds.clientOf(owner);
        Call call = switch (request.kind()) {
            case ACQUIRE -> new Call.Acquire(client, owner, true, 0);
            case RELEASE -> new Call.Release(client, owner, request.flag(), 0, 0);
            case CONFIRM -> new Call.Confirm(client, owner, request.token());
            case RENEW -> new Call.Renew(client, owner, request.token());
            case REFRESH -> new Call.Refresh(client, 1, owner, request.flag());
            default -> throw new IllegalArgumentException("not asked of an exclusive lock: " + request);
        };
        Outcome outcome = server.run(before, call);
        String word = outcome.reply().word();
        boolean claims = outcome.reply().mine() != LockState.NOBODY;
        Packet.Kind reply = switch (request.kind()) {
            case ACQUIRE ->
                switch (word) {
                    case "GRANTED" -> Packet.Kind.GRANTED;
                    case "QUEUED" -> Packet.Kind.WAITS;
                    default -> Packet.Kind.REFUSED;
                };
            case RELEASE -> Packet.Kind.ENDED;
            case CONFIRM -> word.equals("HELD") ? Packet.Kind.HELD : Packet.Kind.NOT_HELD;
            case RENEW -> word.equals("0") ? Packet.Kind.NOT_HELD : Packet.Kind.HELD;
            default -> claims ? Packet.Kind.CLAIM : Packet.Kind.REFRESHED;
        };
        long token = switch (request.kind()) {
            case ACQUIRE -> outcome.reply().token();
            case CONFIRM, RENEW -> request.token();
            default -> claims ? outcome.state().token : 0;
        };
        // An acquire that is refused does nothing else.
        boolean settles = switch (request.kind()) {
            case ACQUIRE -> reply != Packet.Kind.REFUSED;
            case CONFIRM, RENEW -> false;
            default -> true;
        };
        Set<Integer> granted = outcome.granted() == LockState.NOBODY ? Set.of() : Set.of(outcome.granted());
        return new Done<>(outcome.state(), reply, token, granted, settles, outcome.messages());
    }

    @Override
    public int left(LockState state, int owner, long token) {
        return state.isHeldBy(owner, token) ? state.left : 0;
    }

    @Override
    public boolean isThere(LockState state, int owner) {
        return state.holder == owner;
    }

    @Override
    public boolean holds(LockState state, int owner) {
        return state.holder == owner;
    }

    @Override
    public boolean isClaim(LockState state, int owner) {
        return state.claim == owner;
    }

    @Override
    public boolean fits(LockState state, int owner) {
        return state.isFree();
    }

    @Override
    public Sharing sharing(int owner) {
        return Sharing.NOTHING;
    }

    @Override
    public boolean areAlike(int owner, int other) {
        return true;
    }

    @Override
    public void tokens(LockState state, LongConsumer to) {
        to.accept(state.token);
        to.accept(state.last);
    }

    @Override
    public LockState withTokens(LockState state, LongUnaryOperator renamed) {
        LockState after = state.copy();
        after.token = renamed.applyAsLong(state.token);
        after.last = renamed.applyAsLong(state.last);
        return after;
    }
}
