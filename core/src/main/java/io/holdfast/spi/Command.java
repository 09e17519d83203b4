package io.holdfast.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One command: its words, the name first, as UTF-8 text, and a key that says where it belongs.
 *
 * @param key one of the command's keys, by which a driver with several servers finds the right one; null where any
 *     server will do
 * @param words the command name and its arguments; at least one
 */
public record Command(@Nullable String key, List<String> words) {

    /** Copies the words. */
    public Command {
        words = List.copyOf(words);
        if (words.isEmpty()) {
            throw new IllegalArgumentException("words must not be empty");
        }
    }

    /** A command without a key. */
    public static Command of(String... words) {
        return new Command(null, List.of(words));
    }

    /** The command's name, as written. */
    public String name() {
        return words.get(0);
    }

    /** The command's name and the number of its arguments: arguments can hold secrets. */
    @Override
    public String toString() {
        return name() + " (" + (words.size() - 1) + " arguments)";
    }
}
