package io.holdfast;

import java.util.concurrent.CompletableFuture;

/** A request for a lock, from the call to its outcome. */
interface Asking {
    /** Asks for the first time. Called once. Fails with exceptions of the library, or with a caller's own. */
    CompletableFuture<Attempt> start();

    /** Withdraws it because its caller went away; a lease that was obtained already is released. */
    void withdraw();
}
