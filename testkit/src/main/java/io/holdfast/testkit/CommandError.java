package io.holdfast.testkit;

/** An error reply of {@link MemoryServer}: its message begins with the code. Thrown by a command before its first write. */
final class CommandError extends RuntimeException {
    private static final long serialVersionUID = 1L;
    static final String WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";

    CommandError(String text) {
        super(text, null, false, false); // without a stack trace: to refuse is an everyday answer
    }

    static CommandError syntax() {
        return new CommandError("ERR syntax error");
    }

    static CommandError notInteger() {
        return new CommandError("ERR value is not an integer or out of range");
    }

    static CommandError invalidExpiry(String command) {
        return new CommandError("ERR invalid expire time in '" + command + "' command");
    }

    String text() {
        return String.valueOf(getMessage());
    }
}
