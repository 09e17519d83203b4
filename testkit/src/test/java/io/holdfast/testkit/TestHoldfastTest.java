package io.holdfast.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.PlainLease;
import io.holdfast.ReleaseResult;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The clients that always answer the same. */
class TestHoldfastTest {
    @Test
    void inMemory_ordinaryUse_excludes() throws Exception {
        try (Holdfast holdfast = TestHoldfast.inMemory()) {
            try (Lease lease = holdfast.lock("a").acquire()) {
                assertTrue(lease.isValid());
                assertTrue(holdfast.lock("a").tryAcquire().isEmpty());
            }
            assertEquals("done", holdfast.lock("a").call(lease -> "done"));
        }
    }

    @Test
    void inVirtualTime_waitOfTheThreadThatMovesTheTime_throwsAndLeavesTheQueue() throws Exception {
        VirtualTime time = new VirtualTime();
        try (Holdfast holdfast = MemoryServer.start(time).client()) {
            Lease lease = holdfast.lock("a").acquire();
            for (Wait wait : List.of(Wait.upTo(Duration.ofSeconds(1)), Wait.forever())) {
                IllegalStateException refused = assertThrows(
                        IllegalStateException.class, () -> holdfast.lock("a").acquire(wait));
                assertTrue(String.valueOf(refused.getMessage()).contains("use acquireAsync"), refused.getMessage());
            }
            assertTrue(holdfast.lock("a").tryAcquire().isEmpty());
            assertEquals(0, holdfast.inspect().lock("a").waiters());
            lease.release();
            assertEquals("done", holdfast.lock("a").call(again -> "done"));
        }
    }

    @Test
    void arguments_thatAreNull_areNamed() {
        try (Holdfast holdfast = TestHoldfast.inMemory()) {
            assertNamed("lock name", () -> holdfast.lock(nothing()));
            assertNamed("options", () -> holdfast.lock("a", nothing()));
            assertNamed("wait", () -> holdfast.lock("a").acquire(TestHoldfastTest.<Wait>nothing()));
            assertNamed("ticket", () -> holdfast.adopt(nothing()));
            assertNamed("leaseDuration", () -> LockOptions.defaults().withLeaseDuration(nothing()));
            assertNamed("order", () -> LockOptions.defaults().withOrder(nothing()));
            assertNamed("address", () -> Holdfast.connect(nothing()).close());
        }
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what a caller without null checks may hand in
    private static <T> T nothing() {
        return null;
    }

    private static void assertNamed(String parameter, Executable act) {
        assertEquals(
                parameter + " is null",
                assertThrows(NullPointerException.class, act).getMessage());
    }

    @Test
    void toString_ofAClient_tellsServerApplicationAndId() {
        Holdfast holdfast = TestHoldfast.inMemory(HoldfastOptions.defaults().withApplication("shop"));
        assertTrue(
                holdfast.toString()
                        .matches("Holdfast\\[\\S+, prefix hf, application shop, client " + holdfast.id() + "\\]"),
                holdfast.toString());
        holdfast.close();
        assertTrue(holdfast.toString().endsWith(", closed]"), holdfast.toString());
    }

    @Test
    void granting_lockThatIsHeld_isGrantedAgainAndQueriesTellTheLatest() throws Exception {
        try (Holdfast holdfast = TestHoldfast.granting()) {
            Lease first = holdfast.lock("a").acquire();
            Lease second = holdfast.lock("a").acquire(Wait.none());
            Lease third = holdfast.lock("a").acquire(Wait.none());
            assertTrue(first.token() < second.token() && second.token() < third.token());
            assertEquals(third.owner(), holderOf(holdfast));

            first.extend(Duration.ofMinutes(5));
            assertTrue(first.remaining().toSeconds() > 290);
            assertEquals(ReleaseResult.RELEASED, third.release());
            assertEquals(second.owner(), holderOf(holdfast));
            assertEquals(ReleaseResult.RELEASED, first.release());
            assertEquals(second.owner(), holderOf(holdfast));
            assertTrue(second.isValid());
            assertEquals(ReleaseResult.RELEASED, second.release());
            assertTrue(holdfast.inspect().lock("a").holder().isEmpty());
        }
    }

    private static String holderOf(Holdfast holdfast) {
        return holdfast.inspect().lock("a").holder().orElseThrow().owner();
    }

    @Test
    void granting_shortTerms_areAllRenewed() throws Exception {
        // A machine that stands still for a second loses none of them.
        LockOptions brief = LockOptions.defaults().withLeaseDuration(Duration.ofMillis(1_800));
        try (Holdfast holdfast = TestHoldfast.granting()) {
            List<Lease> leases = List.of(
                    holdfast.lock("a", brief).acquire(),
                    holdfast.lock("a", brief).acquire(),
                    holdfast.lock("a", brief).acquire());
            CountDownLatch lost = new CountDownLatch(1);
            leases.forEach(lease -> lease.whenLost().thenAccept(reason -> lost.countDown()));
            // For two lease durations and more nothing may happen; this waits for what must not come.
            assertTrue(!lost.await(4_000, TimeUnit.MILLISECONDS));
            assertTrue(leases.stream().allMatch(Lease::isValid));
        }
    }

    @Test
    void granting_plainLockThatIsHeld_isGrantedAgain() throws Exception {
        try (Holdfast holdfast = TestHoldfast.granting();
                PlainLease first = holdfast.plainLock("p").acquire();
                PlainLease second = holdfast.plainLock("p").acquire()) {
            assertTrue(first.isValid() && second.isValid());
        }
    }

    @Test
    void refusing_anyLock_isTakenAndQueriesShowTheHolder() throws Exception {
        try (Holdfast holdfast = TestHoldfast.refusing()) {
            assertTrue(holdfast.lock("a").tryAcquire().isEmpty());
            Attempt.NotObtained<?> taken = assertInstanceOf(
                    Attempt.NotObtained.class, holdfast.lock("a").attempt(Wait.none()));
            assertEquals(Reason.TAKEN, taken.reason());
            assertEquals(
                    taken.contention().holder().orElseThrow().owner(),
                    holdfast.inspect()
                            .lock("never asked for")
                            .holder()
                            .orElseThrow()
                            .owner());
            assertEquals(
                    Reason.TIMED_OUT,
                    assertInstanceOf(
                                    Attempt.NotObtained.class,
                                    holdfast.lock("a").attempt(Wait.upTo(Duration.ofMillis(20))))
                            .reason());
            assertTrue(holdfast.inspect().isLocked("b"));
            assertTrue(holdfast.plainLock("p").tryAcquire().isEmpty());
        }
    }

    @Test
    void failing_anyRequest_isUnknownAndQueriesThrow() throws Exception {
        try (Holdfast holdfast = TestHoldfast.failing()) {
            assertInstanceOf(Attempt.Unknown.class, holdfast.lock("a").attempt(Wait.none()));
            assertInstanceOf(Attempt.Unknown.class, holdfast.lock("a").attempt(Wait.upTo(Duration.ofMillis(20))));
            assertThrows(
                    ServerUnreachableException.class, () -> holdfast.inspect().lock("a"));
        }
    }
}
