package io.holdfast.faults.errors;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One call of a scene that has to end: a request, a release, an extension, or work under a lock. */
final class Asked {
    final String text;

    @Nullable
    CompletableFuture<?> future; // null if the call threw

    @Nullable
    Throwable thrown; // by the call, or what its future failed with

    @Nullable
    Held held;

    boolean over;

    Asked(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
