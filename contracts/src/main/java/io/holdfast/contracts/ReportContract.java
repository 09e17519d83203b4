package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.ClientFigures;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Inspector;
import io.holdfast.Lease;
import io.holdfast.LockFigures;
import io.holdfast.LockFigures.Times;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.Overview;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import io.holdfast.spi.ConnectOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Listings show what clients have, at once and exactly, and never search the server unless that is asked for. */
@SuppressWarnings("NullAway.Init") // everything is made before each test
public class ReportContract extends LockSuite {
    /** For the classes of the drivers. */
    protected ReportContract() {}

    private static final String CLIENTS = "hf:clients:{%reports}";

    private RedisServer server;
    private Holdfast one;
    private Holdfast two;
    private Holdfast looking;

    @BeforeEach
    final void makeClients() {
        server = startServer();
        one = client(server.address(), HoldfastOptions.defaults());
        two = client(server.address(), HoldfastOptions.defaults());
        looking = client(server.address(), HoldfastOptions.defaults());
    }

    private Set<String> listed() {
        return looking.inspect().allKinds().locks().map(LockInfo::name).collect(Collectors.toSet());
    }

    /** How often the server has run a command. */
    private long count(String command) {
        String name = "cmdstat_" + command + ":calls=";
        return server.command("INFO", "commandstats")
                .asString()
                .lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.substring(name.length(), line.indexOf(','))))
                .sum();
    }

    private Set<String> reporting() {
        return server.command("ZRANGE", CLIENTS, "0", "-1").asList().stream()
                .map(id -> id.asString())
                .collect(Collectors.toSet());
    }

    // ---- what is listed

    @Test
    final void locks_takenAndReleasedJustNow_areListedWithoutASearch() throws Exception {
        Lease a = one.lock("a").acquire();
        Lease b = two.readWriteLock("b").read().acquire();
        Lease c = two.semaphore("c", 3).permits(2).acquire();
        assertEquals(Set.of("a", "b", "c"), listed());
        assertEquals(
                List.of("c"),
                looking.inspect()
                        .of(LockInfo.Kind.SEMAPHORE)
                        .locks()
                        .map(LockInfo::name)
                        .toList());
        a.release();
        assertEquals(Set.of("b", "c"), listed());
        b.release();
        c.release();
        assertEquals(Set.of(), listed());
        assertEquals(0, count("scan"));
    }

    @Test
    final void queues_callersOfSeveralClients_areAllCounted() throws Exception {
        Lease held = one.lock("a").acquire();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            waiting.add(one.lock("a").acquireAsync(Wait.forever()));
            waiting.add(two.lock("a").acquireAsync(Wait.forever()));
            waiting.add(
                    looking.lock("a", LockOptions.defaults().withStrictOrder()).acquireAsync(Wait.forever()));
        }
        await("all wait", () -> looking.inspect().queues().anyMatch(info -> info.callers() == 24));
        LockInfo info = looking.inspect().locks().findFirst().orElseThrow();
        assertEquals(24, info.callers(), info::toString);
        assertTrue(info.waiters() < 24, () -> "callers of a client share a request: " + info);
        assertEquals(24, looking.inspect().lock("a").callers());
        waiting.forEach(each -> each.cancel(false));
        held.release();
        await("all queues are empty", () -> looking.inspect().queues().findAny().isEmpty());
        assertEquals(0, count("scan"));
    }

    @Test
    final void locks_clientIsCutOff_isListedAsItWasAndOthersDoNotWaitForItTwice() throws Exception {
        TcpProxy proxy = closeLater(TcpProxy.to(server.port()));
        Holdfast cut = client(proxy.address(), HoldfastOptions.defaults());
        Lease held = cut.lock("a", LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(5)))
                .acquire();
        assertEquals(Set.of("a"), listed());
        proxy.stall(TcpProxy.Kind.ANY);
        assertEquals(Set.of("a"), listed());
        assertEquals(Set.of("a"), listed());
        proxy.resume();
        held.release();
        await("it is heard of again", () -> listed().isEmpty());
    }

    @Test
    final void locks_severalHundred_areAllListed() throws Exception {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 350; i++) {
            leases.add((i % 2 == 0 ? one : two).lock("n" + i).acquire());
        }
        assertEquals(350, listed().size());
        assertEquals(350, looking.inspect().heldNames().distinct().count());
        assertEquals(
                1,
                looking.inspect().clients().stream()
                        .filter(client ->
                                client.id().equals(two.id()) && client.holds().size() == 175)
                        .count());
        assertEquals(350, looking.admin().releaseAll().released());
        assertEquals(Set.of(), listed());
        assertEquals(0, count("scan"));
        leases.forEach(Lease::release);
    }

    @Test
    final void report_lateCopyOfAnOlderOne_changesNothing() throws Exception {
        String key = "hf:report:{%reports}:" + one.id();
        Lease held = one.lock("a").acquire();
        assertEquals(Set.of("a"), listed());
        String newer = "1 1000000\nl 0 0 0 hf:{b}";
        server.command("SET", key, newer, "PX", "60000");
        Lease other = one.lock("c").acquire();
        assertEquals(Set.of(), listed(), "one has written what is older by its number");
        assertEquals(newer, server.command("GET", key).asString());
        held.release();
        other.release();
        one.close();
        assertEquals(newer, server.command("GET", key).asString());
    }

    @Test
    final void overview_again_asksTheServerForWhatHasChangedOnly() throws Exception {
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            leases.add(one.lock("n" + i).acquire());
        }
        Inspector inspector = looking.inspect();
        Overview before = inspector.overview(100);
        long scripts = count("evalsha");
        Overview same = inspector.overview(100, before);
        assertEquals(20, same.locks().size());
        assertEquals(scripts, count("evalsha"));
        leases.get(9).extend(Duration.ofMinutes(5));
        Duration left = inspector.overview(100, before).locks().stream()
                .filter(lock -> lock.name().equals("n9"))
                .findFirst()
                .orElseThrow()
                .remaining();
        assertTrue(left.compareTo(Duration.ofMinutes(4)) > 0, () -> "its client tells how long it lasts: " + left);
        leases.get(3).release();
        two.lock("n3").acquire();
        CompletableFuture<Lease> waiting = two.lock("n5").acquireAsync(Wait.forever());
        await("it waits", () -> looking.inspect().isQueued("n5"));
        looking.admin().release("n7", Admin.Waiters.DROP);
        await("its client knows", () -> !leases.get(7).isValid());
        Map<String, LockInfo> now = new HashMap<>();
        inspector.overview(100, same).locks().forEach(lock -> now.put(lock.name(), lock));
        assertEquals(19, now.size());
        LockInfo third = Objects.requireNonNull(now.get("n3"));
        assertEquals(two.id(), third.holder().orElseThrow().client());
        LockInfo fifth = Objects.requireNonNull(now.get("n5"));
        assertEquals(1, fifth.callers());
        assertEquals(two.id(), fifth.queue().get(0).client());
        assertFalse(now.containsKey("n7"));
        assertEquals(5, inspector.overview(5).locks().size());
        assertTrue(inspector.overview(5, same).more());
        waiting.cancel(false);
    }

    /** Whatever looks, watches or elects: nothing searches the server unasked. */
    @Test
    final void everythingThatLooks_neverSearchesTheServer() throws Exception {
        HoldfastOptions detecting = HoldfastOptions.defaults().withDeadlockDetection(Duration.ofSeconds(1));
        Holdfast first = client(server.address(), detecting);
        Holdfast second = client(server.address(), detecting);
        Lease a = first.lock("a").acquire();
        Lease b = second.lock("b").acquire();
        CompletableFuture<Lease> forB = first.lock("b").acquireAsync(Wait.forever());
        CompletableFuture<Lease> forA = second.lock("a").acquireAsync(Wait.forever());
        CompletableFuture<Boolean> led = new CompletableFuture<>();
        try (var observed = two.election("e").observe(leader -> leader.ifPresent(any -> led.complete(true)));
                var candidacy = one.election("e").campaign(leadership -> new CompletableFuture<>().get())) {
            assertTrue(led.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
            Inspector all = looking.inspect().allKinds();
            Overview overview = all.overview(100);
            assertEquals(3, all.overview(100, overview).locks().size());
            assertEquals(2, all.queues().count());
            assertFalse(all.clients().isEmpty());
            assertEquals(2, looking.inspect().heldNames().count());
            assertEquals(List.of(), looking.inspect().deadlocks("unused", Duration.ofMillis(100)));
            looking.inspect().deadlocks("a", Duration.ofMillis(300));
            assertEquals(1, looking.inspect().lock("a").callers());
            looking.inspect().isListening(one.id());
            assertEquals(1, looking.inspect().of(LockInfo.Kind.ELECTION).locks().count());
            looking.admin().cleanAll();
            looking.admin().releaseOfClient(second.id());
        }
        assertEquals(0, count("scan") + count("keys"));
        // It tries whether the user may search: one step, of one key.
        Holdfast.diagnose(provider().connect(server.address(), ConnectOptions.defaults()), HoldfastOptions.defaults());
        assertEquals(1, count("scan"));
        forA.cancel(false);
        forB.cancel(false);
        a.release();
        b.release();
    }

    // ---- what is counted

    private LockFigures counted(String lock) {
        return looking.inspect().allKinds().overview(100).figures().stream()
                .flatMap(client -> client.locks().stream())
                .filter(each -> each.name().equals(lock))
                .map(ClientFigures.OfLock::figures)
                .reduce(LockFigures.NONE, LockFigures::plus);
    }

    @Test
    final void figures_threadsOfSeveralClients_countEachWaitAndEachHold() throws Exception {
        int threads = 4;
        int turns = 25;
        List<Holdfast> clients = List.of(one, two, looking);
        List<FutureTask<Duration>> workers = new ArrayList<>();
        for (int i = 0; i < threads * clients.size(); i++) {
            DistributedLock lock = clients.get(i % clients.size()).lock("a");
            FutureTask<Duration> worker = new FutureTask<>(() -> works(lock, turns));
            workers.add(worker);
            new Thread(worker).start();
        }
        Duration atMost = Duration.ZERO;
        for (FutureTask<Duration> worker : workers) {
            atMost = atMost.plus(worker.get(60, TimeUnit.SECONDS));
        }
        int all = workers.size() * turns;
        LockFigures figures = counted("a");
        assertEquals(all, figures.waits().count());
        assertEquals(all, figures.holds().count());
        assertEquals(
                all,
                figures.holds().histogram().stream().mapToLong(Long::longValue).sum());
        assertEquals(0, figures.lost() + figures.refused() + figures.timedOut());
        assertTrue(figures.handoffs() > 0 && figures.handoffs() < all, figures::toString);
        assertTrue(figures.waits().longest().compareTo(figures.waits().total()) < 0, figures::toString);
        assertEquals(figures.holds().longest(), figures.holds().atMost(1));
        assertTrue(figures.holds().total().compareTo(atMost) <= 0, figures + " of " + atMost);
    }

    /** Returns for how long it has had the lock at most. */
    private static Duration works(DistributedLock lock, int turns) throws InterruptedException {
        Duration held = Duration.ZERO;
        for (int turn = 0; turn < turns; turn++) {
            long asked = System.nanoTime();
            lock.acquire(Wait.forever()).release();
            held = held.plusNanos(System.nanoTime() - asked);
        }
        return held;
    }

    @Test
    final void figures_requestsThatEndWithoutTheLock_areCountedByTheirReasons() throws Exception {
        for (LockOptions options :
                List.of(LockOptions.defaults(), LockOptions.defaults().withStrictOrder())) {
            String name = options.localHandoffs() == 0 ? "strict" : "turns";
            Lease held = one.lock(name, options).acquire();
            assertTrue(two.lock(name, options).tryAcquire().isEmpty());
            assertTrue(two.lock(name, options).tryAcquire(IN_VAIN).isEmpty());
            assertEquals(new LockFigures(Times.NONE, Times.NONE, 0, 1, 1, 0, 0, 0), ofTwo(name));
            looking.admin().release(name, held.token(), Admin.Waiters.HAND_OFF);
            assertEquals(
                    LossReason.REVOKED, held.whenLost().toCompletableFuture().get(10, TimeUnit.SECONDS));
            await("the loss is counted", () -> counted(name).lost() == 1);
            assertEquals(1, counted(name).holds().count());
        }
    }

    @Test
    final void figures_requestsThatARecordAnswers_areCountedByWhatItSays() throws Exception {
        one.once("done").run(lease -> "result");
        two.once("done").run(lease -> "another");
        assertEquals(new LockFigures(Times.NONE, Times.NONE, 0, 0, 0, 0, 1, 0), ofTwo("done"));
        assertThrows(
                IllegalStateException.class,
                () -> one.once("failed").withTries(1).run(lease -> {
                    throw new IllegalStateException("it fails");
                }));
        for (int i = 0; i < 2; i++) {
            two.once("failed").withTries(1).run(lease -> "another");
        }
        assertEquals(new LockFigures(Times.NONE, Times.NONE, 0, 0, 0, 0, 0, 2), ofTwo("failed"));
        assertEquals(1, counted("failed").waits().count());
    }

    private LockFigures ofTwo(String lock) {
        return looking.inspect().allKinds().overview(100).figures().stream()
                .filter(client -> client.client().equals(two.id()))
                .flatMap(client -> client.locks().stream())
                .filter(each -> each.name().equals(lock))
                .map(ClientFigures.OfLock::figures)
                .findFirst()
                .orElseThrow();
    }

    // ---- what is not reported

    @Test
    final void locks_reportIsGone_areFoundByASearchOnly() throws Exception {
        Lease held = one.lock("a").acquire();
        assertEquals(Set.of("a"), listed());
        server.command("DEL", CLIENTS);
        Set<String> found =
                looking.inspect().scanning().locks().map(LockInfo::name).collect(Collectors.toSet());
        assertEquals(Set.of("a"), found);
        assertTrue(count("scan") > 0);
        assertTrue(looking.inspect().serverKeys() > 0);
        assertEquals(1, looking.admin().scanning().releaseAll().released());
        assertFalse(held.isHeldOnServer());
    }

    // ---- what is written

    @Test
    final void report_nothingLasts_isNotWritten() throws Exception {
        one.lock("a").acquire().release();
        Lease lasts = two.lock("b").acquire();
        await("it is reported unasked", () -> reporting().equals(Set.of(two.id())));
        assertEquals(1, count("zadd"), "once, and nothing of what was over");
        lasts.release();
        two.close();
        await("it is gone", () -> reporting().isEmpty());
    }

    @Test
    final void report_closedClientLeavesAHold_lastsAsLong() throws Exception {
        Lease held = one.lock("a", LockOptions.defaults().withLeaseDuration(Duration.ofMinutes(2)))
                .acquire();
        held.detach();
        one.close();
        assertEquals(Set.of("a"), listed());
        long left = server.command("PTTL", "hf:report:{%reports}:" + one.id()).asLong();
        assertTrue(left > 110_000, () -> left + " ms");
        Lease rests = two.lock("b", LockOptions.defaults().withMinHold(Duration.ofMinutes(3)))
                .acquire();
        rests.release();
        two.close();
        assertEquals(Set.of("a", "b"), listed());
    }

    @Test
    final void report_serverForgets_isWrittenAnew() throws Exception {
        Lease held = one.lock("a").acquire();
        await("it is reported", () -> reporting().equals(Set.of(one.id())));
        server.command("DEL", CLIENTS, "hf:report:{%reports}:" + one.id());
        server.command("CLIENT", "KILL", "TYPE", "normal");
        await("it is reported again", () -> reporting().equals(Set.of(one.id())));
        held.release();
    }
}
