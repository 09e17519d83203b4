package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.internal.lease.HandEngine;
import io.holdfast.internal.lease.HandEngine.HandHold;
import io.holdfast.internal.lease.HandEngine.HandRequest;
import io.holdfast.internal.lease.Handle;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.OneShot;
import io.holdfast.internal.queue.HandClient;
import io.holdfast.internal.wire.Keys;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A candidate is elected, loses, resigns, is closed, and its leader returns, all at once: its leaders never overlap, it goes on
 * campaigning until it is closed, and then nothing of it stays.
 */
@Tag("long")
public final class CandidacyLincheckTest {
    /** Longer than all pauses and than the grace. */
    private static final Duration LONG = Duration.ofMinutes(1);

    private final HandClient hand = new HandClient();
    private final HandEngine engine = new HandEngine(hand.client.kit, true);
    private final Queue<Runnable> leaders = new ConcurrentLinkedQueue<>(); // threads that have not begun
    private final AtomicInteger atWork = new AtomicInteger();
    private volatile boolean overlapped;
    private volatile boolean closed;
    private final Candidacy candidacy = new Election(
                    engine,
                    Keys.of(hand.client.kit.options.prefix(), Keys.Kind.ELECTION, "a"),
                    Election.defaults(LockOptions.defaults()))
            .withThreads(this::thread)
            .campaign(leadership -> lead());

    /** Begins to work when an operation says so. */
    private Thread thread(Runnable work) {
        if (!leaders.isEmpty() || atWork.get() > 0) {
            overlapped = true;
        }
        return new Thread() {
            @Override
            public synchronized void start() {
                leaders.add(work);
            }
        };
    }

    private void lead() {
        if (atWork.incrementAndGet() > 1) {
            overlapped = true;
        }
        atWork.decrementAndGet();
    }

    /** The server lets it lead, unless it still does. */
    @Operation
    public void elect() {
        HandRequest request = engine.pending();
        if (request != null && engine.holds().stream().noneMatch(HandHold::isValid)) {
            request.grant();
        }
    }

    @Operation
    public void evict() {
        HandRequest request = engine.pending();
        if (request != null) {
            request.refuse(new Attempt.NotObtained<>("a", Attempt.Reason.DROPPED, Contention.NOTHING_KNOWN));
        }
    }

    @Operation
    public void lose() {
        for (HandHold hold : engine.holds()) {
            if (hold.isValid()) {
                hold.lose(LossReason.NOT_ON_SERVER);
            }
        }
    }

    /** A leader's thread begins and ends. */
    @Operation
    public void leaderReturns() {
        Runnable leader = leaders.poll();
        if (leader != null) {
            leader.run();
        }
    }

    @Operation
    public void resign() {
        candidacy.resign();
    }

    @Operation(runOnce = true)
    public void close() {
        candidacy.close();
        closed = true;
    }

    /** Pauses are over, and so is the grace. */
    @Operation
    public void later() {
        hand.pass(LONG);
        for (Runnable due = hand.nextDue(); due != null; due = hand.nextDue()) {
            due.run();
        }
    }

    @Validate
    public void campaignsUntilItIsClosed() {
        assertFalse(overlapped, "two leaders at once");
        assertTrue(engine.waiting() <= 1, "two requests");
        for (int round = 0; round < 5; round++) {
            for (Runnable leader = leaders.poll(); leader != null; leader = leaders.poll()) {
                leader.run();
            }
            hand.pass(LONG);
            hand.runDue();
        }
        assertFalse(overlapped, "two leaders at once, later");
        assertTrue(engine.holds().stream().noneMatch(HandHold::isValid), "its leader has returned, and it leads");
        assertEquals(closed ? 0 : 1, engine.waiting(), "requests in the end");
        elect();
        assertEquals(!closed, candidacy.isLeader());
        assertEquals(closed ? 0 : 1, leaders.size());
    }

    @Test
    void interleavings_neverOverlapAndNeverStandStill() {
        Interleavings.of(
                        CandidacyLincheckTest.class,
                        1,
                        120,
                        Candidacy.class,
                        HandEngine.class,
                        DistributedLock.class,
                        Calls.class,
                        Lease.class,
                        Handle.class,
                        OneShot.class,
                        Kit.class,
                        CompletableFuture.class,
                        Executor.class)
                .addCustomScenario(
                        Interleavings.scenario(List.of(), List.of(act("elect")), List.of(act("close")), List.of()))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("elect")), List.of(act("leaderReturns")), List.of(act("lose")), List.of()))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("elect"), act("resign"), act("later"), act("elect")), // it is held up
                        List.of(act("leaderReturns")),
                        List.of(act("later")),
                        List.of()))
                .addCustomScenario(Interleavings.scenario(
                        List.of(act("elect")), List.of(act("leaderReturns")), List.of(act("close")), List.of()))
                .check(CandidacyLincheckTest.class);
    }

    private static Actor act(String operation) {
        return Interleavings.act(CandidacyLincheckTest.class, operation);
    }
}
