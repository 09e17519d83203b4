package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LockEvent;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.OnceResult;
import io.holdfast.Revocation;
import io.holdfast.Wait;
import io.holdfast.testkit.TestServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The promises of an operator's pause: the lock is not granted, holders keep it, and the queue stays as it is. */
public class PauseContract extends LockSuite {
    private static final Duration LONG = Duration.ofMinutes(10);

    /** For the classes of the drivers. */
    protected PauseContract() {}

    /** What can be paused, with room for one. */
    enum Paused {
        LOCK(LockInfo.Kind.LOCK) {
            @Override
            DistributedLock of(Holdfast client) {
                return client.lock("a", STRICT);
            }
        },
        SHARED_LOCK(LockInfo.Kind.LOCK) {
            @Override
            DistributedLock of(Holdfast client) {
                return client.lock("a");
            }
        },
        WRITING(LockInfo.Kind.READ_WRITE) {
            @Override
            DistributedLock of(Holdfast client) {
                return client.readWriteLock("a").write();
            }
        },
        SEMAPHORE(LockInfo.Kind.SEMAPHORE) {
            @Override
            DistributedLock of(Holdfast client) {
                return client.semaphore("a", 1).permits(1);
            }
        };

        final LockInfo.Kind kind;

        Paused(LockInfo.Kind kind) {
            this.kind = kind;
        }

        abstract DistributedLock of(Holdfast client);

        Admin admin(Holdfast client) {
            return client.admin().of(kind);
        }

        LockInfo info(Holdfast client) {
            return client.inspect().of(kind).lock("a");
        }
    }

    private TestServer server;
    private Holdfast operator;

    @BeforeEach
    final void start() {
        server = startLockServer();
        operator = client(server.address(), HoldfastOptions.defaults().withApplication("ops"));
    }

    private Holdfast patient() {
        LockOptions options = LockOptions.defaults().withHandoffTimeout(Duration.ofSeconds(10));
        return client(server.address(), HoldfastOptions.defaults().withLockDefaults(options));
    }

    private CompletableFuture<Lease> ask(Paused what, Holdfast client) {
        int before = what.info(operator).waiters();
        CompletableFuture<Lease> asked = what.of(client).acquireAsync();
        await("it waits", () -> what.info(operator).waiters() == before + 1);
        return asked;
    }

    @ParameterizedTest
    @EnumSource
    void pause_free_nobodyIsGrantedItUntilItIsResumed(Paused what) throws Exception {
        assertTrue(what.admin(operator).pause("a", LONG, "the disk is looked at"));
        LockInfo.Pause pause = what.info(operator).pause().orElseThrow();
        assertEquals("the disk is looked at", pause.reason());
        assertEquals("ops", pause.application());
        assertTrue(pause.remaining().compareTo(LONG) <= 0, pause.toString());
        assertTrue(pause.remaining().compareTo(LONG.minus(PATIENCE)) > 0, pause.toString());
        assertTrue(what.of(patient()).tryAcquire().isEmpty());
        CompletableFuture<Lease> first = ask(what, patient());
        CompletableFuture<Lease> second = ask(what, patient());
        assertEveryKeyExpires(server);

        assertTrue(what.admin(operator).resume("a"));
        Lease lease = get(first);
        assertFalse(second.isDone());
        assertTrue(what.info(operator).pause().isEmpty());
        lease.release();
        get(second).release();
        awaitNothingLeft(server, key -> !key.contains(REPORTS));
        assertFalse(what.admin(operator).resume("a"), "there is none any more");
    }

    @ParameterizedTest
    @EnumSource
    void pause_held_holderGoesOnAndNobodyFollowsUntilItIsResumed(Paused what) throws Exception {
        Lease held = what.of(patient()).acquire();
        CompletableFuture<Lease> first = ask(what, patient());
        CompletableFuture<Lease> second = ask(what, patient());
        assertFalse(what.admin(operator).pause("a", LONG, "deployment"), "it is held");
        CompletableFuture<Lease> third = ask(what, patient());
        LockInfo seen = what.info(operator);
        assertEquals("deployment", seen.pause().orElseThrow().reason());
        assertEquals(held.token(), seen.holder().orElseThrow().token());
        held.extend(Duration.ofMinutes(1));
        assertTrue(held.isHeldOnServer());

        held.release();
        assertTrue(what.of(patient()).tryAcquire().isEmpty());
        assertTrue(what.info(operator).pause().isPresent());
        assertEquals(3, what.info(operator).waiters());
        for (CompletableFuture<Lease> each : List.of(first, second, third)) {
            assertFalse(each.isDone());
        }
        assertTrue(what.admin(operator).resume("a"));
        for (CompletableFuture<Lease> each : List.of(first, second, third)) {
            get(each).release();
        }
        awaitNothingLeft(server, key -> !key.contains(REPORTS));
    }

    @ParameterizedTest
    @EnumSource
    void pause_resumedWhileHeld_isAsIfItHadNotBeen(Paused what) throws Exception {
        Lease held = what.of(patient()).acquire();
        assertFalse(what.admin(operator).pause("a", LONG, ""));
        CompletableFuture<Lease> next = ask(what, patient());
        assertTrue(what.admin(operator).resume("a"));
        assertTrue(what.info(operator).pause().isEmpty());
        assertFalse(next.isDone());
        held.release();
        get(next).release();
        awaitNothingLeft(server, key -> !key.contains(REPORTS));
    }

    @ParameterizedTest
    @EnumSource
    void pause_itsTimeIsOver_theNextInLineIsServed(Paused what) throws Exception {
        Lease held = what.of(patient()).acquire();
        CompletableFuture<Lease> waits = ask(what, patient());
        long begin = System.nanoTime();
        what.admin(operator).pause("a", Duration.ofSeconds(1), "short");
        held.release();
        Lease lease = get(waits);
        assertTrue(System.nanoTime() - begin >= 950_000_000, "not before its end"); // two clocks
        lease.release();
        awaitNothingLeft(server, key -> !key.contains(REPORTS));
    }

    /** The pause comes before the waiter: on a slow machine, the hold could be over before both are there. */
    @ParameterizedTest
    @EnumSource
    void pause_holderIsGone_nobodyFollowsAfterItsExpiry(Paused what) throws Exception {
        DistributedLock lock = what.of(patient());
        LockOptions dying =
                lock.options().withLeaseDuration(Duration.ofSeconds(1)).withRenewal(false);
        Lease held = lock.with(dying).acquire();
        what.admin(operator).pause("a", LONG, "after a crash");
        CompletableFuture<Lease> waits = ask(what, patient());
        await("the lease is over", () -> !held.isValid());
        await(
                "the hold is over",
                () -> what.info(operator)
                        .holder()
                        .filter(holder -> holder.token() == held.token())
                        .isEmpty());
        assertTrue(what.of(patient()).tryAcquire().isEmpty());
        assertFalse(waits.isDone());
        assertEquals("after a crash", what.info(operator).pause().orElseThrow().reason());
        assertTrue(what.admin(operator).resume("a"));
        get(waits).release();
    }

    @ParameterizedTest
    @EnumSource
    void pause_again_takesThePlaceOfTheOneBefore(Paused what) throws Exception {
        what.admin(operator).pause("a", LONG, "first");
        what.admin(operator).pause("a", Duration.ofSeconds(1), "second");
        assertEquals("second", what.info(operator).pause().orElseThrow().reason());
        what.of(patient()).acquire().release();

        Lease held = what.of(patient()).acquire();
        what.admin(operator).pause("a", Duration.ofMillis(1), "first");
        what.admin(operator).pause("a", LONG, "second");
        assertEquals("second", what.info(operator).pause().orElseThrow().reason());
        held.release();
        assertTrue(what.of(patient()).tryAcquire().isEmpty());
        what.admin(operator).resume("a");
    }

    @Test
    void pause_readers_nobodyComesBesideThoseThatRead() throws Exception {
        Admin admin = operator.admin().of(LockInfo.Kind.READ_WRITE);
        Lease reads = patient().readWriteLock("a").read().acquire();
        assertFalse(admin.pause("a", LONG, ""));
        CompletableFuture<Lease> second = patient().readWriteLock("a").read().acquireAsync();
        CompletableFuture<Lease> third = patient().readWriteLock("a").read().acquireAsync();
        await("two wait", () -> Paused.WRITING.info(operator).waiters() == 2);
        admin.resume("a");
        get(second).release();
        get(third).release();
        reads.release();
        awaitNothingLeft(server, key -> !key.contains(REPORTS));
    }

    @Test
    void pause_waiter_isToldInPlaceOfAHolder() throws Exception {
        operator.admin().pause("a", LONG, "the disk is looked at");
        Attempt.NotObtained<Lease> not =
                (Attempt.NotObtained<Lease>) patient().lock("a").attempt(Wait.none());
        Holder by = not.contention().holder().orElseThrow();
        assertTrue(by.isPause());
        assertTrue(by.resting());
        assertTrue(not.describe().contains("nobody (paused by ops@"), not.describe());
        assertTrue(not.describe().contains(": the disk is looked at)"), not.describe());
    }

    /** A hold that begins after an operator has looked must not end by a release of the pause that was seen. */
    @Test
    void release_ofWhatIsPaused_leavesThePauseToResume() throws Exception {
        Admin admin = operator.admin();
        admin.pause("a", LONG, "");
        Holder pause = operator.inspect().lock("a").holder().orElseThrow();
        assertTrue(pause.isPause());
        CompletableFuture<Attempt<Lease>> first = attempt();
        for (Revocation done : List.of(
                admin.release("a"),
                admin.release("a", 7, Admin.Waiters.HAND_OFF),
                admin.release("a", pause),
                admin.drop("a"))) {
            assertEquals(Revocation.Outcome.LEFT_ALONE, done.outcome());
            assertTrue(done.holder().orElseThrow().isPause());
        }
        assertNotObtained(Attempt.Reason.DROPPED, get(first));
        CompletableFuture<Attempt<Lease>> second = attempt();
        assertEquals(1, admin.release("a", Admin.Waiters.DROP).dropped());
        assertNotObtained(Attempt.Reason.DROPPED, get(second));
        assertEquals(0, admin.releaseAll().released());
        assertTrue(Paused.LOCK.info(operator).pause().isPresent());
        CompletableFuture<Lease> third = ask(Paused.LOCK, patient());
        assertTrue(admin.resume("a"));
        get(third).release();
    }

    private CompletableFuture<Attempt<Lease>> attempt() {
        CompletableFuture<Attempt<Lease>> asked = patient().lock("a").attemptAsync(Wait.forever());
        await("it waits", () -> Paused.LOCK.info(operator).waiters() == 1);
        return asked;
    }

    @Test
    void pause_once_nobodyBeginsTheWorkAndARecordIsReturned() throws Exception {
        Holdfast client = patient();
        client.once("done").run(lease -> "result");
        Admin admin = operator.admin().of(LockInfo.Kind.ONCE);
        assertFalse(admin.pause("done", LONG, ""));
        assertTrue(admin.pause("open", LONG, ""));
        assertEquals(
                "result", client.once("done").run(Wait.none(), lease -> "again").orElseThrow());
        assertTrue(client.once("open").run(Wait.none(), lease -> "begun") instanceof OnceResult.InProgress);
        admin.resume("open");
        assertEquals(
                "begun", client.once("open").run(Wait.none(), lease -> "begun").orElseThrow());
    }

    @Test
    void pause_oneLockOfASet_keepsTheSetOut() throws Exception {
        operator.admin().pause("a", LONG, "");
        CompletableFuture<LeaseSet> asked = patient().locks("a", "b").acquireAsync();
        await("it waits", () -> Paused.LOCK.info(operator).waiters() == 1);
        operator.admin().resume("a");
        asked.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
    }

    @Test
    void pause_listeners_areTold() {
        List<LockEvent> told = new CopyOnWriteArrayList<>();
        Holdfast heard = client(server.address(), HoldfastOptions.defaults().withListener(told::add));
        heard.admin().pause("a", LONG, "why");
        heard.admin().resume("a");
        heard.admin().resume("a");
        await("two events", () -> told.size() == 2);
        assertEquals("why", ((LockEvent.Paused) told.get(0)).reason());
        assertEquals("a", ((LockEvent.Resumed) told.get(1)).lockName());
    }
}
