package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Backoff;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastClosedException;
import io.holdfast.HoldfastOptions;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.LossReason;
import io.holdfast.PlainAttempt;
import io.holdfast.PlainHolder;
import io.holdfast.PlainLease;
import io.holdfast.PlainLock;
import io.holdfast.PlainOptions;
import io.holdfast.PlainOptions.Patience;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * What a plain lock must do on every driver. Other programs of the protocol are played by bare commands: {@code SET NX PX}
 * and the compare-and-delete that all of them use.
 */
public abstract class PlainLockContract extends FaultSuite {
    private static final String KEY = "shared:{resource}";
    private static final String FOREIGN = "a-value-of-another-program";
    private static final String DELETE_IF_EQUAL =
            "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

    /** Long enough never to end in a test, not renewed, and asked for often. */
    private static final PlainOptions STEADY = PlainOptions.defaults()
            .withTerm(Duration.ofMinutes(10))
            .withRenewed(false)
            .withBackoff(Backoff.fixed(Duration.ofMillis(5)));

    private static final PlainOptions SHORT_TERM = STEADY.withTerm(Duration.ofMillis(300));

    private PlainLock lock(PlainOptions options) {
        return local(HoldfastOptions.defaults()).plainLock(KEY, options);
    }

    private PlainLock remoteLock(PlainOptions options) {
        return remote(EAGER).plainLock(KEY, options);
    }

    private boolean foreignTakes(Duration term) {
        Reply reply = server.command("SET", KEY, FOREIGN, "NX", "PX", Long.toString(term.toMillis()));
        return !reply.isNull();
    }

    private boolean foreignReleases() {
        return server.command("EVAL", DELETE_IF_EQUAL, "1", KEY, FOREIGN).asLong() == 1;
    }

    private String value() {
        Reply value = server.command("GET", KEY);
        return value.isNull() ? "" : value.asString();
    }

    private long ttl() {
        return server.command("PTTL", KEY).asLong();
    }

    private static PlainLease obtained(PlainAttempt attempt) {
        return assertInstanceOf(PlainAttempt.Obtained.class, attempt).held();
    }

    // ---- the format

    @Test
    void acquire_freeKey_isOneStringWithTheValueAndTheTerm() throws Exception {
        PlainLease lease = lock(STEADY).acquire();
        assertEquals(List.of(KEY), keysButTokens(server), "the key itself, and nothing beside it");
        assertEquals("string", server.command("TYPE", KEY).asString());
        assertEquals(lease.value(), value());
        assertTrue(ttl() > STEADY.term().toMillis() - 60_000
                && ttl() <= STEADY.term().toMillis());
        assertTrue(lease.isValid());
        assertTrue(lease.remaining().compareTo(STEADY.term().multipliedBy(99).dividedBy(100)) < 0, "less the drift");
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
        PlainLease lease = lock(STEADY.withTerm(Duration.ofNanos(100_999_999))).acquire();
        assertTrue(ttl() <= 100);
        assertTrue(lease.remaining().compareTo(Duration.ofMillis(97)) <= 0, () -> "more: " + lease.remaining());
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

    // ---- with other programs

    @Test
    void attempt_heldByAnotherProgram_tellsItsValueAndTerm() throws Exception {
        assertTrue(foreignTakes(Duration.ofMinutes(1)));
        PlainAttempt.Taken taken =
                assertInstanceOf(PlainAttempt.Taken.class, lock(STEADY).attempt(Wait.none()));
        assertEquals(KEY, taken.key());
        assertEquals(FOREIGN, taken.holder().value());
        assertTrue(taken.holder().remaining().orElseThrow().compareTo(Duration.ofSeconds(30)) > 0);
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
            PlainAttempt.UsedUp usedUp = assertInstanceOf(
                    PlainAttempt.UsedUp.class,
                    lock.with(STEADY.withMaxAttempts(attempts)).attempt(Wait.forever()));
            assertEquals(attempts, usedUp.attempts());
            assertEquals(attempts, asked.get());
            assertEquals(FOREIGN, usedUp.holder().value());
        }
        LockTimeoutException failure = assertThrows(
                LockTimeoutException.class,
                () -> lock.with(STEADY.withMaxAttempts(1)).acquire());
        assertTrue(String.valueOf(failure.getMessage()).contains("(1 attempt)"), failure.getMessage());
    }

    @Test
    void attempt_waitOfZero_asksOnceAndNeverWaits() throws Exception {
        assertTrue(foreignTakes(Duration.ofMinutes(1)));
        assertInstanceOf(PlainAttempt.Taken.class, lock(STEADY).attempt(Wait.upTo(Duration.ZERO)));
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
        Wait wait = Wait.upTo(Duration.ofMillis(50));
        PlainAttempt.TimedOut timedOut =
                assertInstanceOf(PlainAttempt.TimedOut.class, lock(STEADY).attempt(wait));
        assertEquals(wait, timedOut.waitLimit());
        assertEquals(FOREIGN, timedOut.holder().value());
        LockTimeoutException failure =
                assertThrows(LockTimeoutException.class, () -> lock(STEADY).acquire(wait));
        assertTrue(String.valueOf(failure.getMessage()).contains(FOREIGN), failure.getMessage());
        assertEquals(KEY, failure.lock());
    }

    @Test
    void attempt_backoffLongerThanTheWait_asksALastTimeWhenItIsOver() throws Exception {
        assertTrue(foreignTakes(Duration.ofMillis(100)));
        PlainOptions slow = STEADY.withBackoff(Backoff.fixed(Duration.ofHours(1)));
        PlainLease lease = obtained(lock(slow).attempt(Wait.upTo(Duration.ofMillis(400))));
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
        CompletableFuture<PlainAttempt> waiting = lock(patient).attemptAsync(Wait.upTo(Duration.ofMillis(600)));
        for (int i = 1; i <= 6; i++) {
            assertFalse(completesSoon(waiting), "in all it waits much longer than the limit");
            server.command("SET", KEY, "holder-" + i, "PX", "600000");
        }
        PlainAttempt.TimedOut stuck = assertInstanceOf(PlainAttempt.TimedOut.class, get(waiting));
        assertEquals("holder-6", stuck.holder().value());
        assertEquals("holder-6", value(), "an error is the default, and nobody is robbed");
    }

    @Test
    void patience_holderStuck_isTakenOverWithANewValue() throws Exception {
        server.command("SET", KEY, FOREIGN); // without a term, as a program leaves it that died between two commands
        PlainLease lease =
                obtained(lock(STEADY.withPatience(Patience.THEN_TAKE_OVER)).attempt(Wait.upTo(Duration.ofMillis(100))));
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
        PlainAttempt attempt =
                lock(STEADY.withPatience(Patience.THEN_TAKE_OVER)).attempt(Wait.upTo(Duration.ofMillis(50)));
        assertInstanceOf(PlainAttempt.TimedOut.class, attempt);
        assertEquals(2, server.command("STRLEN", KEY).asLong());
    }

    /** Such a value is not sent, however long it is: only its beginning, and what tells it from others. */
    @Test
    void patience_valueOfTheHolderIsHuge_isToldCutAndTakenOver() throws Exception {
        setHuge('x');
        PlainLock lock = lock(STEADY.withPatience(Patience.THEN_TAKE_OVER));
        PlainHolder holder = lock.holder().orElseThrow();
        assertTrue(holder.value().length() <= 200, "told: " + holder.value().length() + " characters");
        assertTrue(holder.value().startsWith("xxx") && holder.value().contains("60000000 bytes"), holder.value());
        PlainAttempt.Taken taken = assertInstanceOf(PlainAttempt.Taken.class, lock.attempt(Wait.none()));
        assertEquals(holder.value(), taken.holder().value());
        PlainLease lease = obtained(lock.attempt(Wait.upTo(Duration.ofMillis(100))));
        assertEquals(Optional.of(holder.value()), lease.takenOverFrom());
        assertEquals(lease.value(), value());
        lease.release();
        setHuge('y');
        assertNotEquals(holder.value(), lock.holder().orElseThrow().value());
        assertEquals(1, server.command("DEL", KEY).asLong());
    }

    private void setHuge(char letter) {
        server.command(
                "EVAL", "return redis.call('SET', KEYS[1], string.rep(ARGV[1], 60000000))", "1", KEY, "" + letter);
    }

    /** A value of one's own may be as long as one likes: it is compared as a whole. */
    @Test
    void check_ownValueIsLong_isFoundToBeHeld() throws Exception {
        String own = "v".repeat(1_000);
        PlainLease lease = lock(STEADY.withValues(() -> own)).acquire();
        assertTrue(lease.check());
        server.command("SET", KEY, own + "x", "PX", "600000");
        assertFalse(lease.check());
        server.command("DEL", KEY);
    }

    @Test
    void patience_holderChangesBeforeTheTakeOver_isNotRobbed() throws Exception {
        server.command("SET", KEY, FOREIGN, "PX", "600000");
        PlainLock lock =
                remote(HoldfastOptions.defaults()).plainLock(KEY, STEADY.withPatience(Patience.THEN_TAKE_OVER));
        CompletableFuture<Caught> takeOver = proxy.onRequest(
                request -> ScriptCalls.PLAIN_ACQUIRE.test(request) && request.contains(" 1 " + FOREIGN + " "),
                Fault.STALL_REQUEST);
        CompletableFuture<PlainAttempt> waiting = lock.attemptAsync(Wait.upTo(Duration.ofMillis(400)));
        get(takeOver);
        server.command("SET", KEY, "the-next", "PX", "600000");
        proxy.resume();
        assertFalse(completesSoon(waiting), "the limit begins anew with the next");
        assertEquals("the-next", value());
        PlainLease lease = obtained(get(waiting));
        assertEquals(Optional.of("the-next"), lease.takenOverFrom());
    }

    // ---- leases

    @Test
    void lease_somebodyElseHoldsTheKey_isLostAndLeavesItAlone() throws Exception {
        PlainLease renewed = lock(SHORT_TERM.withRenewed(true)).acquire();
        server.command("SET", KEY, FOREIGN, "PX", "600000");
        assertEquals(LossReason.GONE, get(renewed.lost()));
        assertEquals(FOREIGN, value());
        assertTrue(ttl() > 300_000, "renewal has not touched what is another's");
        assertEquals(ReleaseResult.ALREADY_GONE, renewed.release());
        assertEquals(FOREIGN, value());
    }

    @Test
    void check_keyIsGone_isLost() throws Exception {
        PlainLease lease = lock(STEADY).acquire();
        assertTrue(lease.check());
        server.command("DEL", KEY);
        assertTrue(lease.isValid(), "here nothing is known of it");
        assertFalse(lease.check());
        assertFalse(lease.isValid());
        assertEquals(LossReason.GONE, get(lease.lost()));
    }

    @Test
    void release_keyOfTheNextHolder_isLeftAlone() throws Exception {
        PlainLease lease = lock(STEADY).acquire();
        server.command("SET", KEY, FOREIGN, "PX", "600000");
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        assertEquals(FOREIGN, value());
    }

    @Test
    void extend_notMineAnyMore_throwsAndTouchesNothing() throws Exception {
        PlainLease lease = lock(STEADY).acquire();
        server.command("SET", KEY, FOREIGN, "PX", "600000");
        LeaseLostException lost = assertThrows(LeaseLostException.class, () -> lease.extend(Duration.ofHours(2)));
        assertEquals(0, lost.token());
        assertEquals(FOREIGN, value());
        assertTrue(ttl() <= 600_000);
    }

    @Test
    void extend_notAnswered_throwsAndReleasesNothing() throws Exception {
        PlainLease lease = remoteLock(STEADY).acquire();
        CompletableFuture<Caught> extension = proxy.onRequest(ScriptCalls.PLAIN_EXTEND, Fault.KILL_BEFORE);
        assertThrows(ServerUnreachableException.class, () -> lease.extend(Duration.ofHours(2)));
        get(extension);
        assertTrue(lease.isValid());
        assertEquals(lease.value(), value(), "a failed extension is no release");
        await("the connection is back", () -> {
            try {
                return lease.check();
            } catch (ServerUnreachableException e) {
                return false;
            }
        });
        assertEquals(ReleaseResult.RELEASED, lease.release());
    }

    @Test
    void leastRemaining_answerTookTooLong_isArmedAnewBeforeItIsHandedOut() throws Exception {
        PlainOptions demanding = STEADY.withTerm(Duration.ofSeconds(2)).withLeastRemaining(Duration.ofMillis(1_700));
        PlainLock lock = remote(HoldfastOptions.defaults()).plainLock(KEY, demanding);
        CompletableFuture<Caught> slow = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.STALL_REPLY);
        CompletableFuture<PlainLease> waiting = lock.acquireAsync();
        CompletableFuture<Caught> again = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.NONE);
        get(slow);
        assertFalse(completesSoon(waiting)); // 0.2 s
        assertFalse(completesSoon(waiting)); // 0.4 s: less than 1.7 s are left of it
        proxy.resume();
        PlainLease lease = get(waiting);
        assertTrue(again.isDone(), "asked for again before it was handed out");
        assertEquals(lease.value(), value());
        assertEquals(1, lease.attempts(), "nobody else had it");
    }

    // ---- without expiry

    @Test
    void withoutExpiry_held_neverExpiresAndIsReleased() throws Exception {
        PlainLock lock = lock(STEADY.withoutExpiry());
        PlainLease lease = lock.acquire();
        assertEquals(-1, ttl());
        assertTrue(lease.isValid());
        assertEquals(Duration.ofDays(365), lease.remaining());
        lease.extend(Duration.ofSeconds(1));
        assertEquals(-1, ttl(), "not shortened");
        assertEquals(Optional.of(new PlainHolder(lease.value(), Optional.empty())), lock.holder());
        assertEquals(Duration.ofDays(365), lock.remaining());
        assertEquals(ReleaseResult.RELEASED, lease.release());
        awaitNothingLeft(server);
    }

    @Test
    void withoutExpiry_requestArrivesAfterEverybodyGaveItUp_stillExpires() throws Exception {
        PlainLock lock = remoteLock(STEADY.withTerm(Duration.ofSeconds(1)).withoutExpiry());
        CompletableFuture<Caught> lost = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.KILL_BEFORE);
        assertInstanceOf(PlainAttempt.Unknown.class, lock.attempt(Wait.none()));
        get(lost).deliver();
        assertTrue(ttl() != -1, "what nobody knows to be held must not stay for ever");
        await("it is gone", () -> value().isEmpty());
    }

    // ---- answers that get lost

    @Test
    void attempt_answerLost_isUnknownAndLeavesNoOrphan() throws Exception {
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.KILL_AFTER);
        PlainAttempt attempt = remoteLock(STEADY).attempt(Wait.none());
        assertInstanceOf(PlainAttempt.Unknown.class, attempt);
        get(acquire);
        awaitNothingLeft(server); // by its term it would be there for ten minutes
        assertTrue(foreignTakes(Duration.ofMinutes(1)));
    }

    @Test
    void attempt_answerSwallowed_isUnknownAndLeavesNoOrphan() throws Exception {
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.DROP_REPLY);
        PlainLock lock = remoteLock(STEADY);
        assertThrows(ServerUnreachableException.class, lock::tryAcquire);
        get(acquire);
        proxy.resume();
        awaitNothingLeft(server);
    }

    @Test
    void acquire_answerLostWhileWaiting_recognisesItsOwnValue() throws Exception {
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.KILL_AFTER);
        PlainLease lease = remoteLock(STEADY).acquire();
        get(acquire);
        assertEquals(lease.value(), value());
        assertTrue(lease.attempts() > 1);
        assertEquals(ReleaseResult.RELEASED, lease.release());
        awaitNothingLeft(server);
    }

    @Test
    void acquire_cancelledWhileUnanswered_leavesNoOrphan() throws Exception {
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.STALL_REPLY);
        CompletableFuture<PlainLease> waiting = remoteLock(STEADY).acquireAsync();
        get(acquire);
        assertFalse(value().isEmpty(), "the server has granted it");
        waiting.cancel(false);
        proxy.resume();
        awaitNothingLeft(server);
        assertThrows(CancellationException.class, waiting::join);
    }

    @Test
    void acquire_interruptedWhileUnanswered_leavesNoOrphan() throws Exception {
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.STALL_REPLY);
        PlainLock lock = remoteLock(STEADY);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                lock.acquire();
                thrown.completeExceptionally(new AssertionError("not interrupted"));
            } catch (Throwable e) {
                thrown.complete(e);
            }
        });
        thread.start();
        get(acquire);
        thread.interrupt();
        assertInstanceOf(InterruptedException.class, get(thrown));
        proxy.resume();
        awaitNothingLeft(server);
    }

    @Test
    void release_answerLost_isRepeatedUntilConfirmed() throws Exception {
        PlainLease lease = remoteLock(STEADY).acquire();
        CompletableFuture<Caught> release = proxy.onRequest(ScriptCalls.PLAIN_RELEASE, Fault.KILL_BEFORE);
        assertEquals(ReleaseResult.UNCONFIRMED, lease.release());
        get(release);
        assertFalse(lease.isValid());
        awaitNothingLeft(server);
    }

    @Test
    void attempt_serverDead_isUnknownWhateverTheWait() throws Exception {
        PlainLock lock = remoteLock(STEADY);
        proxy.refuse();
        proxy.killConnections(TcpProxy.Kind.ANY);
        assertInstanceOf(PlainAttempt.Unknown.class, lock.attempt(Wait.none()));
        assertInstanceOf(PlainAttempt.Unknown.class, lock.attempt(Wait.upTo(Duration.ofMillis(50))));
        assertInstanceOf(
                PlainAttempt.Unknown.class, lock.with(STEADY.withMaxAttempts(3)).attempt(Wait.forever()));
        assertThrows(ServerUnreachableException.class, lock::holder);
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
    void close_acquireUnanswered_leavesNoOrphan() throws Exception {
        Holdfast holdfast = remote(HoldfastOptions.defaults());
        CompletableFuture<Caught> acquire = proxy.onRequest(ScriptCalls.PLAIN_ACQUIRE, Fault.STALL_REPLY);
        CompletableFuture<PlainLease> waiting = holdfast.plainLock(KEY, STEADY).acquireAsync();
        get(acquire);
        Thread closing = new Thread(holdfast::close);
        closing.start();
        assertThrows(ExecutionException.class, () -> get(waiting));
        proxy.resume();
        closing.join();
        assertEquals("", value());
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
