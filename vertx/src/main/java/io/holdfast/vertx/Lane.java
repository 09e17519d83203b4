package io.holdfast.vertx;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The one thread of a driver: an event loop of Vert.x, with a context that belongs to no verticle. Both connections live on it,
 * and all state of the driver belongs to it, so there is no lock, and the order of decisions is the order on the wire.
 */
final class Lane {
    private static final long MILLI_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Vertx vertx;
    private final Context context;

    /** Null until its first task runs. */
    private volatile @Nullable Thread thread;

    private Lane(Vertx vertx, Context context) {
        this.vertx = vertx;
        this.context = context;
        execute(() -> thread = Thread.currentThread());
    }

    /**
     * A lane on one of the event loops.
     *
     * <p>A thread of Vert.x would be answered the context that it runs on, and with that the life of a verticle. So a thread
     * of no context asks.
     */
    static Lane on(Vertx vertx) {
        CompletableFuture<Context> made = new CompletableFuture<>();
        Thread asking = new Thread(
                () -> {
                    try {
                        made.complete(vertx.getOrCreateContext());
                    } catch (RuntimeException | Error e) {
                        made.completeExceptionally(e);
                    }
                },
                "holdfast-vertx-context");
        asking.setDaemon(true);
        asking.start();
        return new Lane(vertx, made.join());
    }

    Vertx vertx() {
        return vertx;
    }

    /** Whether the calling thread is the lane. */
    boolean isHere() {
        return Thread.currentThread() == thread;
    }

    /** Runs a task on the lane, after those that were there before. Answers false if Vert.x is closed. */
    boolean execute(Runnable task) {
        try {
            context.runOnContext(nothing -> task.run());
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Runs a task at once if the calling thread is the lane, and on the lane otherwise. */
    void now(Runnable task) {
        if (isHere()) {
            task.run();
        } else {
            execute(task);
        }
    }

    /** Runs a task on the lane, no earlier than after the delay. If Vert.x is closed by then, it is dropped. */
    void later(long delayNanos, Runnable task) {
        long millis = Math.max(1, (delayNanos + MILLI_NANOS - 1) / MILLI_NANOS);
        execute(() -> {
            long unused = vertx.setTimer(millis, id -> task.run());
        });
    }

    /** Runs what may block on a worker of Vert.x. */
    <T> Future<T> blocking(Callable<T> task) {
        return context.executeBlocking(task, false);
    }
}
