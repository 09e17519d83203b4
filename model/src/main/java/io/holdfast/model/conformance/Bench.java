package io.holdfast.model.conformance;

import org.jspecify.annotations.Nullable;

/**
 * Has a server do what a model says, and compares. For use by one thread.
 *
 * @param <S> what the server knows
 * @param <C> a call of a script
 */
public interface Bench<S, C> extends AutoCloseable {
    /**
     * How the script and the model differ; null if they agree.
     *
     * @param variant which of several ways to lay out the state
     */
    @Nullable
    String difference(S before, C call, int variant);

    /** The same for the passing of a tick. */
    @Nullable
    String differenceOfTick(S before, int variant);

    @Override
    void close();
}
