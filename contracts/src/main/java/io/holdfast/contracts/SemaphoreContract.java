package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Contention;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holder;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockMode;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Revocation;
import io.holdfast.Wait;
import io.holdfast.Waiter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/** What a semaphore promises beyond what every kind of lock does. */
public class SemaphoreContract extends SemaphoreSuite {
    /** For the classes of the drivers. */
    protected SemaphoreContract() {}

    @Test
    final void permits_asManyAsThereAre_andNoMore() throws Exception {
        Lease first = permits.acquire();
        Lease two = others.permits(2).acquire();
        assertEquals(LockMode.PERMITS, two.mode());
        assertEquals(2, two.permits());
        assertEquals(0, permits.available());
        assertNotObtained(Reason.TAKEN, permits.permits(1).attempt(Wait.none()));
        assertTrue(two.token() > first.token());
        assertEquals(ReleaseResult.RELEASED, two.release());
        assertEquals(ReleaseResult.ALREADY_GONE, two.release());
        assertEquals(2, permits.available());
        first.release();
        awaitNothingLeft(server);
    }

    @Test
    final void refusal_tellsHowManyAreOutAndWanted() throws Exception {
        Lease two = others.permits(2).acquire();
        Attempt.NotObtained<Lease> not =
                assertNotObtained(Reason.TAKEN, permits.permits(3).attempt(Wait.none()));
        assertEquals(
                Optional.of(new Contention.Sharing(LockMode.PERMITS, 2, 3, 3)),
                not.contention().sharing());
        assertTrue(not.describe().contains("2 of 3 permits are out, 3 wanted"), not.describe());
        two.release();
    }

    @Test
    final void forms_ofWork_areThoseOfLocks() throws Exception {
        Forms.assertAllWork(permits, () -> others.permits(3).acquire()::release);
        assertEquals(3, permits.available());
    }

    @Test
    final void bigRequest_inFront_isPassedByNobodyAndGetsAllAtOnce() throws Exception {
        Lease first = permits.permits(2).acquire();
        CompletableFuture<Lease> big = waiting(others, 3);
        CompletableFuture<Lease> small = waiting(permits, 1); // one would be free
        assertNotObtained(Reason.TAKEN, others.permits(1).attempt(Wait.none()));
        assertFalse(small.isDone());
        first.release();
        Lease all = get(big);
        assertEquals(3, all.permits());
        assertFalse(small.isDone());
        all.release();
        get(small).release();
        awaitNothingLeft(server);
    }

    @Test
    final void bigRequest_givesUp_thoseBehindItAreServed() throws Exception {
        Lease first = permits.permits(2).acquire();
        CompletableFuture<Lease> big = waiting(others, 3);
        CompletableFuture<Lease> small = waiting(permits, 1);
        big.cancel(false);
        get(small).release();
        first.release();
    }

    @Test
    final void release_ofSeveral_servesAsManyAsFit() throws Exception {
        Lease all = permits.permits(3).acquire();
        CompletableFuture<Lease> first = waiting(others, 1);
        CompletableFuture<Lease> second = waiting(permits, 2);
        CompletableFuture<Lease> third = waiting(others, 1);
        all.release();
        Lease one = get(first);
        get(second);
        assertFalse(third.isDone());
        one.release();
        get(third);
    }

    @Test
    final void holder_expired_itsPermitsComeBackThen() throws Exception {
        LockOptions brief =
                LockOptions.defaults().withLeaseDuration(Duration.ofMillis(700)).withRenewal(false);
        Lease dead = two.semaphore("a", 3, brief).permits(2).acquire();
        CompletableFuture<Lease> big = waiting(client(server.address(), LAZY).semaphore("a", 3), 2);
        long begin = System.nanoTime();
        get(big).release();
        assertFalse(dead.isValid());
        assertBeforeARefresh(begin);
    }

    @Test
    final void numbers_ofTwoVersions_neitherAddsBeyondItsOwn() throws Exception {
        DistributedSemaphore more = others.withPermits(5);
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(permits.acquire());
        }
        assertNotObtained(Reason.TAKEN, permits.permits(1).attempt(Wait.none()));
        held.add(more.permits(2).acquire());
        assertNotObtained(Reason.TAKEN, more.permits(1).attempt(Wait.none()));
        held.get(0).release();
        assertNotObtained(Reason.TAKEN, permits.permits(1).attempt(Wait.none()));
        more.acquire().release();
    }

    @Test
    final void shortestHold_limitsHowOftenSomethingBegins() throws Exception {
        LockOptions rate = LockOptions.defaults().withMinHold(Duration.ofMillis(500));
        DistributedSemaphore limited = one.semaphore("a", 2, rate);
        long begin = System.nanoTime();
        for (int i = 0; i < 5; i++) {
            limited.acquire().release();
        }
        assertTrue(System.nanoTime() - begin >= 1_000_000_000L, "two of 500 ms each");
    }

    @Test
    final void releaseToRest_permitsRestTheOthersAreThere() throws Exception {
        Lease lease = permits.permits(2).acquire();
        CompletableFuture<Lease> three = waiting(others, 3);
        assertEquals(ReleaseResult.RELEASED, lease.releaseToRest(Duration.ofSeconds(2)));
        assertEquals(1, permits.available());
        three.cancel(false);
        await("nobody waits", () -> waiters() == 0);
        permits.acquire().release();
        assertNotObtained(Reason.TAKEN, others.permits(2).attempt(Wait.none()));
        assertTrue(others.permits(3).acquire(Wait.upTo(PATIENCE)).isValid(), "they come back");
    }

    @Test
    final void release_restByTheTokenThatIsShown_givesThosePermitsBackAndNoOthers() throws Exception {
        Lease held = permits.acquire();
        Lease resting = permits.acquire();
        resting.releaseToRest(Duration.ofHours(1));
        permits.acquire().releaseToRest(Duration.ofHours(1));
        assertEquals(0, permits.available());
        assertEquals(
                Revocation.Outcome.RELEASED,
                one.admin()
                        .of(LockInfo.Kind.SEMAPHORE)
                        .release("a", resting.token(), Admin.Waiters.HAND_OFF)
                        .outcome());
        assertEquals(1, permits.available());
        assertTrue(held.isHeldOnServer());
    }

    @Test
    final void revoke_allPermitsComeBackAndHoldersAreTold() throws Exception {
        Lease first = permits.acquire();
        Lease second = others.permits(2).acquire();
        var unused = one.admin().of(LockInfo.Kind.SEMAPHORE).release("a", Admin.Waiters.HAND_OFF);
        assertEquals(LossReason.REVOKED, get(first.whenLost().toCompletableFuture()));
        assertEquals(LossReason.REVOKED, get(second.whenLost().toCompletableFuture()));
        assertEquals(3, permits.available());
    }

    /** A listing has a hundred holders of a lock. */
    @Test
    final void releaseOfClient_moreHoldersThanAListingHas_endsAllOfItsHolds() throws Exception {
        int held = 130;
        DistributedSemaphore many = one.semaphore("many", held + 1);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < held; i++) {
            leases.add(many.acquire());
        }
        Lease other = two.semaphore("many", held + 1).acquire();
        Admin.Total done = two.admin().of(LockInfo.Kind.SEMAPHORE).releaseOfClient(one.id());
        assertEquals(held, done.released());
        for (Lease each : leases) {
            assertEquals(LossReason.REVOKED, get(each.whenLost().toCompletableFuture()));
        }
        assertTrue(other.isHeldOnServer());
    }

    @Test
    final void release_byATokenThatNobodyHas_dropsWaitersAndLeavesHoldersAlone() throws Exception {
        Lease lease = permits.permits(2).acquire();
        CompletableFuture<Attempt<Lease>> big = others.permits(3).attemptAsync(Wait.forever());
        await("it waits", () -> waiters() == 1);
        Revocation done = one.admin().of(LockInfo.Kind.SEMAPHORE).release("a", 1, Admin.Waiters.DROP);
        assertEquals(1, done.dropped());
        assertNotObtained(Reason.DROPPED, get(big));
        assertTrue(lease.isHeldOnServer());
        assertEquals(1, permits.available());
    }

    @Test
    final void drop_oneWaiter_whoeverWaitsBehindItIsServed() throws Exception {
        Lease lease = permits.permits(2).acquire();
        CompletableFuture<Attempt<Lease>> big = others.permits(3).attemptAsync(Wait.forever());
        await("it waits", () -> waiters() == 1);
        CompletableFuture<Lease> small = others.permits(1).acquireAsync(Wait.forever());
        await("both wait", () -> waiters() == 2);
        Waiter meant = permits.info().queue().get(0);
        assertEquals(3, meant.permits());
        assertEquals(1, one.admin().of(LockInfo.Kind.SEMAPHORE).drop("a", meant).dropped());
        assertNotObtained(Reason.DROPPED, get(big));
        assertTrue(get(small).isHeldOnServer());
        assertTrue(lease.isHeldOnServer());
        assertEquals(0, one.admin().of(LockInfo.Kind.SEMAPHORE).drop("a", meant).dropped());
    }

    @Test
    final void drop_allWaiters_endsTheirCallsAndConcernsNoHolder() throws Exception {
        Lease lease = permits.permits(2).acquire();
        CompletableFuture<Attempt<Lease>> big = others.permits(3).attemptAsync(Wait.forever());
        await("it waits", () -> waiters() == 1);
        CompletableFuture<Attempt<Lease>> small = others.permits(1).attemptAsync(Wait.forever());
        await("both wait", () -> waiters() == 2);
        assertEquals(2, one.admin().of(LockInfo.Kind.SEMAPHORE).drop("a").dropped());
        assertNotObtained(Reason.DROPPED, get(big));
        assertNotObtained(Reason.DROPPED, get(small));
        assertTrue(lease.isHeldOnServer());
        assertEquals(0, one.admin().of(LockInfo.Kind.SEMAPHORE).drop("a").dropped());
    }

    @Test
    final void extend_whatOneHolderHas_leavesOthersAlone() throws Exception {
        Lease lease = permits.acquire();
        Lease other = others.acquire();
        Holder seen = permits.info().shares().stream()
                .map(LockInfo.Share::holder)
                .filter(holder -> holder.owner().equals(lease.owner()))
                .findFirst()
                .orElseThrow();
        assertTrue(one.admin()
                .of(LockInfo.Kind.SEMAPHORE)
                .extend("a", seen, Duration.ofMinutes(5))
                .isPresent());
        List<Duration> remaining = permits.info().shares().stream()
                .map(LockInfo.Share::remaining)
                .sorted()
                .toList();
        assertTrue(remaining.get(0).compareTo(Duration.ofMinutes(1)) < 0, "the other's: " + remaining);
        assertTrue(remaining.get(1).compareTo(Duration.ofMinutes(4)) > 0, "the one's: " + remaining);
        lease.release();
        assertTrue(one.admin()
                .of(LockInfo.Kind.SEMAPHORE)
                .extend("a", seen, Duration.ofMinutes(5))
                .isEmpty());
        other.release();
    }

    @Test
    final void look_tellsPermits() throws Exception {
        Lease first = permits.permits(2).acquire();
        CompletableFuture<Lease> big = waiting(others, 3);
        LockInfo info = permits.info();
        assertEquals(2, info.used());
        assertEquals(2, info.shares().get(0).permits());
        assertEquals(first.owner(), info.shares().get(0).holder().owner());
        assertEquals(3, info.queue().get(0).permits());
        assertEquals(
                List.of("a"),
                one.inspect().of(LockInfo.Kind.SEMAPHORE).heldNames().toList());
        big.cancel(false);
    }

    @Test
    final void load_permitsOutAndTheirSlots_areNeverMoreThanThereAre() throws Exception {
        AtomicInteger out = new AtomicInteger();
        AtomicIntegerArray taken = new AtomicIntegerArray(3);
        AtomicInteger wrong = new AtomicInteger();
        List<CompletableFuture<?>> threads = new ArrayList<>();
        for (int t = 0; t < 12; t++) {
            DistributedSemaphore mine = t % 2 == 0 ? permits : others;
            Random random = new Random(t);
            threads.add(inThread(() -> {
                for (int i = 0; i < 100; i++) {
                    int count = 1 + random.nextInt(3);
                    DistributedSemaphore asked = random.nextBoolean() ? mine : mine.withSlots();
                    asked.permits(count).call(lease -> {
                        wrong.addAndGet(out.addAndGet(count) > 3 ? 1 : 0);
                        wrong.addAndGet(asked == mine || lease.slots().size() == count ? 0 : 1);
                        lease.slots().forEach(slot -> wrong.addAndGet(taken.getAndSet(slot, 1)));
                        lease.slots().forEach(slot -> taken.set(slot, 0));
                        out.addAndGet(-count);
                        return true;
                    });
                }
                return true;
            }));
        }
        for (CompletableFuture<?> thread : threads) {
            thread.get(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertEquals(0, wrong.get());
        awaitNothingLeft(server);
    }

    @Test
    final void limit_byAnOperator_nobodyIsGrantedAnyMoreUntilItIsLifted() throws Exception {
        Admin admin = one.admin().of(LockInfo.Kind.SEMAPHORE);
        Lease held = permits.acquire();
        admin.limit("a", 0, Duration.ofMinutes(10));
        assertTrue(held.isHeldOnServer(), "nothing is taken from those that have some");
        assertNotObtained(Reason.TAKEN, others.permits(1).attempt(Wait.none()));
        assertEquals(0, permits.available());
        LockInfo.Limit limit = permits.info().limit().orElseThrow();
        assertEquals(0, limit.permits());
        assertEquals(Long.toString(ProcessHandle.current().pid()), limit.pid());
        assertTrue(limit.remaining().compareTo(Duration.ofMinutes(9)) > 0);
        CompletableFuture<Lease> first = waiting(others, 2);
        CompletableFuture<Lease> second = waiting(permits, 1);
        admin.limit("a", 3, Duration.ofMinutes(10));
        get(first);
        assertFalse(second.isDone());
        assertTrue(admin.unlimit("a"));
        assertFalse(admin.unlimit("a"), "there is none any more");
        held.release();
        get(second).release();
        assertTrue(permits.info().limit().isEmpty());
    }

    @Test
    final void limit_requestForMoreStandsInFront_isPassedWhileItLastsAndIsTheFirstAfterwards() throws Exception {
        Admin admin = one.admin().of(LockInfo.Kind.SEMAPHORE);
        Lease held = permits.acquire();
        CompletableFuture<Lease> large = waiting(others, 3);
        CompletableFuture<Lease> small = waiting(permits, 1);
        assertFalse(small.isDone(), "nothing passes a request that does not fit");
        admin.limit("a", 2, Duration.ofMinutes(10));
        get(small).release();
        permits.permits(1).attempt(Wait.none()).orElseThrow().release();
        String why = permits.info().ways(client -> Optional.of(true)).get(0).condition();
        assertTrue(why.contains("others pass it"), why);
        assertFalse(large.isDone());
        assertTrue(admin.unlimit("a"));
        CompletableFuture<Lease> later = waiting(permits, 1);
        held.release();
        Lease first = get(large);
        assertFalse(later.isDone());
        first.release();
        get(later).release();
        awaitNothingLeft(server);
    }

    @Test
    final void limit_endsByItself_whoWaitsIsServedThenAndNothingIsLeft() throws Exception {
        one.admin().of(LockInfo.Kind.SEMAPHORE).limit("a", 0, Duration.ofMillis(700));
        CompletableFuture<Lease> first = waiting(client(server.address(), LAZY).semaphore("a", 3), 3);
        long begin = System.nanoTime();
        get(first).release();
        assertBeforeARefresh(begin);
        awaitNothingLeft(server);
    }

    @Test
    final void limit_ofWhatIsNoSemaphore_isRefused() {
        Duration minute = Duration.ofMinutes(1);
        assertThrows(UnsupportedOperationException.class, () -> one.admin().limit("a", 0, minute));
        assertThrows(
                UnsupportedOperationException.class,
                () -> one.admin().of(LockInfo.Kind.READ_WRITE).unlimit("a"));
        assertThrows(
                IllegalArgumentException.class,
                () -> one.admin().of(LockInfo.Kind.SEMAPHORE).limit("a", -1, minute));
        assertThrows(
                IllegalArgumentException.class,
                () -> one.admin().of(LockInfo.Kind.SEMAPHORE).limit("a", 0, Duration.ZERO));
    }

    @Test
    final void options_withoutMeaning_areRefused() {
        assertThrows(IllegalArgumentException.class, () -> one.semaphore("a", 0));
        assertThrows(IllegalArgumentException.class, () -> permits.permits(4));
        assertThrows(
                IllegalArgumentException.class,
                () -> one.semaphore("a", 1, LockOptions.defaults().withReentrancy(LockOptions.Reentrancy.REENTER)));
        assertThrows(
                UnsupportedOperationException.class, () -> permits.permits(1).asJavaLock());
    }
}
