package io.holdfast.model;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A machine whose states can all be visited: where it begins, what can happen next, and what must never be. All methods are pure
 * functions, and may be called by several threads.
 *
 * @param <S> a state; it is never changed once it was handed on
 */
public interface Model<S> {
    S initial();

    /** Tells each state that can come next, with the action that leads there, in the same order in each run. */
    void next(S state, BiConsumer<Action, S> to);

    /** What is wrong with a state, in words; null if nothing is. */
    @Nullable
    String violation(S state);

    /**
     * Two states with the same 64 bits count as one. States that differ only in the names of clients that are alike may give the same.
     */
    long fingerprint(S state);

    /** Whether the state is one to which the machine must be able to come from each other one; see {@link Checker#canReach}. */
    default boolean isGoal(S state) {
        return false;
    }

    /** A state in words, for the end of a trace. */
    default String describe(S state) {
        return String.valueOf(state);
    }

    /**
     * What happens in a step. Its words are made only for a trace.
     *
     * @param helps whether the goal may be reached by it: a client that gives up, or dies, helps nobody to be served
     */
    record Action(boolean helps, java.util.function.Supplier<String> words) {
        public static Action of(java.util.function.Supplier<String> words) {
            return new Action(true, words);
        }

        @Override
        public String toString() {
            return words.get();
        }
    }
}
