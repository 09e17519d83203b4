package io.holdfast.faults.history;

/**
 * A promise that was not kept.
 *
 * @param check the name of the check that found it
 * @param what what was found
 */
public record Violation(String check, String what) {
    @Override
    public String toString() {
        return check + ": " + what;
    }
}
