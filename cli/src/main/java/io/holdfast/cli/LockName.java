package io.holdfast.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/** Names of locks as they are typed. */
final class LockName {
    private static final int LONGEST = 1_000;

    private LockName() {}

    /** The first word of a command line that is no option. */
    static String of(ParseResult given) {
        String name = orNull(given);
        if (name == null) {
            throw new UsageException("which lock? NAME is missing");
        }
        return name;
    }

    /** The same where there may be none. */
    static @Nullable String orNull(ParseResult given) {
        String name = given.matchedPositionalValue(0, null);
        if (name == null) {
            return null;
        }
        return checked("NAME", name);
    }

    static String checked(String what, String name) {
        if (name.isEmpty() || name.length() > LONGEST) {
            throw new UsageException(what + " has " + name.length() + " characters, must have 1 to " + LONGEST);
        }
        // What Java could not decode would be another lock here than on a machine with another locale.
        if (name.indexOf('\uFFFD') >= 0) {
            throw new UsageException(what + " '" + name + "' is not valid UTF-8, or LC_ALL does not say UTF-8");
        }
        return name;
    }
}
