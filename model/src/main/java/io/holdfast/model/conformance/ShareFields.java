package io.holdfast.model.conformance;

import io.holdfast.model.queue.QueueBounds;
import io.holdfast.model.queue.QueueState;
import java.util.Arrays;
import java.util.List;

/** What {@code share.lua} notes in the details, with groups by number. */
final class ShareFields {
    /** At so many groups those that are idle are forgotten, which are more than a look has. */
    private static final String MANY = "64";

    private String[] times = {"0", "0", "0", "0", MANY};
    private int groups;

    /** Where a request is to enter, as scripts are told it. */
    static String placeOf(QueueBounds.Entry wish) {
        QueueBounds.Share share = wish.share();
        return !share.isNone() ? " S" + share.weight() + ":" + share.group() + " " : wish.newestFirst() ? " N " : " F ";
    }

    /** Adds the fields of a state. */
    static void layOut(QueueState<?> state, List<String> words) {
        if (!state.shares) {
            return;
        }
        long groups = Arrays.stream(state.groupEnds).filter(end -> end > 0).count();
        words.addAll(List.of("@v", state.present + " " + state.latest + " " + state.idle + " " + groups + " " + MANY));
        for (int group = 0; group < state.groupEnds.length; group++) {
            if (state.groupEnds[group] > 0) {
                words.addAll(List.of("@g:" + group, Long.toString(state.groupEnds[group])));
            }
        }
    }

    /** Whether a field is one of these: then it is noted in the state. */
    boolean read(QueueState<?> found, String field, String value) {
        if (field.equals("@v")) {
            times = value.split(" ", -1);
            found.shares = true;
        } else if (field.startsWith("@g:")) {
            found.groupEnds[Integer.parseInt(field.substring(3))] = Long.parseLong(value);
            groups++;
        } else {
            return false;
        }
        return true;
    }

    /** All fields were read. */
    void readAll(QueueState<?> found, List<String> odd) {
        found.present = Long.parseLong(times[0]);
        found.latest = Long.parseLong(times[1]);
        found.idle = Long.parseLong(times[2]);
        if (groups != Integer.parseInt(times[3]) || !times[4].equals(MANY)) {
            odd.add("of " + groups + " groups is known: " + String.join(" ", times));
        }
        found.forgetIdleGroups();
    }
}
