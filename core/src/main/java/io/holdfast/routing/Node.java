package io.holdfast.routing;

import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One server: its driver, as soon as it is open, and since when it has answered nothing.
 *
 * <p>Commands that a server is asked to execute although it does not have the slot yet ({@code ASKING}) go over a
 * connection of their own, because the two have to come one directly after the other.
 */
final class Node {
    private static final long HEARD = Long.MIN_VALUE;

    final RedisAddress address;
    final CompletableFuture<RedisDriver> opened = new CompletableFuture<>();
    private final Executor workers;
    /** When the first command left that nothing has been answered since. */
    private final AtomicLong silentSince = new AtomicLong(HEARD);

    private final ReentrantLock asking = new ReentrantLock();
    private @Nullable CompletableFuture<RedisDriver> askingDriver; // guarded by asking
    private boolean closed; // guarded by asking
    /** Set once the server has said that it knows no sharded channels. */
    volatile boolean plainChannels;

    Node(RedisAddress address, Executor workers) {
        this.address = address;
        this.workers = workers;
    }

    /** Begins to connect. */
    void open(Connector connector) {
        try {
            workers.execute(() -> {
                try {
                    opened.complete(connector.connect(address));
                } catch (RuntimeException | Error e) { // there may be no room for its threads
                    opened.completeExceptionally(failureOf(e));
                }
            });
        } catch (RejectedExecutionException e) {
            opened.completeExceptionally(DriverException.unknown("the driver is closed", null));
        } catch (Error e) { // nor for a worker: a node that is never opened would be waited for
            opened.completeExceptionally(failureOf(e));
        }
    }

    /** Its driver, if it is open. */
    @Nullable
    RedisDriver driver() {
        return opened.isDone() && !opened.isCompletedExceptionally() ? opened.join() : null;
    }

    CompletableFuture<Reply> send(Command command) {
        silentSince.compareAndSet(HEARD, System.nanoTime());
        CompletableFuture<Reply> outcome = new CompletableFuture<>();
        RedisDriver driver = driver();
        if (driver != null) {
            send(driver, command, outcome);
        } else {
            opened.whenComplete((open, failure) -> {
                if (failure == null) {
                    send(open, command, outcome);
                } else {
                    outcome.completeExceptionally(failureOf(failure));
                }
            });
        }
        return outcome;
    }

    private void send(RedisDriver driver, Command command, CompletableFuture<Reply> outcome) {
        driver.send(command).whenComplete((reply, failure) -> {
            silentSince.set(HEARD);
            settle(outcome, reply, failure);
        });
    }

    /** Sends a command to a server that is about to take over its slot. */
    CompletableFuture<Reply> ask(Command command, String key) {
        CompletableFuture<Reply> outcome = new CompletableFuture<>();
        CompletableFuture<RedisDriver> open;
        asking.lock();
        try {
            open = askingDriver;
            if (open == null || open.isCompletedExceptionally()) {
                open = closed
                        ? CompletableFuture.failedFuture(DriverException.unknown("the driver is closed", null))
                        : opened.thenApplyAsync(driver -> driver.another(key), workers);
                askingDriver = open;
            }
        } finally {
            asking.unlock();
        }
        open.whenComplete((driver, failure) -> {
            if (failure != null) {
                outcome.completeExceptionally(failureOf(failure));
                return;
            }
            CompletionStage<Reply> sent;
            asking.lock(); // the two belong together; whatever waits for the answer is told when it is free again
            try {
                driver.send(Command.of("ASKING"));
                sent = driver.send(command);
            } finally {
                asking.unlock();
            }
            sent.whenComplete((reply, problem) -> settle(outcome, reply, problem));
        });
        return outcome;
    }

    private static void settle(CompletableFuture<Reply> outcome, Reply reply, @Nullable Throwable failure) {
        if (failure == null) {
            outcome.complete(reply);
        } else {
            outcome.completeExceptionally(failureOf(failure));
        }
    }

    /** For how long it has answered nothing, although it was asked; 0 if it was not, or has. */
    long silentNanos() {
        long since = silentSince.get();
        return since == HEARD ? 0 : Math.max(1, System.nanoTime() - since);
    }

    void heard() {
        silentSince.set(HEARD);
    }

    /** Closes its drivers, now or when they are open. May block for a short time. */
    void close() {
        CompletableFuture<RedisDriver> second;
        asking.lock();
        try {
            closed = true;
            second = askingDriver;
        } finally {
            asking.unlock();
        }
        close(opened);
        if (second != null) {
            close(second);
        }
    }

    private static void close(CompletableFuture<RedisDriver> opening) {
        opening.whenComplete((driver, failure) -> {
            if (driver != null) {
                driver.close();
            }
        });
    }

    static DriverException failureOf(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof DriverException known) {
                return known;
            }
        }
        return DriverException.unknown("the driver failed: " + failure, failure);
    }
}
