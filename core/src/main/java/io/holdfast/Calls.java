package io.holdfast;

import io.holdfast.internal.lease.Answer;
import io.holdfast.internal.lease.Asking;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Kit;
import io.holdfast.spi.BlockingCall;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The forms of asking for a lock, which are the same for every kind: blocking, asynchronous, and around work. */
final class Calls {
    /** What is done under a lock. */
    interface Work<T extends @Nullable Object, X extends Exception> {
        T run() throws X;
    }

    private Calls() {}

    /** Asks and blocks for the answer. If the thread is interrupted, the request is withdrawn. */
    static <A, R> R await(Kit kit, Asking<A> request, Function<Answer<A>, R> result) throws InterruptedException {
        CompletableFuture<Answer<A>> outcome = BlockingCall.await(request::start);
        try {
            if (!outcome.isDone()) {
                kit.beforeWaiting();
            }
            return result.apply(outcome.get());
        } catch (IllegalStateException | InterruptedException e) {
            request.withdraw();
            throw e;
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException("a request fails with unchecked exceptions only", e.getCause());
        }
    }

    /** Asks and blocks for the answer without heeding interrupts, which stay set. */
    static <A> Answer<A> awaitUninterruptibly(Asking<A> request) {
        try {
            return BlockingCall.await(request::start).join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw e;
        }
    }

    /**
     * Asks without blocking. If the future is completed from outside, the request is withdrawn; a lease that was obtained at
     * that very moment is released.
     *
     * @param result of the answer; may throw exceptions of the library
     */
    static <A, T> CompletableFuture<T> async(Executor executor, Asking<A> request, Function<Answer<A>, T> result) {
        CompletableFuture<T> future = new CompletableFuture<>();
        CompletableFuture<Answer<A>> outcome = request.start();
        // Also runs when it was completed from outside; then there may be something to withdraw.
        future.whenComplete((value, failure) -> {
            if (!outcome.isDone()) {
                request.withdraw();
            }
        });
        outcome.whenCompleteAsync(
                (answer, failure) -> {
                    boolean delivered;
                    try {
                        delivered = answer == null
                                ? future.completeExceptionally(unwrap(Objects.requireNonNull(failure)))
                                : future.complete(result.apply(answer));
                    } catch (HoldfastException e) {
                        delivered = future.completeExceptionally(e);
                    }
                    Handle handle = answer == null ? null : answer.handle();
                    if (!delivered && handle != null) {
                        handle.leave();
                    }
                },
                executor);
        return future;
    }

    /** Does work under a lock, and leaves it in every case. */
    static <T extends @Nullable Object, X extends Exception> T under(Handle handle, Work<T, X> work) throws X {
        T value;
        LeaseLostException lost;
        try {
            value = work.run();
            lost = handle.isValid() ? null : handle.lostException(value);
        } finally {
            handle.leaveAndWait();
        }
        if (lost != null && lost.reason() != null) {
            throw lost;
        }
        return value;
    }

    /** The same for asynchronous work: the lock is left when the stage that the work returns completes. */
    static <L, T extends @Nullable Object> CompletableFuture<T> under(
            CompletableFuture<L> acquired,
            Function<L, Handle> handleOf,
            Function<? super L, ? extends CompletionStage<T>> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        acquired.whenComplete((lease, failure) -> {
            if (lease == null) {
                result.completeExceptionally(unwrap(Objects.requireNonNull(failure)));
                return;
            }
            CompletionStage<T> stage;
            try {
                stage = Objects.requireNonNull(work.apply(lease), "the work returned no stage");
            } catch (Throwable e) {
                stage = CompletableFuture.failedFuture(e);
            }
            Handle handle = handleOf.apply(lease);
            stage.whenComplete((value, thrown) -> {
                LeaseLostException lost = handle.isValid() ? null : handle.lostException(value);
                handle.leaveAsync().whenComplete((released, ignored) -> {
                    if (thrown != null) {
                        result.completeExceptionally(unwrap(thrown));
                    } else if (lost != null && lost.reason() != null) {
                        result.completeExceptionally(lost);
                    } else {
                        result.complete(value);
                    }
                });
            });
        });
        result.whenComplete((value, failure) -> acquired.cancel(false)); // without effect once acquired
        return result;
    }

    private static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
