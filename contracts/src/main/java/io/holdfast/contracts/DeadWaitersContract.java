package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What thousands of waiters cost the others when their process is killed: the server walks over each of them once, in
 * scripts of bounded length, and not again with every release.
 *
 * <p>Cost is counted in commands that the server ran, those inside of scripts included, and in its processor time: a busy
 * machine changes neither, as it changes how long a script takes.
 */
public class DeadWaitersContract extends TakerSuite {
    /** Refreshes are rare, so that they do not tidy up what is counted. */
    private static final HoldfastOptions QUIET = HoldfastOptions.defaults()
            .withWaiterDeadline(Duration.ofMinutes(5))
            .withRefreshInterval(Duration.ofSeconds(10));

    private static final String QUIET_DEADLINE = "deadline=300000";
    private static final String QUIET_REFRESH = "refresh=10000";
    /** Each request stands in the server's queue itself. */
    private static final String EACH = "strict=1";

    /** The most waiters that one script looks at. */
    private static final int WALK_LIMIT = 1000;

    /** For all scripts together. Ten thousand waiters were measured to take 70 ms. */
    private static final double MOST_CPU_MILLIS = 500;

    /** A release that hands off, a confirmation, and what the test itself asks are 30. */
    private static final long FEW_COMMANDS = 100;

    /**
     * What the server did during a measurement.
     *
     * @param commands those that clients sent, scripts among them, and those that scripts ran
     */
    private record Work(long scripts, long commands, double cpuMillis) {}

    /** For the classes of the drivers. */
    protected DeadWaitersContract() {}

    @Test
    void release_tenThousandDeadWaitersOfOneClient_areWalkedOverOnce() throws Exception {
        assertWalkedOverOnce(10_000, 1);
    }

    @Test
    void release_thousandDeadWaitersOfFiftyClients_areWalkedOverOnce() throws Exception {
        assertWalkedOverOnce(1_000, 50);
    }

    private void assertWalkedOverOnce(int dead, int clients) throws Exception {
        Lease lease = client(server.address(), QUIET).lock("a").acquire();
        TakerProcess doomed = taker("clients=" + clients, QUIET_DEADLINE, QUIET_REFRESH, EACH);
        enqueue(doomed, dead);
        CompletableFuture<Lease> first =
                client(server.address(), QUIET).lock("a").acquireAsync();
        awaitQueue("a", dead + 1);
        CompletableFuture<Lease> second =
                client(server.address(), QUIET).lock("a").acquireAsync();
        awaitQueue("a", dead + 2);
        List<String> queue = queue("a");
        doomed.kill();
        queue.subList(0, dead).stream().map(TakerSuite::clientOf).distinct().forEach(this::awaitDeaf);

        Work walk = measure(() -> {
            lease.release();
            get(first);
        });
        assertTrue(walk.scripts() >= dead / WALK_LIMIT, walk::toString);
        assertTrue(walk.commands() < 2L * dead, walk::toString);
        assertTrue(walk.cpuMillis() < MOST_CPU_MILLIS, walk::toString);
        assertEquals(get(first).owner(), held("a").owner());
        assertEquals(dead, server.command("ZCARD", "hf:{a}:p").asLong());

        Work next = measure(() -> {
            get(first).release();
            assertEquals(queue.get(dead + 1), held("a").owner());
        });
        assertTrue(next.commands() < FEW_COMMANDS, next::toString);
        assertTrue(get(second).token() > get(first).token());
        get(second).release();
    }

    @Test
    void kill_holderWithTenThousandWaiters_livingWaiterHoldsWhenTheTermIsOver() throws Exception {
        TakerProcess doomed = taker(QUIET_DEADLINE, QUIET_REFRESH, EACH);
        doomed.send("ask a 0 0");
        doomed.awaitLine("got a 0");
        Held dead = held("a");
        enqueue(doomed, 10_000);
        CompletableFuture<Lease> living = client(server).lock("a").acquireAsync();
        awaitQueue("a", 10_001);
        doomed.kill();
        awaitDeaf(dead.owner());
        // The dead one's term is made to end now. A short one from the beginning could not be renewed on a slow machine
        // while ten thousand requests stand before the renewal.
        Work work = measure(() -> {
            server.command("PEXPIRE", "hf:{a}", "1");
            get(living);
        });
        assertTrue(get(living).token() > dead.token());
        assertTrue(work.cpuMillis() < MOST_CPU_MILLIS, work::toString);
    }

    private void enqueue(TakerProcess taker, int count) {
        taker.send("ask a 1 " + count);
        taker.awaitLine("asked a 1");
        awaitQueue("a", count);
    }

    private Work measure(Runnable act) {
        server.command("CONFIG", "RESETSTAT");
        double before = cpuMillis();
        act.run();
        double after = cpuMillis();
        return new Work(calls("eval"), calls(""), after - before);
    }

    /** What the thread that runs commands has used so far. */
    private double cpuMillis() {
        return 1000
                * server.command("INFO", "cpu")
                        .asString()
                        .lines()
                        .filter(line -> line.matches("used_cpu_(user|sys)_main_thread:.*"))
                        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)))
                        .sum();
    }

    private static Lease get(CompletableFuture<Lease> lease) {
        try {
            return lease.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("no lease", e);
        }
    }
}
