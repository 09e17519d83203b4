package io.holdfast.faults.history;

import java.util.Collection;

/**
 * What a request asks for, and what its hold leaves to others.
 *
 * @param mode in what way
 * @param weight how many permits; 1 in the other modes
 * @param limit how many permits may be out with these; 0 in the other modes
 */
public record Want(Mode mode, int weight, int limit) {
    /** In what way something is held. */
    public enum Mode {
        /** By nobody else: an exclusive lock, and writing. */
        ALONE,
        /** Beside others that ask for the same: reading. */
        SHARED,
        /** Beside others, as long as there is enough for all. */
        PERMITS
    }

    /** What an exclusive lock is asked for, and what a writer asks for. */
    public static final Want ALONE = new Want(Mode.ALONE, 1, 0);

    /** What a reader asks for. */
    public static final Want SHARED = new Want(Mode.SHARED, 1, 0);

    private static final String SHARED_WORD = "shared";
    private static final String OF = " of ";

    /** So many of so many permits. */
    public static Want permits(int weight, int limit) {
        return new Want(Mode.PERMITS, weight, limit);
    }

    /** Whether it may be held together with all of these. */
    public boolean fits(Collection<Want> held) {
        return switch (mode) {
            case ALONE -> held.isEmpty();
            case SHARED -> held.stream().noneMatch(each -> each.mode() == Mode.ALONE);
            case PERMITS -> weight + held.stream().mapToInt(Want::weight).sum() <= limit;
        };
    }

    /** For a history; empty for what every exclusive lock is asked for. */
    public String words() {
        return switch (mode) {
            case ALONE -> "";
            case SHARED -> SHARED_WORD;
            case PERMITS -> weight + OF + limit;
        };
    }

    /** The same, read. */
    public static Want of(String words) {
        if (words.isEmpty()) {
            return ALONE;
        }
        if (words.equals(SHARED_WORD)) {
            return SHARED;
        }
        String[] parts = words.split(OF, 2);
        return permits(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    }
}
