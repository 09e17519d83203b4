package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Contention;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Order;
import io.holdfast.LockOptions.RequestEnd;
import io.holdfast.Wait;
import io.holdfast.Waiter;
import io.holdfast.testkit.TestServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Groups of requests, each of which gets its share of a lock, or of the permits of a semaphore. */
public class ShareContract extends LockSuite {
    private static final int CROWD = 10_000;
    private static final int AT_A_TIME = 500;

    private TestServer server;
    private Holdfast one;
    private Holdfast two;
    private final List<String> served = Collections.synchronizedList(new ArrayList<>());
    private final List<CompletableFuture<?>> waiting = new ArrayList<>();

    /** For the classes of the drivers. */
    @SuppressWarnings("NullAway.Init") // set before each test
    protected ShareContract() {}

    @BeforeEach
    final void start() {
        server = startLockServer();
        one = client(server);
        two = client(server);
    }

    private static LockOptions group(String name, int weight) {
        return LockOptions.defaults().withGroup(name, weight);
    }

    /** Queues a request of a group through one of two clients in turn; when it is served, the lock goes on. */
    private void enter(String group, int weight) {
        enter(group, weight, served -> {});
    }

    private void enter(String group, int weight, Consumer<String> then) {
        Holdfast client = waiting.size() % 2 == 0 ? one : two;
        enter(group, client.lock("a", group(group, weight)), then);
        long queued = waiting.size();
        await(queued + " wait", () -> one.lock("a").info().waiters() >= queued - served.size());
    }

    private void enter(String group, DistributedLock lock, Consumer<String> then) {
        waiting.add(lock.acquireAsync(Wait.forever()).thenCompose(lease -> {
            served.add(group);
            then.accept(group);
            return lease.releaseAsync();
        }));
    }

    private String serve(Lease held) throws Exception {
        held.release();
        for (int i = 0; i < waiting.size(); i++) {
            get(waiting.get(i));
        }
        waiting.clear();
        String order = String.join("", served);
        served.clear();
        return order;
    }

    @Test
    final void share_oneRequestBesideMany_isServedInTheFirstRound() throws Exception {
        Lease held = one.lock("a").acquire();
        for (int i = 0; i < 30; i++) {
            enter("A", 1);
        }
        enter("b", 1);
        enter("c", 1);
        String order = serve(held);
        assertEquals("AbcAA", order.substring(0, 5), order);
        assertEquals(32, order.length());
        awaitNothingLeft(server);
    }

    @Test
    final void share_oneRequestBesideTenThousand_isServedNext() throws Exception {
        // Closing withdraws all that wait: this takes longer than a client waits for by default. A request that is not
        // answered in time leaves a tombstone, which a slow machine must not do here.
        Holdfast many = client(
                server.address(),
                HoldfastOptions.defaults()
                        .withCommandTimeout(Duration.ofSeconds(20))
                        .withCloseTimeout(Duration.ofMinutes(1)));
        Lease held = one.lock("a").acquire();
        for (int queued = 0; queued < CROWD; queued += AT_A_TIME) { // so that each is answered in time
            for (int i = 0; i < AT_A_TIME; i++) {
                enter("A", many.lock("a", group("A", 1)), served -> {});
            }
            int all = queued + AT_A_TIME;
            await(all + " wait", () -> two.lock("a").info().waiters() == all);
        }
        CompletableFuture<Void> over = new CompletableFuture<>();
        waiting.add(two.lock("a", group("b", 1)).acquireAsync(Wait.forever()).thenCompose(lease -> {
            served.add("b");
            return over.thenCompose(end -> lease.releaseAsync());
        }));
        await("it waits, too", () -> one.lock("a").info().waiters() == CROWD + 1);
        held.release();
        await("it is served", () -> served.contains("b"));
        assertEquals(List.of("A", "b"), served);
        many.close(); // the others go away
        over.complete(null);
        get(waiting.get(CROWD));
        awaitNothingLeft(server);
    }

    @Test
    final void share_ofBusyGroups_isByWeightInEachStretch() throws Exception {
        Lease held = one.lock("a").acquire();
        for (int i = 0; i < 12; i++) {
            enter("a", 1);
        }
        for (int i = 0; i < 36; i++) {
            enter("b", 3);
        }
        String order = serve(held);
        for (int from = 0; from < 44; from++) {
            for (int to = from + 1; to <= 44; to++) {
                long ofA = order.substring(from, to)
                        .chars()
                        .filter(each -> each == 'a')
                        .count();
                double share = (to - from) / 4.0;
                assertTrue(Math.abs(ofA - share) <= 1.5, order + " from " + from + " to " + to);
            }
        }
    }

    @Test
    final void share_groupThatWasIdle_hasSavedNothing() throws Exception {
        Lease held = one.lock("a").acquire();
        for (int i = 0; i < 10; i++) {
            enter("a", 1);
        }
        // In the midst of it, b comes, which has had nothing until now, and a asks for more.
        CompletableFuture<Void> reached = new CompletableFuture<>();
        CompletableFuture<Void> goOn = new CompletableFuture<>();
        waiting.add(one.lock("a", group("a", 1)).acquireAsync(Wait.forever()).thenCompose(lease -> {
            served.add("|");
            reached.complete(null);
            return goOn.thenCompose(over -> lease.releaseAsync());
        }));
        await("it waits", () -> one.lock("a").info().waiters() == 11);
        held.release();
        get(reached);
        for (int i = 0; i < 6; i++) {
            enter("a", 1);
            enter("b", 1);
        }
        goOn.complete(null);
        for (CompletableFuture<?> each : waiting) {
            get(each);
        }
        String order = String.join("", served);
        String after = order.substring(order.indexOf('|') + 1);
        assertEquals(12, after.length(), order);
        for (int to = 1; to <= 12; to++) {
            String part = after.substring(0, to);
            long ofB = part.chars().filter(each -> each == 'b').count();
            assertTrue(Math.abs(2 * ofB - to) <= 2, order);
        }
    }

    @Test
    final void share_groupsThatAskOneAfterTheOther_takeTurns() throws Exception {
        Lease held = one.lock("a").acquire();
        for (int i = 0; i < 20; i++) {
            enter("a", 1);
        }
        int[] left = {20};
        Consumer<String>[] again = array();
        again[0] = group -> {
            if (--left[0] > 0) {
                enter(group, two.lock("a", group("b", 1)), again[0]); // it has never more than one waiting
            }
        };
        enter("b", two.lock("a", group("b", 1)), again[0]);
        await("all wait", () -> one.lock("a").info().waiters() == 21);
        String order = serve(held);
        while (!waiting.isEmpty()) {
            get(waiting.remove(0));
        }
        for (int to = 1; to <= order.length(); to++) {
            long ofB =
                    order.substring(0, to).chars().filter(each -> each == 'b').count();
            assertTrue(ofB <= to / 2 + 1, "a group that asks again at once is not served before all others: " + order);
        }
        assertTrue(order.chars().limit(12).filter(each -> each == 'b').count() >= 3, order);
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of one, which is filled before it is read
    private static Consumer<String>[] array() {
        return new Consumer[1];
    }

    @Test
    final void share_ofASemaphore_countsPermits() throws Exception {
        DistributedSemaphore permits = one.semaphore("s", 4);
        Lease held = get(permits.permits(4).acquireAsync(Wait.forever()));
        int[] granted = {0, 0};
        List<CompletableFuture<?>> all = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            for (int which = 0; which < 2; which++) {
                int group = which;
                int count = which == 0 ? 1 : 4;
                long queued = all.size();
                all.add(permits.forGroup(which == 0 ? "small" : "large")
                        .permits(count)
                        .acquireAsync(Wait.forever())
                        .thenCompose(lease -> {
                            synchronized (granted) {
                                if (granted[0] < 10 && granted[1] < 40) {
                                    granted[group] += count;
                                    assertTrue(Math.abs(granted[0] - granted[1]) <= 8, granted[0] + " " + granted[1]);
                                }
                            }
                            return lease.releaseAsync();
                        }));
                await("it waits", () -> permits.info().waiters() == queued + 1);
            }
        }
        held.release();
        for (CompletableFuture<?> each : all) {
            get(each);
        }
        awaitNothingLeft(server);
    }

    @Test
    final void share_isShownWithHolderAndWaiters() throws Exception {
        Lease held = one.lock("a", group("tenant 7/ä", 2)).acquire();
        CompletableFuture<Lease> next = two.lock("a", group("b", 1)).acquireAsync(Wait.forever());
        await("it waits", () -> one.lock("a").info().waiters() == 1);
        LockInfo info = one.lock("a").info();
        assertEquals(Optional.of("tenant 7/ä"), info.holder().flatMap(Holder::group));
        Waiter waiter = info.queue().get(0);
        assertEquals(Optional.of("b"), waiter.group());
        assertEquals(Order.SHARES, waiter.order());
        assertEquals(0, waiter.priority());
        Attempt<Lease> taken =
                get(inThread(() -> one.lock("a", group("tenant 7/ä", 2)).attempt(Wait.none())));
        Contention told = assertInstanceOf(Attempt.NotObtained.class, taken).contention();
        assertEquals(Optional.of("tenant 7/ä"), told.holder().flatMap(Holder::group), "as this client knows it");
        held.release();
        get(next).release();
    }

    @Test
    final void share_beforeRequestsWithoutAGroup_andBehindAHigherPriority() throws Exception {
        Lease held = one.lock("a").acquire();
        enter("-", two.lock("a", LockOptions.defaults().withStrictOrder()), group -> {});
        await("it waits", () -> one.lock("a").info().waiters() == 1);
        enter("a", 1);
        enter("!", two.lock("a", LockOptions.defaults().withPriority(1)), group -> {});
        await("it waits", () -> one.lock("a").info().waiters() == 3);
        enter("b", 1);
        assertEquals("!ab-", serve(held));
    }

    @Test
    final void share_requestsThatLeaveWithoutAGrant_costTheirGroupNothing() throws Exception {
        Lease held = one.lock("a").acquire();
        for (int i = 0; i < 20; i++) {
            enter("b", 1);
        }
        for (int i = 0; i < 10; i++) {
            assertTrue(two.lock("a", group("a", 1))
                    .tryAcquire(Wait.upTo(Duration.ofMillis(20)))
                    .isEmpty());
        }
        List<CompletableFuture<Lease>> many = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            many.add(two.lock("a", group("a", 1)).acquireAsync(Wait.forever()));
        }
        await("all wait", () -> one.lock("a").info().waiters() == 30);
        many.forEach(each -> each.cancel(false));
        await("they have left", () -> one.lock("a").info().waiters() == 20);
        enter("a", 1);
        assertEquals("ba", serve(held).substring(0, 2));
    }

    @Test
    final void share_manyGroups_leaveFewBehind() throws Exception {
        Lease held = one.lock("a").acquire();
        CompletableFuture<Lease> waits = one.lock("a", group("first", 1)).acquireAsync(Wait.forever());
        for (int i = 0; i < 2_100; i++) { // somebody waits at any time
            CompletableFuture<Lease> next = two.lock("a", group("g" + i, 1)).acquireAsync(Wait.forever());
            await("both wait", () -> one.lock("a").info().waiters() == 2);
            held.release();
            get(CompletableFuture.anyOf(waits, next));
            held = get(waits.isDone() ? waits : next);
            waits = waits.isDone() ? next : waits;
        }
        long fields = server.command("HLEN", "hf:{a}:d").asLong();
        assertTrue(fields < 1_300, "fields: " + fields); // a group is idle when a request's time has gone by
        held.release();
        get(waits).release();
        awaitNothingLeft(server);
    }

    @Test
    final void group_withAnotherPlaceInTheQueue_isRefused() {
        LockOptions options = group("a", 1);
        assertThrows(IllegalArgumentException.class, () -> options.withPriority(1));
        assertThrows(IllegalArgumentException.class, () -> options.withOrder(Order.LIFO));
        assertThrows(
                IllegalArgumentException.class,
                () -> options.withRequestLife(Duration.ofSeconds(1), RequestEnd.TO_TAIL));
        assertThrows(
                IllegalArgumentException.class, () -> LockOptions.defaults().withOrder(Order.SHARES));
        assertThrows(IllegalArgumentException.class, () -> group("a", 101));
        assertThrows(IllegalArgumentException.class, () -> group("x".repeat(101), 1));
        assertEquals(Order.FIFO, options.withGroup("").order());
    }
}
