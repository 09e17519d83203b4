package io.holdfast.spring;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The application cannot start as it is set up; says what to do about it. */
final class SetupException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private static final String CORRECT = "Correct it; docs/defaults.md has the bounds of all options";
    private static final Pattern OPTION =
            Pattern.compile("(?:(holdfast\\.\\S.*?): )?(\\p{Alpha}+)( (?:is|has) .*)", Pattern.DOTALL);

    private final String action;

    SetupException(String description, String action) {
        this(description, action, null);
    }

    SetupException(String description, String action, @Nullable Throwable cause) {
        super(description + ". " + action, cause);
        this.action = action;
    }

    /** A value that the library refuses, in words that begin with the name of the option, or with a property and that. */
    static SetupException ofProperty(IllegalArgumentException e) {
        Matcher words = OPTION.matcher(String.valueOf(e.getMessage()));
        if (!words.matches()) {
            return new SetupException("A property below holdfast is wrong: " + e.getMessage(), CORRECT, e);
        }
        String below = words.group(1) == null ? "holdfast" : words.group(1);
        String option = words.group(2).replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        return new SetupException(below + "." + option + words.group(3), CORRECT, e);
    }

    String description() {
        String message = String.valueOf(getMessage());
        return message.substring(0, message.length() - action.length() - 1);
    }

    String action() {
        return action;
    }
}
