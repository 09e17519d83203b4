package io.holdfast.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Candidacy;
import io.holdfast.Contention;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.Leader;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LockMode;
import io.holdfast.LockOptions;
import io.holdfast.LockTimeoutException;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The clients that always answer the same, for every kind of lock. */
class TestHoldfastKindsTest {
    @ParameterizedTest
    @EnumSource
    void granting_whatIsHeld_isGrantedAgainAndQueriesTellTheLatest(Kind kind) throws Exception {
        try (Holdfast holdfast = TestHoldfast.granting()) {
            Lease first = kind.of(holdfast).acquire();
            Lease second = kind.rival(holdfast).acquire(Wait.none());
            Lease third = kind.of(holdfast).acquire(Wait.none());
            assertTrue(first.token() < second.token() && second.token() < third.token());
            assertEquals(third.owner(), holderOf(kind, holdfast));
            assertEquals(1, kind.look(holdfast).shares().size());

            first.extend(Duration.ofMinutes(5));
            assertTrue(first.remaining().toSeconds() > 290);
            assertTrue(kind == Kind.LOCK || first.isHeldOnServer());
            assertEquals(ReleaseResult.RELEASED, third.release());
            assertEquals(second.owner(), holderOf(kind, holdfast));
            assertEquals(ReleaseResult.RELEASED, first.release());
            assertEquals(second.owner(), holderOf(kind, holdfast));
            assertTrue(second.isValid() && second.isHeldOnServer());
            assertEquals(ReleaseResult.RELEASED, second.release());
            assertFalse(kind.look(holdfast).isLocked());
        }
    }

    private static String holderOf(Kind kind, Holdfast holdfast) {
        return kind.look(holdfast).holder().orElseThrow().owner();
    }

    @ParameterizedTest
    @EnumSource
    void granting_shortTerms_areAllRenewedTogether(Kind kind) throws Exception {
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofMillis(1_800));
        try (Holdfast holdfast = TestHoldfast.granting()) {
            List<Lease> leases = List.of(
                    kind.of(holdfast).with(brief).acquire(),
                    kind.rival(holdfast).with(brief).acquire(),
                    kind.of(holdfast).with(brief).acquire());
            CountDownLatch lost = new CountDownLatch(1);
            leases.forEach(lease -> lease.whenLost().thenAccept(reason -> lost.countDown()));
            // For two lease durations and more nothing may happen; this waits for what must not come.
            assertFalse(lost.await(4_000, TimeUnit.MILLISECONDS));
            assertTrue(leases.stream().allMatch(Lease::isValid));
        }
    }

    @Test
    void granting_downgradeBesideAnotherWriter_goesOnReading() throws Exception {
        try (Holdfast holdfast = TestHoldfast.granting()) {
            DistributedReadWriteLock lock = holdfast.readWriteLock("a");
            Lease first = lock.write().acquire();
            Lease second = lock.write().acquire();
            Lease reading = lock.downgrade(first);
            assertFalse(first.isValid());
            assertTrue(reading.isHeldOnServer() && second.isHeldOnServer());
            assertEquals(ReleaseResult.RELEASED, reading.release());
            assertEquals(ReleaseResult.RELEASED, second.release());
            assertFalse(lock.info().isLocked());
        }
    }

    @Test
    void granting_semaphore_permitsBeyondItsNumberAreGrantedToo() throws Exception {
        try (Holdfast holdfast = TestHoldfast.granting()) {
            for (int i = 0; i < 5; i++) {
                assertTrue(holdfast.semaphore("a", 3).permits(3).tryAcquire().isPresent());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusing_anything_isTakenAndQueriesShowTheHolder(Kind kind) throws Exception {
        try (Holdfast holdfast = TestHoldfast.refusing()) {
            assertTrue(kind.look(holdfast).isLocked(), "before anybody has asked for it");
            assertTrue(kind.of(holdfast).tryAcquire().isEmpty());
            Attempt.NotObtained<?> taken = assertInstanceOf(
                    Attempt.NotObtained.class, kind.of(holdfast).attempt(Wait.none()));
            assertEquals(Reason.TAKEN, taken.reason());
            assertEquals(taken.contention().holder().orElseThrow().owner(), holderOf(kind, holdfast));
            assertEquals(
                    Reason.TIMED_OUT,
                    assertInstanceOf(
                                    Attempt.NotObtained.class,
                                    kind.rival(holdfast).attempt(Wait.upTo(Duration.ofMillis(20))))
                            .reason());
            assertEquals(0, holdfast.semaphore("a", 3).available());
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusing_operatorsRelease_handsItToTheFirstThatWaitsAndToNobodyElse(Kind kind) throws Exception {
        try (Holdfast holdfast = TestHoldfast.refusing()) {
            CompletableFuture<Lease> waiting = kind.of(holdfast).acquireAsync(Wait.forever());
            while (kind.look(holdfast).waiters() == 0) {
                Thread.onSpinWait();
            }
            var unused = holdfast.admin().of(kind.look(holdfast).kind()).release("a", Admin.Waiters.HAND_OFF);
            Lease lease = waiting.get(10, TimeUnit.SECONDS);
            assertEquals(lease.owner(), holderOf(kind, holdfast));
            assertTrue(kind.of(holdfast).tryAcquire().isEmpty());
            assertTrue(kind.beside(holdfast).isEmpty()
                    || kind.beside(holdfast).get().tryAcquire().isEmpty());
            lease.extend(Duration.ofSeconds(1));
            assertEquals(ReleaseResult.RELEASED, lease.release());
            assertTrue(kind.of(holdfast).tryAcquire().isEmpty());
        }
    }

    @Test
    void granting_setsAndElections_areGrantedAgain() throws Exception {
        try (Holdfast holdfast = TestHoldfast.granting()) {
            try (LeaseSet first = holdfast.locks("a", "b").acquire();
                    LeaseSet second = holdfast.locks("a", "b").acquire()) {
                assertTrue(first.isValid() && second.isValid());
            }
            CountDownLatch leaders = new CountDownLatch(2);
            Leader both = leadership -> {
                leaders.countDown();
                leadership.whenOver().toCompletableFuture().join();
            };
            try (Candidacy one = holdfast.election("a").campaign(both);
                    Candidacy other = holdfast.election("a").campaign(both)) {
                assertTrue(leaders.await(10, TimeUnit.SECONDS), one + " and " + other);
            }
        }
    }

    @Test
    void refusing_setsAndElections_areTaken() throws Exception {
        try (Holdfast holdfast = TestHoldfast.refusing();
                Candidacy candidacy = holdfast.election("a").campaign(leadership -> {})) {
            assertTrue(holdfast.locks("a", "b").tryAcquire().isEmpty());
            assertFalse(candidacy.isLeader());
            assertTrue(holdfast.election("a").leader().isPresent());
        }
    }

    @ParameterizedTest
    @EnumSource
    void failing_anyRequest_isUnknown(Kind kind) throws Exception {
        try (Holdfast holdfast = TestHoldfast.failing()) {
            assertInstanceOf(Attempt.Unknown.class, kind.of(holdfast).attempt(Wait.none()));
        }
    }

    @Test
    void inMemory_permitsTaken_saysHowManyAreOutAndWanted() throws Exception {
        try (Holdfast holdfast = TestHoldfast.inMemory()) {
            holdfast.semaphore("a", 5).permits(4).acquire();
            LockTimeoutException e = assertThrows(
                    LockTimeoutException.class,
                    () -> holdfast.semaphore("a", 5).permits(2).acquire(Wait.none()));
            assertEquals(
                    Optional.of(new Contention.Sharing(LockMode.PERMITS, 4, 2, 5)),
                    e.contention().sharing());
            assertTrue(
                    String.valueOf(e.getMessage())
                            .startsWith("semaphore 'a' not obtained (wait none): 4 of 5 permits are out, 2 wanted; "),
                    e.getMessage());
        }
    }

    @Test
    void inMemory_readWriteLockTaken_saysInWhichMode() throws Exception {
        try (Holdfast holdfast = TestHoldfast.inMemory()) {
            DistributedReadWriteLock lock = holdfast.readWriteLock("a");
            Lease reading = lock.read().acquire();
            Lease beside = lock.read().acquire();
            LockTimeoutException read =
                    assertThrows(LockTimeoutException.class, () -> lock.write().acquire(Wait.none()));
            assertTrue(String.valueOf(read.getMessage()).contains("held for reading by 2, "), read.getMessage());
            reading.release();
            beside.release();
            lock.write().acquire();
            LockTimeoutException written =
                    assertThrows(LockTimeoutException.class, () -> lock.read().acquire(Wait.none()));
            assertTrue(
                    String.valueOf(written.getMessage())
                            .startsWith("read/write lock 'a' not obtained (wait none): held for writing by "),
                    written.getMessage());
        }
    }
}
