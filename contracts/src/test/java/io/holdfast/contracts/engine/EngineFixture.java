package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.contracts.FakeDriver.Call;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;

/** A whole client over a server that answers what the test says, in virtual time and in the thread of the test. */
abstract class EngineFixture {
    static final Duration TERM = LockOptions.defaults().leaseDuration();
    /** A term of 30 s, less 1 % and 2 ms. */
    static final Duration VALIDITY = Duration.ofMillis(29_698);

    /** Each request asks the server for itself. */
    static final LockOptions STRICT = LockOptions.defaults().withStrictOrder();

    static final Duration CLAIM = Duration.ofSeconds(1);
    static final HoldfastOptions OPTIONS =
            HoldfastOptions.defaults().withExecutor(Runnable::run).withCloseTimeout(Duration.ofMillis(50));

    final VirtualTime time = new VirtualTime();
    final FakeDriver server = new FakeDriver(time);
    final Holdfast holdfast = Holdfast.over(server, OPTIONS, time.environment(1));

    /** Those of {@link #lease}: one that nobody refers to is not renewed any more once the garbage collector has run. */
    final List<Lease> leases = new ArrayList<>();

    @AfterEach
    void close() {
        server.answer("release", call -> server.released("GONE"));
        holdfast.close();
    }

    /** A lease of a free lock. */
    Lease lease(String name) {
        return lease(name, LockOptions.defaults());
    }

    Lease lease(String name, LockOptions options) {
        CompletableFuture<Lease> future = holdfast.lock(name, options).acquireAsync(Wait.none());
        server.next("acquire").answer(server.granted(100));
        Lease lease = obtained(future);
        leases.add(lease);
        return lease;
    }

    /** A request that stands in the server's queue. */
    final class Waiting {
        final CompletableFuture<Lease> future;
        final Call acquire;

        Waiting(String name, LockOptions options, Wait wait) {
            future = holdfast.lock(name, options).acquireAsync(wait);
            acquire = server.next("acquire");
            acquire.answer(server.queued(1, Duration.ofSeconds(20)));
            assertFalse(future.isDone());
        }
    }

    Waiting waiting(String name) {
        return new Waiting(name, STRICT, Wait.forever());
    }

    static Lease obtained(CompletableFuture<Lease> future) {
        assertTrue(future.isDone() && !future.isCompletedExceptionally(), "no lease: " + future);
        Lease lease = future.join();
        assertTrue(lease.isValid(), "over already: " + lease);
        return lease;
    }

    static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }

    static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }
}
