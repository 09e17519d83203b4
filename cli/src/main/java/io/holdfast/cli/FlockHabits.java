package io.holdfast.cli;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** What to write for a command line as {@code flock} has it: the command without {@code --}, its options. */
final class FlockHabits {
    private static final Map<String, String> OPTIONS = options();

    private FlockHabits() {}

    private static Map<String, String> options() {
        Map<String, String> options = new HashMap<>();
        for (String each : new String[] {"-n", "--nonblock", "--nb"}) {
            options.put(each, "--try");
        }
        for (String each : new String[] {"-w", "--wait", "--timeout"}) {
            options.put(each, "--wait, with a unit: --wait 5s");
        }
        for (String each : new String[] {"-s", "--shared"}) {
            options.put(each, "--read; to exclude readers, the other command gives --write");
        }
        for (String each : new String[] {"-x", "-e", "--exclusive"}) {
            options.put(each, "the default of run, or --write where other commands give --read");
        }
        options.put("-E", "--busy-exit");
        options.put("--conflict-exit-code", "--busy-exit");
        options.put("-c", "-- sh -c");
        return options;
    }

    /**
     * For words that have no {@code --}, and were not understood.
     *
     * @return null if this is not the way in which they are wrong
     */
    static @Nullable String hint(CommandSpec spec, String[] words) {
        String name = null;
        boolean options = false;
        for (int i = 0; i < words.length; i++) {
            String word = words[i];
            if (word.startsWith("-") && word.length() > 1) {
                int equals = word.indexOf('=');
                String option = equals < 0 ? word : word.substring(0, equals);
                OptionSpec known = spec.findOption(option);
                if (known == null) {
                    String ours = OPTIONS.get(option);
                    return ours == null ? null : "unknown option '" + option + "': flock's " + option + " is " + ours;
                }
                options = true;
                i += known.arity().max() > 0 && equals < 0 ? 1 : 0;
            } else if (name == null) {
                name = word;
            } else {
                // Neither the values of options nor the command's arguments: both may be secret.
                boolean more = i + 1 < words.length;
                return "the command goes after --: holdfast run " + quoted(name) + (options ? " [OPTIONS]" : "")
                        + " -- " + quoted(word) + (more ? " …" : "");
            }
        }
        return null;
    }

    /** As a shell wants to have it. */
    static String quoted(String word) {
        return word.matches("[A-Za-z0-9_./:=@%+,-]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }
}
