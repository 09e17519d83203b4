package io.holdfast.internal.wire;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The arguments of one call of a script, put one after the other in the order of its header. */
public final class Arguments {
    private final List<String> words = new ArrayList<>(20);

    Arguments add(String word) {
        words.add(word);
        return this;
    }

    Arguments add(long number) {
        return add(Long.toString(number));
    }

    /** In milliseconds. */
    Arguments add(Duration duration) {
        return add(duration.toMillis());
    }

    /** 1 for yes, 0 for no. */
    Arguments add(boolean yes) {
        return add(yes ? "1" : "0");
    }

    List<String> words() {
        return words;
    }
}
