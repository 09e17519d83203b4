package io.holdfast.spi;

/** A timer service, which runs tasks later. The tasks of the engine are short and do not block. */
public interface Timers extends AutoCloseable {
    /**
     * Runs a task once, no earlier than after the delay. A task that throws is run again a moment later, until it returns. So an
     * error such as a shortage of memory makes a task late, as a slow machine does, but never drops it.
     *
     * @param delayNanos nanoseconds from now; 0 or less means as soon as possible, but never in the calling thread
     * @return a handle that withdraws the task if it has not begun; withdrawing twice is a no-op
     */
    Runnable schedule(long delayNanos, Runnable task);

    /** Drops all tasks and ends the thread, if there is one. Tasks scheduled later are dropped. */
    @Override
    void close();
}
