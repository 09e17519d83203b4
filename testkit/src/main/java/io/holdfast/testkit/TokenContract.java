package io.holdfast.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.Wait;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fencing tokens rise with each grant, whatever the server forgets and whatever its clock does. */
@SuppressWarnings("NullAway.Init") // the server is started before each test
public abstract class TokenContract extends LockSuite {
    private static final Duration LIFE = Duration.ofSeconds(1);
    private static final HoldfastOptions OPTIONS = HoldfastOptions.defaults().withTokenLife(LIFE);

    private RedisServer server;

    @BeforeEach
    final void start() {
        server = startServer();
    }

    @Test
    final void token_onTheServer_isTheLeasesToTheLastDigit() throws Exception {
        Lease lease = client(server).lock("a").acquire();
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
        assertEquals(ahead + 1, after);
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
