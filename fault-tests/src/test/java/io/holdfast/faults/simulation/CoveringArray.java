package io.holdfast.faults.simulation;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Rows of values in which every two values of two parameters stand together at least once, as far as that is allowed. */
final class CoveringArray {
    private static final int TRIES = 30;

    /** Two values of two parameters. */
    record Pair(int first, int firstValue, int second, int secondValue) {}

    final List<int[]> rows = new ArrayList<>();

    /** No row with such a pair was found that is allowed. */
    final List<Pair> left = new ArrayList<>();

    private final int[] sizes;
    private final Predicate<int[]> allowed;
    private final Set<Pair> open = new LinkedHashSet<>();
    private final Draw draw;

    /**
     * @param sizes how many values each parameter has
     * @param allowed whether a row may be
     */
    CoveringArray(int[] sizes, Predicate<int[]> allowed, Draw draw) {
        this.sizes = sizes.clone();
        this.allowed = allowed;
        this.draw = draw;
        for (int a = 0; a < sizes.length; a++) {
            for (int b = a + 1; b < sizes.length; b++) {
                for (int i = 0; i < sizes[a]; i++) {
                    for (int j = 0; j < sizes[b]; j++) {
                        open.add(new Pair(a, i, b, j));
                    }
                }
            }
        }
        while (!open.isEmpty()) {
            Pair next = open.iterator().next();
            int[] best = bestWith(next);
            if (best == null) {
                left.add(next);
                open.remove(next);
            } else {
                rows.add(best);
                open.removeIf(pair -> has(best, pair));
            }
        }
    }

    static boolean has(int[] row, Pair pair) {
        return row[pair.first] == pair.firstValue && row[pair.second] == pair.secondValue;
    }

    /** Of some rows drawn with a pair, that with most pairs that are new; null if none is allowed. */
    private int @Nullable [] bestWith(Pair pair) {
        int[] best = null;
        long most = -1;
        for (int i = 0; i < TRIES; i++) {
            int[] row = new int[sizes.length];
            // The first try has the first value of all others: if that is refused, the pair is.
            int tried = i;
            Arrays.setAll(row, place -> tried == 0 ? 0 : draw.below(sizes[place]));
            row[pair.first] = pair.firstValue;
            row[pair.second] = pair.secondValue;
            if (allowed.test(row)) {
                long fresh = open.stream().filter(each -> has(row, each)).count();
                if (fresh > most) {
                    most = fresh;
                    best = row;
                }
            } else if (i == 0) {
                return null;
            }
        }
        return best;
    }
}
