package io.holdfast.model.line;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/** When the holds of a line end, as one script knows it. */
final class Ends {
    /** So many holds are read at once, in the order in which they are kept: of more, grants have no places of their own. */
    private static final int READ_AT_ONCE = 5;

    /** A time that never comes. */
    static final long NEVER = Long.MAX_VALUE;

    private final LineState state;
    private final int tick; // in ms
    private int begunRest = LineState.NOBODY;
    private boolean known;
    private int grants;
    /** Of grants, among those that end together. */
    private final int[] place;

    /** @param tick how many ms a tick has */
    Ends(LineState state, int tick) {
        this.state = state;
        this.tick = tick;
        this.place = new int[state.owners()];
    }

    /** From here on grants of the script take their places behind others that end together with them. */
    void read() {
        known = true;
    }

    void readAnew() {
        known = false;
        Arrays.fill(place, 0);
    }

    void grant(int owner) {
        place[owner] = known ? ++grants : 0;
    }

    /** A rest that counts from now lasts for a part of a ms longer. */
    void begunRest(int owner) {
        begunRest = owner;
    }

    long millis(int owner) {
        return (long) state.left[owner] * tick + (owner == begunRest ? 1 : 0);
    }

    /** Owners, those first that end first. */
    int[] inOrder() {
        boolean few = state.countHolders() < READ_AT_ONCE;
        return IntStream.of(state.holders())
                .boxed()
                .sorted(Comparator.comparingLong(this::millis)
                        .thenComparing(owner -> few ? place[owner] : 0)) // else in their order
                .mapToInt(owner -> owner)
                .toArray();
    }

    /** In how many ms so many permits are back that these fit beside those that are out, if nobody renews. */
    long roomFor(int weight, int limit) {
        long at = NEVER;
        if (weight > limit) {
            return at;
        }
        int out = state.used;
        for (int owner : inOrder()) {
            if (at != NEVER && out + weight <= limit) {
                break;
            }
            at = millis(owner);
            out -= state.weight[owner];
        }
        return at;
    }
}
