package io.holdfast.vertx;

import io.holdfast.spi.BlockingCall;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverCallbacks;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import io.vertx.core.Future;
import io.vertx.redis.client.Request;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The connection over which all commands go. */
final class Commands implements Keeper.Duty {
    /** Beyond the connect timeout: the lane may be busy. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final String BLOCKS = "EVENTLOOP this call would block the event loop of Vert.x that has to read its"
            + " answer: use the form that ends in Async, or call it in executeBlocking";

    private final Opener opener;
    private final Lane lane;
    private final DriverCallbacks callbacks;
    private final Keeper keeper;
    private final CompletableFuture<@Nullable Void> first = new CompletableFuture<>();

    // From here on, all is used on the lane.

    /** Null while the connection is down. */
    private @Nullable Line line;

    /** Why the connection is down, while it is. */
    private @Nullable DriverException down;

    /** What is under way on the present connection, in the order in which it is answered. */
    private final ArrayDeque<CompletableFuture<Reply>> underWay = new ArrayDeque<>();

    Commands(Opener opener, DriverCallbacks callbacks) {
        this.opener = opener;
        this.lane = opener.lane();
        this.callbacks = callbacks;
        this.keeper = new Keeper(opener, this);
    }

    /**
     * Opens the connection, or fails. Blocks.
     *
     * @throws DriverException if that did not succeed, or not in time
     */
    void open() {
        if (!lane.execute(keeper::open)) {
            throw DriverException.unknown("no connection to " + opener.where() + ": Vert.x is closed", null);
        }
        try {
            first.get(opener.limit().toNanos() + GRACE_NANOS, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof DriverException failure) {
                throw failure;
            }
            throw new IllegalStateException(e);
        } catch (TimeoutException e) {
            throw opener.silent(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw DriverException.unknown("interrupted while connecting to " + opener.where(), e);
        }
    }

    CompletableFuture<Reply> send(Command command) {
        CompletableFuture<Reply> stage = new CompletableFuture<>();
        if (lane.isHere() && BlockingCall.present() != null) {
            stage.completeExceptionally(DriverException.rejected(BLOCKS));
            return stage;
        }
        Request request = request(command.words());
        if (!lane.execute(() -> send(request, stage))) {
            stage.completeExceptionally(Keeper.driverClosed());
        }
        return stage;
    }

    private static Request request(List<String> words) {
        Request request = Request.cmd(io.vertx.redis.client.Command.create(words.get(0)));
        for (int i = 1; i < words.size(); i++) {
            request.arg(words.get(i));
        }
        return request;
    }

    private void send(Request request, CompletableFuture<Reply> stage) {
        if (line == null) {
            stage.completeExceptionally(
                    notSent(down == null ? "no connection to " + opener.where() : down.getMessage()));
        } else if (line.isFull()) {
            stage.completeExceptionally(notSent("too many commands are under way to " + opener.where()));
        } else {
            underWay.add(stage);
            line.ask(
                    request,
                    response -> {
                        underWay.remove();
                        try {
                            stage.complete(Replies.of(response));
                        } catch (DriverException e) {
                            stage.completeExceptionally(e);
                        } catch (RuntimeException e) {
                            stage.completeExceptionally(
                                    DriverException.unknown(opener.where() + " answered with no reply: " + e, e));
                        }
                    },
                    refusal -> {
                        // One that the client itself refuses overtakes others.
                        underWay.removeIf(each -> each == stage);
                        stage.completeExceptionally(refusal);
                    });
        }
    }

    private DriverException notSent(@Nullable String why) {
        return DriverException.unknown(why + "; the command was not sent", down);
    }

    void reconnect() {
        keeper.reconnect("nothing was answered on it");
    }

    Future<Void> close() {
        down = Keeper.driverClosed();
        Future<Void> closing = keeper.close();
        first.completeExceptionally(Keeper.driverClosed());
        return closing;
    }

    @Override
    public void up(Line fresh) {
        line = fresh;
        down = null;
        if (!first.complete(null)) {
            callbacks.tell(ConnectionListener::commandsUp);
        }
    }

    @Override
    public void broken(DriverException reason) {
        line = null;
        down = reason;
        // First the event: a caller that learns of a failed command can rely on knowing that the connection is down.
        callbacks.tell(ConnectionListener::commandsDown);
        while (!underWay.isEmpty()) {
            underWay.remove().completeExceptionally(reason);
        }
    }

    @Override
    public boolean notOpened(DriverException reason) {
        down = reason;
        return !first.completeExceptionally(reason) && !first.isCompletedExceptionally();
    }
}
