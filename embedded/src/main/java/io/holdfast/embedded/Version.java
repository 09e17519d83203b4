package io.holdfast.embedded;

import org.jspecify.annotations.Nullable;

/** The version of a server program, such as 7.0.15. */
record Version(int major, int minor, int patch) implements Comparable<Version> {

    /**
     * Finds the version in what a program prints when asked for it, such as {@code Redis server v=7.0.15 sha=…}; null if
     * it says nothing of the kind.
     */
    static @Nullable Version find(String output) {
        int at = output.startsWith("v=") ? 0 : output.indexOf(" v=") + 1;
        if (!output.startsWith("v=", at)) {
            return null;
        }
        int[] parts = new int[3];
        int next = at + 2;
        for (int part = 0; part < 3; part++) {
            int from = next;
            // Six digits are enough for everybody and too few for an overflow.
            while (next < output.length() && next - from < 6 && Character.digit(output.charAt(next), 10) >= 0) {
                parts[part] = 10 * parts[part] + Character.digit(output.charAt(next), 10);
                next++;
            }
            if (next == from) {
                return null;
            }
            if (part < 2) {
                if (next >= output.length() || output.charAt(next) != '.') {
                    return null;
                }
                next++;
            }
        }
        return new Version(parts[0], parts[1], parts[2]);
    }

    @Override
    public int compareTo(Version other) {
        int order = Integer.compare(major, other.major);
        if (order == 0) {
            order = Integer.compare(minor, other.minor);
        }
        return order == 0 ? Integer.compare(patch, other.patch) : order;
    }

    @Override
    public String toString() {
        return major + "." + minor + "." + patch;
    }
}
