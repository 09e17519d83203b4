package io.holdfast.faults.simulation;

import org.jspecify.annotations.Nullable;

/**
 * How a run went.
 *
 * @param finding what the checks have found first; null if nothing
 * @param steps how many events there were
 * @param obtained how many leases were handed out
 * @param overlaps how often two good leases were seen, where that may be
 * @param lostUpdates how many unfenced updates were lost, where that may be
 */
record Outcome(
        Drawn plan, @Nullable Finding finding, long steps, int obtained, int overlaps, int lostUpdates, Trace trace) {}
