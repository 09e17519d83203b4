package io.holdfast.cli;

import io.holdfast.HoldfastException;
import io.holdfast.Inspector;
import io.holdfast.LockInfo;
import io.holdfast.Waiter;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Tells who holds the lock that is waited for, and which position in the queue is ours: each time that changes, or, for a log
 * in which there is to be one line only, once after some seconds.
 */
final class WaitingReport extends Thread {
    /** Nobody is told of a wait as short as this. */
    private static final long FIRST_MILLIS = 300;

    private static final long PACE_MILLIS = 2_000;

    /** A log need not tell of each short wait. */
    private static final long ONCE_MILLIS = 5_000;

    private final Inspector inspector;
    private final List<String> locks;
    private final String waiter;
    private final @Nullable String once;
    private final String pid = Long.toString(ProcessHandle.current().pid());
    private final ReentrantLock saying = new ReentrantLock();
    private volatile boolean over;

    /**
     * A report, to be started.
     *
     * @param inspector of their kind
     * @param locks one of which is waited for; the others are held, or not asked for yet
     * @param waiter the name of the thread that waits, by which it is known in the queue
     * @param once how long it waits, in words, if that is to be told once; null to tell of each change
     */
    WaitingReport(Inspector inspector, List<String> locks, String waiter, @Nullable String once) {
        super("holdfast-waiting-report");
        setDaemon(true);
        this.inspector = inspector;
        this.locks = List.copyOf(locks);
        this.waiter = waiter;
        this.once = once;
    }

    /** Nothing is said after this, unless that takes long already: what was waited for must not wait for it. */
    void end() {
        over = true;
        interrupt();
        boolean done = false;
        try {
            done = saying.tryLock(Say.MOMENT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (done) {
                saying.unlock();
            }
        }
    }

    @Override
    public void run() {
        String before = "";
        long pause = once == null ? FIRST_MILLIS : ONCE_MILLIS;
        while (true) {
            try {
                Thread.sleep(pause);
            } catch (InterruptedException e) {
                return;
            }
            pause = PACE_MILLIS;
            String state;
            String line;
            String lock = locks.get(0);
            try {
                LockInfo info = waitedFor();
                lock = info.name();
                int place = place(info.queue());
                state = lock + " " + holders(info) + " " + place;
                line = (info.isLocked() ? Words.held(info) : "nobody holds it")
                        + (place > 0 ? "; position " + place + " of " + info.waiters() + " in the queue" : "");
            } catch (HoldfastException e) {
                state = "away";
                line = "the server does not answer at present";
            }
            if (!state.equals(before)
                    && !say("waiting for '" + lock + "'" + (once == null ? "" : once) + ": " + line)) {
                return;
            }
            if (once != null) {
                return;
            }
            before = state;
        }
    }

    /** What changes when another holds it; where several do, only when their number does: one of them is always renewing. */
    private static String holders(LockInfo info) {
        return Kinds.isShared(info.kind())
                ? Integer.toString(info.used())
                : info.holder()
                        .map(holder -> holder.token() + " " + holder.resting())
                        .orElse("");
    }

    /** The lock in whose queue we are; the first if in none. */
    private LockInfo waitedFor() {
        LockInfo first = null;
        for (String lock : locks) {
            LockInfo info = inspector.lock(lock);
            if (locks.size() == 1 || place(info.queue()) > 0) {
                return info;
            }
            first = first == null ? info : first;
        }
        return Objects.requireNonNull(first);
    }

    private boolean say(String line) {
        saying.lock();
        try {
            if (!over) {
                Say.line(line);
            }
            return !over;
        } finally {
            saying.unlock();
        }
    }

    private int place(List<Waiter> queue) {
        for (int i = 0; i < queue.size(); i++) {
            Waiter each = queue.get(i);
            if (each.pid().equals(pid) && each.actor().equals(waiter)) {
                return i + 1;
            }
        }
        return 0;
    }
}
