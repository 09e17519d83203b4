package io.holdfast.internal.lease;

/**
 * A request for a lock, from the call to its outcome.
 *
 * @param <A> what a refusal is to the caller
 */
public interface Asking<A> extends Question<Answer<A>> {}
