package io.holdfast.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Visits the states of a {@link Model}, nearest first, so that the first violation has a shortest trace. Of a state that was visited it
 * keeps its 64 bits and by which state it was found (hash compaction): of ten million states, two that differ are taken for one with a
 * probability of about 1 in 400,000. For use by one thread.
 *
 * @param <S> a state
 */
public final class Checker<S> {
    /** What a look came to. */
    public record Result(
            long states,
            long transitions,
            int diameter,
            boolean complete,
            double seconds,
            @Nullable String violation,
            List<String> trace) {
        public boolean isSound() {
            return violation == null;
        }

        @Override
        public String toString() {
            String found =
                    violation == null ? "nothing found in " + (complete ? "all " : "the first ") : "found after ";
            return String.format(
                    java.util.Locale.ROOT,
                    "%s%,d states, %,d transitions, depth %d, %.1f s",
                    found,
                    states,
                    transitions,
                    diameter,
                    seconds);
        }
    }

    private final Model<S> model;
    private final long most;
    private final Predicate<S> visitor;
    private final Table table = new Table();
    private int[] foundBy = new int[1 << 12];
    private long transitions;

    public Checker(Model<S> model, long most) {
        this(model, most, state -> true);
    }

    /**
     * A look that has not begun.
     *
     * @param most states to visit
     * @param visitor is given each state once, in the order of finding, and ends the look by answering false
     */
    public Checker(Model<S> model, long most, Predicate<S> visitor) {
        this.model = model;
        this.most = most;
        this.visitor = visitor;
    }

    /** Looks for a violation. */
    public Result violations() {
        return run(false);
    }

    /**
     * Looks for a violation, and then for a state from which no goal can be reached by actions that help: there somebody waits for ever,
     * whatever good fortune brings. Needs the whole graph in memory.
     */
    public Result canReach() {
        return run(true);
    }

    private Result run(boolean goals) {
        long begin = System.nanoTime();
        Edges edges = goals ? new Edges() : null;
        BitSet isGoal = new BitSet();
        Deque<S> frontier = new ArrayDeque<>();
        S initial = model.initial();
        table.add(model.fingerprint(initial));
        frontier.add(initial);
        int expanded = 0;
        int depth = 0;
        long endOfLayer = 1;
        String wrong = model.violation(initial);
        int bad = wrong == null ? -1 : 0;
        String[] found = {wrong};
        int[] where = {bad};
        while (!frontier.isEmpty() && found[0] == null && table.size() < most) {
            if (expanded == endOfLayer) {
                depth++;
                endOfLayer = table.size();
            }
            S state = frontier.remove();
            int at = expanded++;
            if (!visitor.test(state)) {
                break;
            }
            if (goals && model.isGoal(state)) {
                isGoal.set(at);
            }
            model.next(state, (action, next) -> {
                transitions++;
                int before = table.size();
                int index = table.add(model.fingerprint(next));
                if (edges != null && action.helps()) {
                    edges.add(at, index);
                }
                if (index == before) {
                    note(index, at);
                    frontier.add(next);
                    String problem = found[0] == null ? model.violation(next) : null;
                    if (problem != null) {
                        found[0] = problem;
                        where[0] = index;
                    }
                }
            });
        }
        boolean complete = frontier.isEmpty();
        if (edges != null && found[0] == null && complete) {
            int stuck = edges.firstThatCannotReach(isGoal, table.size());
            if (stuck >= 0) {
                found[0] = "somebody who lives can never be served from here";
                where[0] = stuck;
            }
        }
        double seconds = (System.nanoTime() - begin) / 1e9;
        List<String> trace = found[0] == null ? List.of() : trace(where[0]);
        return new Result(table.size(), transitions, depth, complete, seconds, found[0], trace);
    }

    private void note(int index, int by) {
        if (index == foundBy.length) {
            foundBy = Arrays.copyOf(foundBy, index * 2);
        }
        foundBy[index] = by;
    }

    /** A shortest way to a state that was visited, a line for each step. */
    public List<String> traceTo(S state) {
        return trace(table.find(model.fingerprint(state)));
    }

    /** The way to a state. It is walked again, since only bits were kept. */
    private List<String> trace(int index) {
        List<Integer> way = new ArrayList<>();
        for (int at = index; at > 0; at = foundBy[at]) {
            way.add(at);
        }
        Collections.reverse(way);
        List<String> lines = new ArrayList<>();
        S state = model.initial();
        for (int step : way) {
            List<S> next = new ArrayList<>(1);
            model.next(state, (action, candidate) -> {
                if (next.isEmpty() && table.find(model.fingerprint(candidate)) == step) {
                    next.add(candidate);
                    lines.add(action.toString());
                }
            });
            state = next.get(0);
        }
        lines.add("Now: " + model.describe(state));
        return lines;
    }

    /** Fingerprints, each with its number in the order of adding. */
    private static final class Table {
        private long[] keys = new long[1 << 14];
        private int[] numbers = new int[1 << 14];
        private int size;

        int size() {
            return size;
        }

        int find(long key) {
            int mask = keys.length - 1;
            for (int i = (int) (key >>> 20) & mask; keys[i] != 0; i = (i + 1) & mask) {
                if (keys[i] == key) {
                    return numbers[i];
                }
            }
            return -1;
        }

        int add(long key) {
            int known = find(key);
            if (known >= 0) {
                return known;
            }
            if (size * 3L > keys.length * 2L) {
                grow();
            }
            put(key, size);
            return size++;
        }

        private void put(long key, int number) {
            int mask = keys.length - 1;
            int i = (int) (key >>> 20) & mask;
            while (keys[i] != 0) {
                i = (i + 1) & mask;
            }
            keys[i] = key;
            numbers[i] = number;
        }

        private void grow() {
            long[] oldKeys = keys;
            int[] oldNumbers = numbers;
            keys = new long[oldKeys.length * 2];
            numbers = new int[oldKeys.length * 2];
            for (int i = 0; i < oldKeys.length; i++) {
                if (oldKeys[i] != 0) {
                    put(oldKeys[i], oldNumbers[i]);
                }
            }
        }
    }

    /** Who leads to whom, kept in the order of the targets' lists. */
    private static final class Edges {
        private int[] from = new int[1 << 14];
        private int[] to = new int[1 << 14];
        private int size;

        void add(int source, int target) {
            if (size == from.length) {
                from = Arrays.copyOf(from, size * 2);
                to = Arrays.copyOf(to, size * 2);
            }
            from[size] = source;
            to[size++] = target;
        }

        /** The nearest state from which no goal can be reached; -1 if there is none. */
        int firstThatCannotReach(BitSet goals, int states) {
            int[] start = new int[states + 1];
            for (int i = 0; i < size; i++) {
                start[to[i] + 1]++;
            }
            for (int i = 0; i < states; i++) {
                start[i + 1] += start[i];
            }
            int[] sources = new int[size];
            int[] place = Arrays.copyOf(start, states);
            for (int i = 0; i < size; i++) {
                sources[place[to[i]]++] = from[i];
            }
            BitSet reaches = (BitSet) goals.clone();
            int[] todo = new int[states];
            int last = 0;
            for (int goal = goals.nextSetBit(0); goal >= 0; goal = goals.nextSetBit(goal + 1)) {
                todo[last++] = goal;
            }
            for (int first = 0; first < last; first++) {
                int state = todo[first];
                for (int i = start[state]; i < start[state + 1]; i++) {
                    if (!reaches.get(sources[i])) {
                        reaches.set(sources[i]);
                        todo[last++] = sources[i];
                    }
                }
            }
            int stuck = reaches.nextClearBit(0);
            return stuck < states ? stuck : -1;
        }
    }
}
