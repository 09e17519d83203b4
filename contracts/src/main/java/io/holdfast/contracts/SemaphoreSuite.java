package io.holdfast.contracts;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;

/** A semaphore of three permits, as two clients have it. */
@SuppressWarnings("NullAway.Init") // everything is made before each test
abstract class SemaphoreSuite extends LockSuite {
    SemaphoreSuite() {}

    private static final String KEY = "hf:{%sem:a}";

    RedisServer server;
    Holdfast one;
    Holdfast two;
    DistributedSemaphore permits;
    DistributedSemaphore others;

    @BeforeEach
    final void makeClients() {
        server = startServer();
        one = client(server);
        two = client(server);
        permits = one.semaphore("a", 3);
        others = two.semaphore("a", 3);
    }

    /** A request that waits for so many permits. */
    final CompletableFuture<Lease> waiting(DistributedSemaphore semaphore, int count) {
        long before = waiters();
        CompletableFuture<Lease> request = semaphore.permits(count).acquireAsync(Wait.forever());
        await("it waits", () -> waiters() == before + 1);
        return request;
    }

    /** How many requests wait. */
    final long waiters() {
        return server.command("ZCARD", KEY + ":q").asLong();
    }
}
