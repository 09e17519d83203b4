package io.holdfast.model.conformance;

import io.holdfast.model.queue.QueueBounds;
import io.holdfast.model.queue.QueueState;
import java.util.List;

/** What {@code share.lua} notes in the details, with groups by number. */
final class ShareFields {
    /** At so many groups those that are idle are forgotten, which are more than a look has. */
    private static final String MANY = "64";

    private String[] times = {"0", "0", "0", MANY};
    private int groups;

    /** Where a request is to enter, as scripts are told it. */
    static String placeOf(QueueBounds.Entry wish) {
        QueueBounds.Share share = wish.share();
        return !share.isNone() ? " S" + share.weight() + ":" + share.group() + " " : wish.newestFirst() ? " N " : " F ";
    }

    /** What the details of a waiter end with. */
    static String endOf(QueueBounds.Entry wish) {
        return wish.share().isNone() ? "" : placeOf(wish).stripTrailing();
    }

    /** Adds the fields of a state. */
    static void layOut(QueueState<?> state, List<String> words) {
        if (!state.shares) {
            return;
        }
        int groups = 0;
        for (int group = 0; group < state.groupEnds.length; group++) {
            if (state.groupEnds[group] > 0 || state.groupWaits[group] > 0) {
                String times = state.groupEnds[group] + " " + state.groupGranted[group] + " " + state.groupWaits[group];
                words.addAll(List.of("@g:" + group, times));
                groups++;
            }
        }
        words.addAll(List.of("@v", state.present + " " + state.idle + " " + groups + " " + MANY));
    }

    /** Whether a field is one of these: then it is noted in the state. */
    boolean read(QueueState<?> found, String field, String value) {
        if (field.equals("@v")) {
            times = value.split(" ", -1);
            found.shares = true;
        } else if (field.startsWith("@g:")) {
            int group = Integer.parseInt(field.substring(3));
            String[] words = value.split(" ", -1);
            found.groupEnds[group] = Long.parseLong(words[0]);
            found.groupGranted[group] = Long.parseLong(words[1]);
            found.groupWaits[group] = Integer.parseInt(words[2]);
            groups++;
        } else {
            return false;
        }
        return true;
    }

    /** All fields were read. */
    void readAll(QueueState<?> found, List<String> odd) {
        found.present = Long.parseLong(times[0]);
        found.idle = Long.parseLong(times[1]);
        if (groups != Integer.parseInt(times[2]) || !times[3].equals(MANY)) {
            odd.add("of " + groups + " groups is known: " + String.join(" ", times));
        }
        found.forgetIdleGroups();
    }
}
