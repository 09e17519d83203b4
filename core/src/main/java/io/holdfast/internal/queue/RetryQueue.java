package io.holdfast.internal.queue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Asks again for requests that have asked before, a bounded number at each server at a time, in the order in which they
 * were added.
 *
 * <p>Thousands of them can have a reason at one moment: a server that was away, a client that stood still. Were all sent
 * at once, the last would be answered after their time limit, and be sent once more because of that: a busy server would
 * be kept busy for ever. This way the server's answers set the pace, and a request that stands here already is not added
 * a second time. Each server has a bound of its own, so that one which does not answer holds up nobody else's.
 */
final class RetryQueue<T> {
    private static final int MOST_UNDER_WAY = 100;

    /** What is to be asked of one server. Guarded by the lock. */
    private static final class Lane<T> {
        final Object server;
        final Set<T> waiting = new LinkedHashSet<>(); // oldest first
        int underWay;
        volatile boolean sending; // whoever sends looks again afterwards, until there is nothing to send

        Lane(Object server) {
            this.server = server;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Object, Lane<T>> lanes = new HashMap<>(); // guarded by lock; by server, none that is empty
    private final Set<T> underWay = new HashSet<>(); // guarded by lock
    private final Function<T, Object> serverOf;
    private final BiConsumer<T, Runnable> asking;

    /**
     * @param serverOf by which server a request is answered at present
     * @param asking asks for a request, and runs what it is given when that was answered or is given up
     */
    RetryQueue(Function<T, Object> serverOf, BiConsumer<T, Runnable> asking) {
        this.serverOf = serverOf;
        this.asking = asking;
    }

    /** Asks for a request when it is its turn, at once if few are under way; not for one that is under way. */
    void add(T request) {
        Object server = serverOf.apply(request);
        Lane<T> lane;
        lock.lock();
        try {
            if (underWay.contains(request)) {
                return;
            }
            lane = lanes.computeIfAbsent(server, Lane::new);
            if (lane.waiting.add(request) && lanes.size() > 1) {
                leaveOthers(request, lane); // its lock may have gone to another server meanwhile
            }
        } finally {
            lock.unlock();
        }
        send(lane);
    }

    private void leaveOthers(T request, Lane<T> lane) {
        lanes.values().removeIf(other -> other != lane && other.waiting.remove(request) && isEmpty(other));
    }

    private boolean isEmpty(Lane<T> lane) {
        return lane.waiting.isEmpty() && lane.underWay == 0 && !lane.sending;
    }

    private void answered(Lane<T> lane, T request) {
        lock.lock();
        try {
            if (underWay.remove(request)) {
                lane.underWay--;
            }
        } finally {
            lock.unlock();
        }
        send(lane);
    }

    /** An answer can come before the sending returns: it then makes room for the loop that is under way. */
    private void send(Lane<T> lane) {
        while (true) {
            T next;
            lock.lock();
            try {
                Iterator<T> oldest = lane.waiting.iterator();
                if (lane.sending || lane.underWay >= MOST_UNDER_WAY || !oldest.hasNext()) {
                    if (isEmpty(lane)) {
                        lanes.remove(lane.server, lane);
                    }
                    return;
                }
                next = oldest.next();
                oldest.remove();
                underWay.add(next);
                lane.underWay++;
                lane.sending = true;
            } finally {
                lock.unlock();
            }
            try {
                asking.accept(next, () -> answered(lane, next));
            } catch (RuntimeException | Error e) {
                lock.lock();
                try {
                    if (underWay.remove(next)) { // it was not asked for, as far as is known: whoever adds it again asks
                        lane.underWay--;
                    }
                } finally {
                    lock.unlock();
                }
                throw e;
            } finally {
                lane.sending = false; // without the lock: no error can keep it from being said
            }
        }
    }
}
