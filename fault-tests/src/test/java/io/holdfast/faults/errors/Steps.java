package io.holdfast.faults.errors;

import java.util.Arrays;

/**
 * The lines of the engine as it runs through them. The engine is loaded with a call of {@link #step} before each of its lines;
 * one call of a run throws. The threads of a run take turns, so that the same run takes the same steps.
 */
public final class Steps {
    private static final int MOST_LINES = 40_000;

    private static final int[] HITS = new int[MOST_LINES];
    private static volatile boolean armed; // from the beginning of a play to its end
    private static volatile boolean counting; // while the engine runs, and not its callers
    private static int line = -1;
    private static int hit;
    private static boolean thrown;
    private static int locked;
    static boolean traced;

    private Steps() {}

    /** Counts while the engine runs, and throws at this hit of this line; never, if the line is negative. */
    static void begin(int ofLine, int atHit) {
        Arrays.fill(HITS, 0);
        line = ofLine;
        hit = atHit;
        thrown = false;
        locked = 0;
        armed = true;
    }

    /** The play is over: from now on nothing is thrown. */
    static void end() {
        armed = false;
        counting = false;
    }

    /** The engine runs. Returns what {@link #back} is given afterwards. */
    static boolean on() {
        boolean before = counting;
        counting = armed;
        return before;
    }

    /** Its caller runs, or looks at it from outside. */
    static boolean off() {
        boolean before = counting;
        counting = false;
        return before;
    }

    static void back(boolean before) {
        counting = before && armed;
    }

    static boolean hasThrown() {
        return thrown;
    }

    /** How often each line was reached. */
    static int[] hits() {
        return HITS.clone();
    }

    /** How many more locks were taken than given back. */
    static int locked() {
        return locked;
    }

    /** Called by the engine before each line. */
    public static void step(int ofLine) {
        if (counting) {
            int now = ++HITS[ofLine];
            if (ofLine == line && now == hit) {
                thrown = true;
                line = -1;
                Injected error = new Injected("line " + ofLine + ", hit " + now);
                if (traced) {
                    error.printStackTrace();
                }
                throw error;
            }
        }
    }

    /** Called by the engine before it takes a lock (1) or gives it back (-1). */
    public static void lock(int change) {
        locked += change;
    }
}
