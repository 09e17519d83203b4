package io.holdfast.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.micrometer.HoldfastMetrics;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an application does with Holdfast, however it connects. Written as an application's own code would be. */
@Timeout(60)
public abstract class ApplicationContract {
    private static final long PATIENCE_SECONDS = 20;

    /** A busy machine may take long to load all that the first connection needs. */
    private static final HoldfastOptions OPTIONS =
            HoldfastOptions.defaults().withConnectTimeout(Duration.ofSeconds(PATIENCE_SECONDS));

    private final Deque<AutoCloseable> toClose = new ArrayDeque<>();
    private RedisServer server;

    /** Connects as the documents say. The client is closed after the test, before what {@link #closeLater} was given. */
    protected abstract Holdfast connect(int port, HoldfastOptions options);

    protected final void closeLater(AutoCloseable resource) {
        toClose.push(resource);
    }

    @BeforeEach
    void start() {
        server = RedisServer.start();
    }

    @AfterEach
    void close() throws Exception {
        while (!toClose.isEmpty()) {
            toClose.pop().close();
        }
        server.close();
    }

    private Holdfast connect() {
        return connect(OPTIONS);
    }

    private Holdfast connect(HoldfastOptions options) {
        Holdfast holdfast = connect(server.port(), options);
        closeLater(holdfast);
        return holdfast;
    }

    @Test
    void lock_released_isHandedToTheOtherClientThatWaits() throws Exception {
        Holdfast ours = connect();
        Holdfast theirs = connect();
        for (int i = 0; i < 20; i++) {
            handOver(ours, theirs);
            handOver(theirs, ours);
        }
    }

    @Test
    void connections_killedAgainAndAgain_leaseIsKeptAndTheLockHandedOver() throws Exception {
        Holdfast ours = connect();
        Holdfast theirs = connect();
        handOver(ours, theirs);
        for (int i = 0; i < 3; i++) {
            Lease lease = ours.lock("job").acquire();
            CompletableFuture<Lease> waiting = theirs.lock("job").acquireAsync();
            await("it is queued", () -> ours.inspect().isQueued("job"));
            server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
            server.command("CLIENT", "KILL", "TYPE", "pubsub");
            lease.requireValid();
            lease.release();
            try (Lease next = waiting.get(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                assertTrue(next.token() > lease.token());
            }
            handOver(ours, theirs);
            handOver(theirs, ours);
        }
    }

    @Test
    void meters_whatHappenedWithTheLock_isInTheRegistry() throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        HoldfastMetrics metrics = new HoldfastMetrics(registry, name -> name);
        Holdfast ours = connect(OPTIONS.withListener(metrics)
                .withLockDefaults(LockOptions.defaults().withStrictOrder())); // the server is to know of each request
        AutoCloseable gauges = metrics.bindTo(ours);

        Lease lease = ours.lock("job").acquire();
        assertEquals(1, registry.get("holdfast.held").gauge().value());
        assertTrue(ours.lock("job").tryAcquire().isEmpty());
        CompletableFuture<Lease> waiting = ours.lock("job").acquireAsync(Wait.forever());
        await("it is queued", () -> ours.inspect().isQueued("job"));
        lease.release();
        Lease second = waiting.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        // Else the answer to the confirmation may come before the message, and the lock be only gone.
        await("the hand-over is confirmed", () -> ours.inspect().lock("job").confirmed());
        ours.admin().release("job", Admin.Waiters.HAND_OFF);
        assertEquals(
                LossReason.REVOKED, second.whenLost().toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS));

        awaitCount(registry, 1, "holdfast.obtained", "lock", "job", "how", "free");
        awaitCount(registry, 1, "holdfast.obtained", "lock", "job", "how", "queued");
        awaitCount(registry, 1, "holdfast.not.obtained", "lock", "job", "reason", "taken");
        awaitCount(registry, 2, "holdfast.wait", "lock", "job");
        awaitCount(registry, 1, "holdfast.hold", "lock", "job", "end", "released");
        awaitCount(registry, 1, "holdfast.hold", "lock", "job", "end", "lost");
        awaitCount(registry, 1, "holdfast.lost", "lock", "job", "reason", "revoked");
        awaitCount(registry, 1, "holdfast.revoked", "lock", "job");
        gauges.close();
        assertTrue(registry.find("holdfast.held").gauges().isEmpty());
    }

    /** One holds, the other waits and gets it. */
    private static void handOver(Holdfast from, Holdfast to) throws Exception {
        Lease lease = from.lock("handed").acquire();
        CompletableFuture<Lease> waiting = to.lock("handed").acquireAsync();
        await("it is queued", () -> from.inspect().isQueued("handed"));
        lease.release();
        try (Lease next = waiting.get(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            assertTrue(next.token() > lease.token());
        }
    }

    /** Listeners hear of what happened a moment later. */
    private static void awaitCount(SimpleMeterRegistry registry, int expected, String name, String... tags) {
        await(name + " " + String.join(" ", tags) + " is " + expected + " in " + registry.getMetersAsString(), () -> {
            Meter meter = registry.find(name).tags(tags).meter();
            return meter != null && meter.measure().iterator().next().getValue() == expected;
        });
    }

    private static void await(String what, BooleanSupplier condition) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + PATIENCE_SECONDS + " s: " + what);
            }
            LockSupport.parkNanos(2_000_000);
        }
    }
}
