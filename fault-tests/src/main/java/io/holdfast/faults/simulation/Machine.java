package io.holdfast.faults.simulation;

import io.holdfast.spi.Environment;
import io.holdfast.spi.Ticker;
import io.holdfast.spi.Timers;
import io.holdfast.testkit.VirtualTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;

/**
 * One process of a client: its clock, which runs a little too fast or too slow, its timers, and whether it runs. Whatever
 * happens inside of it goes through {@link #run}: while it is frozen that waits, and when it was killed it never happens.
 * Its clock goes on in each case.
 */
final class Machine {
    enum State {
        RUNNING,
        FROZEN,
        DEAD
    }

    private static final double MILLION = 1_000_000;

    final int slot;
    final int life;
    private final VirtualTime time;
    private final Timers world;
    private final long tooFast; // millionths
    private final Draw entropy;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    /** What it was told of holds that others want: token and key. */
    final Set<String> recalls = new HashSet<>();

    private State state = State.RUNNING;
    /** When it last ran, in nanoseconds of the world; meaningful while it does not run. */
    private long ranAt;

    /**
     * @param slot which of the clients of the plan
     * @param life how often it was started before
     * @param tooFast by how many millionths its clock is too fast
     */
    Machine(int slot, int life, VirtualTime time, Timers world, long tooFast, Draw entropy) {
        this.slot = slot;
        this.life = life;
        this.time = time;
        this.world = world;
        this.tooFast = tooFast;
        this.entropy = entropy;
    }

    State state() {
        return state;
    }

    boolean isRunning() {
        return state == State.RUNNING;
    }

    void run(Runnable task) {
        switch (state) {
            case RUNNING -> task.run();
            case FROZEN -> waiting.add(task);
            case DEAD -> {}
        }
    }

    void freeze() {
        if (state == State.RUNNING) {
            state = State.FROZEN;
            ranAt = time.elapsed().toNanos();
        }
    }

    /** What waited happens now, in its order. */
    void thaw() {
        if (state != State.FROZEN) {
            return;
        }
        state = State.RUNNING;
        for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
            next.run();
            if (state != State.RUNNING) {
                return;
            }
        }
    }

    void kill() {
        if (state == State.RUNNING) {
            ranAt = time.elapsed().toNanos();
        }
        state = State.DEAD;
        waiting.clear();
    }

    /** Whether it has not run since then. */
    boolean standsStillSince(long nanos) {
        return state != State.RUNNING && ranAt <= nanos;
    }

    /** How long a span of this machine's clock is in the world, in nanoseconds. */
    double inWorld(long nanos) {
        return (double) nanos / (1 + (double) tooFast / MILLION);
    }

    private long local(long nanos) {
        return nanos + nanos * tooFast / (long) MILLION;
    }

    Ticker ticker() {
        long begin = time.nanoTime();
        return () -> begin + local(time.nanoTime() - begin);
    }

    /** Timers by this machine's clock. */
    Timers timers() {
        return new Timers() {
            private boolean closed;

            @Override
            public Runnable schedule(long delayNanos, Runnable task) {
                boolean[] withdrawn = new boolean[1];
                // Rounded up: when a timer fires, the clock has passed its time.
                long delay = delayNanos <= 0 ? 0 : (long) inWorld(delayNanos) + 2;
                Runnable cancel = world.schedule(
                        delay,
                        () -> run(() -> {
                            if (!closed && !withdrawn[0]) {
                                task.run();
                            }
                        }));
                return () -> {
                    withdrawn[0] = true;
                    cancel.run();
                };
            }

            @Override
            public void close() {
                closed = true;
            }
        };
    }

    Environment environment() {
        return new Environment(ticker(), this::timers, entropy::bytes);
    }

    @Override
    public String toString() {
        return "c" + slot + (life == 0 ? "" : "'" + life);
    }
}
