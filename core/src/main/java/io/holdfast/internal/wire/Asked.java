package io.holdfast.internal.wire;

import io.holdfast.LockMode;

/**
 * What a request asks for: to have something alone, beside others, or so many permits of it.
 *
 * @param weight how many permits; 1 in the other modes
 * @param limit how many permits may be out with these; 0 in the other modes
 * @param slots whether the hold is to have as many slots
 */
public record Asked(LockMode mode, int weight, int limit, boolean slots) {
    private static final String SLOTS = "s";

    /** What every request for an exclusive lock asks for, and every writer. */
    public static final Asked ALONE = new Asked(LockMode.EXCLUSIVE, 1, 0, false);

    public static final Asked SHARED = new Asked(LockMode.SHARED, 1, 0, false);

    /** So many of so many permits. */
    public static Asked permits(int weight, int limit) {
        return new Asked(LockMode.PERMITS, weight, limit, false);
    }

    /** The same, with as many slots. */
    public Asked withSlots() {
        return new Asked(mode, weight, limit, true);
    }

    /** As it stands in the details of a waiter. */
    public String words() {
        return letter() + ":" + weight + ":" + limit + (slots ? SLOTS : "");
    }

    /** The same, read. */
    public static Asked of(String words) {
        String[] parts = words.split(":", 3);
        boolean slots = parts[2].endsWith(SLOTS);
        String limit = slots ? parts[2].substring(0, parts[2].length() - 1) : parts[2];
        return new Asked(modeOf(parts[0]), Integer.parseInt(parts[1]), Integer.parseInt(limit), slots);
    }

    private String letter() {
        return switch (mode) {
            case EXCLUSIVE -> "W";
            case SHARED -> "R";
            case PERMITS -> "P";
        };
    }

    /** By the letter that scripts use, which have one more: a writer that goes on as a reader. */
    static LockMode modeOf(String letter) {
        return switch (letter) {
            case "P" -> LockMode.PERMITS;
            case "R", "D" -> LockMode.SHARED;
            default -> LockMode.EXCLUSIVE;
        };
    }
}
