package io.holdfast.internal.wire;

import io.holdfast.HoldfastClosedException;
import io.holdfast.spi.BlockingCall;
import io.holdfast.spi.DriverException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Answers that come to a callback, for those who wait for them. */
public final class AsyncResults {
    /** Something that is sent, and answered to a callback. */
    public interface Sending<T> {
        void send(BiConsumer<@Nullable T, @Nullable DriverException> callback);
    }

    /** On whose behalf somebody waits. */
    interface Asker {
        boolean isClosed();

        /** What is asked, for people. */
        String describe();
    }

    private AsyncResults() {}

    /** Sends; what is returned fails with a DriverException. */
    static <T> CompletableFuture<T> to(Sending<T> sending) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        sending.send((value, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(failure);
            } else {
                answer.complete(value);
            }
        });
        return answer;
    }

    /** The same for the library's callers: what is returned fails with its exceptions. */
    public static <T> CompletableFuture<T> of(Asker asker, Sending<T> sending) {
        if (asker.isClosed()) {
            return CompletableFuture.failedFuture(new HoldfastClosedException());
        }
        return to(sending).exceptionally(failure -> {
            throw explained(asker, new CompletionException(failure));
        });
    }

    /** Sends and blocks for the answer. Throws exceptions of the library only. */
    public static <T> T await(Asker asker, Sending<T> sending) {
        if (asker.isClosed()) {
            throw new HoldfastClosedException();
        }
        try {
            return BlockingCall.await(() -> to(sending)).join();
        } catch (CompletionException e) {
            throw explained(asker, e);
        }
    }

    /** What to throw for an answer that failed. */
    public static RuntimeException explained(Asker asker, Exception e) {
        if (asker.isClosed()) {
            return new HoldfastClosedException();
        }
        if (e.getCause() instanceof DriverException failure) {
            return Refusals.of(asker.describe(), failure);
        }
        return e instanceof RuntimeException unchecked
                ? unchecked
                : new IllegalStateException("the driver failed: " + e.getCause(), e);
    }
}
