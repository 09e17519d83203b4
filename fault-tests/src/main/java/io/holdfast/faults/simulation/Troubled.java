package io.holdfast.faults.simulation;

/** Until when something is disturbed, by the way in which it is. Times are nanoseconds of the world. */
final class Troubled {
    enum How {
        /** It stands still, and goes on with all that it has. */
        SILENT,
        /** It hears no messages, or not all of them. */
        DEAF,
        /** Anything else. */
        BROKEN
    }

    private final long[] until = {-1, -1, -1};

    void disturb(How how, long untilThen) {
        until[how.ordinal()] = Math.max(until[how.ordinal()], untilThen);
    }

    long until() {
        return Math.max(until[0], Math.max(until[1], until[2]));
    }

    /** Whether it never was disturbed, or not since then. */
    boolean calmSince(long since) {
        return isCalm(until(), since);
    }

    /** The same, where one way does not count. */
    boolean calmSinceBut(How how, long since) {
        long latest = -1;
        for (How other : How.values()) {
            latest = other == how ? latest : Math.max(latest, until[other.ordinal()]);
        }
        return isCalm(latest, since);
    }

    private static boolean isCalm(long latest, long since) {
        return latest < 0 || latest < since;
    }
}
