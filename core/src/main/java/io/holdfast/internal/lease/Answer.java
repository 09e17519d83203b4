package io.holdfast.internal.lease;

import org.jspecify.annotations.Nullable;

/**
 * How a request ended: either with a handle of a hold, or with a refusal.
 *
 * @param <A> what a refusal is to the caller
 */
public record Answer<A>(@Nullable Handle handle, @Nullable A refusal) implements Question.Answered {
    @Override
    public @Nullable Entry<?> entry() {
        return handle;
    }

    @Override
    public @Nullable Object why() {
        return refusal;
    }
}
