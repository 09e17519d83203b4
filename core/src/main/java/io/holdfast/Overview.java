package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A listing of all locks, with the figures that clients have counted; see {@link Inspector#overview(int)}. Immutable. */
public final class Overview {
    /** A lock as the server reported it, with the mark that clients had reported of it then. */
    record Seen(LockInfo info, String mark, long atNanos) {
        /** Returns whether its only holder reports how long the hold lasts. */
        private boolean isFollowed(Reported reported) {
            return reported.untilMillis > 0 && info.shares().size() == 1;
        }

        LockInfo as(Reported reported) {
            Duration since = Duration.ofNanos(reported.nanos - atNanos);
            return isFollowed(reported)
                    ? info.lasting(Duration.ofMillis(reported.untilMillis - reported.serverMillis), since)
                    : info.after(since);
        }
    }

    /**
     * The report of clients about a lock, at one moment.
     *
     * @param callers how many of their callers wait for it
     * @param mark a text that identifies the clients that report it, and their holds
     * @param untilMillis the end of the hold in milliseconds, by the server's clock; 0 if that is not known
     * @param nanos the moment in nanoseconds, by this client's clock
     * @param serverMillis the moment in milliseconds, by the server's clock
     */
    record Reported(int callers, String mark, long untilMillis, long nanos, long serverMillis) {}

    private static final long MOST_AGE_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long FOLLOWED_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int SIXTH = 6;

    private final Map<String, Seen> seen; // by the key of the hold
    private final List<LockInfo> locks;
    private final boolean more;
    private final Inspector.Listeners listeners;
    private final List<ClientFigures> figures;

    private static final Overview NONE =
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

    /** Returns an empty overview, for the first call of {@link Inspector#overview(int, Overview)}. */
    public static Overview none() {
        return NONE;
    }

    /** Returns the locks that are held or waited for, each with the first hundred waiters of its queue. */
    public List<LockInfo> locks() {
        return locks;
    }

    /** Returns whether there are more locks than the caller asked for. */
    public boolean more() {
        return more;
    }

    /** Returns the clients that listen for messages. */
    public Inspector.Listeners listeners() {
        return listeners;
    }

    /** Returns the figures that clients have counted. A client that has done nothing since it was last asked may be missing. */
    public List<ClientFigures> figures() {
        return figures;
    }

    /**
     * Returns the known state of a lock for which no call waits, and whose clients report the same holds as before; otherwise
     * null. The server need not be asked again for a while. That time differs between locks, so that not all are asked in the
     * same round.
     */
    @Nullable
    Seen unchanged(String key, Reported reported) {
        Seen known = seen.get(key);
        if (known == null || reported.callers > 0 || !known.mark.equals(reported.mark) || !isSettled(known.info)) {
            return null;
        }
        boolean followed = known.isFollowed(reported);
        if (followed && reported.untilMillis <= reported.serverMillis) {
            return null; // it should be over
        }
        long age =
                followed ? FOLLOWED_NANOS : Math.min(known.info.leaseDuration().toNanos() / SIXTH, MOST_AGE_NANOS / 2);
        long spread = age / 16 * (key.hashCode() & 15);
        return reported.nanos - known.atNanos < age + spread ? known : null;
    }

    private static boolean isSettled(LockInfo info) {
        return info.isLocked() && info.confirmed() && !info.isQueued();
    }
}
