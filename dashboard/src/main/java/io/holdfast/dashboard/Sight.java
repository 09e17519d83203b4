package io.holdfast.dashboard;

import io.holdfast.Holder;
import io.holdfast.LockInfo;
import io.holdfast.LockInfo.Share;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A lock as it was seen, with its ends as points in time, in epoch milliseconds of this machine's clock.
 *
 * @param ends when the lease duration of each of {@link LockInfo#shares()} ends without renewal
 * @param pauseEnd when an operator's pause ends; null if it does not pause
 * @param at when it was seen
 */
record Sight(LockInfo lock, List<Long> ends, @Nullable Long pauseEnd, long at) {
    /** As long as a reading of a lease duration may differ from the one before it although nothing has changed: a round trip. */
    static final long JITTER_MILLIS = 300;

    Sight {
        ends = List.copyOf(ends);
    }

    /**
     * What was read just now. An end that is almost that of the sight before is that one: a lock that nobody has changed is equal
     * to what it was, and the page is not told of it again.
     */
    static Sight of(LockInfo lock, long now, @Nullable Sight before) {
        List<Long> ends = new ArrayList<>(lock.shares().size());
        for (Share share : lock.shares()) {
            ends.add(end(now, share.remaining(), before == null ? null : before.endOf(share.holder())));
        }
        return new Sight(lock, ends, pauseEnd(lock, now, before), now);
    }

    private static Long end(long now, Duration remaining, @Nullable Long known) {
        long end = now + remaining.toMillis();
        return known != null && Math.abs(known - end) <= JITTER_MILLIS ? known : (Long) end;
    }

    private static @Nullable Long pauseEnd(LockInfo lock, long now, @Nullable Sight before) {
        return lock.pause()
                .map(pause -> end(now, pause.remaining(), before == null ? null : before.pauseEnd))
                .orElse(null);
    }

    /** Whether its pause, if it had one, lasts then. */
    boolean pausesAt(long now) {
        Long end = pauseEnd;
        return end != null && end > now;
    }

    LockId id() {
        return LockId.of(lock);
    }

    /** When the lease duration of this hold ends; null if it is not there. */
    @Nullable
    Long endOf(Holder holder) {
        for (int i = 0; i < ends.size(); i++) {
            if (isSame(lock.shares().get(i).holder(), holder)) {
                return ends.get(i);
            }
        }
        return null;
    }

    boolean has(Holder holder) {
        return endOf(holder) != null;
    }

    /** When the last of its lease durations ends; of a lock without a holder, when its pause ends. */
    @Nullable
    Long end() {
        return ends.stream().max(Long::compare).orElse(pauseEnd);
    }

    /** Whether it is one hold: a request has one owner, and what it is granted one token. */
    static boolean isSame(Holder one, Holder other) {
        return one.owner().equals(other.owner()) && one.token() == other.token();
    }
}
