package io.holdfast.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LossReason;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a test can make happen to leases, in virtual time and in the thread of the test. */
@SuppressWarnings("NullAway.Init") // all is given before each test
class LeaseControlTest {
    @RegisterExtension
    static final HoldfastExtension HOLDFAST = HoldfastExtension.inVirtualTime();

    private Holdfast holdfast;
    private LeaseControl control;
    private VirtualTime time;

    @BeforeEach
    void take(Holdfast given, LeaseControl givenControl, VirtualTime givenTime) {
        holdfast = given;
        control = givenControl;
        time = givenTime;
    }

    @AfterEach
    void sameForAll(Holdfast given, MemoryServer server) {
        assertSame(holdfast, given);
        assertSame(control.server(), server);
    }

    /** In virtual time, what is not done now is not done by waiting. */
    private static <T> T now(CompletableFuture<T> future) {
        assertTrue(future.isDone(), "not done");
        return future.join();
    }

    @Test
    void expire_heldLease_isLostAndTheNextInLineHasIt() throws Exception {
        Lease lease = holdfast.lock("a").acquire();
        CompletableFuture<Lease> waiting = control.client().lock("a").acquireAsync();
        control.expire(lease);
        assertFalse(lease.isValid());
        assertEquals(LossReason.NOT_ON_SERVER, now(lease.whenLost().toCompletableFuture()));
        time.runUntil("the next has it", Duration.ofSeconds(5), waiting::isDone);
        assertTrue(now(waiting).isValid());
        assertTrue(now(waiting).token() > lease.token());
    }

    @Test
    void lose_heldLease_isSomebodyElsesUntilReleased() throws Exception {
        Lease lease = holdfast.lock("a").acquire();
        CompletableFuture<Lease> waiting = control.client().lock("a").acquireAsync(Wait.forever());
        control.lose(lease);
        assertEquals(LossReason.NOT_ON_SERVER, now(lease.whenLost().toCompletableFuture()));
        time.advance(Duration.ofMinutes(2));
        assertFalse(waiting.isDone());
        assertEquals(
                "somebody else",
                holdfast.inspect().lock("a").holder().orElseThrow().application());
        control.release("a");
        assertTrue(now(waiting).isValid());
    }

    @Test
    void hold_freeLock_isTakenUntilReleased() throws Exception {
        control.hold("a");
        assertEquals(
                Reason.TAKEN,
                assertInstanceOf(Attempt.NotObtained.class, holdfast.lock("a").attempt(Wait.none()))
                        .reason());
        assertThrows(IllegalStateException.class, () -> control.hold("a"));
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        time.advance(Duration.ofSeconds(30));
        assertFalse(waiting.isDone());
        control.release("a");
        assertTrue(now(waiting).isValid());
        assertThrows(IllegalStateException.class, () -> control.release("a"));
    }

    @Test
    void evict_waiter_endsAsEvicted() throws Exception {
        control.hold("a");
        CompletableFuture<Attempt<Lease>> waiting = holdfast.lock("a").attemptAsync(Wait.forever());
        control.drop("a");
        assertEquals(
                Reason.DROPPED,
                assertInstanceOf(Attempt.NotObtained.class, now(waiting)).reason());
    }

    @Test
    void disconnect_heldLease_livesToItsDeadlineAndIsExpired() throws Exception {
        Lease lease = holdfast.lock("a").acquire();
        List<Duration> warnings = new ArrayList<>();
        lease.onWarning(warnings::add);
        control.disconnect();
        assertInstanceOf(Attempt.Unknown.class, now(holdfast.lock("b").attemptAsync(Wait.none())));
        time.advance(Duration.ofSeconds(25));
        assertTrue(lease.isValid());
        assertEquals(1, warnings.size());
        time.advance(Duration.ofSeconds(6));
        assertEquals(LossReason.EXPIRED, now(lease.whenLost().toCompletableFuture()));
        control.reconnect();
        assertTrue(holdfast.lock("a").tryAcquire().isPresent());
    }

    @Test
    void disconnect_shorterThanTheTerm_leaseIsRenewedAfterwards() throws Exception {
        Lease lease = holdfast.lock("a").acquire();
        control.disconnect();
        time.advance(Duration.ofSeconds(25));
        control.reconnect();
        time.advance(Duration.ofMinutes(5));
        assertTrue(lease.isValid());
    }

    @Test
    void reconnect_waiterMeanwhileNext_isGranted() throws Exception {
        control.hold("a");
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(Wait.forever());
        control.disconnect();
        control.release("a");
        time.advance(Duration.ofSeconds(10));
        assertFalse(waiting.isDone());
        control.reconnect();
        time.runUntil("it has the lock", Duration.ofSeconds(10), waiting::isDone);
        assertTrue(now(waiting).isValid());
    }

    @Test
    void freeze_requests_areAnsweredWhenItThaws() {
        control.server().freeze();
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        time.advance(Duration.ofSeconds(1));
        assertFalse(waiting.isDone());
        control.server().thaw();
        assertTrue(now(waiting).isValid());
    }

    @Test
    void expire_leaseOfAnotherServer_isRefused() throws Exception {
        try (LeaseControl other = LeaseControl.start(new VirtualTime())) {
            Lease lease = holdfast.lock("a").acquire();
            assertThrows(IllegalStateException.class, () -> other.expire(lease));
        }
    }
}
