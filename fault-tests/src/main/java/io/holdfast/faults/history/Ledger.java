package io.holdfast.faults.history;

import java.util.ArrayList;
import java.util.List;

/**
 * What a guarded resource was told: each write says what its writer had read before.
 *
 * <p>A write that was made after another one, and had read what was there before that, undoes it: an update is lost.
 */
public final class Ledger {
    /**
     * An accepted write.
     *
     * @param base the value that the writer had read
     * @param value the value that it wrote, one more
     */
    public record Write(long base, long value) {}

    private Ledger() {}

    /** How many updates were lost. The writes stand in the order in which the resource took them. */
    public static int lostUpdates(List<Write> writes) {
        int lost = 0;
        long present = 0;
        for (Write write : writes) {
            if (write.base() != present) {
                lost++;
            }
            present = write.value();
        }
        return lost;
    }

    /** The same as a check. */
    public static List<Violation> check(String lock, List<Write> fenced) {
        List<Violation> found = new ArrayList<>();
        int lost = lostUpdates(fenced);
        if (lost > 0) {
            found.add(new Violation("fencing", "the fenced value of " + lock + " lost " + lost + " updates"));
        }
        return found;
    }
}
