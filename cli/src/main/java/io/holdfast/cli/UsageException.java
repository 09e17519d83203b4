package io.holdfast.cli;

/** The command line cannot be understood. The message names what is wrong and the rule; the command ends with 64. */
final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message, null, false, false);
    }
}
