package io.holdfast.internal.sets;

import io.holdfast.LossReason;
import io.holdfast.internal.lease.Handle;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The first loss of what a set has collected. The holds know this and nothing that has their handles, or a set that was
 * dropped without a release would not be noticed: see {@link Handle}.
 */
public final class FirstLoss {
    /** A lock that was lost. */
    public record Of(String lock, LossReason reason) {}

    private final CompletableFuture<Of> first = new CompletableFuture<>();
    private volatile @Nullable BiConsumer<String, LossReason> collecting;

    /** @param collecting is told of losses until the set is complete */
    FirstLoss(BiConsumer<String, LossReason> collecting) {
        this.collecting = collecting;
    }

    void watch(Handle handle) {
        String lock = handle.hold.keys().name();
        Executor executor = handle.hold.executor();
        handle.own.onLoss(reason -> lost(lock, reason, executor));
    }

    private void lost(String lock, LossReason reason, Executor executor) {
        executor.execute(() -> first.complete(new Of(lock, reason)));
        BiConsumer<String, LossReason> told = collecting;
        if (told != null) {
            told.accept(lock, reason);
        }
    }

    /** The set is complete, or given up: from now on nobody but its caller is told. */
    void collected() {
        collecting = null;
    }

    /** Completes on the client's executor. */
    public CompletableFuture<Of> stage() {
        return first;
    }
}
