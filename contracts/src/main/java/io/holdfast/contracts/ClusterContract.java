package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Diagnosis;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Leadership;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.LockSet;
import io.holdfast.LossReason;
import io.holdfast.ServerRefusedException;
import io.holdfast.Wait;
import io.holdfast.Waiter;
import io.holdfast.contracts.servers.FreePort;
import io.holdfast.contracts.servers.RedisCluster;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TestAuthority;
import io.holdfast.contracts.servers.TlsFiles;
import io.holdfast.routing.Location;
import io.holdfast.routing.RoutedDriver;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Credentials;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Tls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** The lock on a real cluster: three masters with a replica each. */
public class ClusterContract extends LockSuite {
    private static final HoldfastOptions OPTIONS = HoldfastOptions.defaults().withCommandTimeout(Duration.ofSeconds(1));

    /** Long enough to outlive a failover. */
    private static final LockOptions LONG = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(30));

    private RedisCluster cluster;
    private @Nullable Holdfast inspecting;

    /** For the classes of the drivers. */
    @SuppressWarnings("NullAway.Init") // the cluster is started before each test
    protected ClusterContract() {}

    @BeforeEach
    final void startCluster() {
        cluster = closeLater(RedisCluster.start());
    }

    private RedisDriver clusterDriver() {
        return RoutedDriver.cluster(
                cluster.addresses().subList(0, 2),
                address -> provider().connect(address, ConnectOptions.defaults()),
                Duration.ofSeconds(10));
    }

    private Holdfast clusterClient() {
        return closeLater(Holdfast.over(clusterDriver(), OPTIONS));
    }

    private List<Holdfast> clusterClients(int count) {
        List<Holdfast> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(clusterClient());
        }
        return clients;
    }

    /** A lock that a master serves. */
    private String lockOn(RedisServer master) {
        return nameOn(master, "lock-", "hf:{");
    }

    /** A name that begins so, and whose key a master serves. */
    private String nameOn(RedisServer master, String name, String key) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> name + i)
                .filter(each -> cluster.masterOf(cluster.slotOf(key + each + "}")) == master)
                .findFirst()
                .orElseThrow(() -> new AssertionError("none of a thousand is on the master at port " + master.port()));
    }

    private List<String> oneLockOnEach() {
        return cluster.masters().stream().map(this::lockOn).toList();
    }

    /** One of the masters is away: its lock is not known to be held or not, and those of the others are given back. */
    @Test
    void set_overAllMastersAndOneIsAway_namesItsLockAndHoldsNone() throws Exception {
        List<String> names = oneLockOnEach();
        Holdfast holdfast = clusterClient();
        LockSet set = holdfast.locks(names.toArray(String[]::new));
        try (LeaseSet leases = set.acquire()) {
            assertEquals(3, leases.tokens().size());
        }
        String last = set.names().get(2);
        RedisServer away = cluster.masterOf(cluster.slotOf("hf:{" + last + "}"));
        away.freeze();
        Attempt.Unknown<?> unknown = assertInstanceOf(Attempt.Unknown.class, set.attempt(Wait.none()));
        assertEquals(last, unknown.lockName());
        for (String name : set.names().subList(0, 2)) {
            await(name + " is free", () -> !holdfast.lock(name).isLocked());
        }
        away.thaw();
        try (LeaseSet leases = set.acquire(Wait.upTo(PATIENCE))) {
            assertTrue(leases.isValid());
        }
    }

    @Test
    void acquire_locksOnAllMasters_excludeAndAreSeen() throws Exception {
        List<String> locks = oneLockOnEach();
        List<Holdfast> clients = clusterClients(3);
        try (GuardedLoad load = GuardedLoad.start(clients, locks, 3, LockOptions.defaults())) {
            load.awaitCycles(100);
            load.finish();
            assertEquals(0, load.overlaps(), load::toString);
        }
        List<Lease> leases = new ArrayList<>();
        for (String name : locks) {
            leases.add(clients.get(0).lock(name).acquire());
        }
        List<String> sorted = locks.stream().sorted().toList();
        assertEquals(
                sorted,
                clients.get(1)
                        .inspect()
                        .scanning()
                        .locks()
                        .map(LockInfo::name)
                        .sorted()
                        .toList());
        await(
                "it is reported",
                () -> clients.get(1)
                        .inspect()
                        .locks()
                        .map(LockInfo::name)
                        .sorted()
                        .toList()
                        .equals(sorted));
        leases.forEach(Lease::release);
        for (RedisServer master : cluster.masters()) {
            awaitNothingLeft(master, key -> !key.contains("}:x:")); // tombstones stay for a while
        }
    }

    @Test
    void release_waiters_areServedInTheOrderOfArrivalByMessage() throws Exception {
        String name = lockOn(cluster.masters().get(0));
        Lease lease = clusterClient().lock(name).acquire();
        // Refreshes are rare: who is served is told by message.
        HoldfastOptions quiet =
                OPTIONS.withWaiterDeadline(Duration.ofMinutes(5)).withRefreshInterval(Duration.ofSeconds(10));
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            Holdfast client = closeLater(Holdfast.over(clusterDriver(), quiet));
            waiting.add(client.lock(name).acquireAsync());
            int queued = i;
            await("the waiter is queued", () -> clientInfo(name).queue().size() == queued);
        }
        lease.release();
        long token = lease.token();
        for (CompletableFuture<Lease> next : waiting) {
            Lease granted = next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            assertTrue(granted.token() > token);
            token = granted.token();
            granted.release();
        }
    }

    @Test
    void election_onEachMaster_isWatchedByMessage() throws Exception {
        HoldfastOptions quiet =
                OPTIONS.withWaiterDeadline(Duration.ofMinutes(5)).withRefreshInterval(Duration.ofSeconds(10));
        Holdfast watching = closeLater(Holdfast.over(clusterDriver(), quiet));
        Holdfast leading = clusterClient();
        for (RedisServer master : cluster.masters()) {
            String name = electionOn(master);
            CompletableFuture<Holder> told = new CompletableFuture<>();
            watching.election(name).observe(leader -> leader.ifPresent(told::complete));
            await(
                    "it listens",
                    () -> channels(master).stream()
                            .anyMatch(channel -> channel.asString().equals("hf:led:{%lead:" + name + "}")));
            long begin = System.nanoTime();
            CompletableFuture<Leadership> led = new CompletableFuture<>();
            leading.election(name).campaign(leadership -> {
                led.complete(leadership);
                new CountDownLatch(1).await();
            });
            long token = led.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).token();
            assertEquals(token, told.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).token());
            assertTrue(System.nanoTime() - begin < 9_000_000_000L, "by a look");
        }
        await(
                "it is reported",
                () -> watching.inspect().of(LockInfo.Kind.ELECTION).locks().count() == 3);
    }

    private String electionOn(RedisServer master) {
        return nameOn(master, "election-", "hf:{%lead:");
    }

    /** Channels that somebody listens to; before 7.0 there are no sharded ones. */
    private static List<Reply> channels(RedisServer master) {
        try {
            return master.command("PUBSUB", "SHARDCHANNELS", "*").asList();
        } catch (DriverException e) {
            return master.command("PUBSUB", "CHANNELS", "*").asList();
        }
    }

    /** Those of locks. */
    private static long mailboxes(RedisServer master) {
        return channels(master).stream()
                .filter(channel -> !channel.asString().startsWith("hf" + REPORTS))
                .count();
    }

    @Test
    void keep_locksThatNobodyElseWants_leavesNoChannelsOpen() throws Exception {
        HoldfastOptions quick = OPTIONS.withRefreshInterval(Duration.ofMillis(200));
        Holdfast client = closeLater(Holdfast.over(clusterDriver(), quick));
        LockOptions kept = LockOptions.defaults().withKeepFor(Duration.ofMillis(100));
        for (int i = 0; i < 100; i++) {
            client.lock("kept-" + i, kept).acquire().release();
        }
        for (RedisServer master : cluster.masters()) {
            await("nobody listens for a lock any more", () -> mailboxes(master) == 0);
        }
    }

    /** Its mailbox is closed after each pause, or about to be; with the next wait it has to be open again. */
    @Test
    void release_waiterWhoseMailboxIsAboutToClose_isToldByMessage() throws Exception {
        String name = lockOn(cluster.masters().get(0));
        Duration refresh = Duration.ofMillis(200);
        Holdfast holding = clusterClient();
        Holdfast waiting = closeLater(Holdfast.over(clusterDriver(), OPTIONS.withRefreshInterval(refresh)));
        for (int i = 0; i < 20; i++) {
            Lease lease = holding.lock(name).acquire();
            CompletableFuture<Lease> next = waiting.lock(name).acquireAsync();
            await("the waiter is queued", () -> clientInfo(name).queue().size() == 1);
            await(
                    "the waiter can be told",
                    () -> clientInfo(name).queue().get(0).state() == Waiter.State.HERE);
            lease.release();
            next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).release();
            long idle = refresh.toNanos() * (i % 5) / 2;
            long end = System.nanoTime() + idle;
            await("the mailbox gets idle", () -> System.nanoTime() - end > 0);
        }
    }

    @Test
    void subscribe_endedAndBegunAnewAtOnce_listens() throws Exception {
        RedisServer master = cluster.masters().get(0);
        String channel = "hf:{" + lockOn(master) + "}:to:somebody";
        RedisDriver driver = closeLater(clusterDriver());
        BlockingQueue<String> heard = new LinkedBlockingQueue<>();
        for (int i = 0; i < 20; i++) {
            driver.subscribe(channel, message -> {});
            driver.unsubscribe(channel);
            driver.subscribe(channel, heard::add).toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            try {
                master.command("SPUBLISH", channel, "text");
            } catch (DriverException e) {
                master.command("PUBLISH", channel, "text"); // before 7.0 there are no sharded channels
            }
            assertEquals("text", heard.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS));
            driver.unsubscribe(channel).toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    private LockInfo clientInfo(String name) {
        return inspecting().inspect().lock(name);
    }

    private Holdfast inspecting() {
        Holdfast open = inspecting;
        if (open == null) {
            open = clusterClient();
            inspecting = open;
        }
        return open;
    }

    @Test
    void release_nextInLineGone_isHandedToTheLivingOneBehindIt() throws Exception {
        String name = lockOn(cluster.masters().get(1));
        Lease lease = clusterClient().lock(name).acquire();
        HoldfastOptions quiet =
                OPTIONS.withWaiterDeadline(Duration.ofMinutes(5)).withRefreshInterval(Duration.ofSeconds(10));
        RedisDriver doomedDriver = clusterDriver();
        Holdfast doomed = closeLater(Holdfast.over(doomedDriver, quiet));
        CompletableFuture<Lease> dead = doomed.lock(name).acquireAsync();
        await("the first is queued", () -> clientInfo(name).queue().size() == 1);
        CompletableFuture<Lease> living =
                closeLater(Holdfast.over(clusterDriver(), quiet)).lock(name).acquireAsync();
        await("the second is queued", () -> clientInfo(name).queue().size() == 2);
        doomedDriver.close(); // as if its process had been killed
        RedisServer master = cluster.masterOf(cluster.slotOf("hf:{" + name + "}"));
        await("the server has noticed", () -> mailboxes(master) == 1);
        lease.release();
        assertTrue(living.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).isValid());
        assertFalse(dead.isDone());
    }

    @Test
    void failover_masterKilledUnderContention_nothingHangsAndTheFencedCounterLosesNothing() throws Exception {
        List<String> locks = oneLockOnEach();
        RedisServer doomed = cluster.masters().get(0);
        try (GuardedLoad load = GuardedLoad.start(clusterClients(3), locks, 3, LockOptions.defaults())) {
            load.awaitCycles(50);
            cluster.failOver(doomed);
            load.awaitCycles(50);
            doomed.restart();
            cluster.awaitHealthy();
            load.awaitCycles(50);
            load.finish();
            System.getLogger("io.holdfast").log(System.Logger.Level.INFO, () -> "cluster failover: " + load);
        }
    }

    @Test
    void failover_leaseWhoseKeyDidNotSurvive_isToldAsLostAndTheOthersGoOn() throws Exception {
        RedisServer doomed = cluster.masters().get(0);
        RedisServer replica = cluster.replicasOf(doomed).get(0);
        Holdfast client = clusterClient();
        Lease replicated = client.lock(lockOn(doomed), LONG).acquire();
        Lease elsewhere = client.lock(lockOn(cluster.otherThan(doomed)), LONG).acquire();
        assertEquals(1, doomed.command("WAIT", "1", "5000").asLong());
        String forgotten = nameOn(doomed, "other-", "hf:{");
        // What is granted from now on does not reach the replica.
        replica.freeze();
        doomed.command("CLIENT", "KILL", "TYPE", "replica");
        Lease doomedLease = client.lock(forgotten, LONG).acquire();
        doomed.kill();
        replica.thaw();
        cluster.failOver(doomed);
        assertEquals(
                LossReason.NOT_ON_SERVER,
                doomedLease.whenLost().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertTrue(replicated.isHeldOnServer());
        assertTrue(replicated.isValid());
        assertTrue(elsewhere.isValid());
        Lease next = client.lock(forgotten, LONG).acquire();
        assertTrue(next.token() > doomedLease.token());
    }

    @Test
    void quarantine_masterKilled_leaseIsOverBeforeTheNextIsHandedOut() throws Exception {
        Duration term = Duration.ofSeconds(4);
        HoldfastOptions careful = OPTIONS.withQuarantine(term);
        LockOptions unrenewed = LockOptions.defaults().withLeaseDuration(term).withRenewal(false);
        Holdfast client = closeLater(Holdfast.over(clusterDriver(), careful));
        RedisServer doomed = cluster.masters().get(0);
        String name = lockOn(doomed);
        String elsewhere = lockOn(cluster.otherThan(doomed));
        // Each master has a marker of its own, and the first client waits for all of them at once.
        LockOptions renewed = LockOptions.defaults().withLeaseDuration(term);
        client.lock(name, renewed).acquire(Wait.upTo(PATIENCE)).release();
        client.lock(elsewhere, renewed).acquire(Wait.upTo(PATIENCE)).release();
        RedisServer replica = cluster.replicasOf(doomed).get(0);
        assertEquals(1, doomed.command("WAIT", "1", "5000").asLong());
        replica.freeze();
        doomed.command("CLIENT", "KILL", "TYPE", "replica");
        Lease forgotten = client.lock(name, unrenewed).acquire(Wait.none());
        doomed.kill();
        replica.thaw();
        cluster.failOver(doomed);
        assertTrue(closeLater(Holdfast.over(clusterDriver(), careful))
                .lock(name, renewed)
                .acquireAsync(Wait.forever())
                .thenApply(lease -> lease.isValid() && !forgotten.isValid())
                .get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        // The other masters have their memory.
        client.lock(elsewhere, unrenewed).acquire(Wait.none()).release();
    }

    @Test
    void failover_waitersOfALockThatDidNotSurvive_areServed() throws Exception {
        RedisServer doomed = cluster.masters().get(0);
        String name = lockOn(doomed);
        Lease lease = clusterClient().lock(name, LONG).acquire();
        CompletableFuture<Lease> waiting = clusterClient().lock(name).acquireAsync();
        await("the waiter is queued", () -> clientInfo(name).queue().size() == 1);
        cluster.failOver(doomed);
        lease.release();
        assertTrue(waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).token() > lease.token());
    }

    @Test
    void slotMove_underContention_neverOverlapsAndGoesOn() throws Exception {
        RedisServer source = cluster.masters().get(0);
        RedisServer target = cluster.otherThan(source);
        String name = lockOn(source);
        int slot = cluster.slotOf("hf:{" + name + "}");
        try (GuardedLoad load = GuardedLoad.start(clusterClients(3), List.of(name), 3, LockOptions.defaults())) {
            for (int i = 0; i < 3; i++) {
                load.awaitCycles(30);
                cluster.beginMove(slot, source, target);
                while (!source.command("CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), "1")
                        .asList()
                        .isEmpty()) {
                    cluster.moveKeys(slot, source, target);
                }
                cluster.endMove(slot, source, target);
                load.awaitCycles(30);
                RedisServer before = source;
                source = target;
                target = before;
            }
            load.finish();
            assertEquals(0, load.overlaps(), load::toString);
        }
    }

    @Test
    void slotMove_halfway_renewsButGrantsNothingUntilItEnds() throws Exception {
        RedisServer source = cluster.masters().get(0);
        RedisServer target = cluster.otherThan(source);
        String name = lockOn(source);
        int slot = cluster.slotOf("hf:{" + name + "}");
        LockOptions shortTerm = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(2));
        Holdfast client = clusterClient();
        Lease lease = client.lock(name, shortTerm).acquire();
        CompletableFuture<Lease> waiting = clusterClient().lock(name).acquireAsync();
        await("the waiter is queued", () -> clientInfo(name).queue().size() == 1);

        cluster.beginMove(slot, source, target);
        source.command(
                "MIGRATE", "127.0.0.1", Integer.toString(target.port()), "hf:{" + name + "}", "0", "5000", "REPLACE");
        // It is renewed at the target, a script of one key, while the queue is at the source.
        for (int i = 0; i < 3; i++) {
            await("time passes", () -> lease.remaining().toMillis() < 1_500);
            await("renewed", () -> lease.remaining().toMillis() > 1_600);
        }
        // It is refused before anything is executed: nothing was granted.
        Holdfast other = clusterClient();
        assertThrows(ServerRefusedException.class, () -> other.lock(name).attempt(Wait.none()));
        assertFalse(waiting.isDone());

        cluster.moveKeys(slot, source, target);
        cluster.endMove(slot, source, target);
        lease.release();
        assertTrue(waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).token() > lease.token());
    }

    @Test
    void renewal_oneMasterFrozen_leasesOfTheOthersGoOn() throws Exception {
        LockOptions shortTerm = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(2));
        RedisServer frozen = cluster.masters().get(0);
        // Nobody takes over: that one part fails is what is looked at.
        cluster.replicasOf(frozen).forEach(RedisServer::kill);
        Holdfast client = clusterClient();
        Lease doomed = client.lock(lockOn(frozen), shortTerm).acquire();
        List<Lease> others = new ArrayList<>();
        for (RedisServer master : cluster.masters()) {
            if (master != frozen) {
                others.add(client.lock(lockOn(master), shortTerm).acquire());
            }
        }
        frozen.freeze();
        assertEquals(
                LossReason.EXPIRED,
                doomed.whenLost().toCompletableFuture().get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        for (Lease lease : others) {
            await("renewed", () -> lease.remaining().toMillis() > 1_600);
            assertTrue(lease.isValid());
        }
        frozen.thaw();
        assertEquals(
                2,
                others.stream()
                        .filter(Lease::isValid)
                        .collect(Collectors.toList())
                        .size());
    }

    @Test
    void connect_authorityOfOurOwnAndCredentialsFromASupplier_allNodesAreConnectedToSo(@TempDir Path folder)
            throws Exception {
        TestAuthority authority = TestAuthority.create(folder, "Our Authority");
        int port = FreePort.findOfTwo();
        List<String> config = new ArrayList<>(
                List.of(authority.serverArgs(port, authority.issue("server", "dns:nodes.example"), false)));
        config.addAll(List.of("--tls-cluster", "yes"));
        RedisCluster secure = closeLater(RedisCluster.start(1, 0, config.toArray(String[]::new)));
        RedisServer node = secure.nodes().get(0);
        node.command("ACL", "SETUSER", "app", "on", ">secret", "~*", "&*", "+@all");
        HoldfastOptions options = OPTIONS.withCredentials(() -> Credentials.ofPassword("secret"))
                .withTls(Tls.defaults().withAuthorities(authority.certificate()).withServerName("nodes.example"));
        Holdfast client = closeLater(Holdfast.connect("rediss-cluster://app@127.0.0.1:" + port, options));
        client.lock("a").acquire().release();
        assertTrue(node.command("CLIENT", "LIST").asString().contains("user=app"));
    }

    @Test
    @ResourceLock(Resources.SYSTEM_PROPERTIES)
    void connect_tlsAndAUserWithTheLeastPermissions_works(@TempDir Path folder) {
        int port = FreePort.findOfTwo();
        TlsFiles files = TlsFiles.create(folder, "ip:127.0.0.1");
        List<String> config = new ArrayList<>(List.of(files.serverArgs(port)));
        config.addAll(List.of("--tls-cluster", "yes"));
        RedisCluster secure = closeLater(RedisCluster.start(1, 0, config.toArray(String[]::new)));
        RedisServer node = secure.nodes().get(0);
        List<String> rules =
                new ArrayList<>(List.of("ACL", "SETUSER", "limited", "reset", "resetchannels", "on", ">se/cret"));
        rules.addAll(Permissions.LEAST);
        rules.addAll(Permissions.CLUSTER);
        if (!node.command("COMMAND", "INFO", "ssubscribe").asList().get(0).isNull()) {
            rules.addAll(Permissions.SHARDED);
            rules.add("+pubsub|shardchannels"); // to look
        } else {
            rules.add("+pubsub"); // the same, and 6.2 knows no words below it that it would not refuse
        }
        node.command(rules.toArray(String[]::new));
        try {
            node.command("ACL", "SETUSER", "limited", "+client|setinfo");
        } catch (DriverException e) {
            // 7.0 does not know the word, and says below that it refused it; 6.2 would say only that it refused
            // "client".
        }
        node.command("ACL", "LOG", "RESET");
        Location location = Location.parse("rediss-cluster://limited:se%2Fcret@127.0.0.1:" + port);
        files.trusted(() -> {
            HoldfastOptions quiet =
                    OPTIONS.withWaiterDeadline(Duration.ofMinutes(5)).withRefreshInterval(Duration.ofSeconds(10));
            try (Holdfast first = Holdfast.over(location.connect(provider(), ConnectOptions.defaults()), quiet);
                    Holdfast second = Holdfast.over(location.connect(provider(), ConnectOptions.defaults()), quiet)) {
                Lease lease = first.lock("a").acquire();
                CompletableFuture<Lease> waiting = second.lock("a").acquireAsync();
                await("the waiter is queued", () -> first.inspect().isQueued("a"));
                lease.release();
                assertTrue(waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                                .waited()
                                .toSeconds()
                        < 9);
                await("it is reported", () -> first.inspect().locks().count() == 1);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        assertEquals(
                List.of(),
                node.command("ACL", "LOG").asList().stream()
                        .map(Reply::toString)
                        .filter(refused -> !refused.contains("setinfo"))
                        .toList());
    }

    @Test
    void diagnose_cluster_findsNothingWrong() {
        Diagnosis diagnosis = Holdfast.diagnose(clusterDriver(), OPTIONS);
        assertEquals(
                List.of(),
                diagnosis.probes().stream()
                        .filter(probe -> probe.problem().isPresent())
                        .toList());
        assertFalse(diagnosis.facts().orElseThrow().clustered());
    }

    @Test
    void connect_nodeOfAClusterAsOneServer_isRefusedAndSaysHow() {
        RedisServer node = cluster.masters().get(0);
        ServerRefusedException e = assertThrows(ServerRefusedException.class, () -> client(node.address(), OPTIONS));
        assertTrue(String.valueOf(e.getMessage()).contains("redis-cluster://"), e.getMessage());
    }
}
