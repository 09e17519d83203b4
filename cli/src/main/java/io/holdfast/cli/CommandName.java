package io.holdfast.cli;

import java.util.List;
import java.util.Set;

/**
 * What others see as the holder: the command's base name, or for a script that is given to its interpreter the script's.
 * Never its arguments, which may hold secrets.
 */
final class CommandName {
    private static final int LONGEST = 100;
    private static final Set<String> INTERPRETERS =
            Set.of("sh", "bash", "dash", "zsh", "ksh", "python", "python3", "perl", "ruby", "node");

    private CommandName() {}

    static String of(List<String> command) {
        String name = base(command.get(0));
        if (INTERPRETERS.contains(name) && command.size() > 1) {
            String script = base(command.get(1));
            // "sh -c …" stays sh: what follows is a program, not a name.
            if (!command.get(1).startsWith("-") && !script.isEmpty()) {
                name = script;
            }
        }
        return name.isEmpty() ? "command" : name.length() > LONGEST ? name.substring(0, LONGEST) : name;
    }

    private static String base(String path) {
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        return path.substring(path.lastIndexOf('/', end - 1) + 1, end);
    }
}
