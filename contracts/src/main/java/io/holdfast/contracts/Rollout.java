package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An application whose way of locking is replaced while it runs: three instances work under one lock as often as they
 * can, and are replaced one after the other, from step to step.
 *
 * @param <W> a way of locking
 */
public final class Rollout<W> {
    private static final int INSTANCES = 3;

    /** Some runs, so that all instances have met each other, before one of them is replaced. */
    private static final int RUNS = 5;

    private final Attempt<W> attempt;
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger runs = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();

    private Rollout(Attempt<W> attempt) {
        this.attempt = attempt;
    }

    /** One attempt to work under the lock. */
    @FunctionalInterface
    public interface Attempt<W> {
        /** Runs the work while the lock is held, or not at all if it was not obtained. */
        void run(W way, Runnable work);
    }

    /** Where an instance has its way of locking from: it may be its own, or one for all. */
    @FunctionalInterface
    public interface Step<W> {
        W start();
    }

    /** From an old way over both to the new one: fails if two instances ever worked at the same time. */
    public static <W> void neverOverlaps(Attempt<W> attempt, Step<W> old, Step<W> both, Step<W> next)
            throws InterruptedException {
        new Rollout<>(attempt).run(old, List.of(both, next));
    }

    private void run(Step<W> first, List<Step<W>> next) throws InterruptedException {
        List<Instance> instances = new ArrayList<>();
        try {
            for (int i = 0; i < INSTANCES; i++) {
                instances.add(new Instance(first.start()));
            }
            for (Step<W> step : next) {
                for (Instance instance : instances) {
                    awaitRuns();
                    instance.replace(step.start());
                }
            }
            awaitRuns();
        } finally {
            for (Instance instance : instances) {
                instance.close();
            }
        }
        assertEquals(0, overlaps.get(), "of " + runs.get() + " runs");
    }

    private void awaitRuns() {
        int before = runs.get();
        LockSuite.await("they work", () -> runs.get() > before + RUNS);
    }

    private void work() {
        if (inside.incrementAndGet() > 1) {
            overlaps.incrementAndGet();
        }
        runs.incrementAndGet();
        Thread.onSpinWait();
        inside.decrementAndGet();
    }

    /** An instance of the application, whose way of locking is replaced between two attempts, as by a restart. */
    private final class Instance implements AutoCloseable {
        private final Thread thread = new Thread(this::attempts, "instance");
        private volatile W wanted;
        private volatile W used;
        private volatile boolean over;

        Instance(W way) {
            this.wanted = way;
            this.used = way;
            thread.start();
        }

        /** Returns when the old one is not used any more. */
        void replace(W way) {
            wanted = way;
            LockSuite.await("it is replaced", () -> used == way);
        }

        private void attempts() {
            while (!over) {
                used = wanted;
                attempt.run(used, Rollout.this::work);
            }
        }

        @Override
        public void close() throws InterruptedException {
            over = true;
            thread.join();
        }
    }
}
