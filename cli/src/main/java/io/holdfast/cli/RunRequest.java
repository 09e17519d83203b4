package io.holdfast.cli;

import io.holdfast.LockOptions;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * What {@code holdfast run} was asked to do.
 *
 * @param name the lock
 * @param patience how long to wait for it
 * @param patienceText the same as it was typed, empty if it was not
 * @param term the term of its lease
 * @param atLeast how long it stays taken after it was obtained, whatever becomes of the command
 * @param killAfter the time from TERM to KILL after a loss
 * @param holdForChildren whether to hold it until all that descends from the command has ended
 * @param order where it enters the queue
 * @param priority among whom
 * @param queueLimit how many may wait; 0 for no limit
 * @param metadata what is to stand beside the hold
 * @param busyExit the status if it was not obtained
 * @param server where it is
 * @param quiet whether to keep silent about what is no error
 * @param verbose whether to say more
 * @param command what to run
 */
record RunRequest(
        String name,
        Wait patience,
        String patienceText,
        Duration term,
        Duration atLeast,
        Duration killAfter,
        boolean holdForChildren,
        LockOptions.Order order,
        int priority,
        int queueLimit,
        Map<String, String> metadata,
        int busyExit,
        Server server,
        boolean quiet,
        boolean verbose,
        List<String> command) {

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration SHORTEST_TERM = Duration.ofMillis(100);
    private static final Duration USUAL_TERM = Duration.ofSeconds(30);
    private static final Duration USUAL_KILL_AFTER = Duration.ofSeconds(10);
    private static final int HIGHEST_STATUS = 255;
    private static final int LONGEST_QUEUE = 1_000_000;
    private static final String FOREVER = "forever";
    private static final String SEPARATOR = "--";

    /** Reads the words after {@code run}; null if the help page is wanted. */
    static @Nullable RunRequest parse(String[] arguments) {
        int separator = separator(arguments);
        ParseResult given =
                Specs.parse(Specs.run(), separator < 0 ? arguments : Arrays.copyOfRange(arguments, 0, separator));
        if (given.isUsageHelpRequested()) {
            return null;
        }
        if (separator < 0 || separator == arguments.length - 1) {
            throw new UsageException("which command? It goes after --, as in: holdfast run NAME -- COMMAND");
        }
        List<String> command = List.of(arguments).subList(separator + 1, arguments.length);
        for (String word : command) {
            if (word.indexOf('\uFFFD') >= 0) {
                throw new UsageException("the command cannot be passed on unchanged: '" + word
                        + "' is not valid UTF-8, or LC_ALL does not say UTF-8");
            }
        }
        String wait = given.matchedOptionValue("--wait", null);
        boolean tryOnly = given.hasMatchedOption("--try");
        if (wait != null && tryOnly) {
            throw new UsageException("--wait and --try contradict each other");
        }
        return new RunRequest(
                LockName.of(given),
                tryOnly ? Wait.none() : wait(wait),
                tryOnly || wait == null ? "" : wait,
                span(given, "--term", SHORTEST_TERM, USUAL_TERM),
                span(given, "--at-least", SHORTEST, Duration.ZERO),
                span(given, "--kill-after", Duration.ZERO, USUAL_KILL_AFTER),
                given.hasMatchedOption("--hold-for-children"),
                order(given.matchedOptionValue("--order", null)),
                number(
                        given,
                        "--priority",
                        -LockOptions.HIGHEST_PRIORITY,
                        LockOptions.HIGHEST_PRIORITY,
                        LockOptions.defaults().priority()),
                number(given, "--queue-limit", 1, LONGEST_QUEUE, 0),
                metadata(given),
                number(given, "--busy-exit", 0, HIGHEST_STATUS, ExitStatus.BUSY),
                Server.of(given),
                given.hasMatchedOption("--quiet"),
                given.hasMatchedOption("--verbose"),
                command);
    }

    private static Wait wait(@Nullable String text) {
        return text == null || text.equals(FOREVER)
                ? Wait.forever()
                : Wait.upTo(Span.parse("--wait", text, Duration.ZERO, Span.YEAR, ", or 'forever'"));
    }

    private static Duration span(ParseResult given, String option, Duration least, Duration usual) {
        String text = given.matchedOptionValue(option, null);
        return text == null ? usual : Span.parse(option, text, least, Span.YEAR, "");
    }

    private static int number(ParseResult given, String option, int least, int most, int usual) {
        String text = given.matchedOptionValue(option, null);
        return text == null ? usual : WholeNumber.parse(option, text, least, most);
    }

    private static LockOptions.Order order(@Nullable String text) {
        if (text == null) {
            return LockOptions.Order.FIFO;
        }
        return switch (text) {
            case "fifo" -> LockOptions.Order.FIFO;
            case "lifo" -> LockOptions.Order.LIFO;
            case "random" -> LockOptions.Order.RANDOM;
            default -> throw new UsageException("--order is '" + text + "', must be fifo, lifo or random");
        };
    }

    private static Map<String, String> metadata(ParseResult given) {
        String[] entries = given.matchedOptionValue("--meta", null);
        if (entries == null) {
            return Map.of();
        }
        Map<String, String> metadata = new LinkedHashMap<>();
        for (String entry : entries) {
            int equals = entry.indexOf('=');
            if (equals < 1 || entry.indexOf('\uFFFD') >= 0) {
                throw new UsageException("--meta is '" + entry + "', must be KEY=VALUE in UTF-8, with a key");
            }
            if (metadata.put(entry.substring(0, equals), entry.substring(equals + 1)) != null) {
                throw new UsageException("--meta gives '" + entry.substring(0, equals) + "' twice");
            }
        }
        try {
            LockOptions.defaults().withMetadata(metadata);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--meta: " + e.getMessage());
        }
        return metadata;
    }

    /** How the lock is to be asked for and held. */
    LockOptions options() {
        LockOptions options = LockOptions.defaults().withTerm(term).withShortestHold(atLeast);
        // Each copy is checked as a whole: not made where nothing differs, which is nearly always.
        if (order != LockOptions.Order.FIFO || priority != 0 || queueLimit != 0 || !metadata.isEmpty()) {
            options = options.withOrder(order)
                    .withPriority(priority)
                    .withQueueLimit(queueLimit)
                    .withMetadata(metadata);
        }
        return options;
    }

    /**
     * Begins to connect before the words are parsed, where they look as if they were right. Looks for what the connection
     * needs: the address, whether there must be one, as whom to connect, and the command's name.
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
        String application = CommandName.of(List.of(arguments).subList(separator + 1, arguments.length));
        Connecting connecting = new Connecting(
                Server.chosen(
                        name -> valueOf(name, words),
                        words.contains(Server.REQUIRE),
                        words.contains(Access.PASS_SECRETS)),
                application);
        connecting.start();
        return connecting;
    }

    private static @Nullable String valueOf(String option, List<String> words) {
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).equals(option) && i + 1 < words.size()) {
                return words.get(i + 1);
            } else if (words.get(i).startsWith(option + "=")) {
                return words.get(i).substring(option.length() + 1);
            }
        }
        return null;
    }

    private static int separator(String[] arguments) {
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i].equals(SEPARATOR)) {
                return i;
            }
        }
        return -1;
    }
}
