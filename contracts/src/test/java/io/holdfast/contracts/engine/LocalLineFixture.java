package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.FakeDriver;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.testkit.LeaseControl;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;

/** Clients that share holds among their leases, beside another that does not, in virtual time. */
abstract class LocalLineFixture {
    static final LockOptions HANDED =
            LockOptions.defaults().withLocalHandoffs(3, Duration.ofMillis(50)).withWaitLimit(Wait.forever());
    static final LockOptions STRICT = LockOptions.defaults().withStrictOrder();
    static final LockOptions KEPT = STRICT.withKeepFor(Duration.ofSeconds(5));
    static final Duration MICRO = Duration.ofNanos(2_000);

    static final LockOptions KEPT_LONG = KEPT.withKeepFor(Duration.ofHours(1));
    static final Duration THIRD = KEPT.leaseDuration().dividedBy(3).plus(Duration.ofMillis(100));

    final VirtualTime time = new VirtualTime();
    final LeaseControl control = LeaseControl.start(time);
    final MemoryServer server = control.server();
    final Holdfast ours = control.client();
    final Holdfast other = control.client();

    @AfterEach
    void close() {
        control.close();
    }

    static Lease lease(CompletableFuture<Lease> future) {
        assertTrue(future.isDone(), "still waits");
        Lease lease = future.join();
        assertTrue(lease.isValid());
        return lease;
    }

    CompletableFuture<Lease> ask(Holdfast client, LockOptions options) {
        return client.lock("a", options).acquireAsync(Wait.forever());
    }

    /** Told what happens at once, and that it has released whatever it releases. */
    Holdfast clientOver(FakeDriver driver) {
        driver.answer("release", call -> driver.released("RELEASED"));
        return Holdfast.over(driver, HoldfastOptions.defaults().withExecutor(Runnable::run), time.environment(1));
    }

    /** A client whose commands are answered, and whose messages are swallowed. */
    Holdfast deafClient() {
        ForwardingDriver deaf = new ForwardingDriver(server.driver()) {
            @Override
            public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
                return super.subscribe(channel, text -> {});
            }
        };
        return Holdfast.over(deaf, HoldfastOptions.defaults().withExecutor(Runnable::run), time.environment(2));
    }
}
