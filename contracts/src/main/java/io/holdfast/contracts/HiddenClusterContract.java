package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.DeadlockException;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.OnDeadlock;
import io.holdfast.PlainLease;
import io.holdfast.PlainOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisCluster;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.RedisAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One address that divides its keys, as a proxy in front of a sharded server does: it takes all commands, and refuses a call whose
 * keys are of several slots. A cluster of one node does the same for a user who may not ask it what it is.
 */
@SuppressWarnings("NullAway.Init") // everything is made before each test
public class HiddenClusterContract extends LockSuite {
    /** More than one batch. */
    private static final int MANY = 120;

    private static final Duration TERM = Duration.ofSeconds(3);
    private static final LockOptions LOCK = LockOptions.defaults().withLeaseDuration(TERM);

    private RedisServer node;
    private RedisAddress address;

    /** For the classes of the drivers. */
    protected HiddenClusterContract() {}

    @BeforeEach
    final void start() {
        node = closeLater(RedisCluster.start(1, 0)).nodes().get(0);
        node.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "&*", "+@all", "-info");
        address = new RedisAddress("127.0.0.1", node.port(), false, "app", "secret", 0);
    }

    /** How many calls the server has refused because of their slots. */
    private long refused() {
        String begin = "errorstat_CROSSSLOT:count=";
        return node.command("INFO", "errorstats")
                .asString()
                .lines()
                .filter(line -> line.startsWith(begin))
                .mapToLong(line -> Long.parseLong(line.substring(begin.length())))
                .sum();
    }

    private static Set<String> names() {
        return IntStream.range(0, MANY).mapToObj(i -> "n" + i).collect(Collectors.toSet());
    }

    @Test
    final void connect_isRefusedOnce_andNeverAgain() throws Exception {
        Set<String> renewed = ConcurrentHashMap.newKeySet();
        Holdfast holdfast = client(
                address,
                HoldfastOptions.defaults()
                        .withRefreshInterval(Duration.ofMillis(200))
                        .withListener(event -> {
                            if (event instanceof LockEvent.Renewed) {
                                renewed.add(event.lockName());
                            }
                        }));
        assertEquals(1, refused());
        List<Lease> leases = new ArrayList<>();
        for (String name : names()) {
            leases.add(holdfast.lock(name, LOCK).acquire());
        }
        List<PlainLease> plain = new ArrayList<>();
        for (String name : List.of("p", "q")) {
            plain.add(holdfast.plainLock(name, PlainOptions.defaults().withLeaseDuration(TERM))
                    .acquire());
        }
        List<Lease> shared = List.of(
                holdfast.readWriteLock("r", LOCK).read().acquire(),
                holdfast.semaphore("s", 2, LOCK).permits(1).acquire());
        await("all are renewed", () -> renewed.containsAll(names()) && renewed.containsAll(Set.of("p", "q", "r", "s")));

        Holdfast other = client(address, HoldfastOptions.defaults().withRefreshInterval(Duration.ofMillis(200)));
        List<CompletableFuture<Lease>> waiting = Stream.of("n1", "n2", "n3")
                .map(name -> other.lock(name, LOCK).acquireAsync(Wait.upTo(PATIENCE)))
                .toList();
        await("they wait", () -> holdfast.inspect().queues().count() == 3);
        renewed.clear();
        await("all are renewed again", () -> renewed.containsAll(names()));
        for (Lease lease : leases) {
            if (Set.of("n1", "n2", "n3").contains(lease.name())) {
                lease.release();
            }
        }
        for (CompletableFuture<Lease> each : waiting) {
            assertTrue(get(each).isValid());
        }

        assertEquals(2, refused(), "each client once");
        shared.forEach(Lease::release);
        plain.forEach(PlainLease::release);
    }

    @Test
    final void locks_areListed_andReleasedTogether() throws Exception {
        Holdfast holdfast = client(address, HoldfastOptions.defaults());
        Holdfast other = client(address, HoldfastOptions.defaults());
        List<Lease> leases = new ArrayList<>();
        for (String name : names()) {
            leases.add(holdfast.lock(name).acquire());
        }
        List<Lease> shared = List.of(
                holdfast.readWriteLock("r").read().acquire(),
                holdfast.readWriteLock("w").write().acquire(),
                holdfast.semaphore("s", 2).permits(1).acquire());
        CompletableFuture<Lease> first = other.lock("n1", LOCK).acquireAsync(Wait.upTo(PATIENCE));
        CompletableFuture<Lease> second = other.lock("n2", LOCK).acquireAsync(Wait.upTo(PATIENCE));
        await("they wait", () -> holdfast.inspect().queues().count() == 2);
        assertEquals(names(), holdfast.inspect().locks().map(LockInfo::name).collect(Collectors.toSet()));
        assertEquals(
                MANY + 3,
                other.inspect().allKinds().locks(10).count(),
                "in small pages, with those that several may hold");
        assertEquals(2, other.inspect().clients().size());
        assertEquals(0, holdfast.admin().cleanAll());
        Admin.Total total = other.admin().releaseAll();
        assertEquals(MANY, total.released());
        assertEquals(2, total.dropped());
        assertThrows(ExecutionException.class, () -> get(first));
        assertThrows(ExecutionException.class, () -> get(second));
        await("all are lost", () -> leases.stream().noneMatch(Lease::isValid));
        assertEquals(0, holdfast.inspect().locks().count());
        shared.forEach(Lease::release);
    }

    @Test
    final void deadlock_isFoundAndBroken() throws Exception {
        HoldfastOptions options = HoldfastOptions.defaults().withDeadlockDetection(Duration.ofSeconds(1));
        LockOptions breaking = LOCK.withWaitLimit(Wait.upTo(PATIENCE)).withDeadlock(OnDeadlock.BREAK);
        List<Holdfast> clients = List.of(client(address, options), client(address, options), client(address, options));
        List<Lease> outer = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            outer.add(clients.get(i).lock("d" + i, breaking).withActor("x" + i).acquire());
        }
        List<CompletableFuture<Boolean>> inner = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            Lease own = outer.get(i);
            inner.add(clients.get(i)
                    .lock("d" + (i + 1) % clients.size(), breaking)
                    .withActor("x" + i)
                    .acquireAsync()
                    .handle((lease, failure) -> {
                        own.release();
                        if (lease != null) {
                            lease.release();
                        }
                        return failure instanceof DeadlockException
                                || (failure instanceof ExecutionException e
                                        && e.getCause() instanceof DeadlockException);
                    }));
        }
        int broken = 0;
        for (CompletableFuture<Boolean> each : inner) {
            broken += get(each) ? 1 : 0;
        }
        assertEquals(1, broken);
        assertEquals(clients.size(), refused(), "each client once");
    }
}
