package io.holdfast.cli;

/** Names of locks as they are typed. */
final class LockName {
    private static final int LONGEST = 1_000;

    private LockName() {}

    /** The name, if it is one. */
    static String check(String name) {
        if (name.isEmpty() || name.length() > LONGEST) {
            throw new UsageException("NAME has " + name.length() + " characters, must have 1 to " + LONGEST);
        }
        // What Java could not decode would be another lock here than on a machine with another locale.
        if (name.indexOf('\uFFFD') >= 0) {
            throw new UsageException("NAME '" + name + "' is not valid UTF-8, or LC_ALL does not say UTF-8");
        }
        return name;
    }
}
