package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Backoff;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.PlainHolder;
import io.holdfast.PlainLease;
import io.holdfast.PlainLock;
import io.holdfast.PlainOptions;
import io.holdfast.PlainOptions.Patience;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerRefusedException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * What asking for a plain lock must do on every driver: the format, the company of other programs, attempts, waits, and
 * patience with a holder that is stuck.
 */
public class PlainLockContract extends PlainLockSuite {
    // ---- the format

    @Test
    void acquire_freeKey_isOneStringWithTheValueAndTheTerm() throws Exception {
        PlainLease lease = lock(STEADY).acquire();
        assertEquals(List.of(KEY), keysButTokens(server), "the key itself, and nothing beside it");
        assertEquals("string", server.command("TYPE", KEY).asString());
        assertEquals(lease.value(), value());
        assertTrue(ttl() > STEADY.leaseDuration().toMillis() - 60_000
                && ttl() <= STEADY.leaseDuration().toMillis());
        assertTrue(lease.isValid());
        assertTrue(
                lease.remaining()
                                .compareTo(
                                        STEADY.leaseDuration().multipliedBy(99).dividedBy(100))
                        < 0,
                "less the drift");
        assertEquals(1, lease.attempts());
        assertEquals(ReleaseResult.RELEASED, lease.release());
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        assertFalse(lease.isValid());
        assertEquals(Duration.ZERO, lease.remaining());
        awaitNothingLeft(server);
    }

    @Test
    void acquire_manyTimes_everyValueIsAnother() throws Exception {
        PlainLock lock = lock(STEADY);
        Set<String> values = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 100; i++) {
            try (PlainLease lease = lock.acquire()) {
                assertTrue(values.add(lease.value()), lease.value());
                assertTrue(lease.value().length() >= 24, lease.value());
            }
        }
    }

    @Test
    void acquire_functionsOfTheCallerReturnNull_saysSo() throws Exception {
        NullPointerException value = assertThrows(
                NullPointerException.class,
                () -> lock(STEADY.withValues(Nothing::text)).acquire());
        assertTrue(String.valueOf(value.getMessage()).contains("withValues"), value::toString);
        PlainLease lease = lock(STEADY).acquire();
        NullPointerException wait = assertThrows(
                NullPointerException.class,
                () -> lock(STEADY.withBackoff(Backoff.of(Nothing::duration))).acquire());
        assertTrue(String.valueOf(wait.getMessage()).contains("backoff"), wait::toString);
        lease.release();
    }

    /** What a caller in a language without null checks may hand in. */
    private static final class Nothing {
        @SuppressWarnings("NullAway")
        static String text() {
            return null;
        }

        @SuppressWarnings("NullAway")
        static Duration duration(int attempt) {
            return null;
        }
    }

    @Test
    void acquire_valuesOfTheCaller_areUsedAndRefusedWhileInUse() throws Exception {
        PlainLock lock = lock(STEADY.withValues(() -> "host-3/4711"));
        PlainLease lease = lock.acquire();
        assertEquals("host-3/4711", value());
        IllegalStateException twice = assertThrows(IllegalStateException.class, lock::tryAcquire);
        assertTrue(String.valueOf(twice.getMessage()).contains("has the same value"), twice.getMessage());
        assertTrue(lease.isValid());
        assertEquals("host-3/4711", value());
        // Another client cannot know; to it the key is simply taken, also by the very value that it would write.
        assertEquals(
                Optional.empty(), lock(STEADY.withValues(() -> "host-3/4711")).tryAcquire());
        assertEquals(ReleaseResult.RELEASED, lease.release());
        lock.acquire().release();
    }

    @Test
    void acquire_termWithAFraction_keyExpiresNoEarlierThanTheLease() throws Exception {
        PlainLease lease =
                lock(STEADY.withLeaseDuration(Duration.ofNanos(1_000_999_999))).acquire();
        assertTrue(ttl() <= 1_000);
        assertTrue(lease.remaining().compareTo(Duration.ofMillis(988)) <= 0, () -> "more: " + lease.remaining());
        await("it expires", () -> value().isEmpty());
    }

    @Test
    void acquire_keyOfAnotherType_isRefusedAndLeftAlone() {
        server.command("RPUSH", KEY, "x");
        ServerRefusedException refused =
                assertThrows(ServerRefusedException.class, () -> lock(STEADY).acquire());
        assertTrue(String.valueOf(refused.getMessage()).contains("another key"), refused.getMessage());
        assertThrows(ServerRefusedException.class, () -> lock(STEADY).holder());
        assertEquals("list", server.command("TYPE", KEY).asString());
    }

    private static String holder(Attempt.NotObtained<?> not) {
        return not.contention().holder().orElseThrow().owner();
    }

    // ---- with other programs

    @Test
    void attempt_heldByAnotherProgram_tellsItsValueAndTerm() throws Exception {
        assertTrue(foreignTakes(Duration.ofMinutes(1)));
        Attempt.NotObtained<PlainLease> taken =
                assertNotObtained(Reason.TAKEN, lock(STEADY).attempt(Wait.none()));
        assertEquals(KEY, taken.lockName());
        assertEquals(FOREIGN, holder(taken));
        assertTrue(taken.contention().remaining().compareTo(Duration.ofSeconds(30)) > 0);
        assertEquals(Optional.empty(), lock(STEADY).tryAcquire());
        assertThrows(LockTimeoutException.class, () -> lock(STEADY).acquire(Wait.none()));
        assertEquals(FOREIGN, value());
    }

    @Test
    void acquire_otherProgramReleases_isObtainedByTheNextAttempt() throws Exception {
        assertTrue(foreignTakes(Duration.ofMinutes(1)));
        CompletableFuture<PlainLease> waiting = lock(STEADY).acquireAsync();
        assertFalse(completesSoon(waiting));
        assertTrue(foreignReleases());
        PlainLease lease = get(waiting);
        assertEquals(lease.value(), value());
        assertTrue(lease.attempts() > 1);
        assertFalse(foreignTakes(Duration.ofMinutes(1)), "the other is excluded");
        assertFalse(foreignReleases());
        lease.release();
        assertTrue(foreignTakes(Duration.ofMinutes(1)));
    }

    @Test
    void acquire_otherProgramDied_isObtainedWhenItsKeyExpires() throws Exception {
        assertTrue(foreignTakes(Duration.ofMillis(300)));
        assertTrue(lock(STEADY).acquire().isValid());
    }

    // ---- attempts and waits

    @Test
    void attempt_boundedAttempts_asksExactlySoOften() throws Exception {
        assertTrue(foreignTakes(Duration.ofMinutes(1)));
        AtomicInteger asked = new AtomicInteger();
        proxy.watch(request -> {
            if (ScriptCalls.PLAIN_ACQUIRE.test(request)) {
                asked.incrementAndGet();
            }
        });
        PlainLock lock = remote(HoldfastOptions.defaults()).plainLock(KEY, STEADY);
        for (int attempts : new int[] {1, 3}) {
            asked.set(0);
            Attempt.NotObtained<PlainLease> usedUp = assertNotObtained(
                    Reason.TRIES_EXHAUSTED,
                    lock.with(STEADY.withMaxAttempts(attempts)).attempt(Wait.forever()));
            assertEquals(attempts, usedUp.attempts());
            assertEquals(attempts, asked.get());
            assertEquals(FOREIGN, holder(usedUp));
        }
        LockTimeoutException failure = assertThrows(
                LockTimeoutException.class,
                () -> lock.with(STEADY.withMaxAttempts(1)).acquire());
        assertTrue(String.valueOf(failure.getMessage()).contains("(1 attempt)"), failure.getMessage());
    }

    @Test
    void attempt_waitOfZero_asksOnceAndNeverWaits() throws Exception {
        assertTrue(foreignTakes(Duration.ofMinutes(1)));
        assertNotObtained(Reason.TAKEN, lock(STEADY).attempt(Wait.upTo(Duration.ZERO)));
        assertTrue(foreignReleases());
        assertTrue(obtained(lock(STEADY).attempt(Wait.upTo(Duration.ZERO))).isValid());
    }

    @Test
    void attempt_lockObjectOlderThanItsWaitLimit_getsAFreeLock() throws Exception {
        // The limit counts from each call: a lock that was made long ago must not time out while it is free.
        PlainLock lock = lock(STEADY.withWaitLimit(Wait.upTo(Duration.ofMillis(1))));
        assertFalse(completesSoon(new CompletableFuture<>()));
        assertTrue(obtained(lock.attempt()).isValid());
    }

    @Test
    void attempt_waitOver_isTimedOutWithTheHolder() throws Exception {
        assertTrue(foreignTakes(Duration.ofMinutes(1)));
        Attempt.NotObtained<PlainLease> timedOut =
                assertNotObtained(Reason.TIMED_OUT, lock(STEADY).attempt(IN_VAIN));
        assertEquals(IN_VAIN, timedOut.waitLimit());
        assertEquals(FOREIGN, holder(timedOut));
        LockTimeoutException failure =
                assertThrows(LockTimeoutException.class, () -> lock(STEADY).acquire(IN_VAIN));
        assertTrue(String.valueOf(failure.getMessage()).contains(FOREIGN), failure.getMessage());
        assertEquals(KEY, failure.lockName());
    }

    @Test
    void attempt_backoffLongerThanTheWait_asksALastTimeWhenItIsOver() throws Exception {
        assertTrue(foreignTakes(Duration.ofSeconds(1))); // a busy machine takes a while to ask
        PlainOptions slow = STEADY.withBackoff(Backoff.fixed(Duration.ofHours(1)));
        PlainLease lease = obtained(lock(slow).attempt(Wait.upTo(Duration.ofSeconds(3))));
        assertEquals(2, lease.attempts());
    }

    @Test
    void attempt_backoffOfTheCallerThrows_endsWithThatAndHoldsNothing() throws Exception {
        assertTrue(foreignTakes(Duration.ofMinutes(1)));
        PlainLock lock = lock(STEADY.withBackoff(Backoff.of(attempt -> {
            throw new UnsupportedOperationException("attempt " + attempt);
        })));
        assertEquals(
                "attempt 1",
                assertThrows(UnsupportedOperationException.class, lock::attempt).getMessage());
        assertEquals(FOREIGN, value());
    }

    // ---- stuck or busy

    @Test
    void patience_holdersChange_limitBeginsAnewWithEach() throws Exception {
        PlainOptions patient = STEADY.withPatience(Patience.WITH_EACH_HOLDER);
        server.command("SET", KEY, "holder-0", "PX", "600000");
        CompletableFuture<Attempt<PlainLease>> waiting =
                lock(patient).attemptAsync(Wait.upTo(Duration.ofMillis(1_500)));
        for (int i = 1; i <= 12; i++) {
            assertFalse(completesSoon(waiting), "in all it waits much longer than the limit");
            server.command("SET", KEY, "holder-" + i, "PX", "600000");
        }
        Attempt.NotObtained<PlainLease> stuck = assertNotObtained(Reason.TIMED_OUT, get(waiting));
        assertEquals("holder-12", holder(stuck));
        assertEquals("holder-12", value(), "an error is the default, and the holder keeps the lock");
    }

    @Test
    void patience_holderStuck_isTakenOverWithANewValue() throws Exception {
        server.command("SET", KEY, FOREIGN); // without a term, as a program leaves it that died between two commands
        PlainLease lease =
                obtained(lock(STEADY.withPatience(Patience.THEN_TAKE_OVER)).attempt(IN_VAIN));
        assertEquals(Optional.of(FOREIGN), lease.takenOverFrom());
        assertEquals(lease.value(), value());
        assertTrue(ttl() > 0, "and now it expires");
        assertFalse(foreignReleases(), "who was taken over from cannot free it");
        assertTrue(lease.isValid());
        lease.release();
    }

    @Test
    void patience_valueOfTheHolderIsNoText_isNotTakenOver() throws Exception {
        server.command("EVAL", "return redis.call('SET', KEYS[1], string.char(255, 254))", "1", KEY);
        Attempt<PlainLease> attempt =
                lock(STEADY.withPatience(Patience.THEN_TAKE_OVER)).attempt(IN_VAIN);
        assertNotObtained(Reason.TIMED_OUT, attempt);
        assertEquals(2, server.command("STRLEN", KEY).asLong());
    }

    /** Such a value is not sent, however long it is: only its beginning, and what tells it from others. */
    @Test
    void patience_valueOfTheHolderIsHuge_isToldCutAndTakenOver() throws Exception {
        setHuge('x');
        PlainLock lock = lock(STEADY.withPatience(Patience.THEN_TAKE_OVER));
        PlainHolder holder = lock.holder().orElseThrow();
        assertTrue(holder.value().length() <= 200, "told: " + holder.value().length() + " characters");
        assertTrue(holder.value().startsWith("xxx") && holder.value().contains("6000000 bytes"), holder.value());
        Attempt.NotObtained<PlainLease> taken = assertNotObtained(Reason.TAKEN, lock.attempt(Wait.none()));
        assertEquals(holder.value(), holder(taken));
        PlainLease lease = obtained(lock.attempt(IN_VAIN));
        assertEquals(Optional.of(holder.value()), lease.takenOverFrom());
        assertEquals(lease.value(), value());
        lease.release();
        setHuge('y');
        assertNotEquals(holder.value(), lock.holder().orElseThrow().value());
        assertEquals(1, server.command("DEL", KEY).asLong());
    }

    private void setHuge(char letter) {
        server.command(
                "EVAL", "return redis.call('SET', KEYS[1], string.rep(ARGV[1], 6000000))", "1", KEY, "" + letter);
    }

    @Test
    void patience_holderChangesBeforeTheTakeOver_isNotRobbed() throws Exception {
        server.command("SET", KEY, FOREIGN, "PX", "600000");
        PlainLock lock =
                remote(HoldfastOptions.defaults()).plainLock(KEY, STEADY.withPatience(Patience.THEN_TAKE_OVER));
        CompletableFuture<Caught> takeOver = proxy.onRequest(
                request -> ScriptCalls.PLAIN_ACQUIRE.test(request) && request.contains(" 1 " + FOREIGN + " "),
                Fault.STALL_REQUEST);
        CompletableFuture<Attempt<PlainLease>> waiting = lock.attemptAsync(Wait.upTo(Duration.ofMillis(400)));
        get(takeOver);
        server.command("SET", KEY, "the-next", "PX", "600000");
        proxy.resume();
        assertFalse(completesSoon(waiting), "the limit begins anew with the next");
        assertEquals("the-next", value());
        PlainLease lease = obtained(get(waiting));
        assertEquals(Optional.of("the-next"), lease.takenOverFrom());
    }

    // ---- scopes, queries, the client's end

    @Test
    void call_notObtained_doesNotBeginTheWork() throws Exception {
        assertTrue(foreignTakes(Duration.ofMinutes(1)));
        AtomicInteger begun = new AtomicInteger();
        PlainLock lock = lock(STEADY.withMaxAttempts(2));
        assertThrows(LockTimeoutException.class, () -> lock.call(lease -> begun.incrementAndGet()));
        assertEquals(Optional.empty(), lock.tryCall(Wait.none(), lease -> begun.incrementAndGet()));
        assertEquals(0, begun.get());
    }

    @Test
    void holder_anybody_isToldWithTheRemainingTerm() throws Exception {
        PlainLock lock = lock(STEADY);
        assertEquals(Optional.empty(), lock.holder());
        assertEquals(Duration.ZERO, lock.remaining());
        assertTrue(foreignTakes(Duration.ofMinutes(1)));
        PlainHolder holder = lock.holder().orElseThrow();
        assertEquals(FOREIGN, holder.value());
        assertTrue(holder.remaining().orElseThrow().compareTo(Duration.ofMinutes(1)) <= 0);
        assertTrue(lock.remaining().compareTo(Duration.ofSeconds(30)) > 0);
    }

    @Test
    void holder_clientIsClosed_throws() {
        Holdfast holdfast = local(HoldfastOptions.defaults());
        holdfast.close();
        assertThrows(
                HoldfastClosedException.class, () -> holdfast.plainLock(KEY).holder());
    }

    @Test
    void server_memoryFull_refusesTheAcquireAndServesTheRest() throws Exception {
        PlainLease lease = lock(STEADY).acquire();
        PlainLock other = local(HoldfastOptions.defaults()).plainLock("another", STEADY);
        server.command("CONFIG", "SET", "maxmemory", "1");
        assertThrows(ServerRefusedException.class, other::tryAcquire);
        lease.extend(Duration.ofHours(1));
        assertEquals(ReleaseResult.RELEASED, lease.release());
        server.command("CONFIG", "SET", "maxmemory", "0");
        awaitNothingLeft(server);
    }
}
