package io.holdfast.internal.lease;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is due at about the same time stands in one bucket, for which one timer is enough. An item stands in one bucket at
 * most: in that of the last {@link #put}, also where several threads put the same one.
 *
 * <p>An item knows its place by two numbers, and stands in a list: moving one costs no search, and leaves nothing for the
 * collector to follow from an old object to a young one, which is what moving a hundred thousand of them every few seconds
 * would cost most.
 *
 * <p>Pure: times are arguments, and nothing is called while its lists are locked.
 */
final class Buckets<T extends Buckets.Item> {
    /** What stands in the buckets of one object. */
    abstract static class Item {
        private static final int NOWHERE = -1;

        long due; // guarded by the lock of the buckets; meaningful where it has a place
        int place = NOWHERE; // guarded by the same; in the list of its bucket
    }

    private static final class Bucket<T> {
        final List<T> items = new ArrayList<>();
        boolean needsTimer = true; // and none is being set
    }

    /** So wide that 100,000 leases of 30 s make a hundred calls a second, not 10,000 timers and calls. */
    private static final long WIDTH_NANOS = 100_000_000L;

    static final long FINE_WIDTH_NANOS = 5_000_000L;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Long, Bucket<T>> buckets = new HashMap<>(); // guarded by lock; by when they are due

    /**
     * When a bucket is due: about {@code delayNanos} after now. A short delay is not rounded by much: rounding down by a
     * tenth of a second would renew a term of 100 ms at once.
     */
    static long due(long now, long delayNanos) {
        long width = delayNanos > 20 * WIDTH_NANOS ? WIDTH_NANOS : FINE_WIDTH_NANOS;
        return Math.floorDiv(now + delayNanos, width) * width;
    }

    /**
     * When the bucket is due of what must not be missed by more than a timer is late: not after the moment, and before it the
     * less the nearer it is. Whoever comes early comes once more.
     */
    static long dueBefore(long now, long moment) {
        long delay = moment - now;
        return delay > 4 * FINE_WIDTH_NANOS ? due(now, delay) : moment;
    }

    /** Puts an item into a bucket, from where it stood before. Whether the bucket needs a timer, which one caller is told to set. */
    boolean put(T item, long due) {
        lock.lock();
        try {
            @Nullable Bucket<T> present = buckets.get(due);
            Bucket<T> bucket = present == null ? new Bucket<>() : present;
            if (item.place == Item.NOWHERE || item.due != due) {
                bucket.items.add(item); // what may fail comes first, and leaves the item where it stands
                if (present == null) {
                    buckets.put(due, bucket);
                }
                leave(item);
                item.due = due;
                item.place = bucket.items.size() - 1;
            }
            boolean needsTimer = bucket.needsTimer;
            bucket.needsTimer = false;
            return needsTimer;
        } finally {
            lock.unlock();
        }
    }

    /** The timer of a bucket could not be set: who puts something into it next is told to. */
    void needsTimer(long due) {
        lock.lock();
        try {
            @Nullable Bucket<T> bucket = buckets.get(due);
            if (bucket != null) {
                bucket.needsTimer = true;
            }
        } finally {
            lock.unlock();
        }
    }

    void remove(T item) {
        lock.lock();
        try {
            leave(item);
        } finally {
            lock.unlock();
        }
    }

    /** The last of its bucket takes its place. An empty bucket stays until it is taken: its timer is set. */
    private void leave(T item) {
        int at = item.place;
        @Nullable Bucket<T> bucket = at == Item.NOWHERE ? null : buckets.get(item.due);
        if (bucket != null) {
            T last = bucket.items.remove(bucket.items.size() - 1);
            if (last != item) {
                bucket.items.set(at, last);
                last.place = at;
            }
            item.place = Item.NOWHERE;
        }
    }

    /** Takes a bucket out; empty if it is not there. */
    List<T> take(long due) {
        lock.lock();
        try {
            @Nullable Bucket<T> bucket = buckets.remove(due);
            if (bucket == null) {
                return List.of();
            }
            bucket.items.forEach(item -> item.place = Item.NOWHERE);
            return bucket.items;
        } finally {
            lock.unlock();
        }
    }
}
