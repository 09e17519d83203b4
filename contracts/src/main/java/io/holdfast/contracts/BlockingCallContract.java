package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.spi.BlockingCall;
import io.holdfast.spi.Command;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The promises of a driver to threads that block for their answers, and may read them; see {@link BlockingCall}. Each test first
 * makes calls one at a time for a while, so that a driver that lets blocking threads read does so.
 */
@Timeout(60)
public class BlockingCallContract extends DriverFixture {
    private static final int CALLS = 50;

    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** For the classes of the drivers. */
    protected BlockingCallContract() {}

    @AfterEach
    void endThreads() {
        threads.shutdownNow();
    }

    private static CompletableFuture<Reply> ask(RedisDriver driver, String... words) {
        return BlockingCall.await(() -> driver.send(Command.of(words)).toCompletableFuture());
    }

    private static void callOneByOne(RedisDriver driver) {
        for (int i = 0; i < CALLS; i++) {
            assertEquals("call " + i, get(ask(driver, "ECHO", "call " + i)).asString());
        }
    }

    // ---- replies

    @Test
    void await_sentWithoutACallMeanwhile_isAnsweredAtOnce() {
        callOneByOne(driver);
        assertEquals("PONG", send("PING").asString());
        callOneByOne(driver);
        CompletionStage<Reply> chained =
                driver.send(Command.of("INCR", "n")).thenCompose(first -> driver.send(Command.of("INCR", "n")));
        assertEquals(2, get(chained).asLong());
    }

    @Test
    void await_repliesOfAllSizesAndErrors_areRead() {
        callOneByOne(driver);
        for (int size : new int[] {0, 1, 8_000, 16_000, 17_000, 200_000}) {
            String text = "x".repeat(size);
            assertEquals("OK", get(ask(driver, "SET", "k", text)).asString());
            assertEquals(text, get(ask(driver, "GET", "k")).asString());
            assertTrue(get(ask(driver, "GET", "absent")).isNull());
            assertRejected("WRONGTYPE", ask(driver, "LPUSH", "k", "v"));
            assertEquals(
                    "[1, [a, null, []], b]",
                    get(ask(driver, "EVAL", "return {1, {'a', false, {}}, 'b'}", "0"))
                            .toString());
        }
    }

    @Test
    void await_manyThreadsWithAndWithoutCalls_eachGetsItsOwnReply() throws Exception {
        List<Future<?>> running = new ArrayList<>();
        for (int t = 0; t < 6; t++) {
            String own = "thread " + t + ", ";
            boolean calls = t < 4;
            running.add(threads.submit(() -> {
                for (int i = 0; i < 2_000; i++) {
                    String text = own + i;
                    CompletionStage<Reply> reply =
                            calls ? ask(driver, "ECHO", text) : driver.send(Command.of("ECHO", text));
                    assertEquals(text, get(reply).asString());
                    // Now one at a time, now several at once.
                    if (ThreadLocalRandom.current().nextInt(100) == 0) {
                        TimeUnit.MICROSECONDS.sleep(ThreadLocalRandom.current().nextInt(20_000));
                    }
                }
                return null;
            }));
        }
        for (Future<?> one : running) {
            one.get(LONG.toMillis() * 3, TimeUnit.MILLISECONDS);
        }
    }

    // ---- calls that are not like others

    @Test
    void await_callbackAsksInItsTurn_bothAreAnswered() {
        callOneByOne(driver);
        AtomicReference<CompletableFuture<Reply>> inner = new AtomicReference<>();
        CompletableFuture<Reply> outer = BlockingCall.await(() -> driver.send(Command.of("ECHO", "outer"))
                .toCompletableFuture()
                .thenApply(reply -> {
                    inner.set(ask(driver, "ECHO", "inner"));
                    return reply;
                }));
        assertEquals("outer", get(outer).asString());
        assertEquals("inner", get(Objects.requireNonNull(inner.get())).asString());
        callOneByOne(driver);
    }

    @Test
    void await_severalDriversAsked_allAnswer() {
        try (RedisDriver other = provider().connect(server.address(), OPTIONS)) {
            callOneByOne(driver);
            callOneByOne(other);
            AtomicReference<CompletionStage<Reply>> second = new AtomicReference<>();
            CompletableFuture<Reply> first = BlockingCall.await(() -> {
                CompletionStage<Reply> sent = driver.send(Command.of("ECHO", "first"));
                second.set(other.send(Command.of("ECHO", "second")));
                return sent.toCompletableFuture();
            });
            assertEquals("first", get(first).asString());
            assertEquals("second", get(Objects.requireNonNull(second.get())).asString());
        }
    }

    @Test
    void await_askingThrows_whatWasSentIsAnswered() {
        callOneByOne(driver);
        AtomicReference<CompletionStage<Reply>> sent = new AtomicReference<>();
        assertThrows(
                UnsupportedOperationException.class,
                () -> BlockingCall.await(() -> {
                    sent.set(driver.send(Command.of("ECHO", "sent")));
                    throw new UnsupportedOperationException();
                }));
        assertEquals("sent", get(Objects.requireNonNull(sent.get())).asString());
        callOneByOne(driver);
    }

    // ---- a server that does not answer

    @Test
    void await_serverFrozen_returnsSoonAndIsAnsweredAfterThaw() {
        callOneByOne(driver);
        server.freeze();
        CompletableFuture<Reply> reply = assertTimeoutPreemptively(LONG, () -> ask(driver, "INCR", "n"));
        CompletionStage<Reply> next = driver.send(Command.of("INCR", "n"));
        assertFalse(reply.isDone());
        server.thaw();
        assertEquals(1, get(reply).asLong());
        assertEquals(2, get(next).asLong());
        callOneByOne(driver);
    }

    @Test
    void await_replyHeldUp_returnsSoonAndItIsReadLater() {
        try (TcpProxy proxy = TcpProxy.to(server.port());
                RedisDriver behind = provider().connect(proxy.address(), OPTIONS)) {
            callOneByOne(behind);
            CompletableFuture<Caught> trap = proxy.onRequest(text -> text.contains("late"), Fault.STALL_REPLY);
            CompletableFuture<Reply> reply = assertTimeoutPreemptively(LONG, () -> ask(behind, "ECHO", "late"));
            get(trap);
            assertFalse(reply.isDone());
            proxy.resume();
            assertEquals("late", get(reply).asString());
            callOneByOne(behind);
        }
    }

    @Test
    void await_replyLost_failsUnknownAndTheDriverRecovers() {
        try (TcpProxy proxy = TcpProxy.to(server.port());
                RedisDriver behind = provider().connect(proxy.address(), OPTIONS)) {
            RecordedEvents seen = listen(behind);
            for (int i = 0; i < 3; i++) {
                callOneByOne(behind);
                CompletableFuture<Caught> trap = proxy.onRequest(text -> text.startsWith("INCR"), Fault.KILL_AFTER);
                CompletableFuture<Reply> reply = ask(behind, "INCR", "n");
                get(trap);
                assertUnknown(reply);
                seen.awaitCommands("down");
                seen.awaitCommands("up");
                assertEquals(
                        Integer.toString(i + 1), get(ask(behind, "GET", "n")).asString());
            }
        }
    }

    @Test
    void connection_brokenAfterCalls_isNoticedThoughNobodyAsks() {
        for (int i = 0; i < 3; i++) {
            callOneByOne(driver);
            server.command("CLIENT", "KILL", "TYPE", "normal");
            events.awaitCommands("down");
            events.awaitCommands("up");
        }
    }

    @Test
    void reconnect_afterCalls_breaksTheConnectionAndItComesBack() {
        for (int i = 0; i < 3; i++) {
            callOneByOne(driver);
            driver.reconnect();
            events.awaitCommands("down");
            events.awaitCommands("up");
        }
    }

    @Test
    void close_whileACallWaits_failsItUnknown() throws Exception {
        callOneByOne(driver);
        server.freeze();
        Future<CompletableFuture<Reply>> call = threads.submit(() -> ask(driver, "PING"));
        driver.close();
        assertUnknown(call.get(LONG.toMillis(), TimeUnit.MILLISECONDS));
        server.thaw();
    }

    @Test
    void close_afterCalls_returnsAndItsThreadsEnd() {
        callOneByOne(driver);
        assertTimeoutPreemptively(LONG, driver::close);
        assertUnknown(ask(driver, "PING"));
        awaitTrue(() -> threads().stream().noneMatch(this::isDriverThread));
    }

    // ---- locks

    @Test
    void acquire_serverFrozenAndThreadInterrupted_endsAtOnce() throws Exception {
        try (Holdfast holdfast = patient()) {
            DistributedLock lock = warm(holdfast);
            server.freeze();
            CompletableFuture<Thread> caller = new CompletableFuture<>();
            Future<?> interrupted = threads.submit(() -> {
                caller.complete(Thread.currentThread());
                assertThrows(InterruptedException.class, () -> lock.attempt(Wait.forever()));
            });
            get(caller).interrupt();
            interrupted.get(LONG.toMillis(), TimeUnit.MILLISECONDS);
            server.thaw();
        }
    }

    @Test
    void acquire_serverFrozenAndClientClosed_endsAtOnce() throws Exception {
        Holdfast holdfast = patient();
        DistributedLock lock = warm(holdfast);
        server.freeze();
        Future<?> asking =
                threads.submit(() -> assertThrows(HoldfastException.class, () -> lock.acquire(Wait.forever())));
        holdfast.close();
        asking.get(LONG.toMillis(), TimeUnit.MILLISECONDS);
        server.thaw();
    }

    @Test
    void acquire_serverFrozenAndTimeOver_ends() throws Exception {
        try (Holdfast holdfast = Holdfast.over(
                provider().connect(server.address(), OPTIONS),
                HoldfastOptions.defaults().withCommandTimeout(SHORT))) {
            DistributedLock lock = warm(holdfast);
            server.freeze();
            Future<Attempt<Lease>> waiting = threads.submit(() -> lock.attempt(Wait.upTo(SHORT)));
            assertInstanceOf(Attempt.Unknown.class, waiting.get(LONG.toMillis(), TimeUnit.MILLISECONDS));
            server.thaw();
        }
    }

    /** No command of it ends by its own time limit while a test runs. */
    private Holdfast patient() {
        return Holdfast.over(
                provider().connect(server.address(), OPTIONS),
                HoldfastOptions.defaults().withCommandTimeout(LONG.multipliedBy(2)));
    }

    private static DistributedLock warm(Holdfast holdfast) throws InterruptedException {
        DistributedLock lock = holdfast.lock("a");
        for (int i = 0; i < CALLS; i++) {
            lock.acquire().release();
        }
        return lock;
    }
}
