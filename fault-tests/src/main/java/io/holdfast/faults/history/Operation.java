package io.holdfast.faults.history;

import java.util.List;

/**
 * One request and what came of it. Times are {@link System#nanoTime()}; 0 stands for what did not happen, or is not known
 * because the process was killed.
 *
 * @param worker the process
 * @param number its number there
 * @param lock the lock's name
 * @param want what it asked for
 * @param asked just before the call
 * @param queued when the process was told that the request is queued
 * @param got just after the call returned with a hold
 * @param none when it ended without one
 * @param outcome how it ended without one; empty otherwise
 * @param token the fencing token, if there is one
 * @param slots the numbers of its permits, where they have numbers
 * @param lastAlive the last time at which it is sure that it was held; it was so from {@code got} on, since what is
 *     over stays over
 * @param over when the lease was seen to be over without having been released
 * @param lost when the holder was told that the lease is lost
 * @param leaving just before it was released
 * @param left when the release was answered
 * @param result what the release was answered; empty if it was not
 * @param accesses what was read and written meanwhile of what the lock guards, in order
 */
public record Operation(
        int worker,
        long number,
        String lock,
        Want want,
        long asked,
        long queued,
        long got,
        long none,
        String outcome,
        long token,
        List<Integer> slots,
        long lastAlive,
        long over,
        long lost,
        long leaving,
        long left,
        String result,
        List<Access> accesses) {
    /** In place of the result of a release: work that is done once has failed, and leaves no record. */
    public static final String FAILED = "FAILED";

    /** Copies. */
    public Operation {
        slots = List.copyOf(slots);
        accesses = List.copyOf(accesses);
    }

    /** Whether it obtained the lock. */
    public boolean obtained() {
        return got != 0;
    }

    /** Whether it is sure that it was held, from {@code got} to {@code lastAlive}. */
    public boolean surelyHeld() {
        return got != 0 && lastAlive != 0;
    }

    /** When the request or the hold was over for its process, as far as that is known; the given time otherwise. */
    public long endOr(long otherwise) {
        if (none != 0) {
            return none;
        }
        if (over != 0) {
            return over;
        }
        return leaving != 0 ? leaving : otherwise;
    }

    @Override
    public String toString() {
        return "operation " + number + " of process " + worker + " on " + lock
                + (want.words().isEmpty() ? "" : ", " + want.words())
                + (token == 0 ? "" : ", token " + token);
    }
}
