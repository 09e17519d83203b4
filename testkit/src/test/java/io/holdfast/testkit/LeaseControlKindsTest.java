package io.holdfast.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a test can make happen to leases of every kind, in virtual time and in the thread of the test. */
class LeaseControlKindsTest {
    @RegisterExtension
    static final HoldfastExtension HOLDFAST = HoldfastExtension.inVirtualTime();

    private static <T> T now(CompletableFuture<T> future) {
        assertTrue(future.isDone(), "not done");
        return future.join();
    }

    @ParameterizedTest
    @EnumSource
    void expire_leaseBesideAnother_endsAloneAndTheNextInLineHasIt(
            Kind kind, Holdfast holdfast, LeaseControl control, VirtualTime time) throws Exception {
        Lease lease = kind.of(holdfast).acquire();
        Optional<Lease> beside = kind.beside(holdfast)
                .flatMap(lock -> now(lock.attemptAsync(Wait.none())).asOptional());
        CompletableFuture<Lease> waiting = kind.rival(control.client()).acquireAsync(Wait.forever());
        time.advance(Duration.ofSeconds(1));
        assertFalse(waiting.isDone());
        control.expire(lease);
        assertFalse(lease.isValid());
        assertEquals(LossReason.NOT_ON_SERVER, now(lease.whenLost().toCompletableFuture()));
        if (kind == Kind.READ) {
            time.advance(Duration.ofMinutes(1));
            assertFalse(waiting.isDone(), "there is another reader");
            beside.orElseThrow().release();
        } else {
            assertTrue(beside.isEmpty() || beside.get().isHeldOnServer());
        }
        time.runUntil("the next has it", Duration.ofSeconds(5), waiting::isDone);
        assertTrue(now(waiting).isValid());
        assertTrue(now(waiting).token() > lease.token());
    }

    @ParameterizedTest
    @EnumSource
    void expire_handedOffAndNotConfirmed_endsAndNothingIsLeft(
            Kind kind, Holdfast holdfast, LeaseControl control, VirtualTime time) throws Exception {
        Lease first = kind.rival(holdfast).acquire();
        CompletableFuture<Lease> waiting = kind.of(control.client()).acquireAsync(Wait.forever());
        first.release();
        Lease second = now(waiting);
        control.expire(second);
        assertEquals(LossReason.NOT_ON_SERVER, now(second.whenLost().toCompletableFuture()));
        time.advance(Duration.ofSeconds(1));
        assertTrue(kind.rival(holdfast).tryAcquire().isPresent());
        assertEquals(0, kind.look(holdfast).waiters());
    }

    @ParameterizedTest
    @EnumSource
    void expire_clientThatIsCutOff_learnsOfItWhenItIsBack(
            Kind kind, Holdfast holdfast, LeaseControl control, VirtualTime time) throws Exception {
        Lease lease = kind.of(holdfast).acquire();
        control.disconnect();
        control.expire(lease);
        assertTrue(lease.isValid());
        assertThrows(IllegalStateException.class, () -> control.expire(lease), "it has no hold any more");
        control.reconnect();
        time.advance(Duration.ofSeconds(15));
        assertEquals(LossReason.NOT_ON_SERVER, now(lease.whenLost().toCompletableFuture()));
    }

    @ParameterizedTest
    @EnumSource
    void lose_leaseBesideAnother_isSomebodyElsesUntilReleased(
            Kind kind, Holdfast holdfast, LeaseControl control, VirtualTime time) throws Exception {
        Lease lease = kind.of(holdfast).acquire();
        Optional<Lease> beside = kind.beside(holdfast)
                .flatMap(lock -> now(lock.attemptAsync(Wait.none())).asOptional());
        CompletableFuture<Lease> waiting = kind.rival(control.client()).acquireAsync(Wait.forever());
        control.lose(lease);
        assertEquals(LossReason.NOT_ON_SERVER, now(lease.whenLost().toCompletableFuture()));
        time.advance(Duration.ofMinutes(2));
        beside.ifPresent(other -> {
            assertTrue(other.isValid());
            assertTrue(other.isHeldOnServer());
            assertEquals(ReleaseResult.RELEASED, other.release());
        });
        time.advance(Duration.ofMinutes(2));
        assertFalse(waiting.isDone());
        LockInfo.Share theirs = kind.look(holdfast).shares().get(0);
        assertEquals("somebody else", theirs.holder().application());
        assertEquals(lease.mode(), theirs.mode());
        assertEquals(lease.permits(), theirs.permits());
        control.release(kind.of(holdfast));
        assertTrue(now(waiting).isValid());
        assertThrows(IllegalStateException.class, () -> control.release(kind.of(holdfast)));
    }

    @ParameterizedTest
    @EnumSource(names = {"READ", "PERMITS"})
    void lose_twoLeases_releaseEndsBoth(Kind kind, Holdfast holdfast, LeaseControl control) throws Exception {
        Lease one = kind.of(holdfast).acquire();
        Lease other = kind.beside(holdfast).orElseThrow().acquire();
        control.lose(one);
        control.lose(other);
        assertEquals(2, kind.look(holdfast).shares().size());
        control.release(kind.rival(holdfast));
        assertTrue(kind.rival(holdfast).tryAcquire().isPresent());
    }

    @ParameterizedTest
    @EnumSource
    void hold_whatIsFree_isTakenUntilReleased(Kind kind, Holdfast holdfast, LeaseControl control, VirtualTime time)
            throws Exception {
        control.hold(kind::of);
        assertEquals(
                Reason.TAKEN,
                assertInstanceOf(Attempt.NotObtained.class, kind.rival(holdfast).attempt(Wait.none()))
                        .reason());
        assertThrows(IllegalStateException.class, () -> control.hold(kind::rival));
        control.disconnect();
        control.reconnect();
        CompletableFuture<Lease> waiting = kind.rival(holdfast).acquireAsync();
        time.advance(Duration.ofSeconds(30));
        assertFalse(waiting.isDone());
        control.release(kind.beside(holdfast).orElse(kind.of(holdfast)));
        assertTrue(now(waiting).isValid());
        assertThrows(IllegalStateException.class, () -> control.release(kind.of(holdfast)));
    }

    @ParameterizedTest
    @EnumSource
    void evict_waiter_endsAsEvictedAndHoldersStay(Kind kind, Holdfast holdfast, LeaseControl control) throws Exception {
        Lease lease = kind.of(holdfast).acquire();
        CompletableFuture<Attempt<Lease>> waiting = kind.rival(control.client()).attemptAsync(Wait.forever());
        control.drop(kind.of(holdfast));
        assertEquals(
                Reason.DROPPED,
                assertInstanceOf(Attempt.NotObtained.class, now(waiting)).reason());
        assertTrue(lease.isHeldOnServer());
    }

    @ParameterizedTest
    @EnumSource
    void namesOfOneKind_areNotThoseOfOthers(Kind kind, Holdfast holdfast, LeaseControl control) throws Exception {
        control.hold(kind::of);
        for (Kind other : Kind.values()) {
            if (!other.of(holdfast).key().equals(kind.of(holdfast).key())) {
                other.of(holdfast).tryAcquire().orElseThrow().release();
                assertThrows(IllegalStateException.class, () -> control.release(other.of(holdfast)));
            }
        }
        control.release(kind.of(holdfast));
    }
}
