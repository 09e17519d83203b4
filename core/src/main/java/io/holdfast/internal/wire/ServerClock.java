package io.holdfast.internal.wire;

import io.holdfast.internal.wire.Deadlines.ClockPair;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The newest good {@link ClockPair} of each partition. A reply improves it if its round trip was shorter than that of the
 * pair at hand, and replaces it if that is old. A reconnect drops it, because the server may be another one; what was
 * asked before that does not count any more.
 */
public final class ServerClock {
    private static final long OLD_NANOS = 2_000_000_000L;

    /** @param pair null since it was dropped */
    private record Reading(@Nullable ClockPair pair, boolean dropped, long droppedNanos) {
        static final Reading NONE = new Reading(null, false, 0);

        /** What is left at a reconnect. Of two at about the same time, on two threads, the later one counts. */
        Reading dropAt(long now) {
            return new Reading(null, true, dropped && droppedNanos - now > 0 ? droppedNanos : now);
        }

        /** What is known after a reply: this, or the newer pair. */
        Reading read(long sentNanos, long serverMicros) {
            if (dropped && sentNanos - droppedNanos < 0) {
                return this;
            }
            return pair == null
                            || sentNanos - pair.sentNanos() > OLD_NANOS
                            || sentNanos - pair.sentNanos() > (serverMicros - pair.serverMicros()) * 1_000
                    ? new Reading(new ClockPair(sentNanos, serverMicros), dropped, droppedNanos)
                    : this;
        }
    }

    private final AtomicReferenceArray<Reading> readings;

    public ServerClock(int partitions) {
        Reading[] none = new Reading[partitions];
        Arrays.fill(none, Reading.NONE);
        this.readings = new AtomicReferenceArray<>(none);
    }

    /** A time of a server, as it tells it. */
    public static Instant instant(long serverMicros) {
        return Instant.EPOCH.plus(serverMicros, ChronoUnit.MICROS);
    }

    public @Nullable ClockPair pair(int partition) {
        return readings.get(partition).pair();
    }

    /** Forgets the pairs of some partitions; answers to what was asked before now do not count. */
    void drop(IntPredicate partitions, long now) {
        for (int i = 0; i < readings.length(); i++) {
            if (partitions.test(i)) {
                readings.updateAndGet(i, old -> old.dropAt(now));
            }
        }
    }

    void read(int partition, long sentNanos, long serverMicros) {
        readings.updateAndGet(partition, old -> old.read(sentNanos, serverMicros));
    }
}
