package io.holdfast.model;

import java.util.List;

/**
 * A server whose clients may send anything at any time.
 *
 * @param <S> what the server knows
 * @param <C> a call of a script
 */
public interface ServerModel<S, C> extends Model<S> {
    /** Each call that may come next. */
    List<C> calls(S state);
}
