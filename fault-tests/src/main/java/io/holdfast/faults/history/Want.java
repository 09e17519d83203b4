package io.holdfast.faults.history;

import java.util.Collection;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a request asks for, and what its hold leaves to others.
 *
 * @param mode in what way
 * @param weight how many permits; 1 in the other modes
 * @param limit how many permits may be out with these; 0 in the other modes
 * @param slots whether the permits have numbers
 * @param group the group that it shares the permits with; empty for none
 */
public record Want(Mode mode, int weight, int limit, boolean slots, String group) {
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
    public static final Want ALONE = new Want(Mode.ALONE, 1, 0, false, "");

    /** What a reader asks for. */
    public static final Want SHARED = new Want(Mode.SHARED, 1, 0, false, "");

    private static final String SHARED_WORD = "shared";
    private static final Pattern PERMITS = Pattern.compile("(\\d+) of (\\d+)( slots)?(?: for (\\w+))?");

    /** So many of so many permits. */
    public static Want permits(int weight, int limit) {
        return new Want(Mode.PERMITS, weight, limit, false, "");
    }

    /** The same, of permits with numbers. */
    public Want withSlots() {
        return new Want(mode, weight, limit, true, group);
    }

    /** The same, for a group. */
    public Want withGroup(String name) {
        return new Want(mode, weight, limit, slots, name);
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
            case PERMITS ->
                weight + " of " + limit + (slots ? " slots" : "") + (group.isEmpty() ? "" : " for " + group);
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
        Matcher parts = PERMITS.matcher(words);
        if (!parts.matches()) {
            throw new IllegalArgumentException("nothing is asked for in these words: " + words);
        }
        return new Want(
                Mode.PERMITS,
                Integer.parseInt(parts.group(1)),
                Integer.parseInt(parts.group(2)),
                parts.group(3) != null,
                Objects.requireNonNullElse(parts.group(4), ""));
    }
}
