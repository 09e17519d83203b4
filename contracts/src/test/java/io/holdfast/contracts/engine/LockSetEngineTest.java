package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastClosedException;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseSet;
import io.holdfast.LockOptions;
import io.holdfast.LockSet;
import io.holdfast.LockTimeoutException;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerRefusedException;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.contracts.FakeDriver.Call;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several locks as one, message by message: what is asked for when, and what is given back. */
final class LockSetEngineTest extends EngineFixture {
    private static final LockOptions LOCK = LockOptions.defaults().withStrictOrder();
    private static final Wait PATIENT = Wait.upTo(seconds(5));
    private static final List<String> NAMES = List.of("a", "b", "c");

    /** In the order in which they are asked for. */
    private final List<String> order = set(NAMES, LOCK).names();

    private LockSet set(List<String> names, LockOptions options) {
        return holdfast.allOf(
                names.stream().map(name -> holdfast.lock(name, options)).toArray(DistributedLock[]::new));
    }

    private static List<String> all(String command, FakeDriver server) {
        return server.calls(command).stream().map(LockSetEngineTest::name).toList();
    }

    private static String name(Call call) {
        String hold = call.keys().get(0);
        return hold.substring("hf:{".length(), hold.length() - 1);
    }

    /** Grants what is asked for, which has to be of this lock, and is the only thing that is asked for. */
    private Call grant(String name) {
        Call call = server.next("acquire");
        assertEquals(name, name(call));
        assertEquals(List.of(), unanswered("acquire"));
        call.answer(server.granted(100 + server.count("acquire")));
        return call;
    }

    private Call queue(String name) {
        Call call = server.next("acquire");
        assertEquals(name, name(call));
        call.answer(server.queued(1, seconds(20)));
        server.answer("refresh", server::refreshed);
        server.answer("confirm", confirmation -> server.held());
        return call;
    }

    private List<Call> unanswered(String name) {
        return server.open().stream().filter(call -> call.name().equals(name)).toList();
    }

    private LeaseSet obtained(List<String> names, LockOptions options) {
        CompletableFuture<LeaseSet> future = set(names, options).acquireAsync(PATIENT);
        set(names, options).names().forEach(this::grant);
        return leases(future);
    }

    private static LeaseSet leases(CompletableFuture<LeaseSet> future) {
        assertTrue(future.isDone() && !future.isCompletedExceptionally(), "no leases: " + future);
        assertTrue(future.join().isValid());
        return future.join();
    }

    private void answerAllReleases() {
        server.answer("release", call -> server.released("RELEASED"));
    }

    // ---- the order

    @Test
    void names_givenInAnyOrder_haveTheOrderOfSlotsAndKeys() {
        List<String> names =
                new ArrayList<>(IntStream.range(0, 100).mapToObj(i -> "n" + i).toList());
        Random random = new Random(7);
        List<String> first = set(names, LOCK).names();
        for (int i = 0; i < 20; i++) {
            Collections.shuffle(names, random);
            assertEquals(first, set(names, LOCK).names());
        }
        // CLUSTER KEYSLOT of a server says 15495, 3300 and 7365.
        assertEquals(List.of("b", "c", "a"), set(NAMES, LOCK).names());
        // The same slot: the keys decide.
        assertEquals(List.of("k1306", "k8"), set(List.of("k8", "k1306"), LOCK).names());
    }

    @Test
    void acquire_freeLocks_asksForTheNextWhenTheOneBeforeIsHeld() {
        CompletableFuture<LeaseSet> future = set(List.of("c", "a", "b"), LOCK).acquireAsync(PATIENT);
        for (String name : order) {
            assertFalse(future.isDone());
            grant(name);
        }
        LeaseSet leases = leases(future);
        assertEquals(order, all("acquire", server));
        assertEquals(List.copyOf(order), List.copyOf(leases.tokens().keySet()));
        assertEquals(101, leases.token(order.get(0)));
        assertEquals(VALIDITY, leases.remaining());
        answerAllReleases();
        Map<String, ReleaseResult> results = leases.release();
        assertEquals(order, List.copyOf(results.keySet()));
        assertTrue(results.values().stream().allMatch(ReleaseResult.RELEASED::equals));
        assertFalse(leases.isValid());
        assertEquals(ReleaseResult.ALREADY_GONE, leases.release().get("a"));
        assertEquals(3, server.count("release"));
    }

    // ---- giving back

    @Test
    void attempt_laterLockIsTaken_givesBackAndTellsWhenThatIsAnswered() {
        CompletableFuture<Attempt<LeaseSet>> future = set(NAMES, LOCK).attemptAsync(Wait.none());
        grant(order.get(0));
        Call taken = server.next("acquire");
        taken.answer(server.taken(seconds(7)));
        assertEquals(List.of(order.get(0)), all("release", server));
        assertFalse(future.isDone(), "before the releases are answered");
        server.next("release").answer(server.released("RELEASED"));
        Attempt.NotObtained<LeaseSet> notAll = assertNotObtained(Reason.TAKEN, future.join());
        assertEquals(order.get(1), notAll.lockName());
        assertEquals(seconds(7), notAll.contention().remaining());
        assertEquals(2, server.count("acquire"), "the third was not asked for");
    }

    @Test
    void acquire_laterLockIsNotFreeInTime_waitsAsLongAsAllMayAndGivesBack() {
        CompletableFuture<LeaseSet> future = set(NAMES, LOCK).acquireAsync(PATIENT);
        Call first = queue(order.get(0));
        time.advance(seconds(3));
        server.grant(first, 7, CLAIM, Duration.ZERO);
        queue(order.get(1));
        time.advance(millis(1_999));
        assertFalse(future.isDone());
        answerAllReleases();
        time.advance(millis(1));
        CompletionException failure = assertThrows(CompletionException.class, future::join);
        LockTimeoutException timeout = assertInstanceOf(LockTimeoutException.class, failure.getCause());
        assertEquals(order.get(1), timeout.lockName());
        assertTrue(String.valueOf(timeout.getMessage()).contains("wait up to PT5S"), timeout::getMessage);
        assertEquals(
                List.of(order.get(1), order.get(0)), all("release", server), "withdrawn, and what was held given back");
    }

    @Test
    void cancel_whileItWaitsForALaterLock_withdrawsAndGivesBack() {
        CompletableFuture<LeaseSet> future = set(NAMES, LOCK).acquireAsync(PATIENT);
        Call first = grant(order.get(0));
        Call second = grant(order.get(1));
        Call third = queue(order.get(2));
        future.cancel(false);
        assertEquals(
                List.of(third.owner(), first.owner(), second.owner()),
                server.calls("release").stream().map(Call::owner).toList());
    }

    @Test
    void cancel_beforeAnAnswer_givesBackWhatIsGrantedLater() {
        CompletableFuture<LeaseSet> future = set(NAMES, LOCK).acquireAsync(PATIENT);
        Call first = grant(order.get(0));
        Call second = server.next("acquire");
        future.cancel(false);
        answerAllReleases();
        second.answer(server.granted(8));
        Stream<String> released = server.calls("release").stream().map(Call::owner);
        assertEquals(List.of(second.owner(), first.owner(), second.owner()), released.toList());
        assertEquals(2, server.count("acquire"), "nothing is asked for any more");
    }

    /** Completed from outside while the last answer is on its way. */
    @Test
    void complete_fromOutsideBeforeTheLastAnswer_leavesNothingHeld() {
        CompletableFuture<LeaseSet> future = set(List.of("a", "b"), LOCK).acquireAsync(PATIENT);
        server.next("acquire").answer(server.granted(1));
        Call last = server.next("acquire");
        answerAllReleases();
        future.completeExceptionally(new IllegalStateException("of the caller"));
        last.answer(server.granted(2));
        assertTrue(server.calls("release").stream().map(Call::owner).toList().contains(last.owner()));
        assertEquals(0, holdfast.leaseCount());
    }

    @Test
    void attempt_serverRefusesALaterLock_failsAndGivesBack() {
        CompletableFuture<Attempt<LeaseSet>> future = set(NAMES, LOCK).attemptAsync(PATIENT);
        grant(order.get(0));
        answerAllReleases();
        server.next("acquire").reject("WRONGTYPE Operation against a key holding the wrong kind of value");
        CompletionException failure = assertThrows(CompletionException.class, future::join);
        assertInstanceOf(ServerRefusedException.class, failure.getCause());
        assertTrue(all("release", server).contains(order.get(0)));
        assertEquals(0, holdfast.leaseCount());
    }

    @Test
    void attempt_serverOfALaterLockDoesNotAnswer_isUnknownOfThatLockAndGivesBack() {
        CompletableFuture<Attempt<LeaseSet>> future = set(NAMES, LOCK).attemptAsync(Wait.none());
        grant(order.get(0));
        answerAllReleases();
        server.next("acquire").fail();
        Attempt.Unknown<?> unknown = assertInstanceOf(Attempt.Unknown.class, future.join());
        assertEquals(order.get(1), unknown.lockName());
        assertEquals(0, holdfast.leaseCount());
        assertEquals(2, server.count("release"), "the one that is held, and the one that is perhaps");
    }

    @Test
    void close_whileItWaits_failsAsClosed() {
        CompletableFuture<LeaseSet> future = set(NAMES, LOCK).acquireAsync(Wait.forever());
        grant(order.get(0));
        queue(order.get(1));
        answerAllReleases();
        holdfast.close();
        CompletionException failure = assertThrows(CompletionException.class, future::join);
        assertInstanceOf(HoldfastClosedException.class, failure.getCause());
        assertEquals(2, server.count("acquire"));
        assertEquals(List.of(), server.open());
    }

    // ---- a loss while it waits

    @Test
    void loss_whileItWaitsForALaterLock_givesAllBackAndBeginsAnewWithFreshOwners() {
        CompletableFuture<LeaseSet> future = set(NAMES, LOCK).acquireAsync(Wait.upTo(seconds(60)));
        Call first = grant(order.get(0));
        Call second = grant(order.get(1));
        Call third = queue(order.get(2));
        time.runUntil("a renewal", seconds(11), () -> server.count("renew") == 1);
        Call renewal = server.next("renew");
        assertEquals(2, renewal.keys().size(), "those that are held are renewed");
        int before = server.count();
        renewal.answer(server.renewed(0, 1));

        List<Call> since = server.open();
        assertTrue(server.count() > before);
        List<String> owners = since.stream()
                .filter(call -> call.name().equals("release"))
                .map(Call::owner)
                .toList();
        // The lost one, too: a copy of its acquire may be under way.
        assertEquals(List.of(third.owner(), second.owner(), first.owner()), owners);
        Call anew = unanswered("acquire").get(0);
        assertEquals(order.get(0), name(anew), "asked for before the releases are answered");
        assertTrue(since.indexOf(anew) > since.indexOf(unanswered("release").get(1)), "and after they have left");
        assertNotEquals(first.owner(), anew.owner());

        answerAllReleases();
        order.forEach(this::grant);
        LeaseSet leases = leases(future);
        assertEquals(
                6, server.calls("acquire").stream().map(Call::owner).distinct().count());
        assertEquals(104, leases.token(order.get(0)));
        leases.release();
    }

    @Test
    void loss_andARefusalAfterIt_tellsWhenTheReleasesOfBothAreAnswered() {
        CompletableFuture<Attempt<LeaseSet>> future = set(NAMES, LOCK).attemptAsync(Wait.upTo(seconds(60)));
        grant(order.get(0));
        Call second = grant(order.get(1));
        queue(order.get(2));
        time.runUntil("a renewal", seconds(11), () -> server.count("renew") == 1);
        server.next("renew").answer(server.renewed(0, 1));
        unanswered("acquire").get(0).reject("WRONGTYPE Operation against a key holding the wrong kind of value");
        List<Call> releases = unanswered("release");
        Predicate<Call> held = call -> call.owner().equals(second.owner());
        releases.stream().filter(held.negate()).forEach(call -> call.answer(server.released("GONE")));
        assertFalse(future.isDone(), "before the release of what was held is answered");
        releases.stream().filter(held).forEach(call -> call.answer(server.released("RELEASED")));
        Throwable failure = assertThrows(CompletionException.class, future::join);
        assertInstanceOf(ServerRefusedException.class, failure.getCause());
    }

    @Test
    void loss_whileItWaits_countsTheSameWait() {
        CompletableFuture<Attempt<LeaseSet>> future = set(NAMES, LOCK).attemptAsync(Wait.upTo(seconds(15)));
        grant(order.get(0));
        queue(order.get(1));
        answerAllReleases();
        time.runUntil("a renewal", seconds(11), () -> server.count("renew") == 1);
        Duration lost = time.elapsed();
        server.next("renew").answer(server.renewed(0));
        queue(order.get(0));
        time.runUntil("the end", seconds(15), future::isDone);
        assertEquals(seconds(15), time.elapsed());
        assertTrue(lost.compareTo(seconds(9)) > 0);
        assertEquals(
                order.get(0), assertNotObtained(Reason.TIMED_OUT, future.join()).lockName());
    }

    @Test
    void loss_nothingLeftOfTheWait_endsAndNamesTheLostLock() {
        LockOptions brief = LOCK.withLeaseDuration(millis(100)).withRenewal(false);
        CompletableFuture<Attempt<LeaseSet>> future = set(NAMES, brief).attemptAsync(Wait.none());
        grant(order.get(0));
        Call second = server.next("acquire");
        answerAllReleases();
        time.advance(millis(99)); // its renewals are not answered
        Attempt.NotObtained<LeaseSet> notAll = assertNotObtained(Reason.TIMED_OUT, future.join());
        assertEquals(order.get(0), notAll.lockName());
        second.answer(server.granted(9));
        assertEquals(0, holdfast.leaseCount());
        assertEquals(2, server.count("acquire"));
    }

    /** The caller hears of it by the executor; the set does not need that. */
    @Test
    void loss_executorRunsNothing_isActedUponAtOnce() {
        List<Runnable> later = new ArrayList<>();
        Holdfast slow = Holdfast.over(server, OPTIONS.withExecutor(later::add), time.environment(3));
        LockOptions brief = LOCK.withLeaseDuration(seconds(1));
        CompletableFuture<LeaseSet> future =
                slow.allOf(slow.lock("a", brief), slow.lock("b", brief)).acquireAsync(Wait.forever());
        answerAllReleases();
        server.next("acquire").answer(server.granted(1));
        Call second = server.next("acquire");
        second.answer(server.queued(1, seconds(20)));
        time.advance(seconds(1)); // the first has expired
        assertEquals(
                3, server.calls("acquire").stream().map(Call::owner).distinct().count(), "asked for anew");
        server.grant(second, 2, CLAIM, Duration.ZERO);
        assertFalse(future.isDone());
        assertEquals(0, slow.leaseCount(), "the late grant is kept");
        future.cancel(false);
        slow.close();
    }

    // ---- one lease

    @Test
    void renewal_ofACompleteSet_fallsDueTogether() {
        server.answer("renew", server::renewed);
        CompletableFuture<LeaseSet> future = set(NAMES, LOCK).acquireAsync(Wait.forever());
        for (String name : order) {
            Call call = queue(name);
            time.advance(seconds(3));
            server.grant(call, 7, CLAIM, Duration.ZERO);
        }
        LeaseSet leases = leases(future);
        time.advance(millis(99));
        assertEquals(0, server.count("renew"), "a short section costs nothing");
        time.advance(millis(1));
        assertEquals(List.of(3), sizes("renew"));
        time.advance(seconds(30));
        assertEquals(List.of(3, 3, 3, 3), sizes("renew"));
        assertTrue(leases.isValid());
    }

    private List<Integer> sizes(String command) {
        return server.calls(command).stream().map(call -> call.keys().size()).toList();
    }

    @Test
    void renewed_off_isRenewedUntilCompleteThenExtendedThenNot() {
        server.answer("renew", server::renewed);
        CompletableFuture<LeaseSet> future =
                set(List.of("a", "b"), LOCK.withRenewal(false)).acquireAsync(Wait.forever());
        Call first = server.next("acquire");
        first.answer(server.granted(1));
        Call second = server.next("acquire");
        second.answer(server.queued(1, seconds(20)));
        server.answer("refresh", server::refreshed);
        time.advance(Duration.ofMinutes(2));
        assertTrue(server.count("renew") >= 11, "it is held all the while");
        int renewals = server.count("renew");
        server.grant(second, 2, CLAIM, Duration.ZERO);
        // A handoff that is not renewed is confirmed before anybody sees it.
        server.next("acquire").answer(server.granted(2));
        assertFalse(future.isDone());
        List<Call> extensions = unanswered("confirm");
        assertEquals(2, extensions.size());
        assertTrue(extensions.stream().allMatch(call -> call.arg(5).equals("30000")));
        extensions.forEach(call -> call.answer(server.held()));
        LeaseSet leases = leases(future);
        assertEquals(VALIDITY, leases.remaining());
        time.advance(VALIDITY.minusNanos(1));
        assertTrue(leases.isValid());
        time.advance(Duration.ofNanos(1));
        assertFalse(leases.isValid());
        assertEquals(renewals, server.count("renew"));
        assertEquals(
                LossReason.LEASE_LIMIT_REACHED,
                leases.whenLost().toCompletableFuture().join().reason());
    }

    /** What was obtained first has waited for the others: its next renewal is a third of the term after the last. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leastRemaining_waitingForOthersHasUsedItUp_isExtendedBeforeTheSetIsHandedOut(boolean strict) {
        Duration least = Duration.ofSeconds(25);
        LockOptions demanding = (strict ? LOCK : LockOptions.defaults()).withMinRemaining(least);
        CompletableFuture<LeaseSet> future = set(List.of("a", "b"), demanding).acquireAsync(Wait.forever());
        server.next("acquire").answer(server.granted(1));
        Call second = server.next("acquire");
        second.answer(server.queued(1, seconds(20)));
        server.answer("refresh", server::refreshed);
        time.advance(seconds(6));
        server.grant(second, 2, CLAIM, Duration.ZERO);
        server.next("acquire").answer(server.granted(2)); // a claim is too short, too
        assertFalse(future.isDone(), "handed out with too little left");
        server.next("confirm").answer(server.held());
        LeaseSet leases = leases(future);
        assertTrue(leases.remaining().compareTo(least) > 0, leases::toString);
        assertEquals(0, server.count("renew"));
    }

    @Test
    void renewed_offAndTheExtensionIsNotAnswered_isUnknownAndGivesBack() {
        CompletableFuture<Attempt<LeaseSet>> future =
                set(List.of("a", "b"), LOCK.withRenewal(false)).attemptAsync(PATIENT);
        server.next("acquire").answer(server.granted(1));
        server.next("acquire").answer(server.granted(2));
        answerAllReleases();
        server.next("confirm").answer(server.held());
        server.next("confirm").fail();
        assertInstanceOf(Attempt.Unknown.class, future.join());
        assertEquals(0, holdfast.leaseCount());
        assertEquals(2, server.count("release"));
    }

    @Test
    void loss_ofOne_isTheLossOfAllAndTheOthersStayHeld() {
        LeaseSet leases = obtained(NAMES, LOCK);
        time.advance(millis(100));
        server.next("renew").answer(server.renewed(1, 0, 1));
        assertFalse(leases.isValid());
        assertEquals(Duration.ZERO, leases.remaining());
        assertEquals(
                new LeaseSet.Loss(order.get(1), LossReason.NOT_ON_SERVER),
                leases.whenLost().toCompletableFuture().join());
        LeaseLostException failure = assertThrows(LeaseLostException.class, leases::requireValid);
        assertEquals(order.get(1), failure.lockName());
        assertTrue(leases.lease(order.get(0)).isValid());
        server.answer("renew", server::renewed);
        time.advance(Duration.ofMinutes(1));
        assertTrue(leases.lease(order.get(0)).isValid()
                && leases.lease(order.get(2)).isValid());
        answerAllReleases();
        assertEquals(
                Map.of(
                        order.get(0), ReleaseResult.RELEASED,
                        order.get(1), ReleaseResult.ALREADY_GONE,
                        order.get(2), ReleaseResult.RELEASED),
                leases.release());
    }

    @Test
    void release_ofOneAlone_endsTheSetAndIsNoLoss() {
        LeaseSet leases = obtained(NAMES, LOCK);
        answerAllReleases();
        leases.lease("a").release();
        assertFalse(leases.isValid());
        assertNull(assertThrows(LeaseLostException.class, leases::requireValid).reason());
        assertFalse(leases.whenLost().toCompletableFuture().isDone());
        assertEquals(ReleaseResult.ALREADY_GONE, leases.release().get("a"));
    }

    @Test
    void extend_allOrTold() {
        LeaseSet leases = obtained(List.of("a", "b"), LOCK);
        server.answer("confirm", call -> server.held());
        leases.extend(Duration.ofMinutes(5));
        assertEquals(2, server.count("confirm"));
        assertTrue(leases.remaining().compareTo(Duration.ofMinutes(4)) > 0);
        server.answer("confirm", call -> call.keys().get(0).equals("hf:{a}") ? server.gone() : server.held());
        LeaseLostException failure = assertThrows(LeaseLostException.class, () -> leases.extend(Duration.ofMinutes(9)));
        assertEquals("a", failure.lockName());
    }

    @Test
    void forgottenSet_unreachable_isNotRenewedAnyMore() {
        server.answer("renew", server::renewed);
        List<LeaseSet> kept = new ArrayList<>(List.of(obtained(NAMES, LOCK)));
        WeakReference<LeaseSet> dropped = new WeakReference<>(kept.get(0));
        time.advance(seconds(11));
        assertEquals(List.of(3, 3), sizes("renew"));
        kept.clear();
        for (int i = 0; i < 100 && dropped.get() != null; i++) {
            System.gc();
        }
        assertNull(dropped.get(), "the engine keeps the set reachable");
        time.advance(seconds(10));
        assertEquals(List.of(3, 3), sizes("renew"));
        answerAllReleases();
        time.advance(Duration.ofMinutes(1));
        assertEquals(0, holdfast.leaseCount());
        assertEquals(3, server.count("release"), "their ends are taken back");
    }

    @Test
    void call_lossWhileTheWorkIsDone_throwsWithItsResult() {
        answerAllReleases();
        CompletableFuture<String> work = new CompletableFuture<>();
        CompletableFuture<String> result = set(List.of("a", "b"), LOCK).callAsync(leases -> work);
        server.next("acquire").answer(server.granted(1));
        server.next("acquire").answer(server.granted(2));
        time.advance(millis(100));
        server.next("renew").answer(server.renewed(1, 0));
        work.complete("done");
        CompletionException failure = assertThrows(CompletionException.class, result::join);
        LeaseLostException lost = assertInstanceOf(LeaseLostException.class, failure.getCause());
        assertEquals("done", lost.result());
        assertEquals(LossReason.NOT_ON_SERVER, lost.reason());
        assertEquals(0, holdfast.leaseCount());
    }

    @Test
    void call_blocking_releasesInEveryCase() throws Exception {
        server.answer("acquire", call -> server.granted(1));
        answerAllReleases();
        LockSet set = set(NAMES, LOCK.withInterruptBefore(seconds(1)));
        assertEquals("3", set.call(leases -> String.valueOf(leases.tokens().size())));
        assertThrows(
                IllegalStateException.class,
                () -> set.call(leases -> {
                    throw new IllegalStateException("of the work");
                }));
        assertEquals("x", set.tryCall(Wait.none(), leases -> "x").orElseThrow());
        assertEquals(9, server.count("release"));
        assertEquals(0, holdfast.leaseCount());
        try (LeaseSet leases = set.withActor("batch").withWait(PATIENT).acquire()) {
            assertTrue(leases.toString().contains("ms left"), leases::toString);
        }
        assertTrue(set.tryAcquire().isPresent());
    }

    // ---- what is refused

    @Test
    void build_whatMakesNoSet_isRefused() {
        assertRefused("number of locks is 1", () -> holdfast.locks("a"));
        assertRefused("number of locks is 0", () -> holdfast.locks());
        assertRefused(
                "number of locks is 101",
                () -> holdfast.locks(
                        IntStream.range(0, 101).mapToObj(i -> "n" + i).toArray(String[]::new)));
        assertRefused("'a' twice", () -> holdfast.locks("a", "b", "a"));
        assertRefused("'a' twice", () -> holdfast.allOf(holdfast.lock("a"), holdfast.lock("a", LOCK.withPriority(1))));
        Holdfast other = Holdfast.over(server, OPTIONS, time.environment(4));
        assertRefused("'b' of another client", () -> holdfast.allOf(holdfast.lock("a"), other.lock("b")));
        other.close();
        Wait stuck = Wait.untilStuck(seconds(1));
        LockSet set = holdfast.locks("a", "b");
        assertRefused("wait is until stuck", () -> set.withWait(stuck));
        assertRefused("wait is until stuck", () -> set.attemptAsync(stuck));
        assertRefused(
                "waitLimit of DistributedLock[b] is until stuck",
                () -> holdfast.allOf(holdfast.lock("a"), holdfast.lock("b", LOCK.withWaitLimit(stuck))));
        assertEquals(0, server.count("acquire"));
    }

    private static void assertRefused(String words, Runnable call) {
        IllegalArgumentException failure = assertThrows(IllegalArgumentException.class, call::run);
        assertTrue(String.valueOf(failure.getMessage()).contains(words), failure::getMessage);
    }

    @Test
    void lease_unknownName_isRefused() {
        LeaseSet leases = obtained(NAMES, LOCK);
        Lease lease = leases.lease("b");
        assertEquals(lease.token(), leases.token("b"));
        assertThrows(IllegalArgumentException.class, () -> leases.token("d"));
    }
}
