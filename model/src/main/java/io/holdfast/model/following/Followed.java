package io.holdfast.model.following;

import io.holdfast.internal.wire.Script;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** How many calls were followed, by script, and why others were not. */
public final class Followed {
    private static final class Count {
        private long followed;
        private final Map<String, Long> left = new TreeMap<>();
    }

    private final Map<Script, Count> counts = new EnumMap<>(Script.class);

    void add(Script script) {
        of(script).followed++;
    }

    void left(Script script, String reason) {
        of(script).left.merge(reason, 1L, Long::sum);
    }

    private Count of(Script script) {
        return counts.computeIfAbsent(script, any -> new Count());
    }

    /** Adds what another has counted. */
    public void add(Followed other) {
        other.counts.forEach((script, count) -> {
            of(script).followed += count.followed;
            count.left.forEach((reason, times) -> of(script).left.merge(reason, times, Long::sum));
        });
    }

    /** Calls of a script that were followed. */
    public long followed(Script script) {
        Count count = counts.get(script);
        return count == null ? 0 : count.followed;
    }

    /** Calls of a script that were not. */
    public long left(Script script) {
        Count count = counts.get(script);
        return count == null
                ? 0
                : count.left.values().stream().mapToLong(each -> each).sum();
    }

    /** A line for each script that was called. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        counts.forEach((script, count) -> {
            text.append(String.format(Locale.ROOT, "%-15s %,10d followed", script, count.followed));
            count.left.forEach(
                    (reason, times) -> text.append(String.format(Locale.ROOT, "; %,d not: %s", times, reason)));
            text.append('\n');
        });
        return text.toString();
    }
}
