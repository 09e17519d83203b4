package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.ReleaseResult;
import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A shared hold whose lease is released while its renewal is due. */
final class ReleaseAndRenewalTest extends LocalLineFixture {
    /** The timers' thread looks at a shared hold at any moment of a release: nothing was forgotten, and the next lease is renewed. */
    @Test
    void release_renewalIsDueMeanwhile_isNotTakenForForgotten() throws InterruptedException {
        try (LoggedMessages logged = new LoggedMessages()) {
            for (int reading = 1; reading <= 8; reading++) {
                releaseWhileRenewalIsDue(reading, true);
                releaseWhileRenewalIsDue(reading, false);
                assertEquals(List.of(), logged.messages(), "at reading " + reading + " of the clock");
            }
        }
    }

    private void releaseWhileRenewalIsDue(int reading, boolean another) throws InterruptedException {
        VirtualTime clock = new VirtualTime();
        AtomicInteger left = new AtomicInteger();
        Thread timers = new Thread(() -> clock.advance(THIRD));
        Ticker ticker = () -> {
            if (left.decrementAndGet() == 0) {
                timers.start();
                // Until it is through, or waits for what this thread has locked.
                while (EnumSet.of(Thread.State.NEW, Thread.State.RUNNABLE).contains(timers.getState())) {
                    Thread.onSpinWait();
                }
            }
            return clock.nanoTime();
        };
        try (MemoryServer shared = MemoryServer.start(clock);
                Holdfast client = Holdfast.over(
                        shared.driver(),
                        HoldfastOptions.defaults().withExecutor(Runnable::run),
                        new Environment(
                                ticker, clock::timers, clock.environment(1).entropy()))) {
            DistributedLock lock = client.lock("a", HANDED);
            Lease first = lease(lock.acquireAsync());
            CompletableFuture<Lease> next = another ? lock.acquireAsync() : new CompletableFuture<>();
            left.set(reading);
            assertEquals(ReleaseResult.RELEASED, first.releaseAsync().join());
            left.set(0);
            timers.join();
            Lease second = lease(another ? next : lock.acquireAsync());
            clock.advance(HANDED.leaseDuration().multipliedBy(2));
            assertTrue(second.isValid());
            second.release();
        }
    }
}
