package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.PlainLease;
import io.holdfast.ServerRefusedException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** A master that becomes a replica under its clients: it takes no writes, and so grants nothing, which is certain. */
@SuppressWarnings("NullAway.Init") // everything is made before each test
public class DemotedServerContract extends LockSuite {
    /** Long enough for a few repetitions, also where a busy machine keeps the first one waiting. */
    private static final Wait SHORT = Wait.upTo(Duration.ofSeconds(1));

    /** A client gives connections to a replica up when its time limit has passed: not before these tests are over. */
    private static final HoldfastOptions OPTIONS = HoldfastOptions.defaults().withCommandTimeout(PATIENCE);

    private RedisServer server;
    private Holdfast holdfast;

    /** For the classes of the drivers. */
    protected DemotedServerContract() {}

    @BeforeEach
    final void connect() throws InterruptedException {
        server = startServer();
        holdfast = client(server.address(), OPTIONS);
        holdfast.lock("known").acquire().close(); // the server has the scripts
        holdfast.plainLock("known").acquire().close();
    }

    /** Nothing listens there. */
    private void demote() {
        server.command("REPLICAOF", "127.0.0.1", "1");
        await("it answers", () -> !holdfast.inspect().isLocked("known"));
    }

    private static void assertRefused(Executable asking) {
        Throwable failure = assertThrows(Exception.class, asking);
        Throwable cause = failure instanceof ExecutionException ? failure.getCause() : failure;
        String message = String.valueOf(
                assertInstanceOf(ServerRefusedException.class, cause).getMessage());
        assertTrue(message.contains("READONLY") && message.contains("give the address of the master"), message);
    }

    @Test
    final void request_inEachForm_isRefused() {
        demote();
        for (Wait wait : List.of(Wait.none(), SHORT)) {
            assertRefused(() -> holdfast.lock("a").attempt(wait));
            assertRefused(() -> holdfast.lock("a", STRICT).attempt(wait));
            assertRefused(() -> holdfast.lock("a").acquire(wait));
            assertRefused(() -> holdfast.lock("a").tryAcquire(wait));
            assertRefused(() -> get(holdfast.lock("a").attemptAsync(wait)));
            assertRefused(() -> get(holdfast.lock("a").acquireAsync(wait)));
            assertRefused(() -> holdfast.lock("a").tryCall(wait, lease -> "done"));
            assertRefused(() -> holdfast.readWriteLock("a").read().attempt(wait));
            assertRefused(() -> holdfast.semaphore("a", 2).permits(1).attempt(wait));
            assertRefused(() -> holdfast.locks("a", "b").attempt(wait));
            assertRefused(() -> holdfast.plainLock("a").attempt(wait));
            assertRefused(() -> holdfast.plainLock("a").acquire(wait));
            assertRefused(() -> get(holdfast.plainLock("a").attemptAsync(wait)));
        }
        server.command("REPLICAOF", "NO", "ONE");
        assertEquals(List.of(), keysButTokens(server));
    }

    @Test
    final void request_thatWaits_isServedWhenTheServerIsAMasterAgain() throws Exception {
        demote();
        CompletableFuture<Lease> waiting = holdfast.lock("a").acquireAsync(Wait.upTo(PATIENCE));
        CompletableFuture<PlainLease> plain = holdfast.plainLock("p").acquireAsync(Wait.upTo(PATIENCE));
        await(
                "they were refused",
                () -> server.command("INFO", "errorstats").asString().contains("READONLY"));
        server.command("REPLICAOF", "NO", "ONE");
        get(waiting).release();
        get(plain).release();
        awaitNothingLeft(server);
    }
}
