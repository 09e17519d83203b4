package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static io.holdfast.contracts.Outcomes.assertObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Order;
import io.holdfast.LockRefusedException;
import io.holdfast.LossReason;
import io.holdfast.Wait;
import io.holdfast.Waiter;
import io.holdfast.contracts.servers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** In which order waiters are served where the caller asked for another one than that of arrival, and who may not wait. */
public class QueueOrderContract extends FaultSuite {
    /** For the classes of the drivers. */
    protected QueueOrderContract() {}

    private static final LockOptions FIFO = STRICT;
    private static final LockOptions LIFO = FIFO.withOrder(Order.LIFO);
    private static final LockOptions RANDOM = FIFO.withOrder(Order.RANDOM);

    private final List<Holdfast> clients = new ArrayList<>();
    private final List<String> served = Collections.synchronizedList(new ArrayList<>());
    private final List<CompletableFuture<?>> waiting = new ArrayList<>();

    /** Queues a request through one of two clients in turn. */
    private void enter(String name, LockOptions options) {
        while (clients.size() < 2) {
            clients.add(local(EACH_QUEUED));
        }
        waiting.add(clients.get(waiting.size() % 2)
                .lock("a", options)
                .acquireAsync(Wait.forever())
                .thenCompose(lease -> {
                    served.add(name);
                    return lease.releaseAsync();
                }));
        awaitQueued(waiting.size());
    }

    private List<String> serve(Lease held) throws Exception {
        held.release();
        for (CompletableFuture<?> each : waiting) {
            get(each);
        }
        waiting.clear();
        List<String> order = List.copyOf(served);
        served.clear();
        return order;
    }

    private Lease held() throws InterruptedException {
        return local(EACH_QUEUED).lock("a").acquire();
    }

    @Test
    void order_fifo_isThatOfArrivalAcrossClients() throws Exception {
        Lease held = held();
        for (String name : List.of("1", "2", "3", "4")) {
            enter(name, FIFO);
        }
        assertEquals(List.of("1", "2", "3", "4"), serve(held));
    }

    @Test
    void order_lifo_servesTheNewestFirst() throws Exception {
        Lease held = held();
        for (String name : List.of("1", "2", "3", "4")) {
            enter(name, LIFO);
        }
        assertEquals(List.of("4", "3", "2", "1"), serve(held));
    }

    @Test
    void priority_higher_isServedFirstAndFifoInside() throws Exception {
        Lease held = held();
        enter("low 1", FIFO.withPriority(-100));
        enter("normal 1", FIFO);
        enter("high 1", FIFO.withPriority(100));
        enter("normal 2", FIFO);
        enter("low 2", FIFO.withPriority(-100));
        enter("high 2", FIFO.withPriority(100));
        enter("higher than normal", FIFO.withPriority(1));
        assertEquals(
                List.of("high 1", "high 2", "higher than normal", "normal 1", "normal 2", "low 1", "low 2"),
                serve(held));
    }

    @Test
    void order_mixed_isNewestThenOldestThenDrawnInsideAPriority() throws Exception {
        Lease held = held();
        enter("drawn", RANDOM);
        enter("old", FIFO);
        enter("urgent", RANDOM.withPriority(1));
        enter("new 1", LIFO);
        enter("younger", FIFO);
        enter("new 2", LIFO);
        List<Waiter> queue = clients.get(0).inspect().queue("a");
        assertEquals(
                List.of(Order.RANDOM, Order.LIFO, Order.LIFO, Order.FIFO, Order.FIFO, Order.RANDOM),
                queue.stream().map(Waiter::order).toList());
        assertEquals(
                List.of(1, 0, 0, 0, 0, 0), queue.stream().map(Waiter::priority).toList());
        assertEquals(List.of("urgent", "new 2", "new 1", "old", "younger", "drawn"), serve(held));
    }

    @Test
    void order_random_letsAnybodyComeFirst() throws Exception {
        Set<String> first = new HashSet<>();
        Set<String> last = new HashSet<>();
        // That only two of five come first in twenty rounds has a probability of one in ten millions.
        for (int round = 0; round < 20; round++) {
            Lease held = clients.isEmpty() ? held() : clients.get(0).lock("a").acquire();
            for (String name : List.of("1", "2", "3", "4", "5")) {
                enter(name, RANDOM);
            }
            List<String> order = serve(held);
            assertEquals(5, Set.copyOf(order).size());
            first.add(order.get(0));
            last.add(order.get(4));
        }
        assertTrue(first.size() > 2, "first came only " + first);
        assertTrue(last.size() > 2, "last came only " + last);
    }

    @Test
    void place_ofALaterRequestWithPriority_isTheOneItWillBeServedAt() throws Exception {
        Lease held = held();
        enter("1", FIFO);
        enter("2", FIFO);
        CompletableFuture<Lease> urgent =
                local(EACH_QUEUED).lock("a", FIFO.withPriority(5)).acquireAsync(Wait.forever());
        awaitQueued(3);
        held.release();
        assertEquals(1, get(urgent).initialPosition());
        assertEquals(List.of(), served);
        get(urgent).release();
        for (CompletableFuture<?> each : waiting) {
            get(each);
        }
        assertEquals(List.of("1", "2"), served);
    }

    @Test
    void options_differentOnOneLock_areEachTheirOwn() throws Exception {
        Lease held = held();
        CompletableFuture<Lease> brief = local(EACH_QUEUED)
                .lock("a", FIFO.withLeaseDuration(Duration.ofSeconds(5)).withHandoffTimeout(Duration.ofMillis(200)))
                .acquireAsync();
        awaitQueued(1);
        CompletableFuture<Lease> other = local(EACH_QUEUED)
                .lock("a", FIFO.withLeaseDuration(Duration.ofMinutes(5)).withRenewal(false))
                .acquireAsync();
        awaitQueued(2);
        held.release();
        assertTrue(get(brief).remaining().toMillis() < 5_000);
        await("it is confirmed", () -> get5(brief).remaining().toMillis() > 1_000);
        get(brief).release();
        assertTrue(get(other).remaining().toMinutes() >= 4);
        get(other).release();
        awaitNothingLeft(server);
    }

    private static Lease get5(CompletableFuture<Lease> future) {
        return future.join();
    }

    @Test
    void queueLimit_reached_isAnsweredAtOnceAndNothingIsQueued() throws Exception {
        Lease held = held();
        Holdfast holdfast = local(EACH_QUEUED);
        LockOptions two = FIFO.withQueueLimit(2);
        enter("1", two);
        enter("2", two);
        Attempt.NotObtained<Lease> full =
                assertNotObtained(Reason.QUEUE_FULL, holdfast.lock("a", two).attempt(Wait.forever()));
        assertEquals(2, full.contention().waiters());
        assertEquals(held.owner(), full.contention().holder().orElseThrow().owner());
        assertTrue(holdfast.lock("a", two).tryAcquire(Wait.forever()).isEmpty());
        LockRefusedException thrown = assertThrows(
                LockRefusedException.class, () -> holdfast.lock("a", two).acquire(Wait.forever()));
        assertTrue(String.valueOf(thrown.getMessage()).contains("queue is full"), thrown.getMessage());
        awaitQueued(2);
        // Who sets a wider limit, or none, may queue behind.
        enter("3", FIFO.withQueueLimit(3));
        enter("4", FIFO);
        assertEquals(List.of("1", "2", "3", "4"), serve(held));
    }

    @Test
    void queueLimit_fullOfTheDead_letsTheLivingIn() throws Exception {
        Lease held = held();
        HoldfastOptions reporting =
                EACH_QUEUED.withRefreshInterval(Duration.ofMillis(100)).withWaiterDeadline(Duration.ofMillis(600));
        Holdfast doomed = remote(reporting.withCloseTimeout(Duration.ZERO));
        for (int i = 0; i < 3; i++) {
            var unused = doomed.lock("a").acquireAsync(Wait.forever());
            awaitQueued(i + 1);
        }
        proxy.stall(TcpProxy.Kind.ANY);
        Holdfast looking = local(EACH_QUEUED);
        await(
                "the server gives them up",
                () -> looking.inspect().queue("a").stream().allMatch(waiter -> waiter.state() == Waiter.State.GONE));
        CompletableFuture<Lease> living =
                looking.lock("a", FIFO.withQueueLimit(1)).acquireAsync(Wait.forever());
        await("it is queued", () -> looking.inspect().lock("a").waiters() == 1);
        held.release();
        get(living).release();
    }

    @Test
    void requestLife_over_goesToTheTailOfItsPriority() throws Exception {
        Lease held = held();
        enter("short-lived", FIFO.withRequestLife(Duration.ofMillis(100), LockOptions.RequestEnd.TO_TAIL));
        enter("1", FIFO);
        enter("2", FIFO);
        enter("low", FIFO.withPriority(-1));
        // Its life is over for certain when another one of the same length, begun later, is.
        CompletableFuture<Attempt<Lease>> clock = local(EACH_QUEUED)
                .lock("a", FIFO.withPriority(-2).withRequestLife(Duration.ofMillis(100), LockOptions.RequestEnd.LEAVE))
                .attemptAsync(Wait.forever());
        assertNotObtained(Reason.TIMED_OUT, get(clock));
        assertEquals(List.of("1", "2", "short-lived", "low"), serve(held));
    }

    /** It is at the tail from the end of its life on: before whoever comes later, and so it is shown. */
    @Test
    void requestLife_over_standsBehindThoseBeforeItsEndAndBeforeThoseAfter() throws Exception {
        Lease held = held();
        enter("short-lived", FIFO.withRequestLife(Duration.ofSeconds(3), LockOptions.RequestEnd.TO_TAIL));
        String shortLived = queue().get(0);
        enter("before", FIFO);
        await("it is shown behind", () -> queue().indexOf(shortLived) == 1);
        enter("after", FIFO);
        assertEquals(1, queue().indexOf(shortLived));
        assertEquals(List.of("before", "short-lived", "after"), serve(held));
    }

    private List<String> queue() {
        return clients.get(0).inspect().queue("a").stream().map(Waiter::owner).toList();
    }

    // ---- waiting until the lock is stuck

    @Test
    void untilStuck_oneHolderKeepsIt_endsNotBeforeTheLimit() throws Exception {
        Lease held = held();
        long begin = System.nanoTime();
        Duration limit = Duration.ofMillis(400);
        Attempt<Lease> attempt = local(EACH_QUEUED).lock("a").attempt(Wait.untilStuck(limit));
        Attempt.NotObtained<Lease> stuck = assertNotObtained(Reason.TIMED_OUT, attempt);
        assertTrue(System.nanoTime() - begin >= limit.toNanos());
        assertEquals(held.owner(), stuck.contention().holder().orElseThrow().owner());
        awaitNobodyQueued();
        assertHeldBy(held);
    }

    @Test
    void untilStuck_lockChangesHands_waitsForAsLongAsItIsBusy() throws Exception {
        Duration limit = Duration.ofSeconds(2);
        Holdfast busy = local(EACH_QUEUED);
        Lease lease = busy.lock("a").acquire();
        // Served last, so that it only waits.
        CompletableFuture<Attempt<Lease>> waiting =
                local(EACH_QUEUED).lock("a", FIFO.withPriority(-1)).attemptAsync(Wait.untilStuck(limit));
        awaitQueued(1);
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < limit.toNanos() * 2) {
            CompletableFuture<Lease> next = busy.lock("a").acquireAsync(Wait.forever());
            awaitQueued(2);
            assertFalse(completesSoon(waiting));
            lease.release();
            lease = get(next);
            await(
                    "it is confirmed",
                    () -> server.command("HEXISTS", "hf:{a}:d", "@claim").asLong() == 0);
        }
        assertFalse(waiting.isDone());
        lease.release();
        assertObtained(get(waiting)).release();
    }

    @Test
    void untilStuck_thenTakeOver_takesItFromTheStuckHolderWithANewerToken() throws Exception {
        Lease stuck = local(EACH_QUEUED).lock("a", BRIEF).acquire();
        List<LockEvent> told = new CopyOnWriteArrayList<>();
        Lease next = get(local(HoldfastOptions.defaults().withListener(told::add))
                .lock("a")
                .acquireAsync(Wait.untilStuck(Duration.ofMillis(300)).thenTakeOver()));
        assertTrue(next.token() > stuck.token());
        assertEquals(stuck.token(), next.takenOverFrom().orElseThrow().token());
        assertEquals(stuck.owner(), next.takenOverFrom().orElseThrow().owner());
        await(
                "it is told",
                () -> told.stream()
                        .anyMatch(event -> event instanceof LockEvent.TookOver took
                                && took.from().token() == stuck.token()
                                && took.subject().owner().equals(next.owner())));
        assertHeldBy(next);
        // The other is told so.
        assertEquals(LossReason.REVOKED, get(stuck.whenLost()));
        assertHeldBy(next);
        next.release();
        awaitNothingButTombstones();
    }

    @Test
    void untilStuck_thenTakeOverWithOthersInLine_goesOnInOrder() throws Exception {
        Lease stuck = local(EACH_QUEUED).lock("a", BRIEF).acquire();
        CompletableFuture<Lease> first = local(EACH_QUEUED).lock("a").acquireAsync(Wait.forever());
        awaitQueued(1);
        CompletableFuture<Lease> breaking = local(EACH_QUEUED)
                .lock("a")
                .acquireAsync(Wait.untilStuck(Duration.ofMillis(300)).thenTakeOver());
        Lease one = get(first);
        assertTrue(one.token() > stuck.token());
        assertTrue(one.takenOverFrom().isEmpty(), "it asked for no take-over");
        assertFalse(breaking.isDone());
        one.release();
        assertTrue(get(breaking).token() > one.token());
        assertTrue(get(breaking).takenOverFrom().isEmpty(), "it was given the lock by a release");
        get(breaking).release();
    }

    @Test
    void untilStuck_serverAway_isUnknown() throws Exception {
        Lease held = held();
        CompletableFuture<Attempt<Lease>> waiting =
                local(EAGER).lock("a").attemptAsync(Wait.untilStuck(Duration.ofSeconds(1)));
        awaitQueued(1);
        server.freeze();
        assertInstanceOf(Attempt.Unknown.class, waiting.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS));
        server.thaw();
        held.release();
    }
}
