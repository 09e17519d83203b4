package io.holdfast.faults.simulation;

import java.util.concurrent.Semaphore;

/**
 * The thread of a leader in virtual time. It runs only while the world waits for it: from {@link #resume} until it sleeps, or has
 * returned. So everything still happens one after the other, and the same plan gives the same run. An interrupt is a mark, and wakes
 * it up at the present time of the world.
 */
final class LeaderThread extends Thread {
    /** What the world does for leaders. */
    interface Hooks {
        /** It is to begin: the world resumes it when it likes. */
        void starts(LeaderThread thread);

        /** It is to be resumed after some milliseconds of its machine, with the number of this sleep. */
        void sleeps(LeaderThread thread, long millis, long sleep);

        /** It is interrupted now. */
        void interrupted(LeaderThread thread);
    }

    /** Thrown in a leader that is at work when its run is over. */
    static final class Abandoned extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    final Candidate candidate;
    private final Hooks hooks;
    private final Semaphore goOn = new Semaphore(0);
    private final Semaphore back = new Semaphore(0);
    private boolean carried;
    private boolean marked;
    private boolean done;
    private boolean abandoned;
    private boolean wakesOfInterrupt;
    private long sleeps;

    LeaderThread(Candidate candidate, Runnable task, Hooks hooks) {
        super(task, "leader of " + candidate);
        this.candidate = candidate;
        this.hooks = hooks;
        setDaemon(true);
    }

    // ---- what the product does with it

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // nobody starts it twice
    public void start() {
        hooks.starts(this);
    }

    @Override
    public void interrupt() {
        marked = true;
        hooks.interrupted(this);
        if (wakesOfInterrupt) {
            hooks.sleeps(this, 0, sleeps);
        }
    }

    @Override
    public boolean isInterrupted() {
        return marked;
    }

    @Override
    public void run() {
        try {
            super.run();
        } finally {
            done = true;
            back.release();
        }
    }

    // ---- what the world does

    /** Whether it was started, or is going to be, and has not returned. */
    boolean isOpen() {
        return !done;
    }

    /** It begins. */
    void begin() {
        if (!carried) {
            carried = true;
            super.start();
            back.acquireUninterruptibly();
        }
    }

    /** It goes on until it sleeps again, if it has not been woken from this sleep before. */
    void resume(long sleep) {
        if (!done && sleep == sleeps) {
            goOn.release();
            back.acquireUninterruptibly();
        }
    }

    /** The run is over. */
    void abandon() {
        abandoned = true;
        if (carried) {
            resume(sleeps);
        }
    }

    // ---- what its leader does

    /** Sleeps, and answers whether it was interrupted, before that or meanwhile. */
    boolean sleepUnlessInterrupted(long millis) {
        if (!marked) {
            sleep(millis, true);
        }
        return marked;
    }

    void sleepThrough(long millis) {
        sleep(millis, false);
    }

    private void sleep(long millis, boolean untilInterrupted) {
        if (abandoned) {
            throw new Abandoned();
        }
        wakesOfInterrupt = untilInterrupted;
        hooks.sleeps(this, millis, sleeps);
        back.release();
        goOn.acquireUninterruptibly();
        sleeps++;
        wakesOfInterrupt = false;
        if (abandoned) {
            throw new Abandoned();
        }
    }
}
