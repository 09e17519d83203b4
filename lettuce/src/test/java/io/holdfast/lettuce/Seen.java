package io.holdfast.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What a driver tells: events in their order, and how stages end. */
final class Seen implements ConnectionListener {
    private static final long LONG_SECONDS = 15;

    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();

    static Seen of(RedisDriver driver) {
        Seen seen = new Seen();
        driver.listen(seen);
        return seen;
    }

    @Override
    public void commandsUp() {
        events.add("commands up");
    }

    @Override
    public void commandsDown() {
        events.add("commands down");
    }

    @Override
    public void messagesUp() {
        events.add("messages up");
    }

    @Override
    public void messagesDown() {
        events.add("messages down");
    }

    /** Waits for the next event. */
    void next(String event) throws InterruptedException {
        assertEquals(event, events.poll(LONG_SECONDS, TimeUnit.SECONDS));
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    static <T> @Nullable T take(BlockingQueue<T> queue) throws InterruptedException {
        return queue.poll(LONG_SECONDS, TimeUnit.SECONDS);
    }

    static <T> T get(CompletionStage<T> stage) throws InterruptedException, ExecutionException, TimeoutException {
        return stage.toCompletableFuture().get(LONG_SECONDS, TimeUnit.SECONDS);
    }

    static DriverException failure(CompletionStage<?> stage) {
        ExecutionException e = assertThrows(ExecutionException.class, () -> get(stage));
        return assertInstanceOf(DriverException.class, e.getCause());
    }

    static void assertUnknown(CompletionStage<?> stage) {
        DriverException e = failure(stage);
        assertEquals(DriverException.Kind.UNKNOWN, e.kind(), e.toString());
    }
}
