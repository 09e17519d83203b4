package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.Wait;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.LeaseControl;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** For how long what is written of waiters lives: as long as they report, and not much longer. In virtual time. */
final class QueueLifeTest {
    private static final Duration DEADLINE = HoldfastOptions.defaults().waiterDeadline();
    private static final List<String> KEYS = List.of("hf:{a}:q", "hf:{a}:d");

    private final VirtualTime time = new VirtualTime();
    private final LeaseControl control = LeaseControl.start(time);
    private final MemoryServer server = control.server();
    private final Holdfast holder = control.client();
    private final Holdfast waiter = control.client();

    @AfterEach
    void close() {
        control.close();
    }

    private long left(String key) {
        return server.command("PTTL", key).asLong();
    }

    @Test
    void queue_whileItsWaitersReport_outlivesTheirDeadlinesAndKeepsTheirOrder() {
        Lease lease = holder.lock("a").acquireAsync(Wait.forever()).join();
        CompletableFuture<Lease> first = waiter.lock("a").acquireAsync(Wait.forever());
        String order =
                server.command("ZRANGE", "hf:{a}:q", "0", "-1", "WITHSCORES").toString();
        for (Duration step = Duration.ZERO; step.compareTo(DEADLINE.multipliedBy(4)) < 0; step = step.plusSeconds(1)) {
            time.advance(Duration.ofSeconds(1));
            List<Reply> details = server.command("HGETALL", "hf:{a}:d").asList();
            String active = IntStream.range(0, details.size() - 1)
                    .filter(i -> details.get(i).asString().startsWith("@a:"))
                    .mapToObj(i -> details.get(i + 1).asString())
                    .findFirst()
                    .orElseThrow();
            long deadline = Long.parseLong(active.substring(0, active.indexOf(' ')));
            for (String key : KEYS) {
                long expires = server.command("PEXPIRETIME", key).asLong();
                assertTrue(expires >= deadline, key + " expires before the deadline of a waiter");
                assertTrue(left(key) <= DEADLINE.toMillis() * 5 / 4, key + " lives for " + left(key) + " ms");
            }
            assertEquals(
                    order,
                    server.command("ZRANGE", "hf:{a}:q", "0", "-1", "WITHSCORES")
                            .toString());
        }
        assertFalse(first.isDone());
        lease.release();
        first.join().release();
    }

    @Test
    void queue_ofAClientThatReportsNoMore_isGoneSoonAfterItsDeadline() {
        holder.lock("a").acquireAsync(Wait.forever()).join();
        CompletableFuture<Lease> first = waiter.lock("a").acquireAsync(Wait.forever());
        control.disconnect();
        time.advance(DEADLINE.multipliedBy(5).dividedBy(4).plusMillis(1));
        assertFalse(first.isDone());
        for (String key : KEYS) {
            assertEquals(0, server.command("EXISTS", key).asLong(), key);
        }
    }
}
