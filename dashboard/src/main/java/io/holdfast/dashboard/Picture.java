package io.holdfast.dashboard;

import io.holdfast.Inspector.Listeners;
import io.holdfast.LockInfo;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All that was seen on the server in one round. Pages are made from it, and ask the server nothing.
 *
 * @param number counts the rounds, from 1
 * @param at when the round was over, in epoch milliseconds
 * @param sights what is held or waited for, or pauses, by name
 * @param named what was looked at by its name: what is among these, and not among the sights, is free
 * @param server whether the server answered; if not, the sights are those of the round before
 * @param rows what the overview shows of each, by their ids
 * @param deadlocks who waited for whom in a circle in this round and in the one before
 */
record Picture(
        long number,
        long at,
        Map<LockId, Sight> sights,
        Set<LockId> named,
        Listeners listeners,
        Documents.Server server,
        Map<String, Documents.Row> rows,
        List<Cycle> deadlocks,
        Documents.Totals totals) {

    Picture {
        sights = Collections.unmodifiableMap(new LinkedHashMap<>(sights));
        rows = Collections.unmodifiableMap(new LinkedHashMap<>(rows));
        deadlocks = List.copyOf(deadlocks);
    }

    /** Before the first round. */
    static Picture none(long at, Documents.Server server) {
        return new Picture(
                0,
                at,
                Map.of(),
                Set.of(),
                new Listeners(Set.of(), false),
                server,
                Map.of(),
                List.of(),
                new Documents.Totals(0, false, 0, 0, 0, 0, 0, 0, 0));
    }

    /** Whether the client listens; empty if that is not known. */
    Optional<Boolean> listens(String client) {
        return listeners.has(client);
    }

    /** Whether what is known of it is all that there is: a listing misses what no client reports. */
    boolean isCertainOf(LockId id) {
        return sights.containsKey(id) || named.contains(id);
    }

    /** What was seen of one; a free lock if it was not seen. */
    Sight sight(LockId id) {
        Sight found = sights.get(id);
        return found == null ? Sight.of(free(id), at, null) : found;
    }

    private static LockInfo free(LockId id) {
        return new LockInfo(id.name(), id.kind(), Optional.empty(), false, Duration.ZERO, Duration.ZERO, 0, List.of());
    }
}
