package io.holdfast.testkit;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.Timers;
import java.time.Duration;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Time that stands still until a test moves it: a clock, and timers whose tasks run on the thread that moves it, in the
 * order of their times and then of their adding. The same calls give the same run.
 *
 * <p>The clock begins a minute before {@code nanoTime} overflows, so that longer tests also show that no code compares its readings other than by their difference.
 */
public final class VirtualTime implements Ticker {
    /** Tasks that run at one instant, before it is thought that this never ends. */
    private static final int MOST_AT_ONE_INSTANT = 100_000;

    private static final long PAUSE_NANOS = 10_000_000L;
    private static final int MOST_TRIES = 100;

    private static final long ORIGIN = Long.MAX_VALUE - Duration.ofMinutes(1).toNanos();

    private record Task(long dueNanos, long number, Object owner, Runnable run, int tries) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::dueNanos).thenComparingLong(Task::number));
    private long elapsed; // guarded by lock, as are the tasks
    private long numbers;
    private int atThisInstant;
    /** The thread that moves the time, or is going to: at first the thread that has made it. */
    private volatile Thread mover = Thread.currentThread();

    /**
     * Refuses the thread that moves this time: it would wait for ever.
     *
     * @throws IllegalStateException always, on the thread that has moved it last, or has made it if none has
     */
    @Override
    public void beforeWaiting() {
        if (Thread.currentThread() == mover) {
            throw new IllegalStateException(
                    "this thread would wait for ever, because the time stands still until it moves"
                            + " it: use acquireAsync, move the time, and look at the future");
        }
    }

    @Override
    public long nanoTime() {
        return ORIGIN + elapsed().toNanos();
    }

    /** How far the time has been moved so far. */
    public Duration elapsed() {
        lock.lock();
        try {
            return Duration.ofNanos(elapsed);
        } finally {
            lock.unlock();
        }
    }

    /** New timers that run by this clock. */
    public Timers timers() {
        Object owner = new Object();
        return new Timers() {
            private boolean closed;

            @Override
            public Runnable schedule(long delayNanos, Runnable run) {
                lock.lock();
                try {
                    Task task = new Task(elapsed + Math.max(0, delayNanos), ++numbers, owner, run, 0);
                    if (!closed) {
                        tasks.add(task);
                    }
                    return () -> remove(task);
                } finally {
                    lock.unlock();
                }
            }

            @Override
            public void close() {
                lock.lock();
                try {
                    closed = true;
                    tasks.removeIf(task -> task.owner().equals(owner));
                } finally {
                    lock.unlock();
                }
            }
        };
    }

    /** This time and a randomness that is the same for the same seed: two clients need two seeds. */
    public Environment environment(long seed) {
        Random random = new Random(seed);
        return new Environment(this, this::timers, count -> {
            byte[] bytes = new byte[count];
            random.nextBytes(bytes);
            return bytes;
        });
    }

    /** Moves the time, and runs what becomes due on the way, each task at its own time. */
    public void advance(Duration by) {
        mover = Thread.currentThread();
        long end = elapsed().plus(by).toNanos();
        while (runFirstUntil(end)) {
            // goes on
        }
        lock.lock();
        try {
            elapsed = end;
        } finally {
            lock.unlock();
        }
    }

    /** Runs what is due already. */
    public void runDue() {
        advance(Duration.ZERO);
    }

    /**
     * Goes from task to task until it is so.
     *
     * @throws AssertionError with what was awaited if it is not so when {@code most} has passed
     */
    public void runUntil(String what, Duration most, BooleanSupplier condition) {
        mover = Thread.currentThread();
        long end = elapsed().plus(most).toNanos();
        while (!condition.getAsBoolean()) {
            if (!runFirstUntil(end)) {
                throw new AssertionError("not within " + most + " of virtual time: " + what);
            }
        }
    }

    private void remove(Task task) {
        lock.lock();
        try {
            tasks.remove(task);
        } finally {
            lock.unlock();
        }
    }

    /** What throws is run again a moment later, as timers do; the test hears of it all the same. */
    private void again(Task task) {
        lock.lock();
        try {
            if (task.tries() < MOST_TRIES) {
                tasks.add(new Task(elapsed + PAUSE_NANOS, ++numbers, task.owner(), task.run(), task.tries() + 1));
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean runFirstUntil(long end) {
        Task task;
        lock.lock();
        try {
            task = tasks.peek();
            if (task == null || task.dueNanos() > end) {
                return false;
            }
            tasks.remove();
            atThisInstant = task.dueNanos() > elapsed ? 0 : atThisInstant + 1;
            if (atThisInstant > MOST_AT_ONE_INSTANT) {
                throw new AssertionError("tasks add tasks without end at " + Duration.ofNanos(elapsed));
            }
            elapsed = Math.max(elapsed, task.dueNanos());
        } finally {
            lock.unlock();
        }
        try {
            task.run().run();
        } catch (RuntimeException | Error e) {
            again(task);
            throw e;
        }
        return true;
    }
}
