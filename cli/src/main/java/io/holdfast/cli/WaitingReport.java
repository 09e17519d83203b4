package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.LockInfo;
import io.holdfast.Waiter;
import java.util.List;

/** Tells now and then who holds the lock that is waited for, and which place in the queue is ours. */
final class WaitingReport extends Thread {
    /** Nobody is told of a wait as short as this. */
    private static final long FIRST_MILLIS = 300;

    private static final long PACE_MILLIS = 2_000;

    private final Holdfast client;
    private final String lock;
    private final String waiter;
    private final String pid = Long.toString(ProcessHandle.current().pid());
    private boolean over; // guarded by this

    /**
     * A report, to be started.
     *
     * @param waiter the name of the thread that waits, by which it is known in the queue
     */
    WaitingReport(Holdfast client, String lock, String waiter) {
        super("holdfast-waiting-report");
        setDaemon(true);
        this.client = client;
        this.lock = lock;
        this.waiter = waiter;
    }

    /** Nothing is said after this. */
    void end() {
        synchronized (this) {
            over = true;
        }
        interrupt();
    }

    @Override
    public void run() {
        String before = "";
        long pause = FIRST_MILLIS;
        while (true) {
            try {
                Thread.sleep(pause);
            } catch (InterruptedException e) {
                return;
            }
            pause = PACE_MILLIS;
            String state;
            String line;
            try {
                LockInfo info = client.inspect().lock(lock);
                int place = place(info.queue());
                state = info.holder()
                                .map(holder -> holder.token() + " " + holder.resting())
                                .orElse("") + " " + place;
                line = info.holder()
                                .map(holder -> Words.held(holder, info.remaining()))
                                .orElse("nobody holds it")
                        + (place > 0 ? "; place " + place + " of " + info.waiters() + " in the queue" : "");
            } catch (HoldfastException e) {
                state = "away";
                line = "the server does not answer at present";
            }
            if (!state.equals(before) && !say("waiting for '" + lock + "': " + line)) {
                return;
            }
            before = state;
        }
    }

    private synchronized boolean say(String line) {
        if (!over) {
            Say.line(line);
        }
        return !over;
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
