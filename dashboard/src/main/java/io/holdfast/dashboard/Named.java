package io.holdfast.dashboard;

import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.ServerRefusedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Locks that a round looks at by name, each with a call of its own: those whose page is open, and those that pause. Clients report their
 * holds. A pause, and a record of work that is done once, belong to no client; of a held lock, clients do not report that it pauses. Of each sort
 * there are {@value #MOST} at most.
 */
final class Named {
    private static final int MOST = 100;

    private final Holdfast holdfast;
    private final long openNanos;
    /** When their pages asked last, the newest at the end; guarded by this, as the next. */
    private final Map<LockId, Long> open = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<LockId, Long> eldest) {
            return size() > MOST;
        }
    };

    private final Set<LockId> paused = new LinkedHashSet<>();

    /** @param open how long after its last request a page counts as open */
    Named(Holdfast holdfast, Duration open) {
        this.holdfast = holdfast;
        this.openNanos = open.toNanos();
    }

    /** A page of it is open. */
    synchronized void opened(LockId id) {
        open.remove(id);
        open.put(id, System.nanoTime());
    }

    /** These pause at present, and no others. Where there are too many, those that were there before stay. */
    synchronized void pause(Set<LockId> ids) {
        paused.retainAll(ids);
        for (LockId id : ids) {
            if (paused.size() < MOST) {
                paused.add(id);
            }
        }
    }

    /** Those that are there now. */
    synchronized List<LockId> present() {
        long now = System.nanoTime();
        open.values().removeIf(asked -> now - asked > openNanos);
        Set<LockId> all = new LinkedHashSet<>(open.keySet());
        all.addAll(paused);
        return new ArrayList<>(all);
    }

    /**
     * What is there of it, also if it is nothing but a pause. A listing may be older. No client is asked, which would take a while where
     * one is dead.
     *
     * @return null if no lock can have that name, its key is of another program, or the server refuses to tell at present
     */
    @Nullable
    LockInfo look(LockId id) {
        try {
            return id.inspector(holdfast).lock(id.name(), 0);
        } catch (ServerRefusedException | IllegalArgumentException e) {
            return null;
        }
    }
}
