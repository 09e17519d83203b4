package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastListener;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LockRefusedException;
import io.holdfast.LossReason;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisSentinels;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.routing.Location;
import io.holdfast.routing.RoutedDriver;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.Credentials;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lock on a real master with two replicas, watched by three sentinels. */
public class SentinelContract extends LockSuite {
    static final HoldfastOptions OPTIONS = HoldfastOptions.defaults().withCommandTimeout(Duration.ofSeconds(1));

    /** Long enough to outlive a failover. */
    static final LockOptions LONG = LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(30));

    private static final RedisAddress PLAIN = new RedisAddress("server", 6379, false, null, null, 0);

    RedisSentinels sentinels;

    /** For the classes of the drivers. */
    @SuppressWarnings("NullAway.Init") // the servers are started before each test
    protected SentinelContract() {}

    @BeforeEach
    final void startSentinels() {
        sentinels = closeLater(RedisSentinels.start());
    }

    final RedisDriver sentinelDriver() {
        return RoutedDriver.sentinels(
                sentinels.addresses(),
                RedisSentinels.NAME,
                PLAIN,
                address -> provider().connect(address, ConnectOptions.defaults()),
                address -> provider().connect(address, ConnectOptions.defaults()),
                Duration.ofSeconds(10));
    }

    final Holdfast sentinelClient() {
        return closeLater(Holdfast.over(sentinelDriver(), OPTIONS));
    }

    /** Cuts the replicas off, so that what is written from now on dies with the master. */
    final void stopReplication() {
        RedisServer master = sentinels.master();
        for (RedisServer server : sentinels.servers()) {
            if (server != master) {
                server.freeze();
            }
        }
        master.command("CLIENT", "KILL", "TYPE", "replica");
    }

    /** Kills the master, and lets the replicas go on. Answers the new master. */
    final RedisServer killMaster() {
        RedisServer doomed = sentinels.master();
        doomed.kill();
        for (RedisServer server : sentinels.servers()) {
            if (server != doomed) {
                server.thaw();
            }
        }
        return sentinels.awaitOtherMasterThan(doomed);
    }

    /** Waits until a client has followed a failover: its first command after it may still go to nobody. */
    private static void awaitAnswer(Holdfast client) {
        await("the client has followed", () -> {
            try {
                client.inspect().isLocked("any");
                return true;
            } catch (ServerUnreachableException e) {
                return false;
            }
        });
    }

    @Test
    void failover_masterKilledUnderContention_nothingHangsAndTheFencedCounterLosesNothing() throws Exception {
        List<Holdfast> clients = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            clients.add(sentinelClient());
        }
        try (GuardedLoad load = GuardedLoad.start(clients, List.of("a", "b"), 3, LockOptions.defaults())) {
            load.awaitCycles(100);
            killMaster();
            load.awaitCycles(100);
            load.finish();
            System.getLogger("io.holdfast").log(System.Logger.Level.INFO, () -> "failover by sentinels: " + load);
        }
    }

    @Test
    void failover_orderedWhileAllAreWell_waitersAreServedInTheirOrder() throws Exception {
        Holdfast client = sentinelClient();
        Lease lease = client.lock("a", LONG).acquire();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            waiting.add(sentinelClient().lock("a", LONG).acquireAsync());
            int queued = i;
            await(
                    "the waiter is queued",
                    () -> client.inspect().lock("a").queue().size() == queued);
        }
        sentinels.master().command("WAIT", "2", "5000");
        RedisServer now = sentinels.failOver();
        // Who cannot be told at the moment of the release is passed over for once, so they are all to listen again.
        await(
                "all listen there",
                () -> now.command("PUBSUB", "CHANNELS", "hf:to:*").asList().size() == 4);
        awaitAnswer(client);
        assertTrue(lease.isHeldOnServer());
        lease.release();
        long token = lease.token();
        for (CompletableFuture<Lease> next : waiting) {
            Lease granted = get(next);
            assertTrue(granted.token() > token);
            token = granted.token();
            granted.release();
        }
    }

    @Test
    void failover_leaseWhoseKeyDidNotSurvive_isToldAsLost() throws Exception {
        Holdfast client = sentinelClient();
        Lease survivor = client.lock("survivor", LONG).acquire();
        sentinels.master().command("WAIT", "2", "5000");
        stopReplication();
        Lease forgotten = client.lock("forgotten", LONG).acquire();
        killMaster();
        assertEquals(LossReason.NOT_ON_SERVER, get(forgotten.whenLost().toCompletableFuture()));
        assertTrue(survivor.isHeldOnServer());
        assertTrue(survivor.isValid());
        assertTrue(client.lock("forgotten").acquire().token() > forgotten.token());
    }

    @Test
    void failover_queueThatDidNotSurvive_isRebuiltAndReported() throws Exception {
        CountDownLatch queued = new CountDownLatch(1);
        CountDownLatch reported = new CountDownLatch(1);
        HoldfastListener listener = event -> {
            if (event instanceof LockEvent.Queued) {
                queued.countDown();
            } else if (event instanceof LockEvent.Requeued) {
                reported.countDown();
            }
        };
        Holdfast client = sentinelClient();
        Lease lease = client.lock("a", LONG).acquire();
        sentinels.master().command("WAIT", "2", "5000");
        stopReplication();
        CompletableFuture<Lease> waiting = closeLater(Holdfast.over(sentinelDriver(), OPTIONS.withListener(listener)))
                .lock("a")
                .acquireAsync();
        // Its client has to know, too: else it asks as if for the first time.
        assertTrue(queued.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        killMaster();
        assertTrue(reported.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        awaitAnswer(client);
        await("the queue is rebuilt", () -> client.inspect().lock("a").isQueued());
        assertTrue(lease.isValid());
        lease.release();
        assertTrue(get(waiting).token() > lease.token());
    }

    @Test
    void failover_masterFrozenAndComesBack_isNotFollowed() throws Exception {
        Holdfast client = sentinelClient();
        RedisServer old = sentinels.master();
        Lease lease = client.lock("a", LONG).acquire();
        old.command("WAIT", "2", "5000");
        old.freeze();
        RedisServer now = sentinels.awaitOtherMasterThan(old);
        await("the lock is served", () -> {
            try {
                return client.lock("b").tryAcquire().map(Lease::release).isPresent();
            } catch (Exception e) {
                return false;
            }
        });
        old.thaw();
        assertTrue(lease.isHeldOnServer());
        assertEquals(1, now.command("EXISTS", "hf:{a}").asLong());
    }

    @Test
    void connect_usersWithTheLeastPermissions_works() throws Exception {
        for (RedisServer server : sentinels.servers()) {
            List<String> rules =
                    new ArrayList<>(List.of("ACL", "SETUSER", "limited", "reset", "resetchannels", "on", ">secret"));
            rules.addAll(Permissions.LEAST);
            rules.addAll(Permissions.WATCHED);
            rules.addAll(Permissions.REPLICAS);
            server.command(rules.toArray(String[]::new));
        }
        for (RedisServer sentinel : sentinels.sentinels()) {
            List<String> rules =
                    new ArrayList<>(List.of("ACL", "SETUSER", "watcher", "reset", "resetchannels", "on", ">se cret"));
            rules.addAll(Permissions.SENTINEL);
            sentinel.command(rules.toArray(String[]::new));
        }
        String hosts = sentinels.addresses().stream()
                .map(address -> address.host() + ":" + address.port())
                .collect(Collectors.joining(","));
        Location location = Location.parse("redis-sentinel://limited:secret@" + hosts + "/" + RedisSentinels.NAME
                + "?sentinel-user=watcher&sentinel-password=se%20cret");
        Holdfast client = closeLater(Holdfast.over(location.connect(provider(), ConnectOptions.defaults()), OPTIONS));
        Lease lease =
                client.lock("a", LONG.withReplicas(2, Duration.ofSeconds(10))).acquire();
        assertEquals(2, lease.replicas());
        sentinels.failOver();
        awaitAnswer(client);
        lease.release();
        assertTrue(client.lock("a").acquire().token() > lease.token());
    }

    @Test
    void failover_credentialsFromSuppliers_serversAndSentinelsHaveTheirOwnAndTheNewOnes() throws Exception {
        AtomicReference<Credentials> credentials = new AtomicReference<>(Credentials.of("app", "one"));
        for (RedisServer server : sentinels.servers()) {
            server.command("ACL", "SETUSER", "app", "on", ">one", "~*", "&*", "+@all");
        }
        for (RedisServer sentinel : sentinels.sentinels()) {
            sentinel.command("ACL", "SETUSER", "watcher", "on", ">other", "~*", "&*", "+@all");
        }
        String hosts = sentinels.addresses().stream()
                .map(address -> address.host() + ":" + address.port())
                .collect(Collectors.joining(","));
        HoldfastOptions options = OPTIONS.withCredentials(credentials::get)
                .withSentinelCredentials(() -> Credentials.of("watcher", "other"));
        Holdfast client =
                closeLater(Holdfast.connect("redis-sentinel://" + hosts + "/" + RedisSentinels.NAME, options));
        client.lock("a").acquire().release();
        for (RedisServer sentinel : sentinels.sentinels()) {
            await(
                    "the sentinel is asked by its user",
                    () -> sentinel.command("CLIENT", "LIST").asString().contains("user=watcher"));
        }
        credentials.set(Credentials.of("app", "two"));
        for (RedisServer server : sentinels.servers()) {
            server.command("ACL", "SETUSER", "app", "resetpass", ">two");
        }
        RedisServer master = sentinels.failOver();
        await(
                "the client has followed",
                () -> master.command("CLIENT", "LIST").asString().contains("user=app"));
        awaitAnswer(client);
        client.lock("a").acquire().release();
    }

    // ---- confirmation by replicas

    private static LockOptions replicated(int replicas, Duration within) {
        return LONG.withReplicas(replicas, within);
    }

    @Test
    void replicas_allFollow_areToldOnTheLeaseAndHaveIt() throws Exception {
        Holdfast client = sentinelClient();
        Lease lease = client.lock("a", replicated(2, Duration.ofSeconds(10))).acquire();
        assertEquals(2, lease.replicas());
        for (RedisServer server : sentinels.servers()) {
            assertEquals(1, server.command("EXISTS", "hf:{a}").asLong());
        }
        // A grant by handoff is confirmed by them, too.
        CompletableFuture<Lease> next = sentinelClient()
                .lock("a", replicated(2, Duration.ofSeconds(10)))
                .acquireAsync();
        await("the waiter is queued", () -> client.inspect().lock("a").isQueued());
        lease.release();
        assertEquals(2, get(next).replicas());
        assertTrue(get(next).token() > lease.token());
        assertEquals(0, client.lock("b").acquire().replicas());
    }

    @Test
    void replicas_tooFewFollow_isUnconfirmedAndGivenBack() throws Exception {
        List<Reason> reasons = new CopyOnWriteArrayList<>();
        Holdfast client = closeLater(Holdfast.over(sentinelDriver(), OPTIONS.withListener(event -> {
            if (event instanceof LockEvent.NotObtained not) {
                reasons.add(not.reason());
            }
        })));
        RedisServer master = sentinels.master();
        RedisServer stopped = sentinels.servers().stream()
                .filter(server -> server != master)
                .findFirst()
                .orElseThrow();
        stopped.freeze();
        Attempt<Lease> attempt =
                client.lock("a", replicated(2, Duration.ofMillis(300))).attempt();
        assertEquals(1, assertNotObtained(Reason.TOO_FEW_REPLICAS, attempt).replicas());
        await("it is given back", () -> !client.inspect().isLocked("a"));
        await("listeners hear why", () -> reasons.equals(List.of(Reason.TOO_FEW_REPLICAS)));
        LockRefusedException e = assertThrows(LockRefusedException.class, attempt::orElseThrow);
        assertTrue(String.valueOf(e.getMessage()).contains("only 1 replica "), e.getMessage());
        assertEquals(
                1,
                client.lock("a", replicated(1, Duration.ofSeconds(10)))
                        .acquire()
                        .replicas());
        stopped.thaw();
    }

    @Test
    void replicas_masterKilled_confirmedLeaseSurvives() throws Exception {
        Holdfast client = sentinelClient();
        Lease lease = client.lock("a", replicated(2, Duration.ofSeconds(10))).acquire();
        killMaster();
        awaitAnswer(client);
        assertTrue(lease.isValid());
        assertFalse(sentinelClient().lock("a").tryAcquire().isPresent());
        assertTrue(lease.isHeldOnServer());
        lease.release();
        // The second connection follows, too.
        assertEquals(
                1,
                client.lock("a", replicated(1, Duration.ofSeconds(10)))
                        .acquire()
                        .replicas());
    }

    @Test
    void replicas_cutOffForLongerThanTheTerm_leaseIsOverBeforeAnotherCanHaveIt() throws Exception {
        LockOptions brief = replicated(2, Duration.ofMillis(300)).withLeaseDuration(Duration.ofSeconds(2));
        Holdfast client = sentinelClient();
        Lease lease = client.lock("a", brief).acquire();
        lease.extend(Duration.ofSeconds(2));
        assertEquals(2, lease.replicas());
        CompletableFuture<Duration> warned = new CompletableFuture<>();
        lease.onWarning(warned::complete);
        stopReplication();
        // The master goes on to renew it, and nobody else has these renewals.
        assertEquals(LossReason.EXPIRED, get(lease.whenLost().toCompletableFuture()));
        assertTrue(warned.isDone());
        killMaster();
        Holdfast other = sentinelClient();
        assertTrue(other.lock("a").acquire().token() > lease.token());
        assertFalse(lease.isValid());
    }

    @Test
    void extend_memoryIsFull_replicasHaveIt() throws Exception {
        LockOptions unrenewed = replicated(2, Duration.ofSeconds(10)).withRenewal(false);
        Lease lease = sentinelClient().lock("a", unrenewed).acquire();
        RedisServer master = sentinels.master();
        master.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
        master.command("CONFIG", "SET", "maxmemory", "1");
        lease.extend(Duration.ofHours(1));
        assertTrue(lease.remaining().compareTo(Duration.ofMinutes(59)) > 0);
    }

    @Test
    void extend_replicasDoNotFollow_isNotPromised() throws Exception {
        LockOptions unrenewed = replicated(2, Duration.ofMillis(300))
                .withLeaseDuration(Duration.ofSeconds(5))
                .withRenewal(false);
        Lease lease = sentinelClient().lock("a", unrenewed).acquire();
        stopReplication();
        ServerUnreachableException e =
                assertThrows(ServerUnreachableException.class, () -> lease.extend(Duration.ofSeconds(60)));
        assertTrue(String.valueOf(e.getMessage()).contains("extension"), e.toString());
        assertTrue(lease.remaining().compareTo(Duration.ofSeconds(5)) < 0);
    }

    // ---- quarantine

    @Test
    void quarantine_leaseThatDidNotSurvive_isOverBeforeTheNextIsHandedOut() throws Exception {
        Duration term = Duration.ofSeconds(4);
        HoldfastOptions careful = OPTIONS.withQuarantine(Duration.ofSeconds(5));
        LockOptions options = LockOptions.defaults().withLeaseDuration(term);
        Holdfast holder = closeLater(Holdfast.over(sentinelDriver(), careful));
        Holdfast other = closeLater(Holdfast.over(sentinelDriver(), careful));
        assertTrue(other.lock("warm", options).acquire().isValid());
        stopReplication();
        Lease forgotten = holder.lock(
                        "a", LockOptions.defaults().withLeaseDuration(term).withRenewal(false))
                .acquire();
        CompletableFuture<Lease> next = other.lock("a", options).acquireAsync();
        await("the waiter is queued", () -> other.inspect().lock("a").isQueued());
        CompletableFuture<Boolean> overlapped = next.thenApply(lease -> forgotten.isValid());
        killMaster();
        AtomicReference<Attempt<Lease>> answer = new AtomicReference<>();
        await("the new master answers", () -> {
            try {
                answer.set(other.lock("b", options).attempt(Wait.none()));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            return !(answer.get() instanceof Attempt.Unknown);
        });
        Attempt<Lease> impatient = answer.get();
        assertNotObtained(Reason.QUARANTINE, impatient);
        assertFalse(get(overlapped));
        assertTrue(get(next).isValid());
        assertTrue(get(next).token() > forgotten.token());
        assertTrue(other.lock("b", options).tryAcquire().isPresent());
    }

    @Test
    void quarantine_connectionBrokenOnly_doesNotBegin() throws Exception {
        RedisServer master = sentinels.master();
        master.admit();
        Holdfast client = closeLater(Holdfast.over(sentinelDriver(), OPTIONS.withQuarantine(LONG.leaseDuration())));
        Lease lease = client.lock("a", LONG).tryAcquire().orElseThrow();
        String before = master.command("CLIENT", "LIST").asString();
        master.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        await(
                "connected again",
                () -> !master.command("CLIENT", "LIST").asString().equals(before));
        await("asked and told who is there", () -> {
            try {
                return client.lock("b", LONG).attempt(Wait.none()).asOptional().isPresent();
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        assertTrue(lease.isValid());
    }

    @Test
    void connect_oneSentinelDead_works() throws Exception {
        sentinels.sentinels().get(0).kill();
        Holdfast client = sentinelClient();
        assertTrue(client.lock("a").acquire().isValid());
    }

    @Test
    void connect_unknownName_isRefusedAndNamesIt() {
        DriverException e = assertThrows(
                DriverException.class,
                () -> RoutedDriver.sentinels(
                        sentinels.addresses(),
                        "nobody",
                        PLAIN,
                        address -> provider().connect(address, ConnectOptions.defaults()),
                        address -> provider().connect(address, ConnectOptions.defaults()),
                        Duration.ofSeconds(10)));
        assertEquals(DriverException.Kind.REJECTED, e.kind());
        assertTrue(String.valueOf(e.getMessage()).contains("'nobody'"), e.getMessage());
        assertFalse(String.valueOf(e.getMessage()).isEmpty());
    }
}
