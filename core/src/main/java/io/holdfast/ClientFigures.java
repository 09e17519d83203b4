package io.holdfast;

import java.util.List;

/**
 * What one client has counted since it began, as it reported last.
 *
 * @param client its id
 * @param total of all its locks, also of those that it no longer counts for themselves
 * @param locks of each lock: of the last thousand that it has used
 */
public record ClientFigures(String client, LockFigures total, List<OfLock> locks) {
    /** Copies the list. */
    public ClientFigures {
        locks = List.copyOf(locks);
    }

    /**
     * What a client has counted for one lock.
     *
     * @param name the lock's name
     * @param kind what the name is the name of
     */
    public record OfLock(String name, LockInfo.Kind kind, LockFigures figures) {}
}
