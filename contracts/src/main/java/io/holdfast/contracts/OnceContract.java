package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Inspector;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LockEvent;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.Once;
import io.holdfast.OnceResult;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.contracts.servers.TcpProxy.Kind;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What work that is done once promises: one record, which answers all, and a successor for a run that leaves none. */
public class OnceContract extends OnceSuite {
    /** For the classes of the drivers. */
    protected OnceContract() {}

    private void awaitWaiting(int count) {
        Holdfast looking = patient();
        await(
                count + " wait",
                () -> looking.inspect().of(LockInfo.Kind.ONCE).lock("a").waiters() == count);
    }

    private static String get(CompletableFuture<OnceResult> result) throws Exception {
        return result.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).orElseThrow();
    }

    private static Throwable causeOf(Exception failure) {
        return Objects.requireNonNull(failure.getCause());
    }

    /** A run that goes on until it is told to end. */
    private static final class Run {
        final CompletableFuture<String> work = new CompletableFuture<>();
        final CompletableFuture<Long> began = new CompletableFuture<>();
        final CompletableFuture<Lease> lease = new CompletableFuture<>();
        final CompletableFuture<OnceResult> result;

        Run(Once once) throws Exception {
            result = once.runAsync(granted -> {
                lease.complete(granted);
                began.complete(granted.token());
                return work;
            });
            began.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    // ---- one does it

    @Test
    void run_firstCall_doesTheWorkAndRecordsIt() throws Exception {
        Once once = patient().once("a");
        OnceResult.Ran ran = (OnceResult.Ran) once.run(lease -> "sent " + (lease.token() > 0));
        assertEquals("sent true", ran.text());
        assertTrue(ran.recorded());
        OnceResult.Done record = once.result().orElseThrow();
        assertEquals("sent true", record.text());
        assertEquals(ran.token(), record.token());
        assertEquals(once.info().holder(), Optional.of(record.by()));
        assertEveryKeyExpires(server);
        assertEquals(List.of("hf:{%once:a}"), keysButTokens(server), "the record, and nothing besides");
        Inspector all = patient().inspect().of(LockInfo.Kind.ONCE);
        assertEquals(0, all.locks().count(), "of records, of which there may be many, no client reports");
        assertEquals(List.of("a"), all.scanning().locks().map(LockInfo::name).toList());
    }

    @Test
    void run_afterTheRecord_answersWithItAndDoesNothing() throws Exception {
        patient().once("a").run(lease -> "result of ä & %");
        AtomicInteger runs = new AtomicInteger();
        Once other = patient().once("a");
        for (Wait wait : List.of(Wait.none(), Wait.forever())) {
            OnceResult answer = other.run(wait, lease -> "again " + runs.incrementAndGet());
            assertEquals("result of ä & %", ((OnceResult.Done) answer).text());
        }
        assertEquals("result of ä & %", get(other.runAsync(lease -> CompletableFuture.completedFuture("again"))));
        assertEquals(0, runs.get());
    }

    @Test
    void run_afterTheRecord_eventsSayWhy() throws Exception {
        patient().once("a").run(lease -> "done");
        List<LockEvent.NotObtained> told = new CopyOnWriteArrayList<>();
        telling(told).once("a").run(lease -> "again");
        await("the event", () -> !told.isEmpty());
        assertEquals(Attempt.Reason.DONE, told.get(0).reason());
        assertTrue(told.get(0).contention().holder().orElseThrow().isRecord());
    }

    @Test
    void run_whileAnotherIsAtIt_saysWho() throws Exception {
        Run run = new Run(patient().once("a"));
        OnceResult.InProgress busy = (OnceResult.InProgress) patient().once("a").run(Wait.none(), lease -> "no");
        assertEquals(Attempt.Reason.TAKEN, busy.why().reason());
        Holder holder = busy.why().contention().holder().orElseThrow();
        assertEquals(run.began.join(), holder.token());
        assertFalse(holder.isRecord());
        run.work.complete("done");
        assertEquals("done", get(run.result));
    }

    @Test
    void run_manyWaitInSeveralClients_oneScriptAnswersAll() throws Exception {
        Run run = new Run(patient().once("a"));
        AtomicInteger runs = new AtomicInteger();
        List<CompletableFuture<OnceResult>> waiting = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Once once = patient().once("a");
            for (int j = 0; j < 25; j++) {
                waiting.add(once.runAsync(
                        Wait.forever(), lease -> CompletableFuture.completedFuture("" + runs.incrementAndGet())));
            }
        }
        awaitWaiting(100);
        run.work.complete("done");
        for (CompletableFuture<OnceResult> each : waiting) {
            assertEquals("done", ((OnceResult.Done) each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).text());
        }
        assertEquals(0, runs.get());
        assertEquals(List.of("hf:{%once:a}"), keysButTokens(server), "the record, and nothing besides");
    }

    @Test
    void run_tenThousandCallersOfFourClients_oneRunsAndAllHaveItsResultForFewRequests() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        List<CompletableFuture<OnceResult>> all = new ArrayList<>();
        List<Holdfast> clients = List.of(patient(), patient(), patient(), patient());
        CompletableFuture<String> work = new CompletableFuture<>();
        long before = scriptsRun();
        for (Holdfast client : clients) {
            for (int j = 0; j < 2_500; j++) {
                all.add(client.once("a").runAsync(Wait.forever(), lease -> {
                    runs.incrementAndGet();
                    return work;
                }));
            }
        }
        awaitWaiting(9_999);
        work.complete("done");
        for (CompletableFuture<OnceResult> each : all) {
            assertEquals("done", get(each));
        }
        assertEquals(1, runs.get());
        long asked = scriptsRun() - before;
        assertTrue(asked <= 30_000, asked + " requests for 10,000 callers");
    }

    private long scriptsRun() {
        return server.command("INFO", "commandstats")
                .asString()
                .lines()
                .filter(line -> line.startsWith("cmdstat_eval"))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf("calls=") + 6, line.indexOf(','))))
                .sum();
    }

    @Test
    void attempt_finishedOrReleased_leavesARecordOrNone() throws Exception {
        Once once = patient().once("a");
        Lease first = once.attempt(Wait.none()).orElseThrow();
        assertEquals(ReleaseResult.RELEASED, first.release());
        Lease second = once.attempt(Wait.none()).orElseThrow();
        assertThrows(IllegalArgumentException.class, () -> once.finish(second, "x".repeat(16_385)));
        assertTrue(second.isValid());
        assertThrows(UnsupportedOperationException.class, second::ticket);
        assertEquals(ReleaseResult.RELEASED, once.finish(second, "done"));
        assertEquals(ReleaseResult.ALREADY_GONE, once.finish(first, "late"));
        Attempt.NotObtained<Lease> third = (Attempt.NotObtained<Lease>) once.attempt(Wait.forever());
        assertEquals(Attempt.Reason.DONE, third.reason());
        assertTrue(third.describe().contains("done already"), third.describe());
        assertEquals("done", once.result().orElseThrow().text());
    }

    // ---- another has to do it

    @Test
    void run_workThrows_theNextInLineDoesItWithAGreaterToken() throws Exception {
        Run failing = new Run(patient().once("a"));
        CompletableFuture<Long> token = new CompletableFuture<>();
        CompletableFuture<OnceResult> next = patient().once("a").runAsync(Wait.forever(), lease -> {
            token.complete(lease.token());
            return CompletableFuture.completedFuture("second");
        });
        awaitWaiting(1);
        failing.work.completeExceptionally(new IllegalStateException("the first fails"));
        assertEquals("second", get(next));
        assertTrue(token.join() > failing.began.join());
        Exception failure = assertThrows(Exception.class, () -> get(failing.result));
        assertEquals("the first fails", String.valueOf(causeOf(failure).getMessage()));
    }

    @Test
    void run_workThrowsInABlockingCall_thatIsWhatTheCallerGets() {
        Once once = patient().once("a");
        IllegalStateException thrown = assertThrows(
                IllegalStateException.class,
                () -> once.run(lease -> {
                    throw new IllegalStateException("no");
                }));
        assertEquals("no", thrown.getMessage());
        assertEquals(Optional.empty(), once.result());
        awaitNothingLeft(server);
    }

    @Test
    void run_leaseIsRevoked_recordsNothingAndSaysSo() throws Exception {
        Holdfast holdfast = patient();
        Run run = new Run(holdfast.once("a"));
        holdfast.admin().of(LockInfo.Kind.ONCE).release("a", Admin.Waiters.HAND_OFF);
        await("the holder is told", () -> !run.lease.join().isValid());
        run.work.complete("late");
        Exception failure = assertThrows(Exception.class, () -> get(run.result));
        LeaseLostException lost = (LeaseLostException) causeOf(failure);
        assertEquals(LossReason.REVOKED, lost.reason());
        assertEquals(Optional.empty(), holdfast.once("a").result());
        assertEquals("second", holdfast.once("a").run(lease -> "second").orElseThrow());
    }

    @Test
    void run_holderIsCutOff_theNextInLineTakesOver() throws Exception {
        TcpProxy link = closeLater(TcpProxy.to(server.address().port()));
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(2));
        Holdfast far = client(link.address(), HoldfastOptions.defaults());
        Run run = new Run(far.once("a", brief));
        link.stall(Kind.ANY);
        OnceResult second = patient().once("a").run(Wait.forever(), lease -> "second");
        assertEquals("second", ((OnceResult.Ran) second).text());
        run.work.complete("first");
        Exception failure = assertThrows(Exception.class, () -> get(run.result));
        assertEquals(LossReason.EXPIRED, ((LeaseLostException) causeOf(failure)).reason());
        link.resume();
        assertEquals("second", far.once("a").run(lease -> "third").orElseThrow());
    }

    @Test
    void run_keepIsOver_isDoneAgain() throws Exception {
        Once once = patient().once("a").withKeep(Duration.ofMillis(50));
        AtomicInteger runs = new AtomicInteger();
        once.run(lease -> "" + runs.incrementAndGet());
        await("the record is gone", () -> once.result().isEmpty());
        assertEquals("2", once.run(lease -> "" + runs.incrementAndGet()).orElseThrow());
    }

    @Test
    void release_byName_letsItBeDoneAgain() throws Exception {
        Holdfast holdfast = patient();
        holdfast.once("a").run(lease -> "first");
        holdfast.admin().of(LockInfo.Kind.ONCE).release("a", Admin.Waiters.HAND_OFF);
        assertEquals(Optional.empty(), holdfast.once("a").result());
        assertEquals("second", holdfast.once("a").run(lease -> "second").orElseThrow());
    }

    // ---- slots

    @Test
    void run_inASlot_isDoneOnceAndListedWithIt() throws Exception {
        Holdfast one = patient();
        Holdfast other = patient();
        // A year, so that no slot ends during the test, but at most one.
        Duration year = Duration.ofDays(365);
        AtomicInteger runs = new AtomicInteger();
        for (int i = 0; i < 6; i++) {
            Once once = (i % 2 == 0 ? one : other).once("report").per(year);
            assertEquals("1", once.run(lease -> "" + runs.incrementAndGet()).orElseThrow());
            assertEquals("1", once.result().orElseThrow().text());
            assertEquals("report", once.name());
        }
        List<String> keys = keysButTokens(server);
        assertEquals(1, keys.size());
        assertTrue(keys.get(0).matches("hf:\\{%once:report@20\\d\\d-\\d\\d-\\d\\dT00:00:00Z\\}"), keys.get(0));
        assertEquals(Optional.empty(), one.once("report").result(), "the key without a slot is another");
    }

    @Test
    void run_inTheNextSlot_isDoneAgain() throws Exception {
        Once once = patient().once("report").per(Duration.ofSeconds(1));
        AtomicInteger runs = new AtomicInteger();
        await("a second slot has begun", () -> {
            try {
                return once.run(lease -> "" + runs.incrementAndGet())
                        .orElseThrow()
                        .equals("2");
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        assertEquals(2, runs.get());
    }

    @Test
    void run_inADay_hasItsDate() throws Exception {
        Once once = patient().once("report").perDay(ZoneId.of("Asia/Kolkata"));
        assertEquals("done", get(once.runAsync(lease -> CompletableFuture.completedFuture("done"))));
        assertEquals(Duration.ofDays(2), once.keep());
        String key = keysButTokens(server).get(0);
        assertTrue(key.matches("hf:\\{%once:report@20\\d\\d-\\d\\d-\\d\\d\\}"), key);
    }

    @Test
    void run_serverIsAway_isUnknownAndNothingIsBegun() throws Exception {
        TcpProxy link = closeLater(TcpProxy.to(server.address().port()));
        HoldfastOptions eager = HoldfastOptions.defaults().withCommandTimeout(Duration.ofSeconds(1));
        Holdfast cutOff = client(link.address(), eager);
        AtomicInteger runs = new AtomicInteger();
        link.stall(Kind.ANY);
        for (Once once : List.of(cutOff.once("a"), cutOff.once("a").per(Duration.ofHours(1)))) {
            OnceResult answer = once.run(Wait.none(), lease -> "" + runs.incrementAndGet());
            assertTrue(answer instanceof OnceResult.Unknown, answer::toString);
        }
        assertEquals(0, runs.get());
        link.resume();
    }

    // ---- the way of an answer

    @Test
    void run_messagesAreLost_theRefreshBringsTheRecord() throws Exception {
        TcpProxy link = closeLater(TcpProxy.to(server.address().port()));
        Run run = new Run(patient().once("a"));
        HoldfastOptions often = HoldfastOptions.defaults().withRefreshInterval(Duration.ofMillis(500));
        CompletableFuture<OnceResult> waiting = client(link.address(), often)
                .once("a")
                .runAsync(Wait.forever(), lease -> CompletableFuture.completedFuture("no"));
        awaitWaiting(1);
        link.dropReplies(Kind.ANY);
        run.work.complete("done");
        assertEquals("done", get(run.result));
        link.resume();
        assertEquals("done", get(waiting));
    }

    @Test
    void run_serverDoesNotAnswerTheRecord_itIsSentAgain() throws Exception {
        TcpProxy link = closeLater(TcpProxy.to(server.address().port()));
        HoldfastOptions eager = HoldfastOptions.defaults().withCommandTimeout(Duration.ofSeconds(1));
        Run run = new Run(client(link.address(), eager).once("a"));
        link.stall(Kind.ANY);
        run.work.complete("done");
        OnceResult.Ran ran = (OnceResult.Ran) run.result.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertFalse(ran.recorded(), "the server has not answered");
        link.resume();
        Once other = patient().once("a");
        await("it is recorded", () -> other.result().isPresent());
        assertEquals("done", other.result().orElseThrow().text());
    }

    // ---- what it refuses

    @Test
    @SuppressWarnings("NullAway") // work that is wrong
    void run_resultTooLong_isRefusedAndNotRecorded() {
        Once once = patient().once("a");
        assertThrows(IllegalArgumentException.class, () -> once.run(lease -> "x".repeat(16_385)));
        assertThrows(NullPointerException.class, () -> once.run(lease -> null));
        assertEquals(Optional.empty(), once.result());
        awaitNothingLeft(server);
    }

    @Test
    void run_longestResult_comesToAll() throws Exception {
        String longest = "x".repeat(16_384);
        Run run = new Run(patient().once("a"));
        CompletableFuture<OnceResult> waiting =
                patient().once("a").runAsync(Wait.forever(), lease -> CompletableFuture.completedFuture("no"));
        awaitWaiting(1);
        run.work.complete(longest);
        assertEquals(longest, get(waiting));
        assertEquals(longest, patient().once("a").result().orElseThrow().text());
    }

    @Test
    void once_optionsThatMeanNothing_areRefusedByName() {
        Holdfast holdfast = patient();
        LockOptions usual = LockOptions.defaults();
        for (LockOptions refused : List.of(
                usual.withReentrancy(LockOptions.Reentrancy.REENTER), usual.withKeepFor(Duration.ofSeconds(1)))) {
            IllegalArgumentException refusal =
                    assertThrows(IllegalArgumentException.class, () -> holdfast.once("a", refused));
            assertTrue(String.valueOf(refusal.getMessage()).contains(" for work that is done once: "));
        }
        assertThrows(IllegalArgumentException.class, () -> holdfast.once("a").withKeep(Duration.ZERO));
    }

    @Test
    void run_withMetadata_theRecordHasItToo() throws Exception {
        LockOptions options = LockOptions.defaults().withMetadata(Map.of("build", "17"));
        Once once = patient().once("a", options);
        once.run(lease -> "done");
        Holder by = once.result().orElseThrow().by();
        assertEquals(Map.of("build", "17", "result", "done"), by.metadata());
        assertTrue(by.isRecord() && by.resting());
    }

    @Test
    void runAsync_cancelled_leavesTheQueue() throws Exception {
        Run run = new Run(patient().once("a"));
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<OnceResult> waiting = patient().once("a").runAsync(Wait.forever(), lease -> {
            begun.countDown();
            return CompletableFuture.completedFuture("no");
        });
        awaitWaiting(1);
        waiting.cancel(true);
        awaitWaiting(0);
        run.work.complete("done");
        assertEquals("done", get(run.result));
        assertEquals(1, begun.getCount());
    }
}
