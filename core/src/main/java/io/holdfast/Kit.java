package io.holdfast;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Executor;

/** What the parts of a client's engine share, over one server or over a quorum: time, threads, events, and what is held. */
interface Kit {
    /** The monotonic clock of deadlines. */
    long nanoTime();

    /** How long ago a moment of that clock was. */
    default Duration since(long nanos) {
        return Duration.ofNanos(nanoTime() - nanos);
    }

    /**
     * Runs a task later, on the thread of the timers.
     *
     * @return cancels it
     */
    Runnable schedule(long delayNanos, Runnable task);

    /** Runs the user's code. What it throws does not reach the engine, also where the executor runs it at once. */
    void execute(Runnable task);

    /** Where stages complete. */
    default Executor executor() {
        return this::execute;
    }

    Events events();

    Renewals renewals();

    /** All holds that have begun and not ended. Any thread may add and remove. */
    Set<Hold> holds();

    /** A number for a request, greater than that of any before. */
    long nextNumber();

    boolean isClosed();

    /** Said before a request or a hold ends: closing waits until {@link #ended} is said, when what follows is on its way. */
    void ending();

    void ended();
}
