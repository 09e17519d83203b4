package io.holdfast;

import io.holdfast.internal.lease.Entry;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.OneShot;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.lease.Question;
import io.holdfast.internal.lease.Recorder;
import io.holdfast.internal.lease.StackRoom;
import io.holdfast.spi.BlockingCall;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The ways to acquire a lock, which are the same for every kind: blocking, asynchronous, and around work. */
final class Calls {
    /** Work that runs under a lock. */
    interface Work<T extends @Nullable Object, X extends Exception> {
        T run() throws X;
    }

    private Calls() {}

    /** Sends a request and blocks until it is answered. If the thread is interrupted, the request is withdrawn. */
    static <E extends Entry<?>, L> Attempt<L> await(Kit kit, Question<E> request, Function<E, L> lease)
            throws InterruptedException {
        StackRoom.demand();
        Recorder.Span wait = Recorder.present().waiting(true);
        CompletableFuture<Attempt<E>> outcome = started(request, () -> BlockingCall.await(request::start));
        try {
            if (!outcome.isDone()) {
                kit.beforeWaiting();
            }
            return outcome.get().map(lease);
        } catch (IllegalStateException | InterruptedException | Error e) {
            withdraw(request, e);
            throw e;
        } catch (ExecutionException e) {
            throw unchecked(Objects.requireNonNull(e.getCause()));
        } finally {
            if (wait != null) {
                wait.over(request.account(), outcomeOf(outcome));
            }
        }
    }

    /** Runs a step of a request, and withdraws the request if the step throws: it may already have reached the server. */
    private static <T> T started(Question<?> request, Supplier<T> step) {
        try {
            return step.get();
        } catch (RuntimeException | Error e) {
            withdraw(request, e);
            throw e;
        }
    }

    private static void withdraw(Question<?> request, Throwable because) {
        try {
            request.withdraw();
        } catch (RuntimeException | Error again) {
            because.addSuppressed(again);
        }
    }

    /** Sends a request and blocks until it is answered. It does not respond to interrupts, which stay set. */
    static <E extends Entry<?>> Attempt<E> awaitUninterruptibly(Question<E> request) {
        StackRoom.demand();
        Recorder.Span wait = Recorder.present().waiting(true);
        CompletableFuture<Attempt<E>> outcome = started(request, () -> BlockingCall.await(request::start));
        try {
            return outcome.join();
        } catch (CompletionException e) {
            throw unchecked(Objects.requireNonNull(e.getCause()));
        } finally {
            if (wait != null) {
                wait.over(request.account(), outcomeOf(outcome));
            }
        }
    }

    private static RuntimeException unchecked(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException known
                ? known
                : new IllegalStateException("a request failed with a checked exception, and none should", failure);
    }

    /** Returns the outcome as a word, for a recording. A call with no outcome yet did not wait for it. */
    private static String outcomeOf(CompletableFuture<? extends Attempt<?>> outcome) {
        if (!outcome.isDone()) {
            return Attempt.Reason.WITHDRAWN.name();
        }
        return outcome.<String>handle((answer, failure) -> answer instanceof Attempt.Obtained
                        ? "OBTAINED"
                        : Outcome.reasonOf(answer, failure).name())
                .join();
    }

    /**
     * Sends a request without blocking. If the caller completes the future, the request is withdrawn; a lease that was obtained
     * at the same moment is released.
     *
     * @param result of the answer; may throw exceptions of the library
     */
    static <E extends Entry<?>, T> CompletableFuture<T> async(
            Executor executor, Question<E> request, Function<Attempt<E>, T> result) {
        StackRoom.demand();
        Recorder.Span wait = Recorder.present().waiting(false);
        CompletableFuture<T> future = new CompletableFuture<>();
        CompletableFuture<Attempt<E>> asked = started(request, request::start);
        started(request, () -> {
            // Before anybody is told: what is recorded is there when the answer is.
            CompletableFuture<Attempt<E>> outcome = wait == null
                    ? asked
                    : asked.whenComplete((answer, failure) -> wait.over(request.account(), outcomeOf(asked)));
            // Also runs when it was completed from outside; then there may be something to withdraw.
            future.whenComplete((value, failure) -> {
                if (!outcome.isDone()) {
                    request.withdraw();
                }
            });
            OneShot.after(outcome, executor, (answer, failure) -> deliver(answer, failure, result, future));
            return future;
        });
        return future;
    }

    /** In every case, errors too, the caller has an answer, and what it does not get is left. */
    private static <E extends Entry<?>, T> void deliver(
            @Nullable Attempt<E> answer,
            @Nullable Throwable failure,
            Function<Attempt<E>, T> result,
            CompletableFuture<T> future) {
        boolean delivered = false;
        try {
            delivered = answer == null
                    ? future.completeExceptionally(unwrap(Objects.requireNonNull(failure)))
                    : future.complete(result.apply(answer));
        } catch (RuntimeException | Error e) {
            future.completeExceptionally(e);
        } finally {
            if (!delivered && answer instanceof Attempt.Obtained<E> obtained) {
                obtained.lease().leaveUnused();
            }
        }
    }

    /** Runs work under a lock, and always leaves it afterwards. */
    static <T extends @Nullable Object, X extends Exception> T under(Entry<?> entry, Work<T, X> work) throws X {
        T value;
        LeaseLostException lost;
        try {
            value = work.run();
            lost = entry.isValid() ? null : entry.lostException(value);
        } catch (Throwable e) {
            entry.failed(e);
            throw e;
        } finally {
            entry.leaveAndWait();
        }
        if (lost != null && lost.reason() != null) {
            throw lost;
        }
        return value;
    }

    /** Runs asynchronous work under the lock, which is left when the stage that the work returns completes. */
    static <L, T extends @Nullable Object> CompletableFuture<T> under(
            CompletableFuture<L> acquired,
            Function<L, Entry<?>> entryOf,
            Function<? super L, ? extends CompletionStage<T>> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        acquired.whenComplete((lease, failure) -> {
            if (lease == null) {
                result.completeExceptionally(unwrap(Objects.requireNonNull(failure)));
                return;
            }
            try {
                begin(lease, entryOf.apply(lease), work, result);
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
                throw e; // the lease is dropped, which ends it
            }
        });
        result.whenComplete((value, failure) -> acquired.cancel(false)); // without effect once acquired
        return result;
    }

    private static <L, T extends @Nullable Object> void begin(
            L lease,
            Entry<?> entry,
            Function<? super L, ? extends CompletionStage<T>> work,
            CompletableFuture<T> result) {
        CompletionStage<T> stage;
        try {
            stage = Objects.requireNonNull(work.apply(lease), "the work returned no stage");
        } catch (Throwable e) {
            stage = CompletableFuture.failedFuture(e);
        }
        stage.whenComplete((value, thrown) -> {
            try {
                leave(entry, value, thrown, result);
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e);
                throw e;
            }
        });
    }

    private static <T extends @Nullable Object> void leave(
            Entry<?> entry, T value, @Nullable Throwable thrown, CompletableFuture<T> result) {
        LeaseLostException lost = null;
        CompletableFuture<?> left;
        try {
            if (thrown != null) {
                entry.failed(unwrap(thrown));
            }
            lost = entry.isValid() ? null : entry.lostException(value);
        } finally {
            left = entry.leaveAsync();
        }
        Throwable why = thrown != null ? unwrap(thrown) : lost != null && lost.reason() != null ? lost : null;
        left.whenComplete((released, ignored) -> {
                    if (why == null) {
                        result.complete(value);
                    } else {
                        result.completeExceptionally(why);
                    }
                })
                .whenComplete((released, error) -> {
                    if (error != null) { // has no effect unless it is the one that kept the work's end from being told
                        result.completeExceptionally(unwrap(error));
                    }
                });
    }

    static Throwable unwrap(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
