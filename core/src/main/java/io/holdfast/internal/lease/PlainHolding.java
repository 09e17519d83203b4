package io.holdfast.internal.lease;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What the hold of a plain key knows beside what each {@link Holding} does. */
public interface PlainHolding {
    /** Asks the server whether the key has the value; if not, the hold is lost. Fails with an exception of the library. */
    CompletableFuture<Boolean> check();

    /** The value of the holder from whom it was taken over; null if of none. */
    @Nullable
    String replaced();
}
