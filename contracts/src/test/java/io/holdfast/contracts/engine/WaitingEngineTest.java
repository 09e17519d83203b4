package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastClosedException;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver.Call;
import io.holdfast.internal.wire.Keys;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Timers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** How a request waits: what it costs, and how it ends. */
final class WaitingEngineTest extends EngineFixture {
    // ---- what waiting costs

    @Test
    void refresh_manyWaiters_isOneCallEveryTwoSecondsAndNothingElse() {
        server.answer("refresh", server::refreshed);
        for (int i = 0; i < 500; i++) {
            waiting("lock-" + i % 40);
        }
        int before = server.count();
        time.advance(Duration.ofMinutes(1));
        assertEquals(30, server.count("refresh"));
        assertEquals(30, server.count() - before);
        assertEquals(40 * 5, server.calls("refresh").get(0).keys().size());
    }

    @Test
    void refresh_moreLocksThanABatch_isOneCallForFifty() {
        server.answer("refresh", server::refreshed);
        for (int i = 0; i < 120; i++) {
            waiting("lock-" + i);
        }
        int before = server.count();
        time.advance(Duration.ofMinutes(1));
        assertEquals(90, server.count() - before);
    }

    @Test
    void whenWanted_ofManyLeases_isOneCallEveryTwoSecondsWhileTheyLast() {
        server.answer("refresh", server::emptyQueue);
        server.answer("renew", server::renewed);
        List<Lease> leases = new ArrayList<>();
        List<CompletableFuture<Void>> wanted = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            leases.add(lease("lock-" + i));
            wanted.add(leases.get(i).whenWanted().toCompletableFuture());
        }
        assertEquals(30, server.count("refresh"), "each is looked for at once");
        time.advance(Duration.ofMinutes(1));
        assertEquals(60, server.count("refresh"));
        server.answer("refresh", server::refreshed);
        time.advance(seconds(2));
        assertTrue(wanted.stream().allMatch(CompletableFuture::isDone));
        int before = server.count("refresh");
        CompletableFuture<Void> another = leases.get(0).whenWanted().toCompletableFuture();
        assertTrue(another.isDone());
        time.advance(Duration.ofMinutes(1));
        assertEquals(before + 1, server.count("refresh"), "a lease that was told asks no more");
    }

    @Test
    void whenWanted_leaseIsReleased_isNeverTold() {
        server.answer("refresh", server::emptyQueue);
        server.answer("release", call -> server.released("RELEASED"));
        Lease lease = lease("a");
        CompletableFuture<Void> wanted = lease.whenWanted().toCompletableFuture();
        lease.release();
        server.answer("refresh", server::refreshed);
        int before = server.count("refresh");
        time.advance(Duration.ofMinutes(1));
        assertFalse(wanted.isDone());
        assertEquals(before, server.count("refresh"));
    }

    @Test
    void refresh_nobodyWaitsAnyMore_ends() {
        server.answer("refresh", server::refreshed);
        server.answer("release", call -> server.released("WITHDRAWN"));
        Waiting waiting = waiting("a");
        time.advance(seconds(7));
        assertEquals(3, server.count("refresh"));
        waiting.future.cancel(false);
        time.advance(Duration.ofMinutes(1));
        assertEquals(3, server.count("refresh"));
    }

    @Test
    void refresh_serverHasForgottenTheWaiters_asksAgainForEachWithItsOwner() {
        Waiting first = waiting("a");
        Waiting second = waiting("a");
        time.runUntil("the refresh", seconds(3), () -> server.count("refresh") == 1);
        Call refresh = server.next("refresh");
        assertEquals("2", refresh.arg(4));
        assertEquals(first.acquire.owner(), refresh.arg(5));
        refresh.answer(server.unknownWaiters(refresh));
        assertEquals(first.acquire.owner(), server.next("acquire").owner());
        assertEquals(second.acquire.owner(), server.next("acquire").owner());
    }

    @Test
    void refresh_serverHasForgottenThousands_asksAHundredAtATimeAndForEachOnce() {
        for (int i = 0; i < 1_000; i++) {
            waiting("a");
        }
        int before = server.count("acquire");
        time.runUntil("the refresh", seconds(3), () -> server.count("refresh") == 1);
        Call refresh = server.next("refresh");
        refresh.answer(server.unknownWaiters(refresh));
        assertEquals(100, server.count("acquire") - before);
        server.next("acquire").answer(server.queued(1, seconds(20)));
        assertEquals(101, server.count("acquire") - before, "an answer makes room for one");
        server.answer("acquire", call -> server.queued(1, seconds(20)));
        assertEquals(1_000, server.count("acquire") - before);
        assertEquals(
                1_000,
                server.calls("acquire").stream()
                        .skip(before)
                        .map(Call::owner)
                        .distinct()
                        .count());
    }

    @Test
    void refresh_saysAgainThatTheServerHasForgotten_asksOnceMoreForNobodyWhoseTurnHasNotCome() {
        for (int i = 0; i < 1_000; i++) {
            waiting("a");
        }
        int before = server.count("acquire");
        server.messages(false);
        server.messages(true); // a refresh at once
        server.messages(false);
        server.messages(true);
        for (int i = 0; i < 2; i++) {
            Call refresh = server.next("refresh");
            refresh.answer(server.unknownWaiters(refresh));
        }
        server.answer("acquire", call -> server.queued(1, seconds(20)));
        assertEquals(1_000, server.count("acquire") - before);
    }

    @Test
    void acquire_thousandsUnanswered_areRepeatedAHundredAtATime() {
        for (int i = 0; i < 1_000; i++) {
            holdfast.lock("a", STRICT).acquireAsync();
        }
        assertEquals(1_000, server.count("acquire"));
        server.disconnect();
        server.restore();
        time.advance(millis(60));
        assertEquals(1_100, server.count("acquire"));
        server.answer("acquire", call -> server.queued(1, seconds(20)));
        assertEquals(2_000, server.count("acquire"));
    }

    /** The names of the locks of one call, in its order. */
    private static List<String> locksOf(Call refresh) {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < refresh.keys().size(); i += 5) {
            names.add(Objects.requireNonNull(Keys.ofHold("hf", refresh.keys().get(i)))
                    .name());
        }
        return names;
    }

    @Test
    void refresh_oneLockMakesTheServerRefuse_servesTheOthersAndIsToldOnce() throws Exception {
        for (String name : List.of("a", "bad", "c")) {
            waiting(name);
        }
        try (LoggedMessages logged = new LoggedMessages()) {
            time.runUntil("the refresh", seconds(3), () -> server.count("refresh") == 1);
            server.next("refresh").reject("ERR a value of the lock is none");
            for (int i = 0; i < 3; i++) {
                Call alone = server.next("refresh");
                if (locksOf(alone).equals(List.of("bad"))) {
                    alone.reject("ERR a value of the lock is none");
                } else {
                    alone.answer(server.refreshed(alone));
                }
            }
            Call again = server.next("acquire");
            assertEquals("hf:{bad}", again.keys().get(0));
            again.answer(server.queued(1, seconds(20)));
            for (int i = 0; i < 5; i++) {
                int before = server.count("refresh");
                time.runUntil("the next refresh", seconds(3), () -> server.count("refresh") == before + 2);
                Call alone = server.next("refresh");
                Call together = server.next("refresh");
                assertEquals(List.of("bad"), locksOf(alone));
                assertEquals(
                        List.of("a", "c"), locksOf(together).stream().sorted().toList());
                together.answer(server.refreshed(together));
                alone.reject("ERR a value of the lock is none");
                server.next("acquire").answer(server.queued(1, seconds(20)));
            }
            assertEquals(
                    List.of("WARNING the server refuses to refresh the waiters of lock 'bad': "
                            + "ERR a value of the lock is none"),
                    logged.messages());
            int before = server.count("refresh");
            time.runUntil("the next refresh", seconds(3), () -> server.count("refresh") == before + 2);
            Call alone = server.next("refresh");
            alone.answer(server.refreshed(alone));
            Call together = server.next("refresh");
            together.answer(server.refreshed(together));
            time.runUntil("the next refresh", seconds(3), () -> server.count("refresh") == before + 3);
            assertEquals(3, locksOf(server.next("refresh")).size(), "all is well again");
        }
    }

    @Test
    void refresh_holdAboutToEnd_isFollowedByACheckWhenItShouldHaveEnded() {
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        server.next("acquire").answer(server.queued(1, millis(500)));
        time.runUntil("the check", seconds(1), () -> server.count("refresh") == 1);
        assertEquals(millis(501), server.next("refresh").sent());
        assertFalse(future.isDone());
    }

    @Test
    void probe_ofASuspectClient_isAnsweredAtOnceWithARefresh() {
        Waiting waiting = waiting("a");
        server.message("P 12345 " + waiting.acquire.keys().get(0));
        Call refresh = server.next("refresh");
        assertEquals("12345", refresh.arg(3));
        assertEquals(waiting.acquire.owner(), refresh.arg(5));
    }

    /** The claim is armed anew when the server hears of the client that it went to. */
    @Test
    void release_handedOffAndTheClaimLastsLongerThanItSaid_isLookedAtAgainButNotForEver() {
        lease("a").releaseAsync();
        server.next("release").answer(server.handedOff(millis(100)));
        server.answer("refresh", call -> server.refreshed(call, millis(30)));
        time.advance(millis(99));
        assertEquals(0, server.count("refresh"), "its claim is not over");
        time.advance(millis(5)); // the drift of a clock
        assertEquals(1, server.count("refresh"));
        time.advance(millis(34));
        assertEquals(2, server.count("refresh"));
        time.advance(Duration.ofMinutes(1));
        assertEquals(4, server.count("refresh"));
    }

    /** A look can be quicker on its way than the call that told the moment. */
    @Test
    void release_looksComeJustTooEarly_countAsOne() {
        lease("a").releaseAsync();
        server.next("release").answer(server.handedOff(millis(100)));
        Deque<Duration> left = new ArrayDeque<>(List.of(millis(30), millis(2), millis(1), millis(1), millis(1)));
        server.answer(
                "refresh",
                call -> left.isEmpty() ? server.refreshed(call) : server.refreshed(call, left.removeFirst()));
        time.advance(Duration.ofMinutes(1));
        assertEquals(6, server.count("refresh"), "the last one finds it free");
    }

    @Test
    void release_handedOffAndTakenUp_isLookedAtOnce() {
        server.answer("refresh", server::refreshed);
        lease("a").releaseAsync();
        server.next("release").answer(server.handedOff(millis(100)));
        time.advance(Duration.ofMinutes(1));
        assertEquals(1, server.count("refresh"));
    }

    // ---- ends of waiting

    @Test
    void wait_lockMadeLongBefore_countsFromTheCall() {
        DistributedLock lock = holdfast.lock("a");
        time.advance(Duration.ofHours(1));
        CompletableFuture<Lease> future = lock.acquireAsync(Wait.upTo(seconds(1)));
        time.advance(millis(999));
        server.next("acquire").answer(server.granted(7));
        obtained(future);
    }

    @Test
    void acquire_notFreeInTime_timesOutWithTheHolderAndIsWithdrawn() {
        Waiting waiting = new Waiting("a", LockOptions.defaults(), Wait.upTo(seconds(1)));
        time.advance(seconds(1));
        Call withdrawal = server.next("release");
        assertEquals(waiting.acquire.owner(), withdrawal.owner());
        assertEquals("0", withdrawal.tombstone(), "every copy was answered: no tombstone");
        withdrawal.answer(server.released("WITHDRAWN"));
        LockTimeoutException timeout = assertInstanceOf(LockTimeoutException.class, failure(waiting.future));
        assertEquals("somebody.0-1", timeout.contention().holder().orElseThrow().owner());
    }

    @Test
    void acquire_serverSilentUntilTheEnd_isUnknownAndNotATimeout() {
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync(Wait.upTo(seconds(1)));
        time.advance(seconds(1));
        Call withdrawal = server.next("release");
        assertEquals("120000", withdrawal.tombstone(), "a copy may be under way: with a tombstone");
        withdrawal.fail();
        assertInstanceOf(ServerUnreachableException.class, failure(future));
    }

    @Test
    void acquire_messagesDoNotFlow_asksWithoutQueueingAndQueuesWhenTheyDo() {
        server.messages(false);
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        Call acquire = server.next("acquire");
        assertTrue(acquire.arg(7).startsWith("0 "));
        acquire.answer(server.taken(seconds(20)));
        assertFalse(future.isDone());
        assertEquals(List.of(), server.open());
        server.messages(true);
        Call again = server.next("acquire");
        assertTrue(again.arg(7).startsWith("1 "));
        assertEquals(acquire.owner(), again.owner());
    }

    @Test
    void acquire_serverBusyLoading_isRepeated() {
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        server.next("acquire").reject("LOADING Redis is loading the dataset in memory");
        assertFalse(future.isDone());
        time.advance(millis(50));
        server.next("acquire").answer(server.granted(7));
        assertEquals(VALIDITY, obtained(future).remaining());
    }

    @Test
    void acquire_serverRefuses_failsAtOnce() {
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync();
        server.next("acquire").reject("OOM command not allowed when used memory > 'maxmemory'.");
        assertInstanceOf(ServerRefusedException.class, failure(future));
    }

    @Test
    void acquire_arrivesWithTooLittleLeft_isArmedAnew() {
        LockOptions options =
                LockOptions.defaults().withLeaseDuration(seconds(3)).withMinRemaining(millis(2_600));
        CompletableFuture<Lease> future = holdfast.lock("a", options).acquireAsync();
        time.advance(millis(500));
        server.next("acquire").answer(server.granted(7));
        assertFalse(future.isDone());
        server.next("acquire").answer(server.granted(7));
        assertEquals(millis(3_000 - 30 - 2), obtained(future).remaining());
    }

    @Test
    void wait_over_isTimedOutOnlyWhenTheServerHasAcknowledgedTheWithdrawal() {
        Waiting waiting = new Waiting("a", LockOptions.defaults(), Wait.upTo(millis(500)));
        time.advance(millis(500));
        Call withdrawal = server.next("release");
        assertEquals(waiting.acquire.owner(), withdrawal.owner());
        time.advance(millis(1_500));
        assertFalse(waiting.future.isDone(), "the request may still be in the queue");
        withdrawal.answer(server.released("WITHDRAWN"));
        assertInstanceOf(LockTimeoutException.class, failure(waiting.future));
    }

    @Test
    void wait_overAndTheWithdrawalUnanswered_isUnknownAfterTheCommandTimeout() {
        Waiting waiting = new Waiting("a", LockOptions.defaults(), Wait.upTo(millis(500)));
        time.advance(millis(500));
        server.next("release");
        time.runUntil("the answer", OPTIONS.commandTimeout().multipliedBy(2), waiting.future::isDone);
        assertInstanceOf(ServerUnreachableException.class, failure(waiting.future));
        // The withdrawal goes on all the same.
        time.runUntil("the next attempt", seconds(1), () -> server.count("release") == 2);
    }

    @Test
    void wait_overWhileTheConnectionIsDown_isUnknownAtOnce() {
        Waiting waiting = new Waiting("a", LockOptions.defaults(), Wait.upTo(millis(500)));
        server.disconnect();
        time.advance(millis(500));
        assertInstanceOf(ServerUnreachableException.class, failure(waiting.future));
    }

    @Test
    void connection_answersNothingForThreeCommandTimeouts_isGivenUp() {
        Waiting waiting = waiting("a");
        Duration since = time.elapsed();
        time.runUntil("the refresh", seconds(3), () -> server.count("refresh") == 1);
        Duration asked = time.elapsed();
        time.runUntil("the connection is given up", seconds(60), () -> server.reconnects() == 1);
        Duration silent = time.elapsed().minus(asked);
        Duration limit = OPTIONS.commandTimeout().multipliedBy(3);
        assertTrue(silent.compareTo(limit) >= 0, "given up after " + silent + ", begun at " + since);
        assertTrue(silent.compareTo(limit.plus(OPTIONS.commandTimeout())) <= 0, "given up only after " + silent);
        // The next silence is counted anew.
        time.advance(limit.minusMillis(1));
        assertEquals(1, server.reconnects());
        assertFalse(waiting.future.isDone());
    }

    @Test
    void connection_answersNowAndThen_isKept() {
        Waiting waiting = waiting("a");
        for (int i = 0; i < 20; i++) {
            // Of what is asked within five seconds, one is answered, and be it with an error.
            time.advance(seconds(5));
            List<Call> open = server.open();
            open.get(open.size() - 1).reject("BUSY Redis is busy running a script");
        }
        assertEquals(0, server.reconnects());
        assertFalse(waiting.future.isDone());
    }

    @Test
    void connection_nothingAsked_isKept() {
        server.answer("release", call -> server.released("RELEASED"));
        lease("a", LockOptions.defaults().withRenewal(false)).release();
        time.advance(Duration.ofHours(1));
        assertEquals(0, server.reconnects());
    }

    @Test
    void close_withWaiters_failsThemAndWithdrawsThem() {
        Waiting waiting = waiting("a");
        List<String> owners = new ArrayList<>();
        server.answer("release", call -> {
            owners.add(call.owner());
            return server.released("WITHDRAWN");
        });
        holdfast.close();
        assertInstanceOf(HoldfastClosedException.class, failure(waiting.future));
        assertEquals(List.of(waiting.acquire.owner()), owners);
    }

    private static Throwable failure(CompletableFuture<?> future) {
        assertTrue(future.isCompletedExceptionally(), "not failed: " + future);
        try {
            future.join();
            throw new AssertionError("completed exceptionally, and yet not");
        } catch (CompletionException e) {
            return Objects.requireNonNull(e.getCause());
        }
    }

    @Test
    void wait_overWhereLeasesShareAHoldAndTheQuestionFails_isUnknownHoweverFastTheTimersAre() {
        // A task without a delay runs at once, as on a thread of its own that is faster than the driver's.
        Timers timers = time.timers();
        Environment hasty = new Environment(
                time,
                () -> new Timers() {
                    @Override
                    public Runnable schedule(long delayNanos, Runnable run) {
                        if (delayNanos == 0) {
                            run.run();
                            return () -> {};
                        }
                        return timers.schedule(delayNanos, run);
                    }

                    @Override
                    public void close() {
                        timers.close();
                    }
                },
                time.environment(2).entropy());
        server.answer("refresh", server::refreshed);
        try (Holdfast client = Holdfast.over(server, OPTIONS, hasty)) {
            client.lock("a").attemptAsync(Wait.forever()); // for which the line goes on asking
            server.next("acquire").answer(server.queued(1, seconds(20)));
            CompletableFuture<Attempt<Lease>> waiting = client.lock("a").attemptAsync(Wait.upTo(seconds(1)));
            time.runUntil("it asks again", seconds(2), () -> server.count("acquire") == 2);
            server.next("acquire").fail();
            assertInstanceOf(Attempt.Unknown.class, waiting.join());
            server.answer("release", call -> server.released("GONE"));
        }
    }

    /** Whoever has its place by now may be where the server's name leads to: nothing is found out on the same connection. */
    @Test
    void acquire_serverHasBecomeAReplica_isConnectedToAnewFromTimeToTime() {
        time.advance(seconds(3));
        CompletableFuture<Lease> future = holdfast.lock("a", STRICT).acquireAsync(Wait.forever());
        for (int tries = 1; tries <= 3; tries++) {
            int count = tries;
            time.runUntil("a try", seconds(2), () -> server.count("acquire") == count);
            server.next("acquire").reject("READONLY You can't write against a read only replica.");
            assertEquals(1, server.reconnects(), "once for those that come together");
        }
        time.advance(seconds(2));
        server.next("acquire").reject("READONLY You can't write against a read only replica.");
        time.runUntil("a try", seconds(2), () -> server.count("acquire") == 5);
        server.next("acquire").reject("READONLY You can't write against a read only replica.");
        assertEquals(2, server.reconnects());
        assertFalse(future.isDone());
    }
}
