package io.holdfast.faults.errors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.testkit.MemoryServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Calls near the end of a thread's stack, in real threads and real time: wherever the stack overflows, another client obtains the
 * lock within a term, and every request ends.
 */
final class StackDepthTest {
    private static final long STACK_BYTES = 256 * 1024;
    private static final int FRAMES = 1_600; // from the end, some hundred bytes each at first
    private static final int STEP = 4;
    private static final Duration TERM = Duration.ofSeconds(1);
    private static final Duration AVAILABLE = TERM.plus(Duration.ofSeconds(4)); // claim and refresh, on a busy machine
    private static final long DIVING_NANOS = TimeUnit.SECONDS.toNanos(15); // less on a machine that has the time
    private static final long PATIENCE_MILLIS = 30_000;

    /** What is called there. */
    enum Act {
        ACQUIRE,
        TRY_ACQUIRE,
        ACQUIRE_ASYNC,
        RELEASE,
        RELEASE_TO_NEXT,
        EXTEND
    }

    private final MemoryServer server = MemoryServer.start();
    private final Holdfast client = server.client(options());
    private final Holdfast other = server.client(options());
    private final LoggedErrors log = new LoggedErrors();
    private final List<CompletableFuture<Lease>> asked = new ArrayList<>();
    private final Map<String, Integer> names = new LinkedHashMap<>(); // locks by their distances
    private volatile int distance;

    private static HoldfastOptions options() {
        return HoldfastOptions.defaults()
                .withRefreshInterval(Duration.ofSeconds(1))
                .withCloseTimeout(Duration.ofMillis(500));
    }

    @AfterEach
    void close() {
        client.close();
        other.close();
        server.close();
        log.close();
    }

    @ParameterizedTest
    @CsvSource({
        "ACQUIRE,true", "ACQUIRE,false", "TRY_ACQUIRE,true", "TRY_ACQUIRE,false", "ACQUIRE_ASYNC,true",
                "ACQUIRE_ASYNC,false",
        "RELEASE,true", "RELEASE,false", "RELEASE_TO_NEXT,true", "RELEASE_TO_NEXT,false", "EXTEND,true", "EXTEND,false"
    })
    void overflow_anywhere_lockIsFreeWithinATerm(Act act, boolean strict) throws InterruptedException {
        LockOptions options = LockOptions.defaults().withLeaseDuration(TERM);
        LockOptions asking = strict ? options.withStrictOrder() : options;
        int[] overflows = new int[1];
        log.warm();
        for (int i = 0; i < 20; i++) {
            once(act, client.lock("warm", asking), -1); // loads classes, which needs much stack
        }
        Thread caller = new Thread(
                null,
                () -> {
                    long end = System.nanoTime() + DIVING_NANOS;
                    for (int at = 0; at < FRAMES && System.nanoTime() - end < 0; at += STEP) {
                        distance = at;
                        String name = act + "-" + at;
                        names.put(name, at);
                        if (once(act, client.lock(name, asking), at)) {
                            overflows[0]++;
                        }
                    }
                },
                "caller",
                STACK_BYTES);
        caller.setDaemon(true);
        caller.start();
        caller.join(PATIENCE_MILLIS);
        assertTrue(
                !caller.isAlive(),
                () -> "hangs " + distance + " frames from the end: " + List.of(caller.getStackTrace()));
        assertTrue(overflows[0] > 5, "hardly any call overflows: " + overflows[0]);
        List<String> hanging = hanging();
        assertEquals(
                List.of(), heldFor(asking), "not to be had; of " + overflows[0] + " overflows; hanging: " + hanging);
        assertEquals(List.of(), hanging, "requests that never end");
        worksOn(asking);
    }

    /** Returns whether the stack overflowed. The caller releases what it has, and does so again if that threw. */
    private boolean once(Act act, DistributedLock lock, int at) {
        Lease[] lease = new Lease[1];
        List<CompletableFuture<Lease>> futures = new ArrayList<>();
        try {
            if (act.compareTo(Act.RELEASE) >= 0) {
                lease[0] = lock.acquire(Wait.upTo(TERM));
            }
            if (act == Act.RELEASE_TO_NEXT) {
                futures.add(lock.acquireAsync(Wait.upTo(TERM.multipliedBy(4))));
            }
            boolean overflowed = near(at, () -> {
                switch (act) {
                    case ACQUIRE -> lease[0] = lock.acquire(Wait.upTo(TERM));
                    case TRY_ACQUIRE -> lease[0] = lock.tryAcquire().orElse(null);
                    case ACQUIRE_ASYNC -> futures.add(lock.acquireAsync(Wait.upTo(TERM)));
                    case EXTEND -> lease[0].extend(TERM);
                    default -> lease[0].release();
                }
            });
            if (lease[0] != null) {
                lease[0].release();
            }
            for (CompletableFuture<Lease> each : futures) {
                asked.add(each);
                each.thenAccept(Lease::releaseAsync);
            }
            return overflowed;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What is called near the end of the stack. */
    private interface Call {
        void run() throws InterruptedException;
    }

    private static boolean near(int frames, Call call) {
        boolean[] overflowed = new boolean[1];
        if (frames < 0) {
            run(call, overflowed);
        } else {
            dive(frames, call, overflowed);
        }
        return overflowed[0];
    }

    /** Goes on to the end of the stack, and calls on the way back. Returns how many frames are between the end and this one. */
    @SuppressWarnings("InfiniteRecursion") // it ends with the stack
    private static int dive(int callAt, Call call, boolean[] overflowed) {
        int left;
        try {
            left = dive(callAt, call, overflowed);
        } catch (StackOverflowError e) {
            left = 0;
        }
        if (left == callAt) {
            run(call, overflowed);
        }
        return left + 1;
    }

    private static void run(Call call, boolean[] overflowed) {
        try {
            call.run();
        } catch (StackOverflowError e) {
            overflowed[0] = true;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } catch (RuntimeException e) {
            // An answer of the library, or the overflow as a cause.
            overflowed[0] |= causedByOverflow(e);
        }
    }

    private static boolean causedByOverflow(@Nullable Throwable thrown) {
        return thrown != null && (thrown instanceof StackOverflowError || causedByOverflow(thrown.getCause()));
    }

    private List<String> heldFor(LockOptions options) throws InterruptedException {
        Map<String, CompletableFuture<Lease>> taken = new LinkedHashMap<>();
        names.keySet()
                .forEach(name -> taken.put(
                        name, other.lock(name, options.withStrictOrder()).acquireAsync(Wait.upTo(AVAILABLE))));
        List<String> held = new ArrayList<>();
        for (Map.Entry<String, CompletableFuture<Lease>> each : taken.entrySet()) {
            try {
                each.getValue()
                        .get(AVAILABLE.toMillis() + 5_000, TimeUnit.MILLISECONDS)
                        .releaseAsync();
            } catch (java.util.concurrent.ExecutionException | TimeoutException e) {
                held.add(each.getKey());
            }
        }
        return held;
    }

    private List<String> hanging() throws InterruptedException {
        List<String> hanging = new ArrayList<>();
        int number = 0;
        for (CompletableFuture<Lease> each : asked) {
            try {
                each.get(hanging.isEmpty() ? 10_000 : 10, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                hanging.add("request " + number);
            } catch (java.util.concurrent.ExecutionException e) {
                // It has ended.
            }
            number++;
        }
        return hanging;
    }

    private void worksOn(LockOptions options) throws InterruptedException {
        try (Lease blocker = other.lock("probe", options).acquire()) {
            assertTrue(client.lock("probe", options)
                    .tryAcquire(Wait.upTo(Duration.ofMillis(200)))
                    .isEmpty());
            assertTrue(blocker.isValid());
        }
        try (Lease lease = client.lock("probe", options).acquire(Wait.upTo(Duration.ofSeconds(5)))) {
            Thread.sleep(TERM.multipliedBy(2).toMillis()); // what is tested is that time passes
            assertTrue(lease.isValid(), "a lease is not renewed");
        }
        assertEquals(0, client.leaseCount(), "holding");
        assertEquals(0, client.waiterCount(), "waiting");
    }
}
