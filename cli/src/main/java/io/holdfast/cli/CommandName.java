package io.holdfast.cli;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What others see as the holder: the base name of what is run. For a script that is given to its interpreter that of the
 * script; for {@code sh -c} that of the first program in its text; behind {@code env}, {@code sudo} and their like that of
 * what they run. Never an argument, which may hold a secret.
 */
final class CommandName {
    private static final int LONGEST = 100;
    private static final int DEEPEST = 5;

    private static final Pattern SHELL = Pattern.compile("-?(sh|bash|dash|ash|zsh|ksh|mksh|busybox)");
    private static final Pattern INTERPRETER =
            Pattern.compile("(python|perl|ruby|php|lua)[0-9.]*|pypy3?|node|nodejs|deno|Rscript|pwsh");
    /** Options of interpreters that have a program for a value, so that there is no script. */
    private static final Set<String> PROGRAM_OPTIONS = Set.of("-c", "-e", "-E", "-p", "-r", "--eval", "--print");
    /** Programs that run another; each with those of its options that have a value as the next word. */
    private static final List<Wrapper> WRAPPERS = List.of(
            new Wrapper("env", Set.of("-u", "--unset", "-C", "--chdir"), 0),
            new Wrapper("sudo", Set.of("-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-r", "-t"), 0),
            new Wrapper("doas", Set.of("-u", "-C"), 0),
            new Wrapper("nice", Set.of("-n", "--adjustment"), 0),
            new Wrapper("ionice", Set.of("-c", "-n", "--class", "--classdata"), 0),
            new Wrapper("timeout", Set.of("-s", "-k", "--signal", "--kill-after"), 1),
            new Wrapper("stdbuf", Set.of("-i", "-o", "-e"), 0),
            new Wrapper("time", Set.of("-f", "-o"), 0),
            new Wrapper("nohup", Set.of(), 0),
            new Wrapper("setsid", Set.of(), 0),
            new Wrapper("chronic", Set.of(), 0));

    private static final Pattern ASSIGNMENT = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*=.*", Pattern.DOTALL);
    /** Words of a shell's text that are no programs. */
    private static final Set<String> BUILT_IN = Set.of(
            ".",
            ":",
            "!",
            "[",
            "[[",
            "alias",
            "bg",
            "cd",
            "command",
            "declare",
            "do",
            "done",
            "echo",
            "elif",
            "else",
            "eval",
            "exec",
            "exit",
            "export",
            "false",
            "fg",
            "fi",
            "hash",
            "if",
            "jobs",
            "kill",
            "local",
            "printf",
            "pwd",
            "read",
            "readonly",
            "return",
            "set",
            "shift",
            "source",
            "test",
            "then",
            "times",
            "trap",
            "true",
            "type",
            "typeset",
            "ulimit",
            "umask",
            "unset",
            "until",
            "wait",
            "while",
            "{",
            "}");

    /** Of these, what comes after them may be a program. */
    private static final Set<String> BEFORE_A_PROGRAM =
            Set.of("!", "command", "do", "elif", "else", "exec", "if", "then", "until", "while", "{");

    /**
     * A program that runs another.
     *
     * @param name its base name
     * @param options those that have a value
     * @param words how many words come before the other
     */
    private record Wrapper(String name, Set<String> options, int words) {}

    private CommandName() {}

    static String of(List<String> command) {
        String name = name(command, 0);
        return name.isEmpty() ? "command" : name.length() > LONGEST ? name.substring(0, LONGEST) : name;
    }

    private static String name(List<String> command, int depth) {
        String first = base(command.get(0));
        if (depth == DEEPEST) {
            return first;
        }
        for (Wrapper each : WRAPPERS) {
            if (each.name().equals(first)) {
                List<String> inner = behind(each, command);
                return inner.isEmpty() ? first : name(inner, depth + 1);
            }
        }
        boolean shell = SHELL.matcher(first).matches();
        if (shell || INTERPRETER.matcher(first).matches()) {
            return script(first, shell, command);
        }
        if (first.equals("java")) {
            int jar = command.indexOf("-jar");
            return jar > 0 && jar + 1 < command.size() ? base(command.get(jar + 1)) : first;
        }
        return first;
    }

    private static List<String> behind(Wrapper wrapper, List<String> command) {
        int words = wrapper.words();
        for (int i = 1; i < command.size(); i++) {
            String word = command.get(i);
            if (wrapper.options().contains(word)) {
                i++;
            } else if (!word.startsWith("-") && !ASSIGNMENT.matcher(word).matches() && words-- == 0) {
                return command.subList(i, command.size());
            }
        }
        return List.of();
    }

    private static String script(String interpreter, boolean shell, List<String> command) {
        for (int i = 1; i < command.size(); i++) {
            String word = command.get(i);
            String next = i + 1 < command.size() ? command.get(i + 1) : "";
            if (!word.startsWith("-") && !word.startsWith("+")) {
                String script = base(word);
                return script.isEmpty() ? interpreter : script;
            }
            if (shell && word.matches("-[a-z]*c[a-z]*")) {
                return program(next, interpreter);
            }
            if (!shell && word.equals("-m") && interpreter.startsWith("py")) {
                return next.isEmpty() ? interpreter : next;
            }
            if (word.equals("-") || word.equals("-s") || (!shell && PROGRAM_OPTIONS.contains(word))) {
                return interpreter;
            }
            i += word.equals("-o") || word.equals("+o") || word.equals("-O") || word.equals("-W") ? 1 : 0;
        }
        return interpreter;
    }

    /**
     * The first program that a shell's text runs. The text is read as far as it is plain; from the first word on that a
     * shell would have to work out, no guess is made.
     */
    private static String program(String text, String shell) {
        int at = 0;
        boolean expected = true; // whether a program may come next
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == ';' || c == '&' || c == '|' || c == '\n') {
                expected = true;
                at++;
            } else if (c == ' ' || c == '\t') {
                at++;
            } else {
                int end = endOfWord(text, at);
                String word = end < 0 ? "" : text.substring(at, end);
                boolean plain = word.matches("[A-Za-z0-9_./@%:=+,~{}!\\[\\]-]+");
                if (expected && !(plain || ASSIGNMENT.matcher(word).matches())) {
                    return shell;
                }
                if (end < 0) {
                    return shell;
                }
                if (expected && !ASSIGNMENT.matcher(word).matches()) {
                    if (!BUILT_IN.contains(word)) {
                        String name = base(word);
                        return word.equals("for") || word.equals("case") || word.equals("function") || name.isEmpty()
                                ? shell
                                : name;
                    }
                    expected = BEFORE_A_PROGRAM.contains(word);
                }
                at = end;
            }
        }
        return shell;
    }

    /** Where a word ends, quotes left out of account; -1 if that takes more than looking at the letters. */
    private static int endOfWord(String text, int from) {
        char quote = 0;
        for (int i = from; i < text.length(); i++) {
            char c = text.charAt(i);
            if (quote == '\'') {
                quote = c == '\'' ? 0 : quote;
            } else if (c == '\\') {
                i++;
            } else if (c == '`' || c == '#' || (c == '$' && text.startsWith("$(", i)) || text.startsWith("<<", i)) {
                return -1;
            } else if (quote == '"') {
                quote = c == '"' ? 0 : quote;
            } else if (c == '(' || c == ')') {
                return -1;
            } else if (c == '\'' || c == '"') {
                quote = c;
            } else if (" \t\n;&|".indexOf(c) >= 0) {
                return i;
            }
        }
        return quote == 0 ? text.length() : -1;
    }

    private static String base(String path) {
        int end = path.length();
        while (end > 0 && path.charAt(end - 1) == '/') {
            end--;
        }
        return path.substring(path.lastIndexOf('/', end - 1) + 1, end);
    }
}
