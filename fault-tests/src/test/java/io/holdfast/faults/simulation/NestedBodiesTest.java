package io.holdfast.faults.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseEndingException;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Bodies within bodies of one hold: each is interrupted in time, whatever was entered and left before. */
class NestedBodiesTest {
    private static final Duration BEFORE = Duration.ofMillis(500);
    private static final int RUNS = 40;
    private static final int DEPTH = 3;

    private int interrupted;
    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.start(time);
    private final Holdfast client = server.client();
    private final DistributedLock lock = client.lock(
            "nested",
            Plan.STRICT
                    .withLeaseDuration(Duration.ofSeconds(3))
                    .withInterruptBefore(BEFORE)
                    .withReentrancy(Reentrancy.REENTER));

    @Test
    void call_bodiesOfOneHoldInOneAnother_eachIsInterruptedInTime() throws Exception {
        for (int seed = 1; seed <= RUNS; seed++) {
            Draw draw = new Draw(seed);
            int run = seed;
            try {
                assertEquals("", lock.call(lease -> body(lease, draw, DEPTH, run)));
            } catch (LeaseEndingException e) {
                assertEquals(1, interrupted, e::getMessage); // an outer body went on after that, and was told as well
            }
            interrupted = 0;
            assertEquals(0, client.leaseCount());
            assertTrue(server.command("GET", lock.key()).isNull());
        }
    }

    /** Does some work, some of it in bodies of the same hold, until the server is silent and the thread is interrupted. */
    private String body(Lease lease, Draw draw, int depth, int seed) throws Exception {
        int inner = depth == 0 ? 0 : draw.below(3);
        for (int i = 0; i < inner; i++) {
            time.advance(Duration.ofMillis(draw.between(0, 2_000)));
            String found = lock.call(again -> body(again, draw, depth - 1, seed));
            if (!found.isEmpty()) {
                return found;
            }
        }
        time.advance(Duration.ofMillis(draw.between(0, 2_000)));
        if (draw.percent(50)) {
            return "";
        }
        server.freeze();
        try {
            while (!Thread.interrupted()) {
                time.advance(Duration.ofMillis(5));
                if (lease.remaining().isZero()) {
                    return "seed " + seed + ", depth " + depth
                            + ": the lease was over before the thread was interrupted";
                }
            }
            return lease.remaining().compareTo(BEFORE.minusMillis(20)) < 0
                    ? "seed " + seed + ", depth " + depth + ": interrupted with "
                            + lease.remaining().toMillis() + " ms left"
                    : "";
        } finally {
            server.thaw();
            time.advance(Duration.ofMillis(1_500));
            interrupted = 1;
            var unused = Thread.interrupted();
        }
    }
}
