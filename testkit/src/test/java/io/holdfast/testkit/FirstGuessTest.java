package io.holdfast.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Candidacy;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.LockTimeoutException;
import io.holdfast.LossReason;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Small tasks, each written as a Java developer would first write it, from the names that completion offers. */
final class FirstGuessTest {
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Holdfast holdfast = TestHoldfast.inMemory();
    private final DistributedLock lock = holdfast.lock("a");
    private final List<String> done = new ArrayList<>();

    @AfterEach
    void close() {
        holdfast.close();
    }

    @Test
    void acquire_andClose() throws Exception {
        try (Lease lease = lock.acquire()) {
            assertTrue(lease.isValid());
        }
        assertFalse(lock.isLocked());
    }

    @Test
    void acquire_withATimeLimit() throws Exception {
        Optional<Lease> first = lock.tryAcquire(SECOND);
        assertTrue(first.isPresent());
        assertThrows(LockTimeoutException.class, () -> lock.acquire(Wait.upTo(Duration.ofMillis(10))));
    }

    @Test
    void tryOnce() throws Exception {
        Optional<Lease> lease = lock.tryAcquire();
        assertTrue(lease.isPresent());
        assertTrue(lock.tryAcquire().isEmpty());
    }

    @Test
    void runWork() throws Exception {
        lock.run(lease -> done.add("work"));
        assertEquals(List.of("work"), done);
    }

    @Test
    void runWork_onlyIfNobodyElseIsAtIt() throws Exception {
        Lease other = lock.acquire();
        boolean ran = lock.tryRun(lease -> done.add("work"));
        assertFalse(ran);
        other.release();
        assertTrue(lock.tryRun(lease -> done.add("work")));
    }

    @Test
    void callWork_thatReturnsSomething() throws Exception {
        int answer = lock.call(lease -> 42);
        assertEquals(42, answer);
    }

    @Test
    void callWork_withATimeLimit() throws Exception {
        assertEquals("x", lock.call(Wait.upTo(SECOND), lease -> "x"));
        assertEquals(Optional.of("x"), lock.tryCall(Wait.upTo(SECOND), lease -> "x"));
    }

    @Test
    void read_twoValuesTogether() throws Exception {
        DistributedReadWriteLock catalogue = holdfast.readWriteLock("catalogue");
        List<String> both = catalogue.read().call(lease -> List.of("one", "two"));
        assertEquals(2, both.size());
        catalogue.write().run(lease -> done.add("written"));
    }

    @Test
    void take_threeOfTenPermits_async() throws Exception {
        DistributedSemaphore permits = holdfast.semaphore("permits", 10);
        CompletableFuture<Lease> three = permits.permits(3).acquireAsync();
        Lease lease = three.get(10, TimeUnit.SECONDS);
        assertEquals(7, permits.available());
        lease.release();
    }

    @Test
    void runWork_underOnePermit() throws Exception {
        holdfast.semaphore("permits", 2).run(lease -> done.add("work"));
        assertEquals(1, done.size());
    }

    @Test
    void hold_twoLocks() throws Exception {
        try (LeaseSet both = holdfast.locks("a", "b").acquire()) {
            assertTrue(both.isValid());
        }
        holdfast.locks("a", "b").run(leases -> done.add("work"));
        assertEquals(1, done.size());
    }

    @Test
    void beToldOfLoss() throws Exception {
        Lease lease = lock.acquire();
        CompletableFuture<LossReason> told = new CompletableFuture<>();
        lease.whenLost().thenAccept(told::complete);
        holdfast.admin().release("a");
        assertEquals(LossReason.REVOKED, told.get(10, TimeUnit.SECONDS));
    }

    @Test
    void know_whyNotObtained() throws Exception {
        Lease other = lock.acquire();
        String why = lock.attempt(Wait.none())
                .fold(
                        obtained -> "",
                        notObtained -> notObtained.lockName() + ": "
                                + notObtained.contention().describe(),
                        unknown -> "");
        assertTrue(why.startsWith("a: "), why);
        other.release();
        assertTrue(lock.attempt() instanceof Attempt.Obtained<Lease> obtained
                && obtained.lease().isValid());
    }

    @Test
    void know_whoHoldsIt() throws Exception {
        lock.withActor("order-17").acquire();
        Holder holder = lock.info().holder().orElseThrow();
        assertEquals("order-17", holder.actor());
        assertTrue(lock.isLocked());
    }

    @Test
    void extend_aLease() throws Exception {
        Lease lease = lock.acquire();
        lease.extend(Duration.ofMinutes(5));
        assertTrue(lease.remaining().compareTo(Duration.ofMinutes(4)) > 0);
    }

    @Test
    void lease_thatIsNotRenewed() throws Exception {
        LockOptions brief = LockOptions.defaults().withLeaseDuration(SECOND).withRenewal(false);
        Lease lease = holdfast.lock("a", brief).acquire();
        assertTrue(lease.remaining().compareTo(SECOND) <= 0);
    }

    @Test
    void once_inAMinute() throws Exception {
        DistributedLock job = holdfast.lock("job", LockOptions.defaults().withMinHold(Duration.ofMinutes(1)));
        assertTrue(job.tryRun(lease -> done.add("work")));
        assertFalse(job.tryRun(lease -> done.add("work")));
    }

    @Test
    void reenter() throws Exception {
        DistributedLock mine = lock.with(LockOptions.defaults().withReentrancy(Reentrancy.REENTER));
        mine.run(outer -> mine.run(inner -> assertEquals(outer.token(), inner.token())));
    }

    @Test
    void fence_whatIsWritten() throws Exception {
        long first = lock.call(Lease::token);
        assertTrue(lock.call(Lease::token) > first);
    }

    @Test
    void callWork_thatIsAsynchronous() throws Exception {
        CompletableFuture<String> result = lock.callAsync(lease -> CompletableFuture.completedFuture("done"));
        assertEquals("done", result.get(10, TimeUnit.SECONDS));
    }

    @Test
    void lead() throws Exception {
        CountDownLatch led = new CountDownLatch(1);
        try (Candidacy candidacy = holdfast.election("scheduler").campaign(leadership -> led.countDown())) {
            assertTrue(led.await(10, TimeUnit.SECONDS));
        }
    }

    @Test
    void release_bySomebodyElse() throws Exception {
        Lease lease = lock.acquire();
        holdfast.admin().release("a");
        assertFalse(lock.isLocked());
        assertFalse(lease.isHeldOnServer());
    }

    @Test
    void count_whatIsHeldAndWaitsHere() throws Exception {
        Lease lease = lock.acquire();
        CompletableFuture<Lease> waiting = lock.acquireAsync();
        assertEquals(1, holdfast.leaseCount());
        assertEquals(1, holdfast.waiterCount());
        lease.release();
        waiting.get(10, TimeUnit.SECONDS).release();
    }
}
