package io.holdfast.vertx;

import io.holdfast.spi.DriverException;
import io.vertx.core.Future;
import io.vertx.redis.client.Redis;
import io.vertx.redis.client.RedisConnection;
import io.vertx.redis.client.Request;
import io.vertx.redis.client.Response;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One connection that is open, until it ends once. All of it is used on the lane.
 *
 * <p>Closing a connection of Vert.x' client gives it back to a pool, and leaves a pool's connection open, or one that has
 * failed. So each has a client of its own, and closing the client closes the socket.
 *
 * <p>Vert.x reports an end in several ways, and not always in all of them: as an exception, as the end of the stream, or by
 * the failure of a request. The first of them ends the connection here.
 */
final class Line {
    private final String where;
    private final Redis client;
    private final RedisConnection connection;
    private @Nullable Consumer<Throwable> watcher;
    private @Nullable Throwable end;
    private Future<Void> closed = Future.succeededFuture();

    Line(Lane lane, String where, Redis client, RedisConnection connection) {
        this.where = where;
        this.client = client;
        this.connection = connection;
        connection.exceptionHandler(failure -> lane.now(() -> cut(failure)));
        connection.endHandler(nothing -> lane.now(() ->
                cut(DriverException.unknown("the connection to " + where + " broke: the server closed it", null))));
    }

    /** Calls the watcher once when the connection ends; at once, if it has ended. */
    void follow(Consumer<Throwable> whenEnded) {
        if (end == null) {
            watcher = whenEnded;
        } else {
            whenEnded.accept(end);
        }
    }

    /** Everything that arrives and answers no {@link #ask}: on a connection for messages, everything. */
    void receive(Consumer<@Nullable Response> receiver) {
        connection.handler(receiver::accept);
    }

    /** Whether so much is under way that nothing more is accepted. */
    boolean isFull() {
        return connection.pendingQueueFull();
    }

    /** Sends a request; answered on the lane. If the connection ends first, nothing is called. */
    void ask(Request request, Consumer<@Nullable Response> answered, Consumer<DriverException> refused) {
        connection.send(request).onComplete(result -> {
            if (result.succeeded()) {
                answered.accept(result.result());
                return;
            }
            Throwable failure = result.cause();
            DriverException answer = Failures.answer(failure);
            if (answer != null) {
                refused.accept(answer);
            } else if (Failures.isOfTheClient(failure)) {
                refused.accept(
                        DriverException.rejected("ERR the client refuses the command: wrong number of arguments"));
            } else {
                cut(failure);
            }
        });
    }

    /** Sends a request of a subscription, whose answer is received as a message is. */
    void say(Request request) {
        connection.send(request).onComplete(result -> {
            if (result.failed()) {
                cut(result.cause());
            }
        });
    }

    /** Ends the connection, if it has not ended. */
    void cut(Throwable reason) {
        if (end != null) {
            return;
        }
        end = reason;
        if (watcher != null) {
            watcher.accept(reason);
        }
        closed = Versions.close(client);
    }

    /** Completes when the socket of a connection that has ended is closed. */
    Future<Void> closed() {
        return closed;
    }

    /** As an exception of a command: the reason for which the connection has ended. */
    DriverException broken(Throwable reason) {
        return reason instanceof DriverException known
                ? known
                : DriverException.unknown("the connection to " + where + " broke: " + Failures.text(reason), reason);
    }
}
