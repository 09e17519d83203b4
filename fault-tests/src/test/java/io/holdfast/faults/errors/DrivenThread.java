package io.holdfast.faults.errors;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * A thread of a scene. It runs only while the scene waits for it: from its start, or from when what it waits for is there, until it
 * has to wait again, or has ended. So a scene with threads takes the same steps each time. The engine that steps blocks by the
 * static methods of this class, in place of those of a future.
 */
public final class DrivenThread extends Thread {
    /** What a thread of a scene has of it. */
    interface Hooks {
        void starts(DrivenThread thread);

        /** Becomes true after so many nanoseconds of virtual time. */
        BooleanSupplier after(long nanos);
    }

    private final Hooks hooks;
    private final Semaphore goOn = new Semaphore(0);
    private final Semaphore back = new Semaphore(0);
    private boolean begun;
    private volatile boolean over;
    private volatile boolean interrupting;
    private BooleanSupplier awaited = () -> true;
    private boolean interruptible;

    DrivenThread(Runnable task, Hooks hooks) {
        super(task);
        this.hooks = hooks;
        setDaemon(true);
    }

    // ---- what the product does with it

    @Override
    @SuppressWarnings("UnsynchronizedOverridesSynchronized") // nothing starts it twice
    public void start() {
        hooks.starts(this);
    }

    @Override
    public void interrupt() {
        interrupting = true;
    }

    @Override
    public void run() {
        try {
            super.run();
        } catch (Throwable e) {
            // Nothing is printed.
        } finally {
            over = true;
            back.release();
        }
    }

    // ---- what the scene does

    boolean isOver() {
        return over;
    }

    /** Lets it run until it waits, if it can go on. Returns whether it has run. */
    boolean drive() {
        if (over || (begun && !awaited.getAsBoolean() && !(interrupting && interruptible))) {
            return false;
        }
        if (begun) {
            goOn.release();
        } else {
            begun = true;
            super.start();
        }
        back.acquireUninterruptibly();
        return true;
    }

    // ---- what it does itself

    /** Waits; returns whether the wait was ended by an interrupt. */
    private boolean await(BooleanSupplier condition, boolean untilInterrupted) {
        while (!condition.getAsBoolean()) {
            if (untilInterrupted && Thread.interrupted()) {
                return true;
            }
            awaited = condition;
            interruptible = untilInterrupted;
            back.release();
            goOn.acquireUninterruptibly();
            if (interrupting) {
                interrupting = false;
                super.interrupt();
            }
            awaited = () -> true; // the condition refers to what is waited for, perhaps to a lease that nobody else has
        }
        return false;
    }

    private static DrivenThread present() {
        if (Thread.currentThread() instanceof DrivenThread present) {
            return present;
        }
        throw new IllegalStateException("a thread blocks that must not");
    }

    /** Threads of the engine's own may block; that of the scene, which stands for those of drivers and timers, may not. */
    private static boolean isForeign() {
        return !(Thread.currentThread() instanceof DrivenThread)
                && Thread.currentThread().getName().startsWith("holdfast-");
    }

    /** Waits for a condition of the scene's. */
    static void await(BooleanSupplier condition) throws InterruptedException {
        if (present().await(condition, true)) {
            throw new InterruptedException();
        }
    }

    static void pause(long millis) throws InterruptedException {
        await(present().hooks.after(TimeUnit.MILLISECONDS.toNanos(millis)));
    }

    // ---- in place of what the engine calls

    public static Object join(CompletableFuture<?> future) {
        if (!future.isDone() && !isForeign()) {
            present().await(future::isDone, false);
        }
        return future.join();
    }

    public static Object get(CompletableFuture<?> future) throws InterruptedException, ExecutionException {
        if (!future.isDone() && !isForeign() && present().await(future::isDone, true)) {
            throw new InterruptedException();
        }
        return future.get();
    }

    public static Object get(CompletableFuture<?> future, long limit, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        if (isForeign()) {
            return future.get(limit, unit);
        }
        if (!future.isDone()) {
            if (!(Thread.currentThread() instanceof DrivenThread present)) {
                throw new TimeoutException(); // nothing would come: the thread of the scene moves the time
            }
            BooleanSupplier late = present.hooks.after(unit.toNanos(limit));
            if (present.await(() -> future.isDone() || late.getAsBoolean(), true)) {
                throw new InterruptedException();
            }
            if (!future.isDone()) {
                throw new TimeoutException();
            }
        }
        return future.get();
    }
}
