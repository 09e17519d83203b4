package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.TcpProxy.Caught;
import io.holdfast.contracts.servers.TcpProxy.Fault;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Fencing tokens rise with each grant, whatever the server forgets and whatever its clock does. */
public class TokenContract extends FaultSuite {
    private static final Duration LIFE = Duration.ofSeconds(1);
    private static final HoldfastOptions OPTIONS = HoldfastOptions.defaults().withTokenLife(LIFE);

    /** How many tokens a hold has that nobody else wants yet. */
    private static final int RESERVED = 16;

    /** From one grant to the next all is forgotten that is not to be remembered. */
    private static final LockOptions LONGER_THAN_LIFE =
            LockOptions.defaults().withLeaseDuration(Duration.ofMillis(1_200)).withRenewal(false);

    @Test
    final void token_onTheServer_isTheLeasesToTheLastDigit() throws Exception {
        Lease lease = client(server).lock("a", STRICT).acquire(); // which reserves no tokens
        assertEquals(
                Long.toString(lease.token()), server.command("GET", "hf:{a}:t").asString());
        assertTrue(lease.token() > 1L << 50 && lease.token() < 1L << 53);
    }

    @Test
    final void token_everythingFlushed_risesStill() throws Exception {
        Holdfast holdfast = client(server);
        long before = token(holdfast);
        server.command("FLUSHALL");
        assertTrue(token(holdfast) > before);
    }

    @Test
    final void token_flushedWhileHeld_risesStill() throws Exception {
        Lease lease = client(server).lock("a").acquire();
        server.command("FLUSHALL");
        assertTrue(token(client(server)) > lease.token());
    }

    @Test
    final void token_serverRestartedEmpty_risesStill() throws Exception {
        Holdfast holdfast = client(server);
        long before = token(holdfast);
        server.kill();
        server.restart();
        try (Lease lease = holdfast.lock("a").acquire(Wait.upTo(PATIENCE))) {
            assertTrue(lease.token() > before);
        }
    }

    @Test
    final void token_clockWasAnHourAheadAndCameBack_risesStillAndIsRememberedUntilThen() throws Exception {
        Holdfast holdfast = client(server);
        long ordinary = token(holdfast);
        long ahead = token(clientWithClockAhead(Duration.ofHours(1)));
        assertTrue(ahead > ordinary + Duration.ofMinutes(59).toNanos() / 1_000);

        long after = token(holdfast);
        assertEquals(ahead + RESERVED, after);
        // Not a second, which is the life of a token, but until its own time has passed by a second: were it forgotten
        // sooner, the next token would be that of the clock, and lower.
        long left = server.command("PTTL", "hf:{a}:t").asLong();
        assertTrue(left > Duration.ofMinutes(59).toMillis(), () -> "remembered for " + left + " ms only");
    }

    @Test
    final void token_clockWasAheadAndTheLastTokenIsForgotten_risesStill() throws Exception {
        long ahead = token(clientWithClockAhead(Duration.ofSeconds(2)));
        await(
                "the last token is forgotten",
                () -> server.command("EXISTS", "hf:{a}:t").asLong() == 0);
        assertTrue(token(client(server.address(), OPTIONS)) > ahead);
    }

    @Test
    final void token_clockWasAheadAndCameBack_risesWithEachGrantUntilThen() throws Exception {
        Duration ahead = Duration.ofSeconds(3);
        RewritingDriver driver = new RewritingDriver(driver(server.address()), RewritingDriver.clockAhead(ahead));
        DistributedLock lock = closeLater(Holdfast.over(driver, OPTIONS)).lock("a", LONGER_THAN_LIFE);
        long begin = serverMicros();
        Lease first = lock.acquire();
        assertTrue(first.token() > begin + ahead.toNanos() / 1_000, "the clock is not ahead");
        first.release();

        driver.rewrite(UnaryOperator.identity());
        long last = first.token();
        while (serverMicros() < begin + ahead.plus(LIFE).toNanos() / 1_000) {
            Lease lease = lock.acquire();
            assertTrue(lease.token() > last, lease.token() + " after " + last);
            last = lease.token();
            assertEquals(LossReason.LEASE_LIMIT_REACHED, get(lease.whenLost()));
            assertEveryKeyExpires(server);
        }
    }

    @Test
    final void token_grantsUnderTwoClocks_risesThroughout() throws Exception {
        Holdfast ahead = clientWithClockAhead(Duration.ofSeconds(30));
        Holdfast right = client(server);
        long last = 0;
        for (int i = 0; i < 50; i++) {
            long token = token(i % 2 == 0 ? ahead : right);
            assertTrue(token > last, token + " after " + last);
            last = token;
        }
    }

    @Test
    final void handoff_clockJumpedAhead_isConfirmedBeforeAnybodySeesTheLease() throws Exception {
        RewritingDriver driver = new RewritingDriver(driver(server.address()), UnaryOperator.identity());
        Lease lease = closeLater(Holdfast.over(driver, LAZY)).lock("a").acquire();
        CompletableFuture<Lease> waiting = remote(LAZY).lock("a").acquireAsync();
        awaitQueued(1);
        CompletableFuture<Caught> asked = proxy.onRequest(ScriptCalls.ACQUIRE, Fault.STALL_REQUEST);
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

    private long serverMicros() {
        List<Reply> time = server.command("TIME").asList();
        return time.get(0).asLong() * 1_000_000 + time.get(1).asLong();
    }

    private Holdfast clientWithClockAhead(Duration offset) {
        RewritingDriver driver = new RewritingDriver(driver(server.address()), RewritingDriver.clockAhead(offset));
        return closeLater(Holdfast.over(driver, OPTIONS));
    }

    private static long token(Holdfast holdfast) throws InterruptedException {
        try (Lease lease = holdfast.lock("a").acquire()) {
            return lease.token();
        }
    }
}
