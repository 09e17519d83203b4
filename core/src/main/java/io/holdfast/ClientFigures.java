package io.holdfast;

import java.util.List;

/**
 * The figures that one client has counted since its start, according to its last report.
 *
 * @param client the client's id
 * @param total the figures of all its locks of every kind except plain locks, including those that it no longer counts
 *     separately
 * @param locks the figures of single locks of the inspector's kinds. A client counts at most 1,000 locks separately. If there
 *     are more, it keeps the figures of the least recently used half only in the total
 */
public record ClientFigures(String client, LockFigures total, List<OfLock> locks) {
    /** Copies the list. */
    public ClientFigures {
        locks = List.copyOf(locks);
    }

    /**
     * The figures that a client has counted for one lock.
     *
     * @param name the lock's name
     * @param kind the lock's kind
     * @param figures the figures
     */
    public record OfLock(String name, LockInfo.Kind kind, LockFigures figures) {}
}
