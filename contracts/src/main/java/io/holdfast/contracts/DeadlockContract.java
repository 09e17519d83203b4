package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.DeadlockException;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.OnDeadlock;
import io.holdfast.Wait;
import io.holdfast.WaitCycle;
import io.holdfast.contracts.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Threads of several clients that wait for each other: it is found, told, and broken where that is asked for. */
@SuppressWarnings("NullAway.Init") // everything is made before each test
public class DeadlockContract extends LockSuite {
    /** For the classes of the drivers. */
    protected DeadlockContract() {}

    private static final LockOptions BREAK =
            LockOptions.defaults().withWaitLimit(Wait.upTo(PATIENCE)).withDeadlock(OnDeadlock.BREAK);

    private final List<LockEvent.Deadlock> told = new CopyOnWriteArrayList<>();
    private RedisServer server;
    private Holdfast one;
    private Holdfast two;

    @BeforeEach
    final void makeClients() {
        server = startServer();
        HoldfastOptions options = HoldfastOptions.defaults()
                .withDeadlockDetection(Duration.ofSeconds(1))
                .withListener(event -> {
                    if (event instanceof LockEvent.Deadlock deadlock) {
                        told.add(deadlock);
                    }
                });
        one = client(server.address(), options);
        two = client(server.address(), options);
    }

    /** A thread that takes one lock, and when the other thread has its own, a second. */
    private static CompletableFuture<Boolean> nested(
            Holdfast client, String first, String second, LockOptions options, CyclicBarrier both) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try (Lease outer = client.lock(first, options).acquire()) {
                        both.await(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                        try (Lease inner = client.lock(second, options).acquire()) {
                            return outer.isValid() && inner.isValid();
                        }
                    } catch (DeadlockException e) {
                        return false;
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                },
                task -> new Thread(task, "from " + first).start());
    }

    @Test
    final void threadsOfTwoClients_oneIsEnded_andTheOtherDoesItsWork() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        CompletableFuture<Boolean> first = nested(one, "a", "b", BREAK, both);
        CompletableFuture<Boolean> second = nested(two, "b", "a", BREAK, both);
        assertTrue(get(first) ^ get(second));
        await("it is told", () -> !told.isEmpty());
        told.forEach(event -> assertEquals(2, event.cycle().links().size()));
        assertEquals(0, server.command("EXISTS", "hf:{a}", "hf:{b}").asLong());
    }

    @Test
    final void threadsOfOneClient_inTurns() throws Exception {
        CyclicBarrier both = new CyclicBarrier(2);
        CompletableFuture<Boolean> first = nested(one, "a", "b", BREAK, both);
        CompletableFuture<Boolean> second = nested(one, "b", "a", BREAK, both);
        assertTrue(get(first) ^ get(second));
    }

    @Test
    final void readersThatWantToWrite_oneIsEnded() throws Exception {
        DistributedReadWriteLock ours = one.readWriteLock("d", BREAK);
        DistributedReadWriteLock theirs = two.readWriteLock("d", BREAK);
        Lease reads = ours.read().withActor("x").acquireAsync().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        Lease alsoReads = theirs.read().withActor("y").acquireAsync().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        CompletableFuture<Attempt<Lease>> first = ours.write().withActor("x").attemptAsync(Wait.upTo(PATIENCE));
        CompletableFuture<Attempt<Lease>> second = theirs.write().withActor("y").attemptAsync(Wait.upTo(PATIENCE));
        get(CompletableFuture.anyOf(first, second).thenApply(any -> true));
        CompletableFuture<Attempt<Lease>> ended = first.isDone() ? first : second;
        assertNotObtained(Reason.DEADLOCK, ended.join());
        (first.isDone() ? reads : alsoReads).release();
        (first.isDone() ? second : first).cancel(false);
        (first.isDone() ? alsoReads : reads).release();
    }

    @Test
    final void inspector_ofAClientWithoutDetection_tellsWhoWaitsForWhom() throws Exception {
        Holdfast looker = client(server);
        Lease a = one.lock("a").withActor("x").acquire();
        Lease b = two.lock("b").withActor("y").acquire();
        CompletableFuture<Lease> first = one.lock("b").withActor("x").acquireAsync(Wait.forever());
        assertEquals(List.of(), looker.inspect().deadlocks("a", Duration.ZERO));
        CompletableFuture<Lease> second = two.lock("a").withActor("y").acquireAsync(Wait.forever());
        await("it is told", () -> told.size() == 2);
        for (String lock : List.of("a", "b")) {
            List<WaitCycle> cycles = looker.inspect().deadlocks(lock, PATIENCE);
            assertEquals(1, cycles.size());
            List<WaitCycle.Link> links = cycles.get(0).links();
            assertEquals(
                    Set.of("x for b", "y for a"),
                    links.stream()
                            .map(link -> link.actor() + " for " + link.lockName())
                            .collect(Collectors.toSet()));
            assertTrue(links.stream().allMatch(WaitCycle.Link::held));
        }
        assertEquals(
                List.of(), looker.inspect().of(LockInfo.Kind.READ_WRITE).deadlocks("a", PATIENCE), "of another kind");
        first.cancel(false);
        a.release();
        get(second).release();
        b.release();
        assertEquals(List.of(), looker.inspect().deadlocks("a", PATIENCE));
    }

    @Test
    final void busyLocks_onWhichNobodyWaitsLong_areNotTold() throws Exception {
        Lease held = one.lock("a", BREAK).acquire();
        CompletableFuture<Lease> waits = two.lock("a", BREAK).withActor("y").acquireAsync(Wait.upTo(PATIENCE));
        await(
                "it is written down",
                () -> server.command("EXISTS", "hf:waits:{" + two.id() + "}").asLong() == 1);
        for (int i = 0; i < 200; i++) {
            try (Lease other = two.lock("b", BREAK).acquire()) {
                assertTrue(other.isValid());
            }
        }
        assertFalse(waits.isDone());
        assertEquals(List.of(), told);
        held.release();
        get(waits).release();
    }
}
