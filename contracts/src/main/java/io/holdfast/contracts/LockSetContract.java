package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseLostException;
import io.holdfast.LeaseSet;
import io.holdfast.LeaseTicket;
import io.holdfast.LockOptions;
import io.holdfast.LockSet;
import io.holdfast.LockTimeoutException;
import io.holdfast.LossReason;
import io.holdfast.Quorum;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.testkit.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Several locks as one, against real servers: all or none, in whatever order they are named, and nothing left over. */
public class LockSetContract extends QuorumSuite {
    private static final List<LockOptions> WAYS = List.of(
            LockOptions.defaults().withStrictOrder(),
            LockOptions.defaults().withLocalHandoffs(10, Duration.ofMillis(10)),
            LockOptions.defaults().withKeepFor(Duration.ofMinutes(1)),
            LockOptions.defaults().withRenewal(false));

    @Test
    final void forms_ofWork_areThoseOfLocks() throws Exception {
        TestServer server = startLockServer();
        Holdfast holdfast = client(server);
        Holdfast other = client(server);
        Forms.assertAllWork(holdfast.locks("a", "b"), () -> other.lock("b").acquire()::release);
        assertFalse(holdfast.lock("a").isLocked());
    }

    @Test
    final void detach_locksLiveOnWithoutTheClient() throws Exception {
        TestServer server = startLockServer();
        Holdfast giver = client(server);
        Holdfast other = client(server);
        LeaseSet leases = giver.locks("a", "b").acquire();
        List<LeaseTicket> tickets =
                List.of(leases.lease("a").ticket(), leases.lease("b").ticket());
        leases.detach();
        leases.detach();
        assertTrue(leases.isValid());
        giver.close();
        for (LeaseTicket ticket : tickets) {
            assertTrue(other.lock(ticket.lockName()).isLocked());
            try (Lease adopted = other.adopt(ticket)) {
                assertEquals(leases.token(ticket.lockName()), adopted.token());
            }
            assertFalse(other.lock(ticket.lockName()).isLocked());
        }
    }

    @Test
    final void detach_oneLockIsOver_reportsItAndDetachesTheOther() throws Exception {
        TestServer server = startLockServer();
        Holdfast giver = client(server);
        Holdfast other = client(server);
        LeaseSet leases = giver.locks("a", "b").acquire();
        leases.lease("a").release();
        LeaseLostException lost = assertThrows(LeaseLostException.class, leases::detach);
        assertEquals("a", lost.lockName());
        giver.close();
        assertFalse(other.lock("a").isLocked());
        assertTrue(other.lock("b").isLocked());
    }

    @Test
    final void acquire_freeLocks_areHeldTogetherAndLeaveNothing() throws Exception {
        TestServer server = startLockServer();
        Holdfast holdfast = client(server);
        try (LeaseSet leases = holdfast.locks("c", "a", "b").acquire()) {
            assertTrue(leases.isValid());
            assertTrue(leases.remaining().compareTo(Duration.ofSeconds(25)) > 0);
            assertEquals(List.of("hf:{a}", "hf:{b}", "hf:{c}"), keysButTokens(server));
            assertEveryKeyExpires(server);
            for (String name : List.of("a", "b", "c")) {
                assertEquals(
                        leases.token(name),
                        holdfast.inspect().lock(name).holder().orElseThrow().token());
                assertTrue(leases.lease(name).isHeldOnServer());
            }
            leases.extend(Duration.ofMinutes(2));
            assertTrue(leases.remaining().compareTo(Duration.ofMinutes(1)) > 0);
        }
        assertEquals(List.of(), keysButTokens(server));
        assertEquals(0, holdfast.leaseCount());
    }

    @Test
    final void releaseToRest_all_areTakenByNobodyForSoLong() throws Exception {
        Holdfast holdfast = client(startLockServer());
        LeaseSet leases = holdfast.locks("a", "b").acquire();
        assertEquals(
                Map.of("a", ReleaseResult.RELEASED, "b", ReleaseResult.RELEASED),
                leases.releaseToRest(Duration.ofSeconds(1)));
        assertFalse(leases.isValid());
        for (String name : List.of("a", "b")) {
            assertTrue(holdfast.inspect().lock(name).holder().orElseThrow().resting());
        }
        assertTrue(holdfast.locks("a", "b").acquire(Wait.upTo(PATIENCE)).isValid());
    }

    @Test
    final void attempt_oneIsTaken_namesItAndItsHolderAndHoldsNone() throws Exception {
        TestServer server = startLockServer();
        Lease theirs = client(server).lock("b").acquire();
        Holdfast holdfast = client(server);
        for (Wait wait : List.of(Wait.none(), IN_VAIN)) {
            Attempt.NotObtained<LeaseSet> notAll = assertNotObtained(
                    wait.isNone() ? Reason.TAKEN : Reason.TIMED_OUT,
                    holdfast.locks("a", "b", "c").attempt(wait));
            assertEquals("b", notAll.lockName());
            assertEquals(
                    theirs.owner(), notAll.contention().holder().orElseThrow().owner());
            assertEquals(List.of("hf:{b}"), keysOfHoldsAndQueues(server));
        }
        assertEquals(Optional.empty(), holdfast.locks("a", "b", "c").tryAcquire());
        LockTimeoutException timeout = assertThrows(
                LockTimeoutException.class, () -> holdfast.locks("a", "b").acquire(IN_VAIN));
        assertEquals("b", timeout.lockName());
        theirs.release();
        awaitNothingLeft(server);
    }

    /** Nothing was done under what it had. */
    @Test
    final void attempt_oneIsTakenAndTheOthersHaveAShortestHold_leavesNoRest() throws Exception {
        TestServer server = startLockServer();
        Lease theirs = client(server).lock("b").acquire();
        Holdfast holdfast = client(server);
        LockOptions rests = LockOptions.defaults().withMinHold(Duration.ofMinutes(1));
        LockSet set = holdfast.allOf(holdfast.lock("a", rests), holdfast.lock("b", rests), holdfast.lock("c", rests));
        assertNotObtained(Reason.TAKEN, set.attempt(Wait.none()));
        assertEquals(List.of("hf:{b}"), keysOfHoldsAndQueues(server));
        theirs.release();
        set.acquire().release();
        assertTrue(holdfast.inspect().lock("a").holder().orElseThrow().resting());
    }

    @Test
    final void acquire_interruptedWhileItWaits_holdsNone() throws Exception {
        TestServer server = startLockServer();
        Holdfast holdfast = client(server);
        List<String> order = holdfast.locks("a", "b").names();
        Lease theirs = client(server).lock(order.get(1)).acquire();
        LockKindSuite.Blocked blocked =
                LockKindSuite.Blocked.in(() -> holdfast.locks("a", "b").acquire());
        await("it waits", () -> holdfast.inspect().lock(order.get(1)).waiters() == 1);
        blocked.thread().interrupt();
        assertInstanceOf(InterruptedException.class, blocked.thrown().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        await(
                "only the other's is held",
                () -> keysOfHoldsAndQueues(server).equals(List.of("hf:{" + order.get(1) + "}")));
        theirs.release();
        awaitNothingLeft(server);
    }

    @Test
    final void call_manyThreadsInAnyOrder_neverOverlapNorDeadlock() throws Exception {
        TestServer server = startLockServer();
        List<Holdfast> clients = List.of(client(server), client(server), client(server));
        contend(
                12,
                thread -> locks -> {
                    Holdfast client = clients.get(thread % 3);
                    LockOptions options = WAYS.get(thread % WAYS.size()).withWaitLimit(Wait.upTo(PATIENCE));
                    return client.allOf(locks.stream()
                            .map(name -> client.lock(name, options))
                            .toArray(DistributedLock[]::new));
                },
                40);
        clients.forEach(Holdfast::close); // what is kept
        awaitNothingLeft(server, key -> !key.contains("}:x:"));
    }

    /** Sets of some of five locks, at random. */
    private static void contend(int threads, Function<Integer, Function<List<String>, LockSet>> sets, int rounds)
            throws Exception {
        List<String> names = List.of("a", "b", "c", "d", "e");
        List<AtomicInteger> inside =
                names.stream().map(name -> new AtomicInteger()).toList();
        long[] newest = new long[names.size()];
        List<CompletableFuture<?>> ends = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            Random random = new Random(t);
            var set = sets.apply(t);
            ends.add(inThread(() -> {
                for (int i = 0; i < rounds; i++) {
                    List<String> some = new ArrayList<>(names);
                    Collections.shuffle(some, random);
                    some = some.subList(0, 2 + random.nextInt(3));
                    set.apply(some).withWait(Wait.upTo(PATIENCE)).call(leases -> {
                        for (String name : leases.tokens().keySet()) {
                            int which = names.indexOf(name);
                            assertEquals(1, inside.get(which).incrementAndGet(), "somebody else is inside");
                            assertTrue(leases.token(name) > newest[which]);
                            newest[which] = leases.token(name);
                        }
                        leases.tokens()
                                .keySet()
                                .forEach(name -> inside.get(names.indexOf(name)).decrementAndGet());
                        assertTrue(leases.isValid());
                        return leases;
                    });
                }
                return true;
            }));
        }
        for (CompletableFuture<?> end : ends) {
            end.get(PATIENCE.toSeconds() * 3, TimeUnit.SECONDS);
        }
    }

    @Test
    final void loss_whileItWaits_beginsAnewAndHoldsAllInTheEnd() throws Exception {
        TestServer server = startLockServer();
        Holdfast holdfast = client(server);
        Holdfast other = client(server);
        for (LockOptions options : WAYS) {
            List<String> order = holdfast.locks("a", "b").names();
            Lease theirs = other.lock(order.get(1)).acquire();
            CompletableFuture<LeaseSet> waiting = holdfast.allOf(
                            holdfast.lock("a", options), holdfast.lock("b", options))
                    .acquireAsync(Wait.upTo(PATIENCE));
            await(
                    "it waits for the second",
                    () -> other.inspect().lock(order.get(1)).waiters() == 1);
            long lost =
                    other.inspect().lock(order.get(0)).holder().orElseThrow().token();
            other.admin().release(order.get(0), lost, Admin.Waiters.HAND_OFF);
            await(
                    "it begins anew",
                    () -> other.inspect()
                            .lock(order.get(0))
                            .holder()
                            .filter(holder -> holder.token() > lost)
                            .isPresent());
            theirs.release();
            try (LeaseSet leases = waiting.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
                assertTrue(leases.isValid() && leases.token(order.get(0)) > lost);
            }
        }
        holdfast.close();
        awaitNothingLeft(server, key -> !key.contains("}:x:"));
    }

    @Test
    final void loss_ofOne_isToldAndTheOthersStay() throws Exception {
        TestServer server = startLockServer();
        Holdfast holdfast = client(server);
        LeaseSet leases = holdfast.locks("a", "b").acquire();
        client(server).admin().release("a", leases.token("a"), Admin.Waiters.HAND_OFF);
        LeaseSet.Loss loss = leases.whenLost().toCompletableFuture().get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        assertEquals(new LeaseSet.Loss("a", LossReason.REVOKED), loss);
        assertFalse(leases.isValid());
        assertTrue(leases.lease("b").isHeldOnServer());
        assertEquals(ReleaseResult.RELEASED, leases.release().get("b"));
        awaitNothingLeft(server);
    }

    /** The message that grants the second lock does not come; the next refresh tells. */
    @Test
    final void acquire_messagesAreSwallowed_isServedByTheRefresh() throws Exception {
        RedisServer server = startServer();
        TcpProxy proxy = closeLater(TcpProxy.to(server.port()));
        Holdfast deaf = client(proxy.address(), HoldfastOptions.defaults());
        List<String> order = deaf.locks("a", "b").names();
        Lease theirs = client(server).lock(order.get(1)).acquire();
        CompletableFuture<LeaseSet> waiting = deaf.locks("a", "b").acquireAsync(Wait.upTo(PATIENCE));
        await(
                "it waits",
                () -> server.command("ZCARD", "hf:{" + order.get(1) + "}:q").asLong() == 1);
        proxy.dropReplies(TcpProxy.Kind.MESSAGES);
        theirs.release();
        try (LeaseSet leases = waiting.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            assertTrue(leases.isValid());
        }
        awaitNothingLeft(server);
    }

    @Test
    final void acquire_hundredLocks_areRenewedTogether() throws Exception {
        TestServer server = startLockServer();
        Holdfast holdfast = client(
                server.address(),
                HoldfastOptions.defaults()
                        .withLockDefaults(LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(1))));
        String[] names = IntStream.range(0, 100).mapToObj(i -> "n" + i).toArray(String[]::new);
        try (LeaseSet leases = holdfast.locks(names).acquire()) {
            long end = System.nanoTime() + Duration.ofSeconds(2).toNanos();
            await("it outlives its term", () -> System.nanoTime() - end > 0);
            assertTrue(leases.isValid());
        }
        awaitNothingLeft(server);
    }

    @Test
    final void quorum_manyThreadsInAnyOrder_neverOverlapNorDeadlock() throws Exception {
        List<RedisServer> nodes = nodes(3);
        List<Quorum> clients = Stream.generate(() -> quorum(nodes)).limit(2).toList();
        contend(4, thread -> locks -> clients.get(thread % 2).locks(locks.toArray(String[]::new)), 8);
        nodes.forEach(node -> awaitNothingLeft(node, QuorumSuite::isNoTombstone));
    }

    @Test
    final void quorum_oneIsTaken_namesItAndHoldsNone() throws Exception {
        List<RedisServer> nodes = nodes(3);
        Lease theirs = quorum(nodes).lock("b").acquire();
        Quorum quorum = quorum(nodes);
        Attempt.NotObtained<LeaseSet> notAll = assertNotObtained(
                Reason.TAKEN,
                quorum.allOf(quorum.lock("a"), quorum.lock("b"), quorum.lock("c", LOCK.withRenewal(false)))
                        .attempt(Wait.none()));
        assertEquals("b", notAll.lockName());
        theirs.release();
        try (LeaseSet leases = quorum.locks("a", "b", "c").acquire()) {
            assertEquals(3, leases.tokens().size());
        }
        assertEquals(0, quorum.leaseCount());
        nodes.forEach(node -> awaitNothingLeft(node, QuorumSuite::isNoTombstone));
    }
}
