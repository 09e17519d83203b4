package io.holdfast.contracts;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static io.holdfast.contracts.Outcomes.assertObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt.Reason;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.ServerRefusedException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.RedisAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** One real server that loses its memory, or a part of it, and clients that hold leases back until that cannot matter. */
public class QuarantineContract extends LockSuite {
    private static final Duration TERM = Duration.ofSeconds(2);
    /** Longer than any pause of a loaded machine, for what must not be over. */
    private static final Duration LONG = Duration.ofMinutes(1);

    /** For the classes of the drivers. */
    protected QuarantineContract() {}

    private static LockOptions unrenewed(Duration term) {
        return LockOptions.defaults().withLeaseDuration(term).withRenewal(false);
    }

    private Holdfast client(RedisServer server, Duration quarantine, UnaryOperator<String> rewrite) {
        return closeLater(Holdfast.over(
                new RewritingDriver(driver(server.address()), rewrite),
                HoldfastOptions.defaults()
                        .withCommandTimeout(Duration.ofSeconds(1))
                        .withQuarantine(quarantine)));
    }

    private enum Loss {
        FLUSHED,
        EMPTY,
        SNAPSHOT
    }

    @Test
    final void restart_olderSnapshot_leasesDoNotOverlap() throws Exception {
        assertFalse(overlaps(Loss.SNAPSHOT, TERM, UnaryOperator.identity()));
    }

    @Test
    final void restart_olderSnapshotAndMarkerOfAnotherProcessCounts_leasesOverlap() throws Exception {
        assertTrue(overlaps(Loss.SNAPSHOT, LONG, RewritingDriver.replacingRule("samerun", "")));
    }

    @Test
    final void restart_empty_leasesDoNotOverlap() throws Exception {
        assertFalse(overlaps(Loss.EMPTY, TERM, UnaryOperator.identity()));
    }

    @Test
    final void flushAll_leasesDoNotOverlap() throws Exception {
        assertFalse(overlaps(Loss.FLUSHED, TERM, UnaryOperator.identity()));
    }

    /** Whether a lease that the server has forgotten is valid when a client that connects afterwards has the next. */
    private boolean overlaps(Loss loss, Duration term, UnaryOperator<String> rewrite) throws Exception {
        RedisServer server = startServer();
        server.admit();
        if (loss == Loss.SNAPSHOT) {
            server.command("SAVE");
        }
        Lease forgotten =
                client(server, term, rewrite).lock("a", unrenewed(term)).acquire();
        if (loss == Loss.FLUSHED) {
            server.command("FLUSHALL");
        } else {
            server.kill();
            server.restart();
        }
        assertEquals(0, server.command("EXISTS", "hf:{a}").asLong());
        // What has come of the hold is told when its owner is asked, and nobody asks for it here.
        CompletableFuture<Boolean> next = client(server, term, rewrite)
                .lock("a", LockOptions.defaults().withLeaseDuration(term))
                .acquireAsync(Wait.forever())
                .thenApply(lease -> lease.isValid() && forgotten.isValid());
        return next.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    final void acquire_firstClientOfAServer_waitsOnceAndLaterOnesDoNot() throws Exception {
        RedisServer server = startServer();
        DistributedLock first = client(server, LONG, UnaryOperator.identity()).lock("a", unrenewed(LONG));
        assertNotObtained(Reason.QUARANTINE, first.attempt(Wait.none()));
        server.admit(); // as if the time were over
        first.acquire(Wait.upTo(PATIENCE)).release();
        DistributedLock second = client(server, LONG, UnaryOperator.identity()).lock("a", unrenewed(LONG));
        assertObtained(second.attempt(Wait.none()));
        assertEveryKeyExpires(server);
    }

    @Test
    final void acquire_withoutThePermissionForInfo_isRefusedAndSaysSo() {
        RedisServer server = startServer();
        List<String> rules = new ArrayList<>(
                List.of("ACL", "SETUSER", "limited", "reset", "resetchannels", "on", ">secret", "&hf:to:*"));
        rules.addAll(Permissions.LEAST);
        rules.add("-info");
        server.command(rules.toArray(String[]::new));
        RedisAddress address = new RedisAddress("127.0.0.1", server.port(), false, "limited", "secret", 0);
        Holdfast client = closeLater(
                Holdfast.over(driver(address), HoldfastOptions.defaults().withQuarantine(TERM)));
        ServerRefusedException e = assertThrows(
                ServerRefusedException.class,
                () -> client.lock("a", unrenewed(TERM)).acquire(Wait.none()));
        assertTrue(String.valueOf(e.getMessage()).contains("docs/operations.md"), e.toString());
    }
}
