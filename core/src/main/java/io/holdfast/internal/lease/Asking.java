package io.holdfast.internal.lease;

import java.util.concurrent.CompletableFuture;

/**
 * A request for a lock, from the call to its outcome.
 *
 * @param <A> what a refusal is to the caller
 */
public interface Asking<A> {
    /** Asks for the first time. Called once. Fails with exceptions of the library, or with a caller's own. */
    CompletableFuture<Answer<A>> start();

    /** Withdraws it because its caller went away; a lease that was obtained already is released. */
    void withdraw();
}
