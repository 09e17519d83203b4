package io.holdfast.shedlock;

/** Interrupts one thread, at most once, and not after its run has ended. */
final class Interrupt {
    private final Thread thread;
    private boolean sent;
    private boolean ended;

    Interrupt(Thread thread) {
        this.thread = thread;
    }

    synchronized void send() {
        if (!sent && !ended) {
            sent = true;
            thread.interrupt();
        }
    }

    /** The run is over. What it has not noticed is not left to what its thread does next. */
    synchronized void end() {
        ended = true;
        if (sent && Thread.currentThread() == thread) {
            Thread.interrupted();
        }
    }
}
