package io.holdfast.faults.simulation;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What stands behind leaderships, on one server or on several: looked at past all clients. */
interface ElectionHolds {
    /** Of the server's rounding, in nanoseconds. */
    long ROUNDING = 2 * Checks.MILLI;

    /** Something has run on a server. */
    void ran();

    /** A server has just lost its memory, or some of it. */
    void memoryIsLost();

    /** Whether that token was granted by a memory that is lost since. */
    boolean isForgotten(int election, long token);

    /** What a leadership that is good for so many nanoseconds lacks; null if all is there. */
    @Nullable
    String lackOf(Led led, double left);

    /** Whether it could have been renewed whenever nothing was wrong with its client or with most of the servers. */
    boolean couldBeKept(Led led);

    /** Who holds it, by the public part of the owner, and the token; null if nobody does. */
    @Nullable
    String holdOf(int election);

    /** All keys of all servers. */
    List<String> keys();

    static String keyOf(int election) {
        return "hf:{%lead:" + ElectionPlan.nameOf(election) + "}";
    }
}
