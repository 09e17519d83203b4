package io.holdfast.model.world;

import io.holdfast.model.queue.Message;
import io.holdfast.model.queue.QueueBounds;
import io.holdfast.model.queue.QueueState;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.LongUnaryOperator;

/**
 * What the kinds of locks differ in, for a world of clients with one request each.
 *
 * @param <S> what the server knows
 */
public interface Kind<S extends QueueState<S>> {
    /** What a lease lets others have. */
    enum Sharing {
        /** Nothing. */
        NOTHING,
        /** More of these, which have the token of one phase. */
        PHASE,
        /** As many permits as are left. */
        PERMITS
    }

    /**
     * What a script came to.
     *
     * @param reply kind of the reply
     * @param token that it tells, 0 for none
     * @param granted owners whose holds were granted
     * @param settles whether it serves those that wait
     */
    record Done<S>(
            S state, Packet.Kind reply, long token, Set<Integer> granted, boolean settles, List<Message> messages) {}

    QueueBounds<?> bounds();

    /** A server that knows nothing yet. */
    S nothing();

    /** Runs the script that a request asks for. */
    Done<S> run(S before, Packet request);

    /** How long the server has the hold of an owner yet, with this token; 0 if it has none. */
    int left(S state, int owner, long token);

    /** Whether a hold of the owner is written, with whatever token, though perhaps over. */
    boolean isThere(S state, int owner);

    /** The same for one that is not over. */
    boolean holds(S state, int owner);

    /** Whether it is a claim. */
    boolean isClaim(S state, int owner);

    /** Whether the request of an owner fits beside the holds that are not over. */
    boolean fits(S state, int owner);

    /** What a lease of an owner lets others have, before it was downgraded. */
    Sharing sharing(int owner);

    /** Permits of a request, and how many there are; both 1 if there are no permits. */
    default int weight(int owner) {
        return 1;
    }

    default int limit(int owner) {
        return 1;
    }

    /** Whether clients may ask for the same: then they may change names. */
    boolean areAlike(int owner, int other);

    /** Tells each token of the server, also 0. */
    void tokens(S state, LongConsumer to);

    /** The same state with other tokens. */
    S withTokens(S state, LongUnaryOperator renamed);
}
