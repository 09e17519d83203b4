package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Leader;
import io.holdfast.Leadership;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A leader that works until the test lets it return, whatever its interrupts, on threads that the test joins: so that only one
 * of them and the test is at work at a time.
 */
public final class HandLeader implements Leader {
    /** For what must happen. */
    private static final long PATIENCE_SECONDS = 60;

    /** One time at work. */
    public static final class Term {
        public final Leadership leadership;
        final Thread thread = Thread.currentThread();
        private final BlockingQueue<Runnable> ends = new LinkedBlockingQueue<>();
        private final BlockingQueue<Boolean> interrupts = new LinkedBlockingQueue<>();

        private Term(Leadership leadership) {
            this.leadership = leadership;
        }

        /** Waits until it was interrupted once more. */
        public void awaitInterrupt() {
            assertNotNull(within(interrupts), "not interrupted");
        }

        /** No interrupt has come that nobody has waited for. */
        public void assertNotInterrupted() {
            assertTrue(interrupts.isEmpty() && !thread.isInterrupted(), "interrupted");
        }

        /** It returns, and all that follows on its thread is done. */
        public void end() {
            end(() -> {});
        }

        /** The same; how may throw. */
        public void end(Runnable how) {
            ends.add(how);
            joined(thread);
        }
    }

    private final BlockingQueue<Term> begun = new LinkedBlockingQueue<>();
    private volatile boolean overlapped;
    private volatile boolean over;
    private final AtomicInteger atWork = new AtomicInteger();
    /** Makes its threads, which end with the JVM. */
    public final ThreadFactory threads = task -> {
        Thread thread = new Thread(task, "leader");
        thread.setDaemon(true);
        return thread;
    };

    @Override
    public void lead(Leadership leadership) {
        if (atWork.getAndIncrement() > 0) {
            overlapped = true;
        }
        Term term = new Term(leadership);
        begun.add(term);
        if (over) {
            term.ends.add(() -> {});
        }
        while (true) {
            try {
                Runnable end = term.ends.take();
                atWork.decrementAndGet();
                end.run();
                return;
            } catch (InterruptedException e) {
                term.interrupts.add(true);
            }
        }
    }

    /** Returns from where it is at work, and from now on at once: no thread of it outlives its test. */
    public void endAll() {
        over = true;
        for (Term term = begun.poll(); term != null; term = begun.poll()) {
            term.end();
        }
    }

    /** Whether it was ever at work twice at once. */
    public boolean hasOverlapped() {
        return overlapped;
    }

    /** Waits until it is at work the next time. */
    public Term next() {
        Term term = within(begun);
        assertNotNull(term, "does not lead");
        return term;
    }

    /** Whether every time that it was at work was returned already. */
    public boolean isIdle() {
        return begun.isEmpty();
    }

    /** Fails if it is at work, unless that time was returned already. */
    public void assertIdle() {
        assertTrue(isIdle(), "leads");
    }

    private static <T> T within(BlockingQueue<T> queue) {
        try {
            return queue.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void joined(Thread thread) {
        try {
            thread.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertFalse(thread.isAlive(), "still at work");
    }
}
