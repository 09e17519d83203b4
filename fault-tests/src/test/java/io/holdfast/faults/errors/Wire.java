package io.holdfast.faults.errors;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The way to a server in memory and back, which takes a moment of virtual time. What comes back runs as on a driver's thread: an
 * Error that the engine lets out of there is caught, as drivers catch it, and reaches no other call.
 */
final class Wire implements RedisDriver {
    static final long ONE_WAY_NANOS = 100_000;

    private final RedisDriver server;
    private final Timers route;
    private boolean atOnce = true;

    Wire(RedisDriver server, Timers route) {
        this.server = server;
        this.route = route;
    }

    /** From now on everything takes its time. Until then answers are there when a call returns. */
    void delay() {
        atOnce = false;
    }

    /** From now on nothing takes time any more. */
    void hurry() {
        atOnce = true;
    }

    private void later(Runnable task) {
        Runnable guarded = () -> Scene.quietly(task); // the thread of a driver goes on
        if (atOnce) {
            guarded.run();
        } else {
            route.schedule(ONE_WAY_NANOS, guarded);
        }
    }

    private <T> CompletionStage<T> thereAndBack(java.util.function.Supplier<CompletionStage<T>> act) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        later(() -> act.get()
                .whenComplete((value, failure) -> later(() -> {
                    if (failure == null) {
                        answer.complete(value);
                    } else {
                        answer.completeExceptionally(failure);
                    }
                })));
        return answer;
    }

    @Override
    public CompletionStage<Reply> send(Command command) {
        return thereAndBack(() -> server.send(command));
    }

    @Override
    public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
        return thereAndBack(() -> server.subscribe(channel, text -> later(() -> onMessage.accept(text))));
    }

    @Override
    public CompletionStage<Void> unsubscribe(String channel) {
        return thereAndBack(() -> server.unsubscribe(channel));
    }

    @Override
    public void reconnect() {
        later(server::reconnect);
    }

    @Override
    public void listen(ConnectionListener listener) {
        server.listen(new ConnectionListener() {
            @Override
            public void commandsUp() {
                later(listener::commandsUp);
            }

            @Override
            public void commandsDown() {
                later(listener::commandsDown);
            }

            @Override
            public void messagesUp() {
                later(listener::messagesUp);
            }

            @Override
            public void messagesDown() {
                later(listener::messagesDown);
            }
        });
    }

    @Override
    public String describe() {
        return server.describe();
    }

    @Override
    public void close() {
        server.close();
    }
}
