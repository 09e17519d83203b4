package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Acquirable;
import io.holdfast.LockTimeoutException;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.function.Executable;

/** The forms of work, which are the same for all that can be acquired. */
final class Forms {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private Forms() {}

    /**
     * Does work in each of the forms.
     *
     * @param lock that is free
     * @param taken takes it away from it, and tells how it is given back
     */
    static void assertAllWork(Acquirable<?> lock, Callable<Executable> taken) throws Exception {
        AtomicInteger done = new AtomicInteger();
        lock.run(lease -> done.addAndGet(1));
        lock.run(Wait.none(), lease -> done.addAndGet(10));
        assertTrue(lock.tryRun(lease -> done.addAndGet(100)));
        assertTrue(lock.tryRun(Wait.upTo(PATIENCE), lease -> done.addAndGet(1_000)));
        assertEquals(1_111, done.get());
        assertEquals("a", lock.call(Wait.none(), lease -> "a"));
        assertEquals(Optional.of("b"), lock.tryCall(lease -> "b"));
        assertEquals(
                "c",
                lock.callAsync(Wait.none(), lease -> CompletableFuture.completedFuture("c"))
                        .get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        IllegalStateException thrown = assertThrows(
                IllegalStateException.class,
                () -> lock.run(lease -> {
                    throw new IllegalStateException("the work's own");
                }));
        assertEquals("the work's own", thrown.getMessage());
        Executable nothing = () -> lock.tryCall(lease -> nothing());
        assertThrows(NullPointerException.class, nothing, "null would look as if it had not been begun");

        Executable giveBack = taken.call();
        assertFalse(lock.tryRun(lease -> done.addAndGet(1)));
        assertFalse(lock.tryRun(Wait.upTo(Duration.ofMillis(50)), lease -> done.addAndGet(1)));
        assertEquals(Optional.empty(), lock.tryCall(lease -> done.addAndGet(1)));
        assertThrows(LockTimeoutException.class, () -> lock.run(Wait.none(), lease -> done.addAndGet(1)));
        assertThrows(LockTimeoutException.class, () -> lock.call(Wait.none(), lease -> done.addAndGet(1)));
        assertEquals(Optional.empty(), lock.tryAcquireAsync().get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        assertEquals(1_111, done.get(), "nothing was begun");
        try {
            giveBack.execute();
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
        assertTrue(lock.tryRun(Wait.upTo(PATIENCE), lease -> {}));
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // what a caller without null checks may return
    private static <T> T nothing() {
        return null;
    }
}
