package io.holdfast.faults.simulation;

import io.holdfast.spi.Timers;
import java.util.concurrent.Semaphore;

/**
 * The thread of a leader, or of work under a lease, in virtual time. It runs only while the world waits for it: from {@link #resume} until it sleeps, or has
 * returned. So everything still happens one after the other, and the same plan gives the same run. An interrupt is a mark, and wakes
 * it up at the present time of the world.
 */
final class WorkThread extends Thread {
    /** What the world does for it. */
    interface Hooks {
        /** It is to {@link #begin}, when the world likes. */
        void starts(WorkThread thread);

        /** It is interrupted now. */
        void interrupted(WorkThread thread);
    }

    /** Thrown in a thread that is at work when its run is over. */
    static final class Abandoned extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private final Machine machine;
    private final Timers world;
    private final Hooks hooks;
    private final Semaphore goOn = new Semaphore(0);
    private final Semaphore back = new Semaphore(0);
    private boolean carried;
    private boolean marked;
    private boolean done;
    private boolean abandoned;
    private boolean wakesOfInterrupt;
    private long sleeps;

    /** @param world whose time it sleeps in */
    WorkThread(Machine machine, Timers world, String name, Runnable task, Hooks hooks) {
        super(task, name);
        this.machine = machine;
        this.world = world;
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
            wakeIn(0);
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
    private void resume(long sleep) {
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

    // ---- what its work does

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

    /** By the clock of its machine, and only if that runs. */
    private void wakeIn(long millis) {
        long sleep = sleeps;
        world.schedule((long) machine.inWorld(millis * Checks.MILLI), () -> machine.run(() -> resume(sleep)));
    }

    private void sleep(long millis, boolean untilInterrupted) {
        if (abandoned) {
            throw new Abandoned();
        }
        wakesOfInterrupt = untilInterrupted;
        wakeIn(millis);
        back.release();
        goOn.acquireUninterruptibly();
        sleeps++;
        wakesOfInterrupt = false;
        if (abandoned) {
            throw new Abandoned();
        }
    }
}
