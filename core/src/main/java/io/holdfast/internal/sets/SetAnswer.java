package io.holdfast.internal.sets;

import io.holdfast.SetAttempt;
import io.holdfast.internal.lease.Entry;
import io.holdfast.internal.lease.Question;
import org.jspecify.annotations.Nullable;

/** How asking for several locks ended: either with all of them, or with a refusal and none. */
public record SetAnswer(@Nullable SetEntry held, @Nullable SetAttempt refusal) implements Question.Answered {
    @Override
    public @Nullable Entry<?> entry() {
        return held;
    }

    @Override
    public @Nullable Object why() {
        return refusal instanceof SetAttempt.NotAll notAll ? notAll.why() : refusal;
    }
}
