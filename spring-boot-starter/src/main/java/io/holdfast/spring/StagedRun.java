package io.holdfast.spring;

import io.holdfast.Lease;
import io.holdfast.spring.WaitObserver.Observed;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The run of a method that returns a stage: in which thread, and with what of the caller's context. Made in the thread that calls. That of
 * an asynchronous method was given to it by an executor, and waits: so the executor's size, its threads and its decorators are those of the method.
 */
final class StagedRun {
    private final Call call;
    private final Observed wait;
    private final @Nullable Executor executor; // null for the thread that calls
    private final Runnable decorated;
    private final Thread caller = Thread.currentThread();
    private boolean asking; // used by the thread that calls only
    private final CompletableFuture<Runnable> first = new CompletableFuture<>(); // what the thread that calls is to do
    private final CompletableFuture<@Nullable Object> ended = new CompletableFuture<>();
    private volatile @Nullable List<Lease> leases; // set before it runs

    /**
     * @param executor of methods that are not asynchronous themselves
     * @param context decorates what runs with what of the present thread's context it is to have
     */
    StagedRun(Call call, Observed wait, Executor executor, UnaryOperator<Runnable> context) {
        this.call = call;
        this.wait = wait;
        this.executor = call.method.asynchronous ? null : executor;
        this.decorated = call.method.asynchronous ? this::run : context.apply(this::run);
    }

    /**
     * Asks, and, if the thread that calls is to run the method, waits until it has, or until the answer is another.
     *
     * @param question begins to ask, with what is to be done under the lease
     * @throws InterruptedException if the thread is interrupted while it waits for its lease; the request was withdrawn
     */
    <T> CompletableFuture<T> during(
            Function<Function<List<Lease>, CompletionStage<@Nullable Object>>, CompletableFuture<T>> question)
            throws InterruptedException {
        CompletableFuture<T> asked;
        asking = true;
        try {
            asked = question.apply(this::under);
        } finally {
            asking = false;
        }
        if (executor == null) {
            asked.whenComplete((value, failure) -> first.complete(StagedRun::nothing));
            take(asked).run();
        }
        return asked;
    }

    private static void nothing() {}

    private Runnable take(CompletableFuture<?> asked) throws InterruptedException {
        try {
            return first.get();
        } catch (InterruptedException e) {
            if (first.complete(StagedRun::nothing)) {
                asked.cancel(false);
                throw e;
            }
            Thread.currentThread().interrupt(); // it has its lease: the method may heed it
            return first.join();
        } catch (ExecutionException e) {
            throw new IllegalStateException("nothing fails this stage", e);
        }
    }

    private CompletionStage<@Nullable Object> under(List<Lease> given) {
        leases = given;
        if (executor == null) {
            if (!first.complete(this::surely)) {
                ended.cancel(false); // its caller has gone
            }
        } else {
            executor.execute(this::surely);
        }
        return ended;
    }

    /**
     * What keeps it from running ends it, too. Within the call itself the thread has its context, which a decorator would take from it
     * afterwards.
     */
    private void surely() {
        boolean within = Thread.currentThread() == caller && asking;
        try {
            if (within) {
                run();
            } else {
                decorated.run();
            }
        } catch (RuntimeException | Error e) {
            ended.completeExceptionally(e);
            throw e;
        }
    }

    private void run() {
        follow(call.runStage(Objects.requireNonNull(leases), wait), ended);
    }

    /** Whatever comes of the stage comes of the result. */
    static void follow(CompletionStage<@Nullable Object> stage, CompletableFuture<@Nullable Object> result) {
        stage.whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(failure);
            }
        });
    }
}
