package io.holdfast.internal.quorum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class LateDriverTest {
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();
    private final CountDownLatch heard = new CountDownLatch(1);

    @Test
    void begin_firstAttemptEndsInAnError_triesAgain() throws Exception {
        OutOfMemoryError error = new OutOfMemoryError("on purpose");
        LateDriver late = new LateDriver("somewhere", () -> {
            if (attempts.incrementAndGet() == 1) {
                throw error;
            }
            return new Opened();
        });
        late.listen(new Listener(() -> {}));
        assertSame(error, late.begin().get(10, TimeUnit.SECONDS));
        assertTrue(heard.await(10, TimeUnit.SECONDS));
        late.close();
        assertEquals(0, open.get());
    }

    @Test
    void begin_aListenerThrows_theOthersAreToldAndThereIsOneDriver() throws Exception {
        LateDriver late = new LateDriver("somewhere", () -> {
            attempts.incrementAndGet();
            return new Opened();
        });
        late.listen(new Listener(() -> {
            throw new IllegalStateException("on purpose");
        }));
        late.listen(new Listener(() -> {}));
        assertEquals(null, late.begin().get(10, TimeUnit.SECONDS));
        assertTrue(heard.await(10, TimeUnit.SECONDS));
        assertEquals(1, attempts.get());
        late.close();
        assertEquals(0, open.get());
    }

    private final class Listener implements ConnectionListener {
        private final Runnable up;

        Listener(Runnable up) {
            this.up = up;
        }

        @Override
        public void commandsUp() {
            up.run();
        }

        @Override
        public void commandsDown() {}

        @Override
        public void messagesUp() {
            up.run();
            heard.countDown();
        }

        @Override
        public void messagesDown() {}
    }

    private final class Opened implements RedisDriver {
        Opened() {
            open.incrementAndGet();
        }

        @Override
        public CompletionStage<Reply> send(Command command) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletionStage<Void> unsubscribe(String channel) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public void reconnect() {}

        @Override
        public void listen(ConnectionListener listener) {}

        @Override
        public String describe() {
            return "somewhere";
        }

        @Override
        public void close() {
            open.decrementAndGet();
        }
    }
}
