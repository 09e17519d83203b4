package io.holdfast.cli;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * What {@code holdfast run} was asked to do.
 *
 * @param lock the lock that it needs
 * @param killAfter the time from TERM to KILL after a loss
 * @param holdForChildren whether to hold it until all that descends from the command has ended
 * @param notes whether what the command writes to a file is the note of its lease
 * @param command what to run
 */
record RunRequest(LockRequest lock, Duration killAfter, boolean holdForChildren, boolean notes, List<String> command) {

    private static final Duration LEAD_TERM = Duration.ofSeconds(15);
    private static final Duration USUAL_KILL_AFTER = Duration.ofSeconds(10);
    static final String NOTES = "--notes";
    private static final String SEPARATOR = "--";

    /** Reads the words after {@code run}; null if the help page is wanted. */
    static @Nullable RunRequest parse(String[] arguments) {
        return parse("run", Specs.run(), LockRequest.USUAL_TERM, arguments);
    }

    /** Reads the words after {@code lead}; null if the help page is wanted. */
    static @Nullable RunRequest parseLead(String[] arguments) {
        return parse("lead", Specs.lead(), LEAD_TERM, arguments);
    }

    private static @Nullable RunRequest parse(String name, CommandSpec spec, Duration usualTerm, String[] arguments) {
        int separator = separator(arguments);
        ParseResult given;
        try {
            given = Specs.parse(spec, separator < 0 ? arguments : Arrays.copyOfRange(arguments, 0, separator));
        } catch (UsageException e) {
            String hint = separator < 0 && name.equals("run") ? FlockHabits.hint(spec, arguments) : null;
            throw hint == null ? e : new UsageException(hint);
        }
        if (given.isUsageHelpRequested()) {
            return null;
        }
        if (separator < 0 || separator == arguments.length - 1) {
            throw new UsageException("which command? It goes after --, as in: holdfast " + name + " NAME -- COMMAND");
        }
        List<String> command = List.of(arguments).subList(separator + 1, arguments.length);
        for (String word : command) {
            if (word.indexOf('\uFFFD') >= 0) {
                throw new UsageException("the command cannot be passed on unchanged: '" + word
                        + "' is not valid UTF-8, or LC_ALL does not say UTF-8");
            }
        }
        return new RunRequest(
                LockRequest.of(given, usualTerm),
                LockRequest.span(given, "--kill-after", Duration.ZERO, USUAL_KILL_AFTER),
                given.hasMatchedOption("--hold-for-children"),
                notes(given),
                command);
    }

    private static boolean notes(ParseResult given) {
        boolean wanted = given.hasMatchedOption(NOTES);
        for (String other : List.of(LockRequest.ALSO, Wanted.READ, Wanted.WRITE, Wanted.PERMITS)) {
            if (wanted && given.hasMatchedOption(other)) {
                throw new UsageException(
                        NOTES + " and " + other + " contradict each other: notes stand beside one lock that one holds");
            }
        }
        return wanted;
    }

    /**
     * Begins to connect before the words are parsed, where they look as if they were right. Looks for what the connection
     * needs: the address, whether there must be one, as whom to connect, the prefix, and the holder's name.
     */
    static @Nullable Connecting connectAhead(String[] arguments) {
        int separator = separator(arguments);
        if (separator < 1 || separator == arguments.length - 1) {
            return null;
        }
        List<String> words = List.of(arguments).subList(0, separator);
        if (words.contains("-h") || words.contains("--help")) {
            return null;
        }
        String as = LockRequest.as(valueOf(LockRequest.AS, words));
        String application =
                as != null ? as : CommandName.of(List.of(arguments).subList(separator + 1, arguments.length));
        Connecting connecting = new Connecting(
                Server.chosen(
                        name -> valueOf(name, words),
                        words.contains(Server.REQUIRE),
                        words.contains(Access.PASS_SECRETS)),
                application,
                words.contains("-q") || words.contains("--quiet"));
        connecting.start();
        return connecting;
    }

    private static @Nullable String valueOf(String option, List<String> words) {
        String value = null;
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.equals(option) && i + 1 < words.size()) {
                value = words.get(i + 1);
            } else if (word.startsWith(option + "=")) {
                value = word.substring(option.length() + 1);
            }
        }
        return value;
    }

    private static int separator(String[] arguments) {
        return Arrays.asList(arguments).indexOf(SEPARATOR);
    }
}
