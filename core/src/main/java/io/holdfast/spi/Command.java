package io.holdfast.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One command: its words as UTF-8 text, the name first, and a key that determines the server.
 *
 * @param key one of the command's keys, by which a driver with several servers finds the right one; null if any server
 *     will do
 * @param words the command name and its arguments; at least one
 */
public record Command(@Nullable String key, List<String> words) {

    /** Validates and copies the words. */
    public Command {
        words = List.copyOf(words);
        if (words.isEmpty()) {
            throw new IllegalArgumentException("words must not be empty");
        }
    }

    /** Returns a command without a key. */
    public static Command of(String... words) {
        return new Command(null, List.of(words));
    }

    /** Returns the command's name, as written. */
    public String name() {
        return words.get(0);
    }

    /** Returns the command's name and the number of its arguments, without the arguments, which can contain secrets. */
    @Override
    public String toString() {
        return name() + " (" + (words.size() - 1) + " arguments)";
    }
}
