package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.spi.ConnectionListener;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Connection events in the order in which they came, to be awaited one by one. */
final class RecordedEvents implements ConnectionListener {
    private final BlockingQueue<String> commands = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

    @Override
    public void commandsUp() {
        commands.add("up");
    }

    @Override
    public void commandsDown() {
        commands.add("down");
    }

    @Override
    public void messagesUp() {
        messages.add("up");
    }

    @Override
    public void messagesDown() {
        messages.add("down");
    }

    void awaitCommands(String event) {
        assertEquals(event, next(commands, DriverFixture.LONG), "event of the command connection");
    }

    void awaitMessages(String event) {
        assertEquals(event, next(messages, DriverFixture.LONG), "event of the message connection");
    }

    /** Of either connection. */
    void awaitEither(String event) {
        DriverFixture.awaitTrue(() -> messages.remove(event) || commands.remove(event));
    }

    /** The next event of the message connection, if it comes soon; null otherwise. */
    @Nullable
    String messagesSoon() {
        return next(messages, DriverFixture.SHORT);
    }

    /** The next event of the message connection, if it comes in this time; null otherwise. */
    @Nullable
    String messagesWithin(Duration time) {
        return next(messages, time);
    }

    /** The next event of the command connection, if it comes soon; null otherwise. */
    @Nullable
    String commandsSoon() {
        return next(commands, DriverFixture.SHORT);
    }

    private static @Nullable String next(BlockingQueue<String> events, Duration timeout) {
        try {
            return events.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
