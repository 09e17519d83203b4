package io.holdfast.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;

/** Writes what a package has beside the command, from the words of the help pages: the manual, and completions for shells. */
final class Documents {
    private static final Pattern SUMMARY = Pattern.compile("  ([a-z]+)  +(\\S.*)");

    private Documents() {}

    /**
     * A command.
     *
     * @param name the word after {@code holdfast}
     * @param summary what the help page of the whole says of it, in a line
     * @param spec its options and its page
     */
    record Command(String name, String summary, CommandSpec spec) {
        /** Whether there may be another command behind it, after {@code --}. */
        boolean runsAnother() {
            return Specs.WITH_COMMAND.contains(name);
        }
    }

    /** All commands, those first that run another. */
    static List<Command> commands() {
        Map<String, String> summaries = new LinkedHashMap<>();
        for (String line : Specs.described("").usageMessage().description()) {
            Matcher summary = SUMMARY.matcher(line);
            if (summary.matches()) {
                // What is told of twice, by name and with a ticket, is known by its name.
                summaries.put(summary.group(1), summary.group(2));
            }
        }
        return Stream.concat(Specs.WITH_COMMAND.stream(), Subcommand.NAMES.stream())
                .map(name -> {
                    String summary = summaries.get(name);
                    if (summary == null) {
                        throw new IllegalStateException("the page of the whole says nothing of " + name);
                    }
                    return new Command(name, summary, Specs.described(name));
                })
                .toList();
    }

    /**
     * Writes them.
     *
     * @param arguments the folder, and the day that the manual is to be of, as in 2026-11-21
     */
    public static void main(String[] arguments) throws IOException {
        write(Path.of(arguments[0]), arguments[1]);
    }

    /** Writes them into folders that are named as those of the system are. */
    static void write(Path folder, String day) throws IOException {
        List<Command> commands = commands();
        String version = Main.versionNumber();
        Path manual = folder.resolve("man/man1");
        write(manual, "holdfast.1", Manual.whole(commands, version, day));
        for (Command each : commands) {
            write(manual, "holdfast-" + each.name() + ".1", Manual.of(each, commands, version, day));
        }
        write(folder.resolve("bash-completion/completions"), "holdfast", Completions.bash(commands));
        write(folder.resolve("zsh/site-functions"), "_holdfast", Completions.zsh(commands));
        write(folder.resolve("fish/vendor_completions.d"), "holdfast.fish", Completions.fish(commands));
    }

    private static void write(Path folder, String name, String text) throws IOException {
        Files.write(Files.createDirectories(folder).resolve(name), text.getBytes(StandardCharsets.UTF_8));
    }
}
