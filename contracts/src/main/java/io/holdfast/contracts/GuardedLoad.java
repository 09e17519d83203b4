package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Threads of several clients that take some locks again and again, while the servers suffer. Each lock guards a counter,
 * which is changed with the fencing token and once more without it: the fenced one must lose no update whatever happens.
 *
 * <p>Checked as it goes: the token of each lease is greater than those of all leases that had ended before it was asked
 * for. Counted: leases that overlapped, and leases that were lost.
 */
final class GuardedLoad implements AutoCloseable {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long WORK_NANOS = 300_000;

    /** What one lock guards. */
    private static final class Guarded {
        final AtomicLong cycles = new AtomicLong();
        final AtomicLong newestEnded = new AtomicLong();
        final AtomicInteger inside = new AtomicInteger();
        final ReentrantLock store = new ReentrantLock();
        long newest; // guarded by store, as the next two
        long value;
        long accepted;

        /** As a store with a fence does: an older token than one that was seen is refused. */
        OptionalLong read(long token) {
            store.lock();
            try {
                if (token < newest) {
                    return OptionalLong.empty();
                }
                newest = token;
                return OptionalLong.of(value);
            } finally {
                store.unlock();
            }
        }

        void write(long token, long next) {
            store.lock();
            try {
                if (token >= newest) {
                    newest = token;
                    value = next;
                    accepted++;
                }
            } finally {
                store.unlock();
            }
        }
    }

    private final Map<String, Guarded> guarded = new LinkedHashMap<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<Throwable> failures = new ArrayList<>(); // guarded by itself
    private final Map<String, LongAdder> outcomes = new ConcurrentHashMap<>();
    private final LongAdder overlaps = new LongAdder();
    private final LongAdder lost = new LongAdder();
    private final LongAdder lossesTold = new LongAdder();
    private volatile boolean stopped;

    private GuardedLoad() {}

    /** Starts one thread for each client and lock, times so many. */
    static GuardedLoad start(List<Holdfast> clients, List<String> locks, int threadsEach, LockOptions options) {
        GuardedLoad load = new GuardedLoad();
        for (String name : locks) {
            load.guarded.put(name, new Guarded());
        }
        for (Holdfast client : clients) {
            for (String name : locks) {
                for (int i = 0; i < threadsEach; i++) {
                    Thread thread = new Thread(() -> load.run(client.lock(name, options)), "load-" + name);
                    thread.setDaemon(true);
                    load.threads.add(thread);
                }
            }
        }
        load.threads.forEach(Thread::start);
        return load;
    }

    private Guarded of(String lock) {
        return Objects.requireNonNull(guarded.get(lock));
    }

    private void run(DistributedLock lock) {
        Guarded resource = of(lock.name());
        try {
            while (!stopped) {
                long ended = resource.newestEnded.get();
                Attempt<Lease> attempt;
                try {
                    attempt = lock.attempt(Wait.upTo(Duration.ofSeconds(3)));
                } catch (HoldfastException e) {
                    count("refused " + e.getMessage());
                    continue;
                }
                count(attempt.getClass().getSimpleName());
                Lease lease = attempt.asOptional().orElse(null);
                if (lease != null) {
                    assertTrue(lease.token() > ended, () -> lease.token() + " after " + ended + " had ended");
                    use(resource, lease);
                }
            }
        } catch (Throwable e) {
            synchronized (failures) {
                failures.add(e);
            }
        }
    }

    private void use(Guarded resource, Lease lease) {
        lease.whenLost().thenAccept(reason -> lossesTold.increment());
        OptionalLong read = resource.read(lease.token());
        if (resource.inside.incrementAndGet() > 1 && lease.isValid()) {
            overlaps.increment();
        }
        LockSupport.parkNanos(WORK_NANOS);
        if (read.isPresent()) {
            resource.write(lease.token(), read.getAsLong() + 1);
        }
        resource.inside.decrementAndGet();
        if (!lease.isValid()) {
            lost.increment();
        }
        resource.newestEnded.accumulateAndGet(lease.token(), Math::max);
        lease.release();
        resource.cycles.incrementAndGet();
    }

    private void count(String outcome) {
        outcomes.computeIfAbsent(outcome, key -> new LongAdder()).increment();
    }

    /** Waits until every lock has been taken so many times more. */
    void awaitCycles(int more) {
        awaitCycles(List.copyOf(guarded.keySet()), more);
    }

    /** The same for some locks. */
    void awaitCycles(List<String> locks, int more) {
        Map<String, Long> goals = new LinkedHashMap<>();
        locks.forEach(name -> goals.put(name, of(name).cycles.get() + more));
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (goals.entrySet().stream()
                .anyMatch(goal -> of(goal.getKey()).cycles.get() < goal.getValue())) {
            throwFirst();
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("locks are not taken any more: " + this);
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    private void throwFirst() {
        synchronized (failures) {
            if (!failures.isEmpty()) {
                throw new AssertionError(failures.get(0));
            }
        }
    }

    /** Ends the load, and checks that no thread hangs, that the fenced counters lost nothing, and that losses were told. */
    void finish() throws InterruptedException {
        stopped = true;
        long end = System.nanoTime() + PATIENCE_NANOS;
        for (Thread thread : threads) {
            thread.join(Math.max(1, (end - System.nanoTime()) / 1_000_000));
            assertTrue(!thread.isAlive(), () -> "a thread hangs: " + List.of(thread.getStackTrace()));
        }
        throwFirst();
        guarded.forEach((name, resource) -> {
            resource.store.lock();
            try {
                assertEquals(resource.accepted, resource.value, "updates of the fenced counter of " + name);
            } finally {
                resource.store.unlock();
            }
        });
        awaitEqual(lost::sum, lossesTold::sum);
    }

    private void awaitEqual(LongSupplier atLeast, LongSupplier told) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (told.getAsLong() < atLeast.getAsLong()) {
            assertTrue(System.nanoTime() - end < 0, () -> "losses that were not told: " + this);
            LockSupport.parkNanos(2_000_000);
        }
    }

    /** How many leases began while another was valid. */
    long overlaps() {
        return overlaps.sum();
    }

    @Override
    public void close() {
        stopped = true;
    }

    @Override
    public String toString() {
        Map<String, Long> cycles = new LinkedHashMap<>();
        guarded.forEach((name, resource) -> cycles.put(name, resource.cycles.get()));
        return "cycles " + cycles + ", outcomes " + outcomes + ", lost " + lost + ", overlaps " + overlaps;
    }
}
