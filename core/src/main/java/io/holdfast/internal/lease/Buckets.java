package io.holdfast.internal.lease;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is due at about the same time stands in one bucket, for which one timer is enough. An item stands in one bucket at
 * most: in that of the last {@link #put}, also where several threads put the same one.
 *
 * <p>Pure: times are arguments, and nothing is called while its sets are locked.
 */
final class Buckets<T> {
    /** So wide that 100,000 leases of 30 s make a hundred calls a second, not 10,000 timers and calls. */
    private static final long WIDTH_NANOS = 100_000_000L;

    static final long FINE_WIDTH_NANOS = 5_000_000L;

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Long, Set<T>> buckets = new HashMap<>(); // guarded by lock; by when they are due
    private final Map<T, Long> places = new HashMap<>(); // guarded by lock; the bucket of each item

    /**
     * When a bucket is due: about {@code delayNanos} after now. A short delay is not rounded by much: rounding down by a
     * tenth of a second would renew a term of 100 ms at once.
     */
    static long due(long now, long delayNanos) {
        long width = delayNanos > 20 * WIDTH_NANOS ? WIDTH_NANOS : FINE_WIDTH_NANOS;
        return (now + delayNanos) / width * width;
    }

    /** Puts an item into a bucket, from where it stood before. Whether the bucket is a new one, which needs a timer. */
    boolean put(T item, long due) {
        lock.lock();
        try {
            Long before = places.put(item, due);
            if (before != null && before != due) {
                leave(item, before);
            }
            boolean fresh = !buckets.containsKey(due);
            buckets.computeIfAbsent(due, at -> new LinkedHashSet<>()).add(item);
            return fresh;
        } finally {
            lock.unlock();
        }
    }

    void remove(T item) {
        lock.lock();
        try {
            Long place = places.remove(item);
            if (place != null) {
                leave(item, place);
            }
        } finally {
            lock.unlock();
        }
    }

    /** An empty bucket stays until it is taken: its timer is set. */
    private void leave(T item, long due) {
        Set<T> bucket = buckets.get(due);
        if (bucket != null) {
            bucket.remove(item);
        }
    }

    /** Takes a bucket out; empty if it is not there. */
    List<T> take(long due) {
        lock.lock();
        try {
            @Nullable Set<T> bucket = buckets.remove(due);
            if (bucket == null) {
                return List.of();
            }
            places.keySet().removeAll(bucket);
            return new ArrayList<>(bucket);
        } finally {
            lock.unlock();
        }
    }
}
