package io.holdfast.faults.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;

/** Leaves out of a plan what a finding does not need (Zeller and Hildebrandt, 2002: delta debugging). */
final class Shrinker {
    private static final int MOST_RUNS = 400;

    private final Predicate<Set<Integer>> fails;
    private int runs;

    /** @param fails whether the same is found with these items only */
    Shrinker(Predicate<Set<Integer>> fails) {
        this.fails = fails;
    }

    /** A set of items of which none can be left out for itself, if there are runs enough. */
    Set<Integer> shrink(Set<Integer> all) {
        List<Integer> kept = new ArrayList<>(all);
        int parts = 2;
        while (kept.size() >= 2 && runs < MOST_RUNS) {
            int size = (kept.size() + parts - 1) / parts;
            boolean smaller = false;
            for (int from = 0; from < kept.size() && runs < MOST_RUNS; from += size) {
                List<Integer> rest = new ArrayList<>(kept.subList(0, from));
                rest.addAll(kept.subList(Math.min(kept.size(), from + size), kept.size()));
                runs++;
                if (fails.test(new TreeSet<>(rest))) {
                    kept = rest;
                    smaller = true;
                    break;
                }
            }
            if (smaller) {
                parts = Math.max(2, parts - 1);
            } else if (size == 1) {
                break;
            } else {
                parts = Math.min(kept.size(), parts * 2);
            }
        }
        return new TreeSet<>(kept);
    }
}
