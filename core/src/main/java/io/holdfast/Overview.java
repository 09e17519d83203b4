package io.holdfast;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** All locks at one look, with what clients have counted; see {@link Inspector#overview(int)}. Immutable. */
public final class Overview {
    /** A lock as the server told of it, and what clients had reported of it then. */
    record Seen(LockInfo info, String mark, long atNanos) {}

    private static final long MOST_AGE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final int SIXTH = 6;

    private final Map<String, Seen> seen; // by the key of the hold
    private final List<LockInfo> locks;
    private final boolean more;
    private final Inspector.Listeners listeners;
    private final List<ClientFigures> figures;

    /** Of nothing. */
    static final Overview NONE =
            new Overview(Map.of(), List.of(), false, new Inspector.Listeners(Set.of(), false), List.of());

    Overview(
            Map<String, Seen> seen,
            List<LockInfo> locks,
            boolean more,
            Inspector.Listeners listeners,
            List<ClientFigures> figures) {
        this.seen = seen;
        this.locks = List.copyOf(locks);
        this.more = more;
        this.listeners = listeners;
        this.figures = List.copyOf(figures);
    }

    /** What is held or waited for, each with the first hundred of its queue. */
    public List<LockInfo> locks() {
        return locks;
    }

    /** Whether there are more than were asked for. */
    public boolean more() {
        return more;
    }

    /** The clients that listen for grants. */
    public Inspector.Listeners listeners() {
        return listeners;
    }

    /** What clients have counted; of a client that has done nothing since it was asked last, perhaps nothing. */
    public List<ClientFigures> figures() {
        return figures;
    }

    /**
     * A lock that nobody waits for, and whose clients report that they have what they had: the server need not be asked again. It
     * is all the same, before a third of its term is over since it was; not all in the same round.
     */
    @Nullable
    Seen unchanged(String key, int callers, String mark, long nanos) {
        Seen known = seen.get(key);
        if (known == null || callers > 0 || !known.mark.equals(mark) || !isSettled(known.info)) {
            return null;
        }
        long sixth = Math.min(known.info.term().toNanos() / SIXTH, MOST_AGE_NANOS / 2);
        long spread = sixth / 16 * (key.hashCode() & 15);
        return nanos - known.atNanos < sixth + spread ? known : null;
    }

    private static boolean isSettled(LockInfo info) {
        return info.isLocked() && info.confirmed() && !info.isQueued();
    }
}
