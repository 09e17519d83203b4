package io.holdfast.cli;

/** What the command ends with when it does not end with its child's status. Those from 64 to 75 are those of sysexits.h. */
final class ExitStatus {
    /**
     * The answer is no, by a command that was understood and did its work: the lock is held ({@code why}), what was to be
     * done was left undone ({@code release}, {@code extend}), a check failed ({@code doctor}).
     */
    static final int NO = 1;

    static final int USAGE = 64;
    static final int UNREACHABLE = 69;
    static final int INTERNAL = 70;
    /** What was asked for could not be written to standard output. */
    static final int NOT_WRITTEN = 74;
    /** The lock was not obtained: "temporary failure", so that mail and job systems try again. */
    static final int BUSY = 75;
    /** The lock was lost while the command ran. */
    static final int LOST = 76;

    /** It was run as often as it may be, and failed each time. */
    static final int GIVEN_UP = 77;

    /** As shells have it. */
    static final int NOT_EXECUTABLE = 126;

    static final int NOT_FOUND = 127;
    /** Added to the number of the signal that ended us or the child. */
    static final int SIGNALLED = 128;

    private ExitStatus() {}
}
