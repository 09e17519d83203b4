package io.holdfast.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastListener;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.routing.RoutedDriver;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The lock on a real master with two replicas, watched by three sentinels. */
public abstract class SentinelContract extends LockSuite {
    static final HoldfastOptions OPTIONS = HoldfastOptions.defaults().withCommandTimeout(Duration.ofSeconds(1));

    /** Long enough to outlive a failover. */
    static final LockOptions LONG = LockOptions.defaults().withTerm(Duration.ofSeconds(30));

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

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
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
        sentinels.failOver();
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
        assertEquals(LossReason.GONE, get(forgotten.lost().toCompletableFuture()));
        assertTrue(survivor.isHeldOnServer());
        assertTrue(survivor.isValid());
        assertTrue(client.lock("forgotten").acquire().token() > forgotten.token());
    }

    @Test
    void failover_queueThatDidNotSurvive_isRebuiltAndReported() throws Exception {
        CountDownLatch reported = new CountDownLatch(1);
        HoldfastListener listener = event -> {
            if (event instanceof LockEvent.Requeued) {
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
        await("the waiter is queued", () -> client.inspect().lock("a").isQueued());
        killMaster();
        assertTrue(reported.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
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
