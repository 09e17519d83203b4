package io.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** All locks at one look, with what clients have counted; see {@link Inspector#overview(int)}. Immutable. */
public final class Overview {
    /** A lock as the server reported it, and what clients had reported of it then. */
    record Seen(LockInfo info, String mark, long atNanos) {
        /** Whether its holder says how long it lasts. */
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
     * What clients report of a lock, at one moment.
     *
     * @param mark of those who have it, and of their holds
     * @param untilMillis when it is over by the server's clock; 0 if that is not known
     * @param nanos the moment, by this client's clock
     * @param serverMillis the moment, by the server's clock
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

    /** Of nothing: to begin with. */
    public static Overview none() {
        return NONE;
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
     * A lock that no call waits for, and whose clients report that they have what they had: the server need not be asked again, for a
     * while; not for all in the same round.
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
