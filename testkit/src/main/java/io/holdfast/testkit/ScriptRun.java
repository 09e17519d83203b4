package io.holdfast.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A call of one of Holdfast's scripts, as the rules of {@link TestHoldfast} look at it.
 *
 * @param name the script's name, without its ending
 * @param keys its keys
 * @param args its arguments; the first is at 0
 */
record ScriptRun(String name, List<String> keys, List<String> args) {
    private static final Pattern FIRST_LINE = Pattern.compile("-- (\\w+)\\.lua: ");

    /** Null if it is something else, or the server does not know the script yet. */
    static @Nullable ScriptRun of(Call call, CommandTable commands) {
        String text = switch (call.option(0)) {
            case "EVAL" -> call.arg(1);
            case "EVALSHA" -> commands.scriptText(call.arg(1));
            default -> null;
        };
        if (text == null) {
            return null;
        }
        Matcher first = FIRST_LINE.matcher(text);
        int keys = (int) call.integer(2);
        return first.lookingAt()
                ? new ScriptRun(
                        first.group(1),
                        call.words().subList(3, 3 + keys),
                        call.words().subList(3 + keys, call.size()))
                : null;
    }

    /** The holds that it looks at. */
    List<HoldState> holds() {
        return keys.stream()
                .filter(key -> isPlain() || key.endsWith("}"))
                .map(this::hold)
                .toList();
    }

    /** A hold, by the key that is named after the lock. */
    HoldState hold(String key) {
        return name.startsWith("line_") ? new LineHold(key) : new TextHold(key, isPlain());
    }

    private boolean isPlain() {
        return name.startsWith("plain_");
    }

    /** The same script with other keys and arguments. */
    static Call with(Call call, List<String> keys, List<String> args) {
        List<String> words = new ArrayList<>(call.words().subList(0, 2));
        words.add(Integer.toString(keys.size()));
        words.addAll(keys);
        words.addAll(args);
        return new Call(call.server(), call.session(), words);
    }
}
