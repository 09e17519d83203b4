package io.holdfast.micrometer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.Contention;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.PlainLease;
import io.holdfast.PlainLock;
import io.holdfast.ReleaseResult;
import io.holdfast.Wait;
import io.holdfast.contracts.LockSuite;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HoldfastMetricsTest extends LockSuite {
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Override
    protected RedisDriverProvider provider() {
        return new JedisDriverProvider();
    }

    private double count(String name, String... tags) {
        var counter = registry.find(name).tags(tags).counter();
        return counter == null ? 0 : counter.count();
    }

    private long timed(String name, String... tags) {
        var timer = registry.find(name).tags(tags).timer();
        return timer == null ? 0 : timer.count();
    }

    @Test
    void client_usedInManyWays_isCountedAsWhatHappened() throws Exception {
        RedisServer server = startServer();
        HoldfastMetrics metrics = new HoldfastMetrics(registry);
        Holdfast holdfast = client(server.address(), HoldfastOptions.defaults().withListener(metrics));
        AutoCloseable gauges = metrics.bindTo(holdfast);
        DistributedLock lock =
                holdfast.lock("a secret name", LockOptions.defaults().withStrictOrder());
        Lease free = lock.acquire();
        assertEquals(1, registry.get("holdfast.held").gauge().value());
        lock.tryAcquire();
        CompletableFuture<Lease> queued = lock.acquireAsync(Wait.forever());
        await("it waits", () -> registry.get("holdfast.waiting").gauge().value() == 1);
        await("it is queued", () -> holdfast.inspect().isQueued("a secret name"));
        free.release();
        Lease second = queued.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        second.release();
        Lease lost = holdfast.lock(
                        "a secret name",
                        LockOptions.defaults().withStrictOrder().withLeaseDuration(Duration.ofSeconds(3)))
                .acquire();
        Lease inner = holdfast.lock(
                        "a secret name", LockOptions.defaults().withReentrancy(LockOptions.Reentrancy.REENTER))
                .acquire();
        assertEquals(ReleaseResult.STILL_HELD, inner.release());
        holdfast.admin().release("a secret name", Admin.Waiters.HAND_OFF);
        assertEquals(LossReason.REVOKED, lost.whenLost().toCompletableFuture().get(20, TimeUnit.SECONDS));

        // The message that ends the lease and the answer to the operator race: listeners hear of either first.
        await(
                "all is counted",
                () -> count("holdfast.lost", "reason", "revoked") == 1
                        && timed("holdfast.wait") == 4
                        && timed("holdfast.hold", "end", "lost") == 1
                        && count("holdfast.revoked") == 1);
        assertEquals(2, count("holdfast.obtained", "how", "free"));
        assertEquals(1, count("holdfast.obtained", "how", "queued"));
        assertEquals(1, count("holdfast.obtained", "how", "reentered"));
        assertEquals(1, count("holdfast.not.obtained", "reason", "taken"));
        assertEquals(2, timed("holdfast.hold", "end", "released"));
        assertEquals(1, timed("holdfast.hold", "end", "lost"));
        assertEquals(1, count("holdfast.revoked"));
        for (Meter meter : registry.getMeters()) {
            assertFalse(
                    meter.getId().toString().contains("secret"), meter.getId().toString());
        }
        gauges.close();
        assertNull(registry.find("holdfast.held").gauge());
        assertNotNull(registry.find("holdfast.wait").timer());
    }

    @Test
    void plainLock_isCountedAsAnyOther() throws Exception {
        RedisServer server = startServer();
        HoldfastMetrics metrics = new HoldfastMetrics(registry);
        Holdfast holdfast = client(server.address(), HoldfastOptions.defaults().withListener(metrics));
        PlainLock lock = holdfast.plainLock("a secret name");
        PlainLease held = lock.acquire();
        assertTrue(lock.tryAcquire().isEmpty());
        held.release();
        PlainLease lost = lock.acquire();
        server.command("DEL", "a secret name");
        assertFalse(lost.isHeldOnServer());
        await(
                "all is counted",
                () -> count("holdfast.obtained", "how", "free") == 2
                        && count("holdfast.not.obtained", "reason", "taken") == 1
                        && timed("holdfast.hold", "end", "released") == 1
                        && count("holdfast.lost", "reason", "not_on_server") == 1);
        assertEquals(2, timed("holdfast.wait"));
        assertEquals(1, timed("holdfast.hold", "end", "lost"));
    }

    @Test
    void downgrade_isCounted_andTheReaderIsTimed() throws Exception {
        RedisServer server = startServer();
        Holdfast holdfast =
                client(server.address(), HoldfastOptions.defaults().withListener(new HoldfastMetrics(registry)));
        DistributedReadWriteLock lock = holdfast.readWriteLock("a");
        Lease reading = lock.downgrade(lock.write().acquire());
        await("it is counted", () -> count("holdfast.downgraded", "lock", "all") == 1);
        reading.release();
        await("it is timed", () -> timed("holdfast.hold", "end", "released") == 1);
        assertEquals(1, count("holdfast.obtained"));
        assertEquals(0, count("holdfast.lost"));
    }

    @Test
    void tag_manyNames_isBounded() {
        HoldfastMetrics metrics = new HoldfastMetrics(registry, name -> name, 3);
        for (int i = 0; i < 1_000; i++) {
            metrics.on(notObtained("lock " + i % 50));
        }
        TreeSet<String> seen = new TreeSet<>();
        registry.getMeters()
                .forEach(meter -> seen.add(String.valueOf(meter.getId().getTag("lock"))));
        assertEquals(new TreeSet<>(java.util.List.of("lock 0", "lock 1", "lock 2", "other")), seen);
        assertEquals(
                1_000,
                registry.find("holdfast.not.obtained").counters().stream()
                        .mapToDouble(counter -> counter.count())
                        .sum());
        assertThrows(IllegalArgumentException.class, () -> new HoldfastMetrics(registry, name -> name, 0));
    }

    @Test
    void tag_functionThrows_countsAsOther() {
        HoldfastMetrics metrics = new HoldfastMetrics(registry, name -> {
            throw new IllegalStateException("thrown on purpose by a test");
        });
        metrics.on(notObtained("a"));
        assertEquals(1, count("holdfast.not.obtained", "lock", "other", "reason", "timed_out"));
        new HoldfastMetrics(registry, name -> "").on(notObtained("a"));
        assertEquals(2, count("holdfast.not.obtained", "lock", "other", "reason", "timed_out"));
    }

    @Test
    void groups_manyNames_areBoundedAndRequestsWithoutOneCountAsNone() {
        HoldfastMetrics metrics = new HoldfastMetrics(registry, name -> "all", 3).withGroups(group -> group);
        metrics.on(notObtained("a", ""));
        for (int i = 0; i < 1_000; i++) {
            metrics.on(notObtained("a", "tenant " + i % 50));
        }
        TreeSet<String> seen = new TreeSet<>();
        registry.getMeters()
                .forEach(meter -> seen.add(String.valueOf(meter.getId().getTag("group"))));
        assertEquals(new TreeSet<>(java.util.List.of("none", "tenant 0", "tenant 1", "tenant 2", "other")), seen);
        assertEquals(1, count("holdfast.not.obtained", "lock", "all", "group", "none"));
        assertEquals(20, count("holdfast.not.obtained", "lock", "all", "group", "tenant 2"));
        assertEquals(940, count("holdfast.not.obtained", "lock", "all", "group", "other"));
    }

    @Test
    void groups_functionThrowsOrSaysNothing_countAsOther() {
        new HoldfastMetrics(registry)
                .withGroups(group -> {
                    throw new IllegalStateException("thrown on purpose by a test");
                })
                .on(notObtained("a", "tenant 7"));
        new HoldfastMetrics(registry).withGroups(group -> "").on(notObtained("a", "tenant 8"));
        assertEquals(2, count("holdfast.not.obtained", "group", "other"));
    }

    @Test
    void groups_unlessWanted_areNoTag() {
        new HoldfastMetrics(registry).on(notObtained("a", "tenant 7"));
        assertEquals(1, count("holdfast.not.obtained"));
        assertNull(registry.getMeters().get(0).getId().getTag("group"));
    }

    @Test
    void groups_ofAClient_areThoseOfItsRequests() throws Exception {
        RedisServer server = startServer();
        HoldfastMetrics metrics = new HoldfastMetrics(registry).withGroups(group -> group);
        Holdfast holdfast = client(server.address(), HoldfastOptions.defaults().withListener(metrics));
        holdfast.semaphore("exports", 2).forGroup("tenant 7").acquire().release();
        holdfast.lock("import").acquire().release();
        await(
                "all is timed",
                () -> timed("holdfast.hold", "group", "none") == 1 && timed("holdfast.hold", "group", "tenant 7") == 1);
        assertEquals(1, timed("holdfast.wait", "group", "tenant 7"));
        assertEquals(1, count("holdfast.obtained", "group", "tenant 7", "how", "free"));
    }

    @Test
    void renewalFailures_areCounted() {
        HoldfastMetrics metrics = new HoldfastMetrics(registry, name -> name.substring(0, name.indexOf(':')));
        metrics.on(new LockEvent.RenewalFailed(subject("job:1"), 7, Duration.ofSeconds(1), "no answer"));
        metrics.on(new LockEvent.RenewalFailed(subject("job:2"), 7, Duration.ofSeconds(1), "no answer"));
        assertEquals(2, count("holdfast.renewal.failures", "lock", "job"));
        assertTrue(registry.getMeters().size() == 1);
    }

    private static LockEvent notObtained(String lock) {
        return notObtained(lock, "");
    }

    private static LockEvent notObtained(String lock, String group) {
        return new LockEvent.NotObtained(
                subject(lock, group),
                Attempt.Reason.TIMED_OUT,
                Duration.ofSeconds(1),
                1,
                new Contention(Optional.empty(), Duration.ZERO, 0, 0));
    }

    private static LockEvent.Subject subject(String lock) {
        return subject(lock, "");
    }

    private static LockEvent.Subject subject(String lock, String group) {
        return new LockEvent.Subject(lock, "hf:{" + lock + "}", "c.0-1", "main", group, Instant.EPOCH, null);
    }
}
