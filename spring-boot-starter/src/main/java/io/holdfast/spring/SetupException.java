package io.holdfast.spring;

import org.jspecify.annotations.Nullable;

/** The application cannot start as it is set up; says what to do about it. */
final class SetupException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final String action;

    SetupException(String description, String action) {
        this(description, action, null);
    }

    SetupException(String description, String action, @Nullable Throwable cause) {
        super(description + ". " + action, cause);
        this.action = action;
    }

    String description() {
        String message = String.valueOf(getMessage());
        return message.substring(0, message.length() - action.length() - 1);
    }

    String action() {
        return action;
    }
}
