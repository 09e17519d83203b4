package io.holdfast.faults.simulation;

import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Until when something is disturbed, by the way in which it is. Times are nanoseconds of the world. */
final class Troubled {
    enum How {
        /** It stands still, and goes on with all that it has. */
        SILENT,
        /** It hears no messages, or not all of them. */
        DEAF,
        /** It has forgotten everything, and answers as before. */
        EMPTIED,
        /** Anything else. */
        BROKEN
    }

    private final Map<How, Long> until = new EnumMap<>(How.class);

    void disturb(How how, long untilThen) {
        until.merge(how, untilThen, Math::max);
    }

    long until() {
        return latestBut(null);
    }

    /** Whether it never was disturbed, or not since then. */
    boolean calmSince(long since) {
        return isCalm(until(), since);
    }

    /** The same, where one way does not count. */
    boolean calmSinceBut(How how, long since) {
        return isCalm(latestBut(how), since);
    }

    /** The same, where one way does not count. */
    long untilBut(How how) {
        return latestBut(how);
    }

    private long latestBut(@Nullable How how) {
        long latest = -1;
        for (Map.Entry<How, Long> each : until.entrySet()) {
            latest = each.getKey() == how ? latest : Math.max(latest, each.getValue());
        }
        return latest;
    }

    private static boolean isCalm(long latest, long since) {
        return latest < 0 || latest < since;
    }
}
