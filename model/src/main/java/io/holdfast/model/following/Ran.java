package io.holdfast.model.following;

import io.holdfast.internal.wire.Script;
import java.util.List;

/** A call of a script that a server has run, or is about to run. */
public record Ran(Script script, List<String> keys, List<String> args) {
    String key(int number) {
        return keys.get(number);
    }

    String arg(int number) {
        return args.get(number);
    }

    /** The words of an argument. */
    String[] words(int number) {
        return arg(number).split(" ", -1);
    }

    /** As the model counts, whose times are not longer than some weeks. */
    static int millis(String text) {
        long millis = Long.parseLong(text);
        if (millis > Integer.MAX_VALUE / 4) {
            throw new NotFollowed("a time of more than six days");
        }
        return (int) millis;
    }
}
