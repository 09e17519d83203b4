package io.holdfast.jedis;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverCallbacks;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The connection over which all commands go. */
final class CommandConnection implements ConnectionKeeper.Duty {
    private final ConnectionSource source;
    private final DriverCallbacks callbacks;
    private final ConnectionKeeper keeper;
    private final CompletableFuture<Void> first = new CompletableFuture<>();

    /** Null while the connection is down. Written by the keeper's thread. */
    private volatile @Nullable Reading reading;

    /** Why the connection is down, while it is. Written by the keeper's thread. */
    private volatile @Nullable DriverException down;

    /** Why there will be no connection any more. Written by the keeper's thread. */
    private volatile @Nullable DriverException stopped;

    CommandConnection(ConnectionSource source, DriverCallbacks callbacks) {
        this.source = source;
        this.callbacks = callbacks;
        this.keeper = new ConnectionKeeper("commands", source, this);
    }

    /**
     * Opens the connection, or fails.
     *
     * @throws DriverException if that did not succeed, or not in time
     */
    void open(Duration timeout) {
        keeper.start();
        try {
            first.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DriverException failure) {
                throw failure;
            }
            throw new IllegalStateException(e);
        } catch (TimeoutException e) {
            throw DriverException.unknown("no connection to " + source.describe() + ": " + source.silence(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw DriverException.unknown("interrupted while connecting to " + source.describe(), e);
        }
    }

    CompletableFuture<Reply> send(Command command) {
        CompletableFuture<Reply> stage = new CompletableFuture<>();
        Reading open = reading;
        if (open == null) {
            DriverException end = stopped;
            stage.completeExceptionally(end != null ? end : notSent(down));
        } else {
            open.send(new Request(command.words(), new Waiting(stage)), stage);
        }
        return stage;
    }

    private DriverException notSent(@Nullable DriverException why) {
        return DriverException.unknown(
                (why == null ? "no connection to " + source.describe() : why.getMessage())
                        + "; the command was not sent",
                why);
    }

    ConnectionKeeper keeper() {
        return keeper;
    }

    @Override
    public void serve(Pipeline pipeline) {
        Reading fresh = new Reading(pipeline);
        reading = fresh;
        if (!first.complete(null)) {
            callbacks.tell(ConnectionListener::commandsUp);
        }
        fresh.keep();
    }

    @Override
    public void broken(Pipeline old, DriverException reason, boolean closed) {
        boolean first = reading != null;
        down = reason;
        reading = null;
        // First the event: who learns of a failed command can rely on knowing that the connection is down.
        if (first && !closed) {
            callbacks.tell(ConnectionListener::commandsDown);
        }
        old.failAll(reason);
    }

    @Override
    public boolean notOpened(DriverException reason) {
        down = reason;
        return !first.completeExceptionally(reason) && !first.isCompletedExceptionally();
    }

    @Override
    public void stopped(DriverException reason) {
        stopped = reason;
        first.completeExceptionally(reason);
    }

    private record Waiting(CompletableFuture<Reply> stage) implements Request.Waiter {
        @Override
        public void replied(Reply reply) {
            stage.complete(reply);
        }

        @Override
        public void failed(DriverException failure) {
            stage.completeExceptionally(failure);
        }
    }
}
