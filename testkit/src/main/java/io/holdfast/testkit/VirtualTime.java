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
 * Time that stands still until a test moves it: a clock, and timers whose tasks run on the thread that moves the time. Tasks
 * run in the order of their times; tasks with the same time run in the order in which they were added. The same calls give
 * the same run.
 *
 * <p>The clock begins a minute before {@code nanoTime} overflows. So a longer test also shows that all code compares readings by
 * their difference.
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
     * Refuses a blocking call on the thread that moves this time, because it would wait for ever.
     *
     * @throws IllegalStateException on the thread that has moved the time last, or that has created it if none has moved it
     */
    @Override
    public void beforeWaiting() {
        if (Thread.currentThread() == mover) {
            throw new IllegalStateException(
                    "this thread would wait for ever, because the time stands still until this thread"
                            + " moves it: use acquireAsync, move the time, and look at the future");
        }
    }

    @Override
    public long nanoTime() {
        return ORIGIN + elapsed().toNanos();
    }

    /** Returns how far the time has been moved so far. */
    public Duration elapsed() {
        lock.lock();
        try {
            return Duration.ofNanos(elapsed);
        } finally {
            lock.unlock();
        }
    }

    /** Returns new timers that run by this clock. */
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

    /** Returns this time with a source of randomness, which is the same for the same seed. Two clients need two seeds. */
    public Environment environment(long seed) {
        Random random = new Random(seed);
        return new Environment(this, this::timers, count -> {
            byte[] bytes = new byte[count];
            random.nextBytes(bytes);
            return bytes;
        });
    }

    /** Moves the time forward, and runs the tasks that become due meanwhile, each at its own time. */
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

    /** Runs the tasks that are already due. */
    public void runDue() {
        advance(Duration.ZERO);
    }

    /**
     * Moves the time from task to task until a condition is true.
     *
     * @param what the awaited condition, for the error message
     * @param most the maximum time to move
     * @throws AssertionError if the condition is not true when {@code most} has passed; the message contains {@code what}
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
