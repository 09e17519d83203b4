package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Backoff;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.PlainLease;
import io.holdfast.PlainOptions;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver.Call;
import io.holdfast.spi.Reply;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is there but cannot serve at present has done nothing of what it refuses. */
final class RefusedEngineTest extends EngineFixture {
    private static final String READONLY = "READONLY You can't write against a read only replica.";
    private static final PlainOptions STEADY = PlainOptions.defaults().withBackoff(Backoff.fixed(millis(100)));

    @AfterEach
    @Override
    void close() {
        server.answer("plain_release", call -> Reply.of(List.of(Reply.of("GONE"))));
        super.close();
    }

    private static Throwable failure(CompletableFuture<?> future) {
        assertTrue(future.isDone(), "not done");
        try {
            throw new AssertionError("not failed: " + future.join());
        } catch (CompletionException e) {
            return Objects.requireNonNull(e.getCause());
        }
    }

    private static void assertRefused(CompletableFuture<?> future, String error) {
        String message = String.valueOf(
                assertInstanceOf(ServerRefusedException.class, failure(future)).getMessage());
        assertTrue(message.contains("refused: " + error), message);
    }

    private void assertNoCopyIsFeared() {
        assertTrue(server.calls("release").stream()
                .allMatch(call -> call.tombstone().equals("0")));
        assertEquals(0, server.count("plain_release"));
    }

    /** Refuses when somebody asks, until the wait is over. */
    private void refuseFor(CompletableFuture<?> future, String script, String error) {
        time.runUntil("it ends", seconds(30), () -> {
            server.open().stream().filter(call -> call.name().equals(script)).forEach(call -> call.reject(error));
            return future.isDone();
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                READONLY,
                "LOADING Redis is loading the dataset in memory",
                "BUSY Redis is busy running a script.",
                "TRYAGAIN Multiple keys request during rehashing of slot",
                "CLUSTERDOWN The cluster is down",
                "MASTERDOWN Link with MASTER is down",
                "NOREPLICAS Not enough good replicas to write."
            })
    void attempt_withoutWait_isRefused(String error) {
        for (LockOptions options : List.of(STRICT, LockOptions.defaults())) {
            CompletableFuture<Attempt<Lease>> future =
                    holdfast.lock("a", options).attemptAsync(Wait.none());
            server.next("acquire").reject(error);
            assertRefused(future, error);
        }
        CompletableFuture<Attempt<PlainLease>> plain =
                holdfast.plainLock("k", STEADY).attemptAsync(Wait.none());
        server.next("plain_acquire").reject(error);
        assertRefused(plain, error);
        assertNoCopyIsFeared();
    }

    @Test
    void message_ofAReplica_saysWhatToDo() {
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync(Wait.none());
        server.next("acquire").reject(READONLY);
        assertEquals(
                "fake:6379 refused: " + READONLY
                        + " (it is a replica: give the address of the master) [HF-SERVER-REFUSED]",
                failure(future).getMessage());
    }

    @Test
    void wait_isRepeated_andServedWhenTheServerCan() {
        CompletableFuture<Lease> future = holdfast.lock("a", STRICT).acquireAsync(Wait.upTo(seconds(10)));
        CompletableFuture<Attempt<PlainLease>> plain =
                holdfast.plainLock("k", STEADY).attemptAsync(Wait.upTo(seconds(10)));
        server.next("acquire").reject(READONLY);
        server.next("plain_acquire").reject(READONLY);
        assertFalse(future.isDone() || plain.isDone());
        time.runUntil("both ask again", seconds(2), () -> server.open().size() >= 2);
        server.next("acquire").answer(server.granted(100));
        server.next("plain_acquire").answer(Reply.of(List.of(Reply.of("GRANTED"), Reply.of(0))));
        obtained(future);
        assertObtained(plain.join());
    }

    @Test
    void wait_refusedUntilItsEnd_isRefused() {
        for (LockOptions options : List.of(STRICT, LockOptions.defaults())) {
            CompletableFuture<Attempt<Lease>> future =
                    holdfast.lock("a", options).attemptAsync(Wait.upTo(seconds(3)));
            refuseFor(future, "acquire", READONLY);
            assertRefused(future, READONLY);
        }
        CompletableFuture<Attempt<PlainLease>> plain =
                holdfast.plainLock("k", STEADY).attemptAsync(Wait.upTo(seconds(3)));
        refuseFor(plain, "plain_acquire", READONLY);
        assertRefused(plain, READONLY);
        assertNoCopyIsFeared();
    }

    @Test
    void wait_overForOneOfALine_isRefused() {
        CompletableFuture<Attempt<Lease>> forever = holdfast.lock("a").attemptAsync(Wait.forever());
        CompletableFuture<Attempt<Lease>> limited = holdfast.lock("a").attemptAsync(Wait.upTo(seconds(3)));
        refuseFor(limited, "acquire", READONLY);
        assertRefused(limited, READONLY);
        assertFalse(forever.isDone());
    }

    @Test
    void earlierCopy_isUnanswered_isUnknown_andTakenBack() {
        CompletableFuture<Attempt<Lease>> future = holdfast.lock("a", STRICT).attemptAsync(Wait.upTo(seconds(3)));
        Call lost = server.next("acquire");
        lost.fail();
        CompletableFuture<Attempt<PlainLease>> plain =
                holdfast.plainLock("k", STEADY).attemptAsync(Wait.upTo(seconds(3)));
        server.next("plain_acquire").fail();
        refuseFor(plain, "plain_acquire", READONLY);
        assertInstanceOf(Attempt.Unknown.class, plain.join());
        refuseFor(future, "acquire", READONLY);
        time.runUntil("it gives up", seconds(3), () -> {
            server.open().stream().filter(call -> call.name().equals("release")).forEach(call -> call.reject(READONLY));
            return future.isDone();
        });
        assertInstanceOf(Attempt.Unknown.class, future.join());
        assertEquals(lost.owner(), server.calls("release").get(0).owner());
        assertTrue(server.count("plain_release") > 0);
    }

    @Test
    void earlierCopy_wasQueued_isUnknown_andTakenBack() {
        CompletableFuture<Attempt<Lease>> future = holdfast.lock("a", STRICT).attemptAsync(Wait.upTo(seconds(3)));
        Call first = server.next("acquire");
        first.answer(server.queued(1, seconds(20)));
        server.answer("refresh", server::unknownWaiters); // so that it asks again
        time.runUntil("it gives up", seconds(5), () -> {
            server.open().stream()
                    .filter(call -> List.of("acquire", "release").contains(call.name()))
                    .forEach(call -> call.reject(READONLY));
            return future.isDone();
        });
        assertTrue(server.count("acquire") > 1);
        assertInstanceOf(Attempt.Unknown.class, future.join());
        assertEquals(first.owner(), server.calls("release").get(0).owner());
    }

    @Test
    void earlierCopy_wasGrantedTooLate_isUnknown_andTakenBack() {
        LockOptions demanding = STRICT.withLeaseDuration(seconds(3)).withMinRemaining(millis(2_500));
        CompletableFuture<Attempt<Lease>> future = holdfast.lock("a", demanding).attemptAsync(Wait.none());
        time.advance(seconds(1));
        server.next("acquire").answer(server.granted(100));
        server.next("acquire").reject(READONLY);
        assertInstanceOf(ServerUnreachableException.class, ((Attempt.Unknown) future.join()).cause());
        assertEquals(1, server.count("release"));
    }

    @Test
    void earlierCopy_foundItTaken_isRefused() {
        CompletableFuture<Attempt<PlainLease>> plain =
                holdfast.plainLock("k", STEADY).attemptAsync(Wait.upTo(seconds(3)));
        server.next("plain_acquire").answer(Reply.of(List.of(Reply.of("TAKEN"), Reply.of("x"), Reply.of(20_000))));
        refuseFor(plain, "plain_acquire", READONLY);
        assertRefused(plain, READONLY);
    }
}
