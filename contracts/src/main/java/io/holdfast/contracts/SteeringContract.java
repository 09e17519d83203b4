package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Admin.Waiters;
import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.ClientInfo;
import io.holdfast.DistributedLock;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Inspector;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockInfo;
import io.holdfast.LockInfo.Way;
import io.holdfast.LockOptions;
import io.holdfast.LockRefusedException;
import io.holdfast.LossReason;
import io.holdfast.ReleaseResult;
import io.holdfast.Revocation;
import io.holdfast.Revocation.Outcome;
import io.holdfast.Wait;
import io.holdfast.Waiter;
import io.holdfast.contracts.servers.TcpProxy.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Looking at locks, and steering them by name. */
public class SteeringContract extends FaultSuite {
    /** For the classes of the drivers. */
    protected SteeringContract() {}

    private final AtomicInteger requests = new AtomicInteger();

    private static Throwable failure(CompletableFuture<?> future) throws Exception {
        try {
            get(future);
            throw new AssertionError("it did not fail");
        } catch (ExecutionException e) {
            return Objects.requireNonNull(e.getCause());
        }
    }

    @Test
    void ways_heldAndWaitedFor_tellWhatWouldFreeIt() throws Exception {
        Holdfast holdfast = local(EACH_QUEUED);
        assertEquals(
                List.of(), holdfast.inspect().lock("a").ways(holdfast.inspect().listeners()::has));
        Lease lease = holdfast.lock("a").acquire();
        LockInfo held = holdfast.inspect().lock("a");
        Inspector.Listeners listeners = holdfast.inspect().listeners();
        assertEquals(Optional.of(false), listeners.has("nobody"));
        assertEquals(
                List.of(Way.By.RELEASE, Way.By.EXPIRY, Way.By.OPERATOR_RELEASE),
                held.ways(listeners::has).stream().map(Way::by).toList());
        assertEquals(
                "if its holder is dead",
                held.ways(client -> Optional.of(false)).get(1).condition());
        assertEquals(
                Optional.of(held.remaining()), held.ways(listeners::has).get(1).after());
        lease.releaseToRest(Duration.ofMinutes(1));
        assertEquals(
                List.of(Way.By.REST, Way.By.OPERATOR_RELEASE),
                holdfast.inspect().lock("a").ways(listeners::has).stream()
                        .map(Way::by)
                        .toList());
    }

    // ---- release by name

    /** Leases of one client share a hold, and those that wait for one stand in a line inside of the client. */
    @Test
    void release_dropping_endsThoseThatWaitInTheHoldersClient() throws Exception {
        Holdfast holdfast = local(HoldfastOptions.defaults());
        Lease lease = holdfast.lock("a", BRIEF).acquire();
        List<CompletableFuture<Attempt<Lease>>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(holdfast.lock("a", BRIEF).attemptAsync(Wait.forever()));
        }
        await("all stand in line", () -> holdfast.waiterCount() == 5);
        Holdfast operator = local(HoldfastOptions.defaults());
        assertEquals(
                Revocation.Outcome.RELEASED,
                operator.admin().release("a", Admin.Waiters.DROP).outcome());
        for (CompletableFuture<Attempt<Lease>> each : waiting) {
            assertNotObtained(Reason.DROPPED, get(each));
        }
        assertEquals(LossReason.REVOKED, get(lease.whenLost().toCompletableFuture()));
        holdfast.lock("a").acquire().release();
    }

    @Test
    void releaseAll_linesInsideOfClients_obtainNothingAfterwards() throws Exception {
        List<CompletableFuture<Attempt<Lease>>> waiting = new ArrayList<>();
        for (int client = 0; client < 2; client++) {
            Holdfast holdfast = local(HoldfastOptions.defaults());
            if (client == 0) {
                holdfast.lock("a", BRIEF).acquire();
            }
            for (int i = 0; i < 5; i++) {
                waiting.add(holdfast.lock("a", BRIEF).attemptAsync(Wait.forever()));
            }
            await("all stand in line", () -> holdfast.waiterCount() == 5);
        }
        Holdfast operator = local(HoldfastOptions.defaults());
        await(
                "the second client's line stands in the queue",
                () -> operator.inspect().lock("a").isQueued());
        operator.admin().releaseAll();
        for (CompletableFuture<Attempt<Lease>> each : waiting) {
            assertNotObtained(Reason.DROPPED, get(each));
        }
    }

    @Test
    void release_byNameWithWaiters_handsOffInOrderAndTheHolderLearnsOfIt() throws Exception {
        Lease lease = local(EACH_QUEUED).lock("a", BRIEF).acquire();
        CompletableFuture<Lease> next = local(EACH_QUEUED).lock("a").acquireAsync();
        awaitQueued(1);
        Revocation done = local(EACH_QUEUED).admin().release("a", Waiters.HAND_OFF);
        assertEquals(Outcome.RELEASED, done.outcome());
        assertEquals("hf:{a}", done.key());
        assertEquals("hf:{a}:q", done.queueKey());
        assertEquals(lease.owner(), done.holder().orElseThrow().owner());
        assertEquals(0, done.dropped());
        assertFalse(done.took().isNegative());
        Lease other = get(next);
        assertEquals(other.owner(), done.next().orElseThrow().owner());
        assertTrue(other.token() > lease.token());
        assertEquals(LossReason.REVOKED, get(lease.whenLost()));
        // What the old holder does now touches nobody.
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        assertHeldBy(other);
        other.release();
        awaitNothingButTombstones();
    }

    @Test
    void release_droppingTheWaiters_endsEachOfTheirCallsAsEvicted() throws Exception {
        Lease lease = local(EACH_QUEUED).lock("a").acquire();
        List<CompletableFuture<Attempt<Lease>>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add((i % 2 == 0 ? local(LAZY.withLockDefaults(STRICT)) : local(EACH_QUEUED))
                    .lock("a")
                    .attemptAsync(Wait.forever()));
            awaitQueued(i + 1);
        }
        CompletableFuture<Lease> throwing = local(EACH_QUEUED).lock("a").acquireAsync(Wait.forever());
        awaitQueued(6);
        Revocation done = local(EACH_QUEUED).admin().release("a", Waiters.DROP);
        assertEquals(Outcome.RELEASED, done.outcome());
        assertEquals(6, done.dropped());
        assertEquals(Optional.empty(), done.next());
        for (CompletableFuture<Attempt<Lease>> each : waiting) {
            Attempt.NotObtained<Lease> evicted = assertNotObtained(Reason.DROPPED, get(each));
            assertEquals("a", evicted.lockName());
        }
        LockRefusedException thrown = assertInstanceOf(LockRefusedException.class, failure(throwing));
        assertEquals(Reason.DROPPED, thrown.reason());
        // A fresh request is another one.
        Lease fresh = local(EACH_QUEUED).lock("a").acquire();
        assertTrue(fresh.token() > lease.token());
        fresh.release();
    }

    @Test
    void release_droppingAWaiterThatDoesNotHearOfIt_isToldWhenItAsksAgain() throws Exception {
        Lease lease = local(EACH_QUEUED).lock("a").acquire();
        CompletableFuture<Attempt<Lease>> waiting = remote(EAGER).lock("a").attemptAsync(Wait.forever());
        awaitQueued(1);
        proxy.stall(Kind.ANY);
        Revocation done = local(EACH_QUEUED).admin().release("a", Waiters.DROP);
        assertEquals(1, done.dropped());
        proxy.killConnections(Kind.MESSAGES);
        proxy.resume();
        assertNotObtained(Reason.DROPPED, get(waiting));
        assertEquals(ReleaseResult.ALREADY_GONE, lease.release());
        assertEveryKeyExpires(server);
    }

    @Test
    void drop_oneWaiter_endsItsCallAndConcernsNobodyElse() throws Exception {
        Holdfast holdfast = local(EACH_QUEUED);
        Lease lease = holdfast.lock("a").acquire();
        CompletableFuture<Attempt<Lease>> first = holdfast.lock("a").attemptAsync(Wait.forever());
        awaitQueued(1);
        CompletableFuture<Lease> second = holdfast.lock("a").acquireAsync(Wait.forever());
        awaitQueued(2);
        Waiter meant = holdfast.inspect().lock("a").queue().get(0);
        Revocation done = holdfast.admin().drop("a", meant);
        assertEquals(1, done.dropped());
        assertEquals(Outcome.LEFT_ALONE, done.outcome());
        assertEquals(lease.owner(), done.holder().orElseThrow().owner());
        assertNotObtained(Reason.DROPPED, get(first));
        assertHeldBy(lease);
        assertEquals(0, holdfast.admin().drop("a", meant).dropped());
        lease.release();
        Lease next = get(second);
        assertHeldBy(next);
        next.release();
        assertEquals(
                Outcome.NOTHING_TO_RELEASE, holdfast.admin().drop("a", meant).outcome());
        assertEveryKeyExpires(server);
    }

    @Test
    void extend_whatOneHolderHas_leavesALaterHoldAlone() throws Exception {
        Holdfast holdfast = local(EACH_QUEUED);
        Lease lease = holdfast.lock("a").acquire();
        Holder seen = holdfast.inspect().lock("a").holder().orElseThrow();
        Duration remaining =
                holdfast.admin().extend("a", seen, Duration.ofMinutes(5)).orElseThrow();
        assertTrue(remaining.compareTo(Duration.ofMinutes(5)) >= 0, remaining.toString());
        lease.release();
        Lease later = holdfast.lock("a").acquire();
        assertEquals(Optional.empty(), holdfast.admin().extend("a", seen, Duration.ofMinutes(5)));
        assertTrue(holdfast.inspect().lock("a").remaining().compareTo(Duration.ofMinutes(1)) < 0);
        later.release();
    }

    @Test
    void release_byNameAndToken_leavesALaterHoldAlone() throws Exception {
        Holdfast holdfast = local(EACH_QUEUED);
        Lease first = holdfast.lock("a").acquire();
        long token = first.token();
        first.release();
        Lease second = holdfast.lock("a").acquire();
        Revocation stale = holdfast.admin().release("a", token, Waiters.HAND_OFF);
        assertEquals(Outcome.LEFT_ALONE, stale.outcome());
        assertEquals(second.owner(), stale.holder().orElseThrow().owner());
        assertHeldBy(second);
        assertEquals(
                Outcome.RELEASED,
                holdfast.admin().release("a", second.token(), Waiters.HAND_OFF).outcome());
        assertEquals(
                Outcome.NOTHING_TO_RELEASE,
                holdfast.admin().release("a", Waiters.HAND_OFF).outcome());
    }

    @Test
    void release_whatRestsByTheTokenThatIsShown_endsTheRest() throws Exception {
        Holdfast holdfast = local(EACH_QUEUED);
        Lease lease = holdfast.lock("a").acquire();
        CompletableFuture<Lease> next = local(EACH_QUEUED).lock("a").acquireAsync(Wait.forever());
        awaitQueued(1);
        lease.releaseToRest(Duration.ofHours(1));
        Holder resting = holdfast.inspect().lock("a").holder().orElseThrow();
        assertTrue(resting.resting());
        Admin admin = holdfast.admin();
        assertEquals(
                Outcome.LEFT_ALONE,
                admin.release("a", resting.token() - 1, Waiters.HAND_OFF).outcome());
        Revocation done = admin.release("a", resting.token(), Waiters.HAND_OFF);
        assertEquals(Outcome.RELEASED, done.outcome());
        assertEquals(resting, done.holder().orElseThrow());
        get(next).release();
        // The client that wanted the rest does not hear of its end, and goes on to report it.
        awaitNothingLeft(server, key -> !key.contains(":x:") && !key.contains(REPORTS));
        assertEveryKeyExpires(server);
    }

    @Test
    void release_keyOfAnotherProgram_isLeftAlone() {
        server.command("SET", "hf:{a}", "mine");
        Revocation done = local(EACH_QUEUED).admin().release("a", Waiters.DROP);
        assertEquals(Outcome.LEFT_ALONE, done.outcome());
        assertEquals("mine", server.command("GET", "hf:{a}").asString());
    }

    @Test
    void release_claimNotYetTakenUp_goesToTheNextAfterIt() throws Exception {
        Lease lease = local(EACH_QUEUED).lock("a").acquire();
        LockOptions slow = LockOptions.defaults().withHandoffTimeout(Duration.ofSeconds(10));
        CompletableFuture<Lease> stalled = remote(EAGER).lock("a", slow).acquireAsync(Wait.forever());
        awaitQueued(1);
        CompletableFuture<Lease> next = local(EACH_QUEUED).lock("a").acquireAsync(Wait.forever());
        awaitQueued(2);
        proxy.stall(Kind.ANY);
        lease.release();
        await(
                "it is handed over",
                () -> server.command("HEXISTS", "hf:{a}:d", "@claim").asLong() == 1);
        Revocation done = local(EACH_QUEUED).admin().release("a", Waiters.HAND_OFF);
        assertEquals(Outcome.RELEASED, done.outcome());
        Lease second = get(next);
        assertHeldBy(second);
        proxy.resume();
        second.release();
        stalled.cancel(true);
        awaitNothingButTombstones();
    }

    @Test
    void releaseAll_locksAndQueues_leavesNothingHeldAndNobodyWaiting() throws Exception {
        Holdfast holder = local(EACH_QUEUED);
        List<CompletableFuture<Attempt<Lease>>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            holder.lock("lock " + i).acquire();
            waiting.add(local(LAZY.withLockDefaults(STRICT)).lock("lock " + i).attemptAsync(Wait.forever()));
        }
        await("all are queued", () -> holder.inspect().queues().count() == 20);
        Admin.Total done = local(EACH_QUEUED).admin().releaseAll();
        assertEquals(20, done.released());
        assertEquals(20, done.dropped());
        for (CompletableFuture<Attempt<Lease>> each : waiting) {
            assertNotObtained(Reason.DROPPED, get(each));
        }
        assertEquals(0, holder.inspect().locks().count());
        assertEquals(0, holder.inspect().queues().count());
    }

    @Test
    void releaseOf_clientActorAndHost_takesTheirLocksOnly() throws Exception {
        Holdfast one = local(EACH_QUEUED);
        Holdfast two = local(EACH_QUEUED);
        Lease a = one.lock("a").withActor("order-1").acquire();
        Lease b = one.lock("b").withActor("order-2").acquire();
        Lease c = two.lock("c").withActor("order-1").acquire();
        Admin admin = local(EACH_QUEUED).admin();
        assertEquals(1, admin.releaseOfActor(one.id(), "order-1").released());
        assertFalse(a.isHeldOnServer());
        assertTrue(b.isHeldOnServer() && c.isHeldOnServer());
        assertEquals(1, admin.releaseOfClient(one.id()).released());
        assertFalse(b.isHeldOnServer());
        assertEquals(0, admin.releaseOfHost("no such host").released());
        assertTrue(c.isHeldOnServer());
        assertEquals(0, admin.releaseMine().released());
        assertEquals(1, two.admin().releaseMine().released());
        assertFalse(c.isHeldOnServer());
        Lease d = two.lock("d").acquire();
        String host = two.inspect().lock("d").holder().orElseThrow().host();
        assertEquals(1, admin.releaseOfHost(host).released());
        assertFalse(d.isHeldOnServer());
    }

    @Test
    void extend_byName_neverShortensAndCreatesNothing() throws Exception {
        Holdfast holdfast = local(EACH_QUEUED);
        Lease lease =
                holdfast.lock("a", LockOptions.defaults().withRenewal(false)).acquire();
        Admin admin = local(EACH_QUEUED).admin();
        assertTrue(admin.extend("a", Duration.ofMinutes(5)).orElseThrow().toMinutes() >= 5);
        assertTrue(server.command("PTTL", "hf:{a}").asLong() > 290_000);
        assertTrue(admin.extend("a", Duration.ofMillis(1)).orElseThrow().toMinutes() >= 4);
        assertTrue(server.command("PTTL", "hf:{a}").asLong() > 290_000);
        assertEquals(Optional.empty(), admin.extend("b", Duration.ofMinutes(5)));
        assertThrows(IllegalArgumentException.class, () -> admin.extend("a", Duration.ofMillis(-1)));
        lease.release();
        assertEquals(List.of(), keysButTokens(server));
    }

    @Test
    void clean_deadWaiters_removesThemAndNobodyElse() throws Exception {
        Lease lease = local(EACH_QUEUED).lock("a").acquire();
        HoldfastOptions reporting = EACH_QUEUED
                .withRefreshInterval(Duration.ofMillis(100))
                .withWaiterDeadline(Duration.ofMillis(600))
                .withCloseTimeout(Duration.ZERO);
        Holdfast doomed = remote(reporting);
        for (int i = 0; i < 3; i++) {
            var unused = doomed.lock("a").acquireAsync(Wait.forever());
            awaitQueued(i + 1);
        }
        Holdfast holdfast = local(EACH_QUEUED);
        CompletableFuture<Lease> living = holdfast.lock("a").acquireAsync(Wait.forever());
        awaitQueued(4);
        proxy.stall(Kind.ANY);
        await(
                "the server gives them up",
                () -> holdfast.inspect().queue("a").stream()
                                .filter(waiter -> waiter.state() == Waiter.State.GONE)
                                .count()
                        == 3);
        List<LockEvent> events = new CopyOnWriteArrayList<>();
        Holdfast operator = local(HoldfastOptions.defaults().withListener(events::add));
        assertEquals(3, operator.admin().withEventData("OPS-7").cleanAll());
        assertEquals(0, operator.admin().clean("a"));
        await("it is told", () -> !events.isEmpty());
        LockEvent.Cleaned cleaned = assertInstanceOf(LockEvent.Cleaned.class, events.get(0));
        assertEquals(3, cleaned.removed());
        assertEquals("a", cleaned.lockName());
        assertEquals("OPS-7", cleaned.data());
        assertEquals(1, holdfast.inspect().lock("a").waiters());
        lease.release();
        get(living).release();
    }

    // ---- looking

    @Test
    void names_heldAndQueued_areToldWithoutLookingAtThem() throws Exception {
        Holdfast holdfast = local(EACH_QUEUED);
        Lease one = holdfast.lock("a {1}").acquire();
        Lease other = holdfast.lock("b:q").acquire();
        CompletableFuture<Lease> waiting = holdfast.lock("b:q").acquireAsync();
        await("it waits", () -> holdfast.inspect().isQueued("b:q"));
        assertEquals(
                List.of("a {1}", "b:q"), holdfast.inspect().heldNames().sorted().toList());
        assertEquals(List.of("b:q"), holdfast.inspect().queuedNames().toList());
        one.release();
        other.release();
        get(waiting).release();
        assertEquals(List.of(), holdfast.inspect().heldNames().toList());
    }

    @Test
    void lock_heldWithMetadata_tellsEverything() throws Exception {
        Map<String, String> metadata = Map.of("ticket", "OPS-7 / {x}", "owner", "mallory");
        LockOptions options = LockOptions.defaults().withMetadata(metadata).withLeaseDuration(Duration.ofSeconds(20));
        Holdfast holdfast = local(HoldfastOptions.defaults().withApplication("billing"));
        Lease lease = holdfast.lock("a", options).withActor("order-1").acquire();
        CompletableFuture<Lease> waiting = local(EACH_QUEUED)
                .lock("a", options.withPriority(3).withMetadata(Map.of("k", "v")))
                .withActor("order-2")
                .acquireAsync();
        awaitQueued(1);
        LockInfo info = holdfast.inspect().lock("a");
        Holder holder = info.holder().orElseThrow();
        assertTrue(info.isLocked() && info.isQueued() && info.confirmed());
        assertEquals(lease.owner(), holder.owner());
        assertEquals(holdfast.id(), holder.client());
        assertEquals(lease.token(), holder.token());
        assertEquals("billing", holder.application());
        assertEquals("order-1", holder.actor());
        assertEquals(metadata, holder.metadata());
        assertEquals(Duration.ofSeconds(20), info.leaseDuration());
        assertTrue(info.remaining().toSeconds() >= 15 && info.remaining().compareTo(info.leaseDuration()) <= 0);
        Waiter waiter = info.queue().get(0);
        assertEquals("order-2", waiter.actor());
        assertEquals(Map.of("k", "v"), waiter.metadata());
        assertEquals(3, waiter.priority());
        assertEquals(Waiter.State.HERE, waiter.state());
        lease.release();
        // A handoff carries the waiter's own.
        assertTrue(get(waiting).isValid());
        assertEquals(
                Map.of("k", "v"),
                holdfast.inspect().lock("a").holder().orElseThrow().metadata());
    }

    @Test
    void queue_nobodyWaits_isEmpty() throws Exception {
        Holdfast holdfast = local(EACH_QUEUED);
        Inspector inspector = holdfast.inspect();
        assertEquals(List.of(), inspector.queue("a"));
        assertFalse(inspector.isLocked("a") || inspector.isQueued("a"));
        Lease lease = holdfast.lock("a").acquire();
        assertEquals(List.of(), inspector.queue("a"));
        assertTrue(inspector.isLocked("a") && !inspector.isQueued("a"));
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync();
        awaitQueued(1);
        assertEquals(1, inspector.queue("a").size());
        assertTrue(inspector.isQueued("a"));
        lease.release();
        get(waiting).release();
        assertEquals(List.of(), inspector.queue("a"));
    }

    @Test
    void locks_many_areEachToldOnceInBatchesAndNotAskedBeforeTheyAreRead() throws Exception {
        Holdfast holdfast = local(EACH_QUEUED);
        TreeSet<String> names = new TreeSet<>();
        for (int i = 0; i < 250; i++) {
            names.add(holdfast.lock("{" + i + "}").acquire().name());
        }
        Holdfast looking = remote(HoldfastOptions.defaults());
        requests.set(0);
        proxy.watch(text -> requests.incrementAndGet());
        try (Stream<LockInfo> unread = looking.inspect().locks(10)) {
            assertEquals(0, requests.get());
            assertTrue(unread.findFirst().isPresent());
        }
        int forOne = requests.get();
        assertTrue(forOne < 20, forOne + " requests for one lock of 250");
        requests.set(0);
        List<LockInfo> all = looking.inspect().locks().toList();
        assertEquals(250, all.size());
        assertEquals(names, new TreeSet<>(all.stream().map(LockInfo::name).toList()));
        assertTrue(requests.get() < 20, requests.get() + " requests for 250 locks");
        assertEquals(0, looking.inspect().queues().count());
        assertTrue(looking.inspect().keys().count() >= 500, "holds and tokens");
        assertThrows(IllegalArgumentException.class, () -> looking.inspect().locks(0));
    }

    @Test
    void clients_aliveAndDead_areToldApart() throws Exception {
        Holdfast alive = local(EACH_QUEUED);
        Holdfast dead = remote(HoldfastOptions.defaults().withCloseTimeout(Duration.ZERO));
        dead.lock("a").acquire();
        alive.lock("b").acquire();
        CompletableFuture<Lease> waiting = alive.lock("a").acquireAsync();
        awaitQueued(1);
        proxy.refuse();
        proxy.killConnections(Kind.ANY);
        awaitListening(1);
        Map<String, ClientInfo> found = new java.util.HashMap<>();
        alive.inspect().clients().forEach(client -> found.put(client.id(), client));
        ClientInfo one = found.get(alive.id());
        assertTrue(one != null && one.listening());
        assertEquals(List.of(lock("b")), one.holds());
        assertEquals(List.of(lock("a")), one.waits());
        ClientInfo other = found.get(dead.id());
        assertTrue(other != null && !other.listening());
        assertEquals(List.of(lock("a")), other.holds());
        assertEquals(Long.toString(ProcessHandle.current().pid()), other.pid());
        waiting.cancel(true);
    }

    private static LockInfo.Named lock(String name) {
        return new LockInfo.Named(name, LockInfo.Kind.LOCK);
    }

    @Test
    void state_localRealAndOfAnybody_areThreeQuestionsAndTheFirstAsksNobody() throws Exception {
        Holdfast holdfast = remote(HoldfastOptions.defaults());
        DistributedLock lock = holdfast.lock("a", LockOptions.defaults().withRenewal(false));
        Lease lease = lock.acquire();
        proxy.watch(text -> requests.incrementAndGet());
        requests.set(0);
        assertTrue(lease.isValid());
        assertTrue(lease.remaining().toSeconds() > 20);
        lease.requireValid();
        assertEquals(0, requests.get());
        assertTrue(lease.isHeldOnServer());
        assertTrue(lock.isLocked());
        assertTrue(lock.remaining().toSeconds() > 20);
        // Somebody takes it away: locally still open, really not mine, and nobody's.
        server.command("DEL", "hf:{a}");
        assertTrue(lease.isValid());
        assertFalse(lease.isHeldOnServer());
        assertFalse(lock.isLocked());
        assertEquals(Duration.ZERO, lock.remaining());
        // And now somebody else's.
        Lease other = local(EACH_QUEUED).lock("a").acquire();
        assertFalse(lease.isHeldOnServer());
        assertTrue(lock.isLocked());
        other.release();
    }
}
