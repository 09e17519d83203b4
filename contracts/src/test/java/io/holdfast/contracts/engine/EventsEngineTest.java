package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockEvent.Asked;
import io.holdfast.LockEvent.Extended;
import io.holdfast.LockEvent.Lost;
import io.holdfast.LockEvent.NotObtained;
import io.holdfast.LockEvent.Obtained;
import io.holdfast.LockEvent.Queued;
import io.holdfast.LockEvent.Released;
import io.holdfast.LockEvent.RenewalFailed;
import io.holdfast.LockEvent.Renewed;
import io.holdfast.LockEvent.Requeued;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.contracts.FakeDriver.Call;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** What listeners and the log are told, in virtual time. */
final class EventsEngineTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final String DATA = "caller's data";
    private static final LockOptions WITH_DATA = LockOptions.defaults().withEventData(DATA);

    private final VirtualTime time = new VirtualTime();
    private final FakeDriver server = new FakeDriver(time);
    private final List<LockEvent> events = Collections.synchronizedList(new ArrayList<>());

    private Holdfast client(HoldfastOptions options) {
        return Holdfast.over(
                server,
                options.withExecutor(Runnable::run).withCloseTimeout(Duration.ofMillis(50)),
                time.environment(1));
    }

    private Holdfast listening() {
        return client(HoldfastOptions.defaults().withListener(events::add));
    }

    private List<String> kinds() {
        return events.stream().map(event -> event.getClass().getSimpleName()).toList();
    }

    private <T extends LockEvent> T last(Class<T> kind) {
        return assertInstanceOf(kind, events.get(events.size() - 1));
    }

    // ---- the life of a request

    @Test
    void queuedRequest_fromTheCallToTheRelease_tellsEachStepOnceInOrder() {
        Holdfast holdfast = listening();
        CompletableFuture<Lease> future =
                holdfast.lock("a", WITH_DATA).withActor("order-1").acquireAsync(Wait.forever());
        Call acquire = server.next("acquire");
        acquire.answer(server.queued(3, Duration.ofSeconds(20)));
        time.advance(SECOND);
        server.grant(acquire, 7, SECOND, Duration.ZERO);
        Lease lease = future.join();
        server.answer("confirm", call -> server.held());
        server.answer("renew", server::renewed);
        time.advance(Duration.ofSeconds(11));
        lease.extend(Duration.ofSeconds(40));
        server.answer("release", call -> server.released("RELEASED"));
        lease.release();
        assertEquals(List.of("Asked", "Queued", "Obtained", "Renewed", "Extended", "Released"), kinds());
        for (LockEvent event : events) {
            assertEquals("a", event.lockName());
            assertEquals("hf:{a}", event.subject().key());
            assertEquals(lease.owner(), event.subject().owner());
            assertEquals("order-1", event.subject().actor());
            assertSame(DATA, event.data(), () -> event + " has lost the caller's data");
        }
        assertEquals(1, ((Asked) events.get(0)).attempt());
        Queued queued = (Queued) events.get(1);
        assertEquals(3, queued.position());
        Obtained obtained = (Obtained) events.get(2);
        assertEquals(7, obtained.token());
        assertEquals(Duration.ofSeconds(30), obtained.leaseDuration());
        assertEquals(SECOND, obtained.waited());
        assertEquals(1, obtained.attempts());
        assertEquals(3, obtained.initialPosition());
        assertFalse(obtained.reentered());
        assertTrue(((Renewed) events.get(3)).remaining().toSeconds() >= 29);
        assertTrue(((Extended) events.get(4)).remaining().toSeconds() >= 39);
        Released released = (Released) events.get(5);
        assertEquals(Duration.ofSeconds(11), released.held());
        assertEquals(ReleaseResult.RELEASED, released.result());
        assertEquals(7, released.token());
        events.forEach(event -> assertEquals("", event.group()));
    }

    @Test
    void requestOfAGroup_allEventsNameIt() {
        Holdfast holdfast = listening();
        var future = holdfast.lock("a", WITH_DATA.withGroup("tenant 7")).acquireAsync(Wait.forever());
        server.next("acquire").answer(server.granted(7));
        server.answer("release", call -> server.released("RELEASED"));
        future.join().release();
        assertEquals(List.of("Asked", "Obtained", "Released"), kinds());
        events.forEach(event -> assertEquals("tenant 7", event.group()));
    }

    @Test
    void lostLease_renewalFailing_tellsEachFailureAndTheLossOnce() {
        Holdfast holdfast = listening();
        CompletableFuture<Lease> future = holdfast.lock("a").acquireAsync(Wait.none());
        server.next("acquire").answer(server.granted(7));
        Lease lease = future.join();
        time.runUntil("the loss", Duration.ofMinutes(1), () -> !lease.isValid());
        assertEquals(1, events.stream().filter(Lost.class::isInstance).count());
        List<LockEvent> failures =
                events.stream().filter(RenewalFailed.class::isInstance).toList();
        assertTrue(failures.size() >= 2, failures::toString);
        assertTrue(((RenewalFailed) failures.get(0)).why().contains("did not answer"));
        Lost lost = last(Lost.class);
        assertEquals(LossReason.EXPIRED, lost.reason());
        assertEquals(EngineFixture.VALIDITY, lost.held());
    }

    @Test
    void requeued_serverHasLostSight_isToldForEachRequest() {
        Holdfast holdfast = listening();
        for (int i = 0; i < 2; i++) {
            var unused = holdfast.lock("a", EngineFixture.STRICT).acquireAsync(Wait.forever());
            server.next("acquire").answer(server.queued(i + 1, Duration.ofSeconds(20)));
        }
        events.clear();
        time.runUntil("the refresh", Duration.ofSeconds(3), () -> server.count("refresh") == 1);
        Call refresh = server.next("refresh");
        refresh.answer(server.unknownWaiters(refresh));
        assertEquals(2, events.stream().filter(Requeued.class::isInstance).count());
        assertEquals(2, events.stream().filter(Asked.class::isInstance).count());
        assertEquals(2, ((Asked) events.get(events.size() - 1)).attempt());
    }

    @Test
    void requeued_oneCameSinceAndOneLeft_isToldForNeither() {
        Holdfast holdfast = listening();
        DistributedLock lock = holdfast.lock("a", EngineFixture.STRICT);
        List<Call> asked = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            if (i == 2) {
                time.runUntil("the refresh", Duration.ofSeconds(3), () -> server.count("refresh") == 1);
            }
            var unused = lock.acquireAsync(Wait.forever());
            asked.add(server.next("acquire"));
            asked.get(i).answer(server.queued(i + 1, Duration.ofSeconds(20)));
        }
        events.clear();
        server.grant(asked.get(0), 7, Duration.ofSeconds(10), Duration.ZERO);
        Call refresh = server.next("refresh");
        refresh.answer(server.unknownWaiters(refresh));
        Call again = server.next("refresh"); // the server may have missed only the one that it had granted the lock
        assertEquals(0, events.stream().filter(Requeued.class::isInstance).count());
        again.answer(server.unknownWaiters(again));
        assertEquals(2, events.stream().filter(Requeued.class::isInstance).count());
    }

    @Test
    void requeued_cameWhileTheRefreshWasUnderWay_isNotTold() {
        Holdfast holdfast = listening();
        DistributedLock lock = holdfast.lock("a", EngineFixture.STRICT);
        for (int i = 0; i < 2; i++) {
            if (i == 1) {
                time.runUntil("the refresh", Duration.ofSeconds(3), () -> server.count("refresh") == 1);
            }
            var unused = lock.acquireAsync(Wait.forever());
            server.next("acquire").answer(server.queued(i + 1, Duration.ofSeconds(20)));
        }
        events.clear();
        Call refresh = server.next("refresh");
        refresh.answer(server.unknownWaiters(refresh));
        assertEquals(1, events.stream().filter(Requeued.class::isInstance).count());
    }

    @Test
    void notObtained_eachReason_isTold() {
        Holdfast holdfast = listening();
        DistributedLock lock = holdfast.lock("a", WITH_DATA);
        Map<Reason, NotObtained> told = new HashMap<>();
        server.answer("release", call -> server.released("WITHDRAWN"));

        var unused1 = lock.attemptAsync(Wait.none());
        server.next("acquire").answer(server.taken(Duration.ofSeconds(20)));
        note(told);

        var unused2 = lock.attemptAsync(Wait.upTo(SECOND));
        server.next("acquire").answer(server.queued(1, Duration.ofSeconds(20)));
        time.advance(SECOND);
        note(told);

        var unused3 = lock.attemptAsync(Wait.none());
        server.next("acquire").fail();
        note(told);

        var unused4 = lock.attemptAsync(Wait.none());
        server.next("acquire").reject("OOM command not allowed");
        note(told);

        CompletableFuture<Attempt<Lease>> cancelled = lock.attemptAsync(Wait.forever());
        server.next("acquire").answer(server.queued(1, Duration.ofSeconds(20)));
        cancelled.cancel(true);
        note(told);

        var unused5 = lock.attemptAsync(Wait.forever());
        Call evicted = server.next("acquire");
        evicted.answer(server.queued(1, Duration.ofSeconds(20)));
        server.message("E " + evicted.publicOwner() + " hf:{a}");
        note(told);

        var unused6 = lock.attemptAsync(Wait.none());
        server.next("acquire").answer(server.granted(7));
        var unused7 = lock.with(WITH_DATA.withReentrancy(LockOptions.Reentrancy.REFUSE))
                .attemptAsync(Wait.none());
        note(told);

        var unused8 = holdfast.lock("b", WITH_DATA).attemptAsync(Wait.forever());
        server.next("acquire").answer(server.queued(1, Duration.ofSeconds(20)));
        holdfast.close();
        events.removeIf(event -> !(event instanceof NotObtained));
        note(told);

        Set<Reason> expected = new TreeSet<>(List.of(Reason.values()));
        // Shown against real servers.
        expected.removeAll(Set.of(
                Reason.QUEUE_FULL,
                Reason.TRIES_EXHAUSTED,
                Reason.UPGRADE,
                Reason.TOO_FEW_REPLICAS,
                Reason.QUARANTINE,
                Reason.DONE,
                Reason.GIVEN_UP));
        expected.remove(Reason.DEADLOCK); // takes two clients: DeadlockEngineTest
        assertEquals(expected, new TreeSet<>(told.keySet()));
        assertEquals(
                "somebody.0-1",
                Objects.requireNonNull(told.get(Reason.TAKEN))
                        .contention()
                        .holder()
                        .orElseThrow()
                        .owner());
        assertEquals(SECOND, Objects.requireNonNull(told.get(Reason.TIMED_OUT)).waited());
        told.values().forEach(event -> assertSame(DATA, event.data()));
    }

    private void note(Map<Reason, NotObtained> told) {
        NotObtained event = last(NotObtained.class);
        assertEquals(null, told.put(event.reason(), event), () -> event + " comes a second time");
    }

    @Test
    void reentered_ownHold_isToldAsSuch() {
        Holdfast holdfast = listening();
        DistributedLock lock = holdfast.lock("a", WITH_DATA.withReentrancy(LockOptions.Reentrancy.REENTER));
        CompletableFuture<Lease> outer = lock.acquireAsync(Wait.none());
        server.next("acquire").answer(server.granted(7));
        Lease inner = lock.acquireAsync(Wait.none()).join();
        assertTrue(last(Obtained.class).reentered());
        assertEquals(7, last(Obtained.class).token());
        int before = events.size();
        inner.release();
        assertEquals(before, events.size(), "the lock is still held: nothing was released");
        assertTrue(outer.join().isValid());
    }

    // ---- who is told

    @Test
    void listenerOfACall_besidesThoseOfTheClient_hearsThatCallOnly() {
        List<LockEvent> own = new ArrayList<>();
        Holdfast holdfast = listening();
        var unused1 = holdfast.lock("a", LockOptions.defaults().withListener(own::add))
                .acquireAsync(Wait.none());
        server.next("acquire").answer(server.granted(7));
        var unused2 = holdfast.lock("b").acquireAsync(Wait.none());
        server.next("acquire").answer(server.granted(8));
        assertEquals(List.of("a", "a"), own.stream().map(LockEvent::lockName).toList());
        assertEquals(
                List.of("a", "a", "b", "b"),
                events.stream().map(LockEvent::lockName).toList());
    }

    @Test
    void sampling_none_tellsNothingAndHalf_tellsAboutHalfOfTheRequestsAndAllOfEach() {
        Holdfast none =
                client(HoldfastOptions.defaults().withListener(events::add).withEventSampling(0));
        use(none, 2_000);
        assertEquals(List.of(), events);
        Holdfast half =
                client(HoldfastOptions.defaults().withListener(events::add).withEventSampling(0.5));
        use(half, 2_000);
        Map<String, List<String>> byOwner = new HashMap<>();
        for (LockEvent event : events) {
            byOwner.computeIfAbsent(event.subject().owner(), owner -> new ArrayList<>())
                    .add(event.getClass().getSimpleName());
        }
        // Fewer than 880 or more than 1,120 of 2,000 would be five standard deviations off.
        assertTrue(byOwner.size() > 880 && byOwner.size() < 1_120, () -> byOwner.size() + " of 2000");
        byOwner.values().forEach(kinds -> assertEquals(List.of("Asked", "Obtained", "Released"), kinds));
    }

    @Test
    void sampling_listenerOfItsOwn_hearsEverythingThoughTheClientsHearNothing() {
        List<LockEvent> own = Collections.synchronizedList(new ArrayList<>());
        Holdfast holdfast =
                client(HoldfastOptions.defaults().withListener(events::add).withEventSampling(0));
        server.answer("acquire", call -> server.granted(7));
        server.answer("release", call -> server.released("RELEASED"));
        DistributedLock lock = holdfast.lock("a", LockOptions.defaults().withListener(own::add));
        lock.acquireAsync(Wait.none()).join().release();
        assertEquals(
                List.of("Asked", "Obtained", "Released"),
                own.stream().map(event -> event.getClass().getSimpleName()).toList());
        assertEquals(List.of(), events);
    }

    @Test
    void released_ofAnyLease_saysHowLongItTookAndWasHeldAndItsTerm() {
        Holdfast holdfast = listening();
        LockOptions options = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(20));
        server.answer("release", call -> server.released("RELEASED"));
        for (LockOptions each : List.of(options, options.withLocalHandoffs(3, Duration.ofSeconds(1)))) {
            CompletableFuture<Lease> asked = holdfast.lock("a", each).acquireAsync(Wait.none());
            time.advance(Duration.ofMillis(30));
            server.next("acquire").answer(server.granted(7));
            time.advance(SECOND);
            asked.join().release();
            Released released = last(Released.class);
            assertEquals(Duration.ofSeconds(20), released.leaseDuration());
            assertEquals(Duration.ofMillis(30), released.waited());
            assertEquals(SECOND, released.held());
            assertEquals(ReleaseResult.RELEASED, released.result());
        }
    }

    /** In the line of its client it is told as in the server's queue, and by the owner who stands there for the line. */
    @Test
    void turn_requestsInLine_areToldAsQueuedObtainedAndTimedOutEach() {
        Holdfast holdfast = listening();
        server.answer("release", call -> server.released("RELEASED"));
        CompletableFuture<Lease> first = holdfast.lock("a").withActor("one").acquireAsync(Wait.forever());
        Call acquire = server.next("acquire");
        CompletableFuture<Lease> second = holdfast.lock("a").withActor("two").acquireAsync(Wait.forever());
        acquire.answer(server.grantedToKeep(7));
        var late = holdfast.lock("a").withActor("three").attemptAsync(Wait.upTo(Duration.ofMillis(50)));
        time.advance(Duration.ofMillis(50));
        first.join().release();
        second.join().extendAsync(Duration.ofSeconds(20));
        server.next("confirm").answer(server.held());
        second.join().release();
        assertEquals(
                List.of(
                        "one Asked",
                        "two Queued",
                        "one Obtained",
                        "three Queued",
                        "three NotObtained",
                        "one Released",
                        "two Obtained",
                        "two Extended",
                        "two Released"),
                events.stream()
                        .map(event ->
                                event.subject().actor() + " " + event.getClass().getSimpleName())
                        .toList());
        events.forEach(
                event -> assertEquals(acquire.publicOwner(), event.subject().owner(), event::toString));
        LockEvent.Queued queued = assertInstanceOf(LockEvent.Queued.class, events.get(1));
        assertEquals(List.of(2, 2), List.of(queued.position(), queued.waiters()));
        assertEquals(2, second.join().initialPosition());
        assertEquals(Reason.TIMED_OUT, ((NotObtained) events.get(4)).reason());
        assertNotObtained(Reason.TIMED_OUT, late.join());
    }

    @Test
    void outlived_lifeInTheQueueIsOver_isAskedForAndToldWithTheNewPlace() {
        Holdfast holdfast = listening();
        LockOptions options =
                LockOptions.defaults().withRequestLife(Duration.ofSeconds(3), LockOptions.RequestEnd.TO_TAIL);
        var unused = holdfast.lock("a", options).acquireAsync(Wait.forever());
        server.next("acquire").answer(server.queued(1, Duration.ofSeconds(20)));
        server.answer("refresh", server::refreshed);
        time.advance(Duration.ofMillis(3_031));
        assertEquals(1, server.count("acquire"), "it is over for the server, whose clock may be slower");
        time.advance(Duration.ofMillis(1));
        server.next("acquire").answer(server.queued(4, Duration.ofSeconds(20)));
        assertEquals(4, last(LockEvent.Outlived.class).position());
        time.runUntil("its next life is over", Duration.ofSeconds(4), () -> server.count("acquire") == 3);
        server.next("acquire").answer(server.queued(2, Duration.ofSeconds(20)));
        assertEquals(
                2, events.stream().filter(LockEvent.Outlived.class::isInstance).count());
    }

    private void use(Holdfast holdfast, int times) {
        server.answer("acquire", call -> server.granted(7));
        server.answer("release", call -> server.released("RELEASED"));
        for (int i = 0; i < times; i++) {
            holdfast.lock("a").acquireAsync(Wait.none()).join().release();
        }
    }

    @Test
    void listenerThrows_othersAndTheLockDoNotNotice() {
        Holdfast holdfast = client(HoldfastOptions.defaults()
                .withListener(event -> {
                    throw new IllegalStateException("thrown on purpose by a test");
                })
                .withListener(event -> {
                    throw new AssertionError("thrown on purpose by a test");
                })
                .withListener(events::add));
        use(holdfast, 1);
        assertEquals(List.of("Asked", "Obtained", "Released"), kinds());
    }

    @Test
    void listenerBlocks_locksGoOnAndTenThousandEventsWaitForIt() throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch open = new CountDownLatch(1);
        CountDownLatch heard = new CountDownLatch(10_001);
        List<LogRecord> logged = logged("io.holdfast", Level.WARNING);
        Holdfast holdfast = Holdfast.over(
                server,
                HoldfastOptions.defaults().withListener(event -> {
                    entered.countDown();
                    try {
                        open.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    events.add(event);
                    heard.countDown();
                }),
                time.environment(1));
        server.answer("acquire", call -> server.granted(7));
        server.answer("release", call -> server.released("RELEASED"));
        var unused = holdfast.lock("first").acquireAsync(Wait.none());
        assertTrue(entered.await(20, TimeUnit.SECONDS));
        for (int i = 0; i < 4_000; i++) {
            holdfast.lock("a").acquire(Wait.none()).release();
        }
        open.countDown();
        assertTrue(heard.await(20, TimeUnit.SECONDS));
        holdfast.close();
        long dropped = logged.stream()
                .filter(entry -> entry.getMessage().contains("events were dropped"))
                .count();
        assertEquals(
                1,
                dropped,
                () -> "warnings: " + logged.stream().map(LogRecord::getMessage).toList());
        // In order, without a gap before the ones that were dropped.
        assertEquals("first", events.get(0).lockName());
        assertEquals(List.of("Asked", "Obtained", "Asked", "Obtained", "Released", "Asked"), kinds().subList(0, 6));
    }

    // ---- the log

    private final List<Logger> loggers = new ArrayList<>(); // the log manager knows them only weakly

    private List<LogRecord> logged(String name, Level level) {
        List<LogRecord> records = Collections.synchronizedList(new ArrayList<>());
        Logger logger = Logger.getLogger(name);
        loggers.add(logger);
        logger.setLevel(level);
        logger.addHandler(new Handler() {
            @Override
            public void publish(LogRecord entry) {
                records.add(entry);
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        });
        return records;
    }

    @Test
    void log_steps_isOneLineOfWordsAndValuesEachAndTriesStandApart() {
        List<LogRecord> steps = logged("io.holdfast.steps", Level.FINE);
        List<LogRecord> tries = logged("io.holdfast.tries", Level.FINER);
        try {
            Holdfast holdfast = client(HoldfastOptions.defaults());
            int before = server.count();
            use(holdfast, 1);
            assertEquals(2, server.count() - before, "logging asks the server nothing");
            List<String> lines = steps.stream().map(LogRecord::getMessage).toList();
            assertEquals(2, lines.size(), lines::toString);
            assertTrue(
                    lines.get(0)
                            .matches(
                                    "obtained lock=\"a\" owner=\\S+ actor=\".*\" token=7 leaseDuration=PT30S waited=PT0S attempts=1"
                                            + " initialPosition=0 reentered=false"),
                    lines.get(0));
            assertTrue(lines.get(1).startsWith("released lock=\"a\" owner="), lines.get(1));
            assertEquals(1, tries.size());
            assertTrue(tries.get(0).getMessage().startsWith("asked lock=\"a\" owner="));
            assertFalse(lines.toString().contains("~"), "the secret part of an owner is not logged");
        } finally {
            loggers.forEach(logger -> logger.setLevel(null));
        }
    }

    @Test
    void log_switchedOff_formatsNothing() {
        Object untouchable = new Object() {
            @Override
            public String toString() {
                throw new AssertionError("formatted although nobody listens");
            }
        };
        Holdfast holdfast = client(HoldfastOptions.defaults()
                .withLockDefaults(LockOptions.defaults().withEventData(untouchable)));
        use(holdfast, 1);
        assertThrows(AssertionError.class, untouchable::toString);
    }
}
