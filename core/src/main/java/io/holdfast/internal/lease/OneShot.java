package io.holdfast.internal.lease;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Something that is to be done once, by the first of several that may come to it. An error leaves it to be done: the next that comes
 * does it from its beginning, so that to do a part of it twice must be harmless. Any thread.
 */
public final class OneShot {
    private final AtomicBoolean taken = new AtomicBoolean();

    /** Does it, unless another does or has done it; whether this call has. */
    public boolean run(Runnable step) {
        if (!taken.compareAndSet(false, true)) {
            return false;
        }
        try {
            step.run();
            return true;
        } catch (RuntimeException | Error e) {
            taken.set(false);
            throw e;
        }
    }

    /** The same as the other, in the thread that completes the stage. */
    public static <T> void after(
            CompletableFuture<T> stage, BiConsumer<? super @Nullable T, ? super @Nullable Throwable> step) {
        after(stage, Runnable::run, step);
    }

    /**
     * Does a step when a stage has completed, however. A stage keeps what its dependents throw: after an error the step is done once
     * more, from its beginning, by the thread that has met the error.
     *
     * @param executor does it at first
     */
    public static <T> void after(
            CompletableFuture<T> stage,
            Executor executor,
            BiConsumer<? super @Nullable T, ? super @Nullable Throwable> step) {
        OneShot once = new OneShot();
        BiConsumer<@Nullable T, @Nullable Throwable> first =
                (value, failure) -> once.run(() -> step.accept(value, failure));
        stage.whenCompleteAsync(first, executor).whenComplete((any, error) -> stage.whenComplete(first));
    }

    /** From now on nobody does it; whether nobody had come yet. */
    public boolean skip() {
        return taken.compareAndSet(false, true);
    }
}
