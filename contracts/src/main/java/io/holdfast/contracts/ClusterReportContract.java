package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.contracts.servers.RedisCluster;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.routing.RoutedDriver;
import io.holdfast.spi.ConnectOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Listings of a real cluster show what clients have at this moment. */
@SuppressWarnings("NullAway.Init") // everything is made before each test
public class ClusterReportContract extends LockSuite {
    /** What the channels begin with by which clients are asked what they have. */
    private static final String ASKED = "hf" + REPORTS + ":to:";

    private RedisCluster cluster;
    private Holdfast looking;

    /** For the classes of the drivers. */
    protected ClusterReportContract() {}

    @BeforeEach
    final void startCluster() {
        cluster = closeLater(RedisCluster.start());
        looking = client();
    }

    private Holdfast client() {
        return closeLater(Holdfast.over(
                RoutedDriver.cluster(
                        cluster.addresses().subList(0, 2),
                        address -> provider().connect(address, ConnectOptions.defaults()),
                        Duration.ofSeconds(10)),
                HoldfastOptions.defaults().withCommandTimeout(Duration.ofSeconds(1))));
    }

    /** A lock that a master serves. */
    private String lockOn(RedisServer master) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> "lock-" + i)
                .filter(each -> cluster.masterOf(cluster.slotOf("hf:{" + each + "}")) == master)
                .findFirst()
                .orElseThrow(() -> new AssertionError("none of a thousand is on the master at port " + master.port()));
    }

    private List<String> oneLockOnEach() {
        return cluster.masters().stream().map(this::lockOn).toList();
    }

    private Set<String> listed() {
        return looking.inspect().locks().map(LockInfo::name).collect(Collectors.toSet());
    }

    /** Clients are asked: what is listed is what they have now. */
    @Test
    void locks_takenAndReleasedJustNow_areListedWithoutASearch() throws Exception {
        List<String> names = oneLockOnEach();
        Holdfast one = client();
        Holdfast two = client();
        assertEquals(Set.of(), listed());
        for (int i = 0; i < 20; i++) {
            List<Lease> leases = new ArrayList<>();
            for (String name : names) {
                leases.add((i % 2 == 0 ? one : two).lock(name).acquire());
            }
            assertEquals(Set.copyOf(names), listed());
            for (Lease lease : leases) {
                lease.release();
            }
            assertEquals(Set.of(), listed());
        }
        long scans = cluster.masters().stream()
                .mapToLong(master -> calls(master, "scan"))
                .sum();
        assertEquals(0, scans);
    }

    @Test
    void queues_callersThatHaveJustBegunToWait_areCounted() throws Exception {
        String name = lockOn(cluster.masters().get(1));
        Holdfast one = client();
        Holdfast two = client();
        Lease held = one.lock(name).acquire();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            waiting.add(one.lock(name).acquireAsync());
            waiting.add(two.lock(name).acquireAsync());
        }
        await(
                "two is queued",
                () -> looking.inspect().lock(name).queue().stream()
                        .anyMatch(waiter -> waiter.client().equals(two.id())));
        assertEquals(10, looking.inspect().lock(name).callers());
        assertEquals(10, looking.inspect().queues().mapToInt(LockInfo::callers).sum());
        waiting.forEach(each -> each.cancel(false));
        held.release();
    }

    /** The slot of the reports goes to another master, and the channels in it follow. */
    @Test
    void locks_masterOfTheReportsIsKilled_areListedAtOnceAgain() throws Exception {
        Holdfast one = client();
        RedisServer doomed = cluster.masterOf(cluster.slotOf(ASKED));
        RedisServer living = cluster.masters().stream()
                .filter(master -> master != doomed)
                .findFirst()
                .orElseThrow();
        String name = lockOn(living);
        Lease before = one.lock(name).acquire();
        assertEquals(Set.of(name), listed());
        doomed.kill();
        await("it is listed again", () -> {
            try {
                return listed().equals(Set.of(name));
            } catch (HoldfastException e) {
                return false; // there is no master for it yet
            }
        });
        before.release();
        await("its client is asked", () -> listed().isEmpty());
        try (Lease after = one.lock(name).acquire()) {
            assertTrue(after.isValid());
            assertEquals(Set.of(name), listed());
        }
        assertEquals(Set.of(), listed());
    }

    private static long calls(RedisServer master, String command) {
        String name = "cmdstat_" + command + ":calls=";
        return master.command("INFO", "commandstats")
                .asString()
                .lines()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.substring(name.length(), line.indexOf(','))))
                .sum();
    }
}
