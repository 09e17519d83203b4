package io.holdfast.internal.deadlock;

import io.holdfast.internal.deadlock.Deadlocks.Keeps;
import io.holdfast.internal.deadlock.Deadlocks.Standing;
import io.holdfast.internal.deadlock.Deadlocks.Wants;
import io.holdfast.internal.wire.Asked;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a client writes down of its flows of control that stand still. A text of lines:
 *
 * <pre>
 * 1 run number                                     the format; which writing this is
 * f id label                                       a flow; what it waits for and has follows
 * w owner what first willing number key            it waits, with this owner, for the lock with this key
 * h owner token number key                         it has a lease of the hold with this owner and token
 * </pre>
 *
 * <p>A writing has the number of the one before and one more if that was answered, and otherwise belongs to a new run. So what stands in
 * number n + 2 was looked at after number n + 1 had been written.
 */
record WaitRecord(long run, long number, List<Flow> flows) {
    /** A flow of control, with the label by which people know it. */
    record Flow(String id, String label, Standing standing) {}

    static final WaitRecord NONE = new WaitRecord(0, 0, List.of());

    private static final String FORMAT = "1";
    private static final int MOST_LINES = 1_000;

    /** Whether it was looked at after {@code before} had been read. */
    boolean isAfter(WaitRecord before) {
        return run == before.run && number >= before.number + 2;
    }

    String text() {
        StringBuilder text = new StringBuilder();
        text.append(FORMAT).append(' ').append(run).append(' ').append(number);
        int lines = 1;
        for (Flow flow : flows) {
            lines += 1 + flow.standing.wants().size() + flow.standing.keeps().size();
            if (lines > MOST_LINES) {
                break; // of half a flow nothing could be said
            }
            text.append("\nf ").append(encode(flow.id)).append(' ').append(flow.label);
            for (Wants wants : flow.standing.wants()) {
                text.append("\nw ").append(wants.owner()).append(' ');
                text.append(wants.what().words()).append(' ');
                text.append(wants.first() ? 1 : 0).append(' ');
                text.append(wants.willing() ? 1 : 0).append(' ');
                text.append(wants.number()).append(' ').append(wants.lock());
            }
            for (Keeps keeps : flow.standing.keeps()) {
                text.append("\nh ").append(keeps.owner()).append(' ').append(keeps.token());
                text.append(' ').append(keeps.number()).append(' ').append(keeps.lock());
            }
        }
        return text.toString();
    }

    /** What is not written in this format, or not at all, says nothing. */
    static WaitRecord read(@Nullable String text) {
        if (text == null) {
            return NONE;
        }
        try {
            String[] lines = text.split("\n", -1);
            String[] head = lines[0].split(" ", -1);
            if (head.length != 3 || !head[0].equals(FORMAT)) {
                return NONE;
            }
            List<Flow> flows = new ArrayList<>();
            Set<Wants> wants = Set.of();
            Set<Keeps> keeps = Set.of();
            for (int i = 1; i < lines.length; i++) {
                String line = lines[i];
                if (line.startsWith("f ")) {
                    String[] words = line.split(" ", 3);
                    wants = new LinkedHashSet<>();
                    keeps = new LinkedHashSet<>();
                    flows.add(new Flow(decode(words[1]), words[2], new Standing(wants, keeps)));
                } else if (line.startsWith("w ")) {
                    String[] words = line.split(" ", 7);
                    wants.add(new Wants(
                            words[1],
                            words[6],
                            Asked.of(words[2]),
                            words[3].equals("1"),
                            words[4].equals("1"),
                            Long.parseLong(words[5])));
                } else if (line.startsWith("h ")) {
                    String[] words = line.split(" ", 5);
                    keeps.add(new Keeps(words[1], Long.parseLong(words[2]), words[4], Long.parseLong(words[3])));
                }
            }
            return new WaitRecord(Long.parseLong(head[1]), Long.parseLong(head[2]), List.copyOf(flows));
        } catch (IllegalArgumentException | IndexOutOfBoundsException | UnsupportedOperationException e) {
            return NONE;
        }
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
