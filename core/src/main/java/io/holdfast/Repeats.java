package io.holdfast;

import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;

/**
 * Asks again for requests that have asked before, a bounded number at a time, in the order in which they were added.
 *
 * <p>Thousands of them can have a reason at one moment: a server that was away, a client that stood still. Were all sent
 * at once, the last would be answered after their time limit, and be sent once more because of that: a busy server would
 * be kept busy for ever. This way the server's answers set the pace, and a request that stands here already is not added
 * a second time.
 */
final class Repeats<T> {
    private static final int MOST_UNDER_WAY = 100;

    private final ReentrantLock lock = new ReentrantLock();
    private final Set<T> waiting = new LinkedHashSet<>(); // guarded by lock; oldest first
    private final Set<T> underWay = new HashSet<>(); // guarded by lock
    private boolean sending; // guarded by lock; whoever sends goes on until there is nothing to send
    private final BiConsumer<T, Runnable> asking;

    /** @param asking asks for a request, and runs what it is given when that was answered or is given up */
    Repeats(BiConsumer<T, Runnable> asking) {
        this.asking = asking;
    }

    /** Asks for a request when it is its turn, at once if few are under way; not for one that is under way. */
    void add(T request) {
        lock.lock();
        try {
            if (!underWay.contains(request)) {
                waiting.add(request);
            }
        } finally {
            lock.unlock();
        }
        send();
    }

    private void answered(T request) {
        lock.lock();
        try {
            underWay.remove(request);
        } finally {
            lock.unlock();
        }
        send();
    }

    /** An answer can come before the sending returns: it then makes room for the loop that is under way. */
    private void send() {
        while (true) {
            T next;
            lock.lock();
            try {
                Iterator<T> oldest = waiting.iterator();
                if (sending || underWay.size() >= MOST_UNDER_WAY || !oldest.hasNext()) {
                    return;
                }
                next = oldest.next();
                oldest.remove();
                underWay.add(next);
                sending = true;
            } finally {
                lock.unlock();
            }
            try {
                asking.accept(next, () -> answered(next));
            } finally {
                lock.lock();
                try {
                    sending = false;
                } finally {
                    lock.unlock();
                }
            }
        }
    }
}
