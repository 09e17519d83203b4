package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.Holder;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LockRefusedException;
import io.holdfast.Once;
import io.holdfast.OnceResult;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What a limit of tries promises of work that is done once: no more of them begin, and all that ask are told why. */
public class OnceTriesContract extends OnceSuite {
    /** For the classes of the drivers. */
    protected OnceTriesContract() {}

    /** By a client of its own. */
    private Once once(int tries) {
        return patient().once("a").withTries(tries);
    }

    private static void fail(Once once, String why) {
        IllegalStateException thrown = assertThrows(
                IllegalStateException.class,
                () -> once.run(lease -> {
                    throw new IllegalStateException(why);
                }));
        assertEquals(why, thrown.getMessage());
    }

    private static OnceResult neverBegun(Once once) throws InterruptedException {
        return once.run(lease -> {
            throw new AssertionError("it has begun");
        });
    }

    private static void assertGivenUp(String reason, int tries, OnceResult result) {
        OnceResult.GivenUp given = (OnceResult.GivenUp) result;
        assertEquals(reason, given.reason());
        assertEquals(tries, given.tries());
        assertTrue(given.by().isGivenUp());
        LockRefusedException refusal = assertThrows(LockRefusedException.class, given::orElseThrow);
        assertEquals(Attempt.Reason.GIVEN_UP, refusal.reason());
        assertTrue(String.valueOf(refusal.getMessage()).contains(reason), refusal.getMessage());
    }

    /** As one whose process has died. */
    private void die(Once once) throws InterruptedException {
        Lease lease = once.attempt(Wait.forever()).orElseThrow();
        patient().admin().of(LockInfo.Kind.ONCE).release("a", Admin.Waiters.HAND_OFF);
        await("the lease is lost", () -> !lease.isHeldOnServer());
    }

    @Test
    void run_failsAsOftenAsItMay_allAreToldWhy() throws Exception {
        fail(once(2), "no paper");
        assertEquals(Optional.empty(), once(2).info().holder());
        fail(once(2), "no ink");
        assertGivenUp("java.lang.IllegalStateException: no ink", 2, neverBegun(once(2)));
        assertGivenUp(
                "java.lang.IllegalStateException: no ink",
                2,
                neverBegun(patient().once("a"))); // without a limit
        assertEquals(Optional.empty(), once(2).result());
        assertEquals(List.of("hf:{%once:a}"), keysButTokens(server), "the record, and nothing besides");
        assertEveryKeyExpires(server);
    }

    @Test
    void run_theLastTryFailsWhileOthersWait_allOfThemAreToldAtOnce() throws Exception {
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<Lease> began = new CompletableFuture<>();
        CompletableFuture<OnceResult> last = once(1).runAsync(lease -> {
            began.complete(lease);
            return work;
        });
        began.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        List<CompletableFuture<OnceResult>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(once(1).runAsync(Wait.forever(), lease -> CompletableFuture.completedFuture("again")));
        }
        await("all wait", () -> once(1).info().waiters() == 5);
        work.completeExceptionally(new IllegalStateException("no"));
        for (CompletableFuture<OnceResult> each : waiting) {
            assertGivenUp("java.lang.IllegalStateException: no", 1, each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
        assertTrue(last.isCompletedExceptionally());
    }

    @Test
    void run_afterAsManyHaveDied_isGivenUpByTheNext() throws Exception {
        die(once(2));
        die(once(2));
        assertGivenUp("it ended without a result", 2, neverBegun(once(2)));
    }

    @Test
    void runAsync_afterAsManyHaveDied_isGivenUpByTheNext() throws Exception {
        die(once(1));
        CompletableFuture<OnceResult> next =
                once(1).runAsync(lease -> CompletableFuture.completedFuture("it has begun"));
        assertGivenUp("it ended without a result", 1, next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    }

    @Test
    void run_secondTry_knowsThatItIsAndWhatTheFirstHasNoted() throws Exception {
        Lease first = once(3).attempt(Wait.none()).orElseThrow();
        first.note("62 %");
        assertEquals(ReleaseResult.RELEASED, first.release());
        die(once(3)); // before it has noted anything
        once(3).run(lease -> {
            Holder before = lease.before().orElseThrow();
            assertEquals("2", before.metadata().get(Holder.TRY));
            assertEquals(Optional.of("62 %"), before.note());
            lease.note(""); // which does not make it the first again
            Holder shown = once(3).info().holder().orElseThrow();
            assertEquals("3", shown.metadata().get(Holder.TRY));
            assertEquals(Optional.empty(), shown.note());
            return "done";
        });
        assertEquals("done", neverBegun(once(3)).orElseThrow());
    }

    @Test
    void run_aResultOrAnOperator_beginsTheCountAnew() throws Exception {
        fail(once(2), "once");
        Once brief = once(2).withKeep(Duration.ofMillis(1));
        assertTrue(((OnceResult.Ran) brief.run(lease -> "done")).recorded());
        await("the record is over", () -> brief.result().isEmpty());
        fail(once(2), "once");
        fail(once(2), "twice");
        assertTrue(neverBegun(once(2)) instanceof OnceResult.GivenUp);
        patient().admin().of(LockInfo.Kind.ONCE).release("a", Admin.Waiters.HAND_OFF);
        fail(once(2), "once");
        assertEquals("done", once(2).run(lease -> "done").orElseThrow());
    }

    @Test
    void run_givenUp_eventsSayWhy() throws Exception {
        fail(once(1), "no paper");
        List<LockEvent.NotObtained> told = new CopyOnWriteArrayList<>();
        neverBegun(telling(told).once("a"));
        await("the event", () -> !told.isEmpty());
        assertEquals(Attempt.Reason.GIVEN_UP, told.get(0).reason());
    }

    @Test
    void attempt_failed_isGivenUpAfterTheLast() throws Exception {
        Once once = once(2);
        Lease first = once.attempt(Wait.none()).orElseThrow();
        assertEquals(ReleaseResult.RELEASED, once.fail(first, "status 1"));
        Lease second = once.attempt(Wait.none()).orElseThrow();
        assertEquals(ReleaseResult.ALREADY_GONE, once.fail(first, "late"));
        assertEquals(ReleaseResult.RELEASED, once.fail(second, "status " + "9".repeat(1_000)));
        Attempt.NotObtained<Lease> third = (Attempt.NotObtained<Lease>) once.attempt(Wait.forever());
        assertEquals(Attempt.Reason.GIVEN_UP, third.reason());
        assertFalse(third.reason().isBusy());
        assertEquals(500, new OnceResult.GivenUp(third).reason().length());
    }

    @Test
    void withTries_outsideOfItsBounds_isRefused() {
        Once once = patient().once("a");
        assertEquals(0, once.tries());
        assertThrows(IllegalArgumentException.class, () -> once.withTries(0));
        assertThrows(IllegalArgumentException.class, () -> once.withTries(1_001));
        assertEquals(
                3, once.withTries(3).withKeep(Duration.ofDays(2)).withActor("x").tries());
        assertEquals(
                3, once.withTries(3).per(Duration.ofHours(1)).inPresentSlot().tries());
        LockOptions full = LockOptions.defaults().withMetadata(Map.of("k", "x".repeat(1_996)));
        assertThrows(
                IllegalArgumentException.class, () -> patient().once("a", full).withTries(2));
    }
}
