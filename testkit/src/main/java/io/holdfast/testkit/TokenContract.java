package io.holdfast.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Fencing tokens rise with each grant of a lock, whatever the server forgets and whatever its clock does. */
public abstract class TokenContract extends FaultSuite {
    /** Longer than {@link #MEMORY}: from one grant to the next all is forgotten that is not to be remembered. */
    private static final LockOptions FLEETING =
            LockOptions.defaults().withTerm(Duration.ofMillis(1_200)).withRenewed(false);

    private static final HoldfastOptions MEMORY = HoldfastOptions.defaults().withTokenLife(Duration.ofSeconds(1));

    private long serverMicros() {
        List<Reply> time = server.command("TIME").asList();
        return time.get(0).asLong() * 1_000_000 + time.get(1).asLong();
    }

    /** A client that sees the server's clock as far ahead as the test says. */
    private Holdfast over(RewritingDriver driver, HoldfastOptions options) {
        return closeLater(Holdfast.over(driver, options));
    }

    private RewritingDriver rewriting(UnaryOperator<String> rewrite) {
        return new RewritingDriver(driver(server.address()), rewrite);
    }

    @Test
    void token_anyGrant_isTheServersTimeOrMore() throws Exception {
        DistributedLock lock = local(LAZY).lock("a");
        long last = 0;
        for (int i = 0; i < 100; i++) {
            long before = serverMicros();
            Lease lease = lock.acquire();
            assertTrue(lease.token() >= before && lease.token() < 1L << 53, "token " + lease.token());
            assertTrue(lease.token() > last);
            last = lease.token();
            lease.release();
        }
    }

    @Test
    void token_afterFlushAll_rises() throws Exception {
        DistributedLock lock = local(LAZY).lock("a");
        long last = 0;
        for (int i = 0; i < 20; i++) {
            Lease lease = lock.acquire();
            assertTrue(lease.token() > last);
            last = lease.token();
            server.command("FLUSHALL");
            lease.release();
        }
    }

    @Test
    void token_afterARestart_rises() throws Exception {
        Holdfast holdfast = local(HoldfastOptions.defaults());
        long last = 0;
        for (int i = 0; i < 3; i++) {
            Lease lease = holdfast.lock("a").acquire();
            assertTrue(lease.token() > last);
            last = lease.token();
            server.restart();
            get(lease.lost());
        }
    }

    @Test
    void token_clockWasAheadAndCameBack_rises() throws Exception {
        Duration ahead = Duration.ofSeconds(3);
        // Tokens are remembered for a second after their own time, and not after the time at which they are given.
        RewritingDriver driver = rewriting(RewritingDriver.clockAhead(ahead));
        DistributedLock lock = over(driver, MEMORY).lock("a", FLEETING);
        long begin = serverMicros();
        Lease first = lock.acquire();
        assertTrue(first.token() > begin + ahead.toNanos() / 1_000, "the clock is not ahead");
        assertTrue(driver.changed() > 0);
        first.release();

        driver.rewrite(UnaryOperator.identity());
        long last = first.token();
        while (serverMicros() < begin + (ahead.toNanos() + 1_500_000_000L) / 1_000) {
            Lease lease = lock.acquire();
            assertTrue(
                    lease.token() > last,
                    "token " + lease.token() + " after " + last + ", " + (serverMicros() - begin) + " us later");
            last = lease.token();
            assertEquals(LossReason.TERM_ENDED, get(lease.lost()));
            assertEveryKeyExpires(server);
        }
    }

    @Test
    void token_clocksOfClientsDoNotMatter_rises() throws Exception {
        // Both act on one server; the scripts of one of them see a clock that is ahead. Their grants alternate.
        Holdfast ahead = over(rewriting(RewritingDriver.clockAhead(Duration.ofSeconds(30))), LAZY);
        Holdfast right = local(LAZY);
        long last = 0;
        for (int i = 0; i < 50; i++) {
            Lease lease = (i % 2 == 0 ? ahead : right).lock("a").acquire();
            assertTrue(lease.token() > last);
            last = lease.token();
            lease.release();
        }
    }

    @Test
    void handoff_clockJumpedAhead_isConfirmedBeforeAnybodySeesTheLease() throws Exception {
        RewritingDriver driver = rewriting(UnaryOperator.identity());
        Lease lease = over(driver, LAZY).lock("a").acquire();
        Holdfast waiter = remote(LAZY);
        CompletableFuture<Lease> waiting = waiter.lock("a").acquireAsync();
        awaitQueued(1);
        CompletableFuture<TcpProxy.Caught> asked = proxy.onRequest(ScriptCalls.ACQUIRE, TcpProxy.Fault.STALL_REQUEST);
        driver.rewrite(RewritingDriver.clockAhead(Duration.ofSeconds(20)));
        lease.release();
        // By the clock pair at hand the grant lies in the future: nothing can be said of its end.
        get(asked);
        assertFalse(completesSoon(waiting));
        proxy.resume();
        Lease next = get(waiting);
        assertHeldBy(next);
        assertTrue(next.token() > lease.token());
        assertTrue(next.remaining().toSeconds() < 30, () -> "longer than its term: " + next.remaining());
        next.release();
        awaitNothingLeft(server);
    }
}
