package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Lease;
import io.holdfast.LeaseEndingException;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.LossReason;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Work that is interrupted before its lease ends, also in scopes that lie in each other. */
final class BodyLimitEngineTest extends EngineFixture {
    private static final LockOptions ENTERED =
            LockOptions.defaults().withRenewal(false).withReentrancy(Reentrancy.REENTER);

    @BeforeEach
    void grant() {
        server.answer("acquire", call -> server.granted(100));
        server.answer("release", call -> server.released("RELEASED"));
    }

    private DistributedLock lock(Duration before) {
        return holdfast.lock("a", ENTERED.withInterruptBefore(before));
    }

    private void until(Duration elapsed) {
        time.advance(elapsed.minus(time.elapsed()));
    }

    /** Scopes in each other, each with its own limit; whether each was interrupted in time after the inner ones ended. */
    private void nest(List<Duration> limits, int level, List<Duration> seen) throws Exception {
        lock(limits.get(level)).call(lease -> {
            if (level + 1 < limits.size()) {
                nest(limits, level + 1, seen);
            }
            Duration at = VALIDITY.minus(limits.get(level));
            if (time.elapsed().compareTo(at) < 0) {
                until(at.minusNanos(1));
                assertFalse(Thread.interrupted(), "too early");
                until(at);
                assertTrue(Thread.interrupted(), "not at " + at);
                seen.add(lease.remaining());
            }
            return 0;
        });
    }

    @Test
    void interruptBefore_scopesInEachOther_eachIsInterruptedAtItsOwnTime() throws Exception {
        for (int depth = 1; depth <= 4; depth++) {
            List<Duration> limits = new ArrayList<>();
            for (int i = 0; i < depth; i++) {
                limits.add(millis(1_500 + i * 1_000L)); // the inner ones first
            }
            List<Duration> seen = new ArrayList<>();
            Duration begin = time.elapsed();
            BodyLimitEngineTest fresh = depth == 1 ? this : new BodyLimitEngineTest();
            fresh.grant();
            fresh.nest(limits, 0, seen);
            fresh.close();
            assertEquals(depth, seen.size(), "since " + begin);
            assertEquals(limits.get(0), seen.get(depth - 1));
        }
    }

    /** The outer hold is renewed each 600 ms: what the inner options ask for is never left. */
    @Test
    void interruptBefore_enteredWithALongerTerm_isInterruptedAtHalfOfTheTermOfTheHold() throws Exception {
        server.answer("renew", server::renewed);
        server.answer("confirm", call -> server.held());
        LockOptions outer =
                LockOptions.defaults().withReentrancy(Reentrancy.REENTER).withLeaseDuration(millis(1_800));
        LockOptions inner = outer.withLeaseDuration(seconds(30)).withInterruptBefore(seconds(10));
        holdfast.lock("a", outer)
                .call(held -> holdfast.lock("a", inner).call(lease -> {
                    time.advance(Duration.ofMinutes(5));
                    assertFalse(Thread.currentThread().isInterrupted(), "it is held, and renewed");
                    server.stopAnswering("renew");
                    time.advance(lease.remaining().minus(millis(901)));
                    assertFalse(Thread.currentThread().isInterrupted(), "too early");
                    time.advance(millis(1));
                    assertTrue(Thread.interrupted(), "not in time");
                    return 0;
                }));
    }

    @Test
    void beforeEnding_takenBackInAnyOrder_theOthersAreDone() {
        List<List<Integer>> orders = List.of(
                List.of(0, 1, 2),
                List.of(0, 2, 1),
                List.of(1, 0, 2),
                List.of(1, 2, 0),
                List.of(2, 0, 1),
                List.of(2, 1, 0));
        for (List<Integer> order : orders) {
            for (int taken = 0; taken <= 3; taken++) {
                Lease lease = holdfast.lock("b", ENTERED.withReentrancy(Reentrancy.WAIT))
                        .acquireAsync()
                        .join();
                List<Integer> done = new ArrayList<>();
                List<Runnable> removals = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    int number = i;
                    removals.add(Faces.hold(lease).beforeEnding(seconds(3 - i), () -> done.add(number)));
                }
                List<Integer> expected = new ArrayList<>(List.of(0, 1, 2));
                for (Integer number : order.subList(0, taken)) {
                    removals.get(number).run();
                    expected.remove(number);
                }
                time.advance(VALIDITY);
                assertEquals(expected, done, order + ", " + taken + " taken back");
                assertFalse(lease.isValid());
            }
        }
    }

    /** Each scope takes back what it has left at the lease that it enters. */
    @Test
    void interruptBefore_scopesInALongLease_leaveNothingAtIt() throws Exception {
        Lease outer = holdfast.lock("a", ENTERED).acquireAsync().join();
        for (int i = 0; i < 10; i++) {
            lock(seconds(3)).call(lease -> 0);
        }
        assertEquals(0, Faces.holding(outer).lost().getNumberOfDependents());
        assertTrue(outer.isValid());
        outer.release();
    }

    @Test
    void interruptBefore_workHeedsIt_tellsWhoInterrupted() {
        InterruptedException own = new InterruptedException("heeded");
        LeaseEndingException ending = assertThrows(
                LeaseEndingException.class,
                () -> lock(seconds(3)).call(lease -> {
                    until(VALIDITY.minusSeconds(3));
                    assertTrue(Thread.interrupted());
                    throw own;
                }));
        assertSame(own, ending.getCause());
        assertEquals("a", ending.lockName());
        assertEquals(100, ending.token());
        assertEquals(null, ending.reason());
        assertFalse(Thread.interrupted());
    }

    @Test
    void interruptBefore_interruptOfAnybodyElse_isPassedOnAsItIs() {
        InterruptedException own = new InterruptedException("of another");
        assertSame(
                own,
                assertThrows(
                        InterruptedException.class,
                        () -> lock(seconds(3)).call(lease -> {
                            throw own;
                        })));
        IOException other = new IOException("of the work");
        assertSame(
                other,
                assertThrows(
                        IOException.class,
                        () -> lock(seconds(3)).call(lease -> {
                            until(time.elapsed().plus(VALIDITY));
                            throw other;
                        })));
        assertFalse(Thread.interrupted());
    }

    @Test
    void interruptBefore_innerWorkDoesNotHeedWhatWasMeantForBoth_theOuterOneIsInterrupted() throws Exception {
        lock(seconds(3)).call(outer -> {
            lock(seconds(3)).call(inner -> {
                until(VALIDITY.minusSeconds(3));
                return 0; // does not heed it
            });
            assertTrue(Thread.interrupted(), "the outer work was to be interrupted, too");
            return 0;
        });
        assertFalse(Thread.interrupted());
    }

    @Test
    void interruptBefore_innerWorkHeedsWhatWasMeantForBoth_theOuterOneHearsOfItOnce() {
        LeaseEndingException ending = assertThrows(
                LeaseEndingException.class,
                () -> lock(seconds(3))
                        .call(outer -> lock(seconds(3)).call(inner -> {
                            until(VALIDITY.minusSeconds(3));
                            assertTrue(Thread.interrupted());
                            throw new InterruptedException();
                        })));
        assertInstanceOf(InterruptedException.class, ending.getCause());
        assertFalse(Thread.interrupted());
    }

    @Test
    void interruptBefore_leaseIsLost_tellsTheReason() {
        LockOptions renewed = LockOptions.defaults().withInterruptBefore(seconds(3));
        server.answer("renew", call -> server.renewed(0));
        LeaseEndingException ending = assertThrows(
                LeaseEndingException.class,
                () -> holdfast.lock("a", renewed).call(lease -> {
                    time.advance(seconds(11));
                    assertTrue(Thread.interrupted());
                    throw new InterruptedException();
                }));
        assertEquals(LossReason.NOT_ON_SERVER, ending.reason());
    }
}
