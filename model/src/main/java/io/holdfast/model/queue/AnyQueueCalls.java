package io.holdfast.model.queue;

import io.holdfast.model.Fingerprint;
import io.holdfast.model.ServerModel;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A server whose clients may send anything at any time: each call of each client, with tokens that are right and wrong, in any order. It
 * has each state of the server's part that any clients can cause, whatever they, their connections and the network do.
 *
 * @param <S> the state of a kind of lock
 * @param <C> a call of its scripts
 */
public abstract class AnyQueueCalls<S extends QueueState<S>, C> implements ServerModel<S, C> {
    private final QueueBounds<?> bounds;
    private final boolean ticks;
    private final boolean listening;
    private final boolean deletes;

    /**
     * A server of which each call is run.
     *
     * @param listening whether clients may cease to listen
     * @param deletes whether keys of the queue may be deleted by hand
     */
    protected AnyQueueCalls(QueueBounds<?> bounds, boolean ticks, boolean listening, boolean deletes) {
        this.bounds = bounds;
        this.ticks = ticks;
        this.listening = listening;
        this.deletes = deletes;
    }

    /** Of which nothing is known, and all clients listen. */
    protected final S listening(S empty) {
        for (int client = 0; client < bounds.operator(); client++) {
            empty.listens[client] = true;
        }
        return empty;
    }

    protected abstract S after(S state, C call);

    /** The same with tokens and orders as small as they can be: what matters is how they compare. May change the state itself. */
    protected abstract S normal(S state);

    @Override
    public final void next(S state, BiConsumer<Action, S> to) {
        for (C call : calls(state)) {
            to.accept(Action.of(() -> "The server runs the " + call + "."), normal(after(state, call)));
        }
        if (ticks) {
            to.accept(Action.of(() -> "A tick passes."), normal(state.later()));
        }
        if (listening) {
            for (int client = 0; client < bounds.operator(); client++) {
                S changed = state.copy();
                changed.listens[client] ^= true;
                String what =
                        Words.client(client) + (changed.listens[client] ? " listens again." : " listens no more.");
                to.accept(Action.of(() -> what), changed);
            }
        }
        if (deletes) {
            if (state.queueLeft != 0) {
                to.accept(
                        Action.of(() -> "Somebody deletes the key of the queue."),
                        normal(state.withoutKey(QueueState.QUEUED)));
            }
            if (state.parkedLeft != 0) {
                to.accept(
                        Action.of(() -> "Somebody deletes the key of those parked."),
                        normal(state.withoutKey(QueueState.ASIDE)));
            }
        }
    }

    /** What is true of a server's keys, whatever clients do. */
    @Override
    public @Nullable String violation(S state) {
        if (state.queueLeft == QueueState.UNENDING
                || state.parkedLeft == QueueState.UNENDING
                || state.detailsLeft == QueueState.UNENDING) {
            return "a key has no expiry";
        }
        if (state.queueLeft > state.detailsLeft || state.parkedLeft > state.detailsLeft) {
            return "somebody stands in line of whom nothing is known";
        }
        return null;
    }

    @Override
    public final long fingerprint(S state) {
        Fingerprint print = new Fingerprint();
        state.addTo(print);
        return print.get();
    }
}
