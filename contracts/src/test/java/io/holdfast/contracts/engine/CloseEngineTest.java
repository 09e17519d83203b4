package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How long closing a client takes when its server does not answer, and what is said of it. */
final class CloseEngineTest {
    /** So long that a test which waits for its end fails. */
    private static final Duration LIMIT = Duration.ofMinutes(1);

    private static final long PATIENCE_SECONDS = 20;

    private final VirtualTime time = new VirtualTime();
    private final FakeDriver server = new FakeDriver(time);
    private final Holdfast holdfast = Holdfast.over(
            server,
            HoldfastOptions.defaults().withExecutor(Runnable::run).withCloseTimeout(LIMIT),
            time.environment(1));

    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord entry) {
            if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
                warnings.add(entry.getMessage());
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        Logger.getLogger("io.holdfast").addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        Logger.getLogger("io.holdfast").removeHandler(handler);
    }

    private Lease lease(String name) {
        CompletableFuture<Lease> future = holdfast.lock(name).acquireAsync(Wait.none());
        server.next("acquire").answer(server.granted(100));
        return future.join();
    }

    private CompletableFuture<Void> closing() {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    holdfast.close();
                    done.complete(null);
                },
                "closing");
        thread.start();
        // By now it has tried to send its releases, and waits for what comes of them.
        long begin = System.nanoTime();
        while (thread.isAlive() && thread.getState() != Thread.State.TIMED_WAITING) {
            assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS), "it hangs");
            Thread.onSpinWait();
        }
        return done;
    }

    private static void awaitEnd(CompletableFuture<Void> closing) throws Exception {
        closing.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void close_serverAwayForHalfASecond_doesNotWait() throws Exception {
        Lease lease = lease("a");
        server.disconnect();
        var unused = lease.releaseAsync();
        time.advance(Duration.ofMillis(800));
        awaitEnd(closing());
        assertEquals(1, warnings.size(), () -> "" + warnings);
        assertTrue(
                warnings.get(0).startsWith("a release was not confirmed by ")
                        && warnings.get(0)
                                .endsWith(
                                        "if the lock is still held, it becomes free at the end of its lease duration"),
                warnings.get(0));
    }

    @Test
    void close_serverAwaySinceThisMoment_waitsHalfASecond() throws Exception {
        lease("a");
        lease("b");
        server.disconnect();
        CompletableFuture<Void> closing = closing();
        time.advance(Duration.ofMillis(450));
        assertFalse(closing.isDone());
        time.advance(Duration.ofMillis(550));
        awaitEnd(closing);
        assertTrue(warnings.get(0).startsWith("2 releases were not confirmed by "), () -> "" + warnings);
    }

    @Test
    void close_connectionIsBackInTime_waitsForTheAnswers() throws Exception {
        lease("a");
        server.disconnect();
        CompletableFuture<Void> closing = closing();
        time.advance(Duration.ofMillis(300));
        server.restore();
        server.answer("release", call -> server.released("RELEASED"));
        time.advance(Duration.ofSeconds(3)); // the next attempt
        awaitEnd(closing);
        assertEquals(List.of(), warnings);
    }

    @Test
    void close_serverThatIsSilent_isWaitedFor() throws Exception {
        lease("a");
        CompletableFuture<Void> closing = closing();
        time.advance(Duration.ofSeconds(9)); // several attempts that nobody answers
        assertFalse(closing.isDone());
        server.answer("release", call -> server.released("RELEASED"));
        time.advance(Duration.ofSeconds(3)); // the next attempt
        awaitEnd(closing);
    }

    /** An executor of the user's fails once, otherwise than by a rejection. */
    @Test
    void close_executorFails_endsAllAndLeavesTheServer() {
        AtomicBoolean broken = new AtomicBoolean();
        AtomicBoolean left = new AtomicBoolean();
        RedisDriver driver = new ForwardingDriver(server) {
            @Override
            public void close() {
                left.set(true);
                super.close();
            }
        };
        HoldfastOptions failing = HoldfastOptions.defaults()
                .withListener(event -> {})
                .withExecutor(task -> {
                    if (broken.getAndSet(false)) {
                        throw new IllegalStateException("thrown on purpose");
                    }
                    task.run();
                });
        Holdfast client = Holdfast.over(driver, failing, time.environment(2));
        List<CompletableFuture<?>> asking = List.of(
                client.lock("a", EngineFixture.STRICT).acquireAsync(Wait.forever()),
                client.lock("b", EngineFixture.STRICT).acquireAsync(Wait.forever()),
                client.plainLock("c").acquireAsync());
        server.answer("release", call -> server.released("GONE"));
        server.answer("plain_release", call -> Reply.of(List.of(Reply.of("GONE"))));
        broken.set(true);
        client.close();
        time.runDue(); // what the executor did not take
        assertEquals(3, asking.stream().filter(CompletableFuture::isDone).count());
        assertTrue(left.get(), "the server was not left");
        assertFalse(broken.get(), "the executor was not asked");
    }

    @Test
    void close_afterARequestThatWasNeverGranted_saysNothingOfReleases() throws Exception {
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync(Wait.forever());
        server.next("acquire").answer(server.queued(1, Duration.ofSeconds(20)));
        server.disconnect();
        future.cancel(false);
        time.advance(Duration.ofMillis(800));
        awaitEnd(closing());
        assertEquals(List.of(), warnings);
    }
}
