package io.holdfast.cli;

import io.holdfast.HoldfastException;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.spi.DriverException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.ParseResult;

/** Where the command begins. */
final class Main {
    private static final String HINT = "; see holdfast help";

    private Main() {}

    /** Runs, and ends the process with the status. */
    public static void main(String[] arguments) {
        Output output = Output.standard();
        int status = output.status(status(arguments));
        System.err.flush();
        // Not exit: what is to be done at the end has been done, and starting the hooks takes time.
        Runtime.getRuntime().halt(status);
    }

    /** Runs, with every failure as a line and a status. */
    static int status(String[] arguments) {
        // Jedis brings slf4j, which would complain on standard error that there is nothing behind it.
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        // Every option is a text to picocli: it need not look for the classes of the JDK into which it could convert.
        System.setProperty("picocli.converters.excludes", ".*");
        try {
            return dispatch(arguments);
        } catch (UsageException e) {
            Say.line(e.getMessage() + HINT + topic(arguments));
            return ExitStatus.USAGE;
        } catch (ServerUnreachableException | ServerRefusedException | DriverException e) {
            Say.failure(String.valueOf(e.getMessage()), e);
            return ExitStatus.UNREACHABLE;
        } catch (HoldfastException e) {
            Say.failure(String.valueOf(e.getMessage()), e);
            return ExitStatus.INTERNAL;
        } catch (RuntimeException | Error e) {
            Say.failure(
                    "internal error: " + e + (Say.verbose() ? "" : "; run it again with -v and report what it says"),
                    e);
            return ExitStatus.INTERNAL;
        }
    }

    private static String topic(String[] arguments) {
        String first = arguments.length == 0 ? "" : arguments[0];
        return isTopic(first) ? " " + first : "";
    }

    /** Whether there is a page about it. */
    private static boolean isTopic(String word) {
        return Specs.WITH_COMMAND.contains(word) || Subcommand.NAMES.contains(word);
    }

    private static String topics() {
        return String.join(", ", Specs.WITH_COMMAND) + ", " + String.join(", ", Subcommand.NAMES);
    }

    private static int dispatch(String[] arguments) {
        if (arguments.length == 0) {
            throw new UsageException("which command? " + topics() + " or help");
        }
        String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length);
        return switch (arguments[0]) {
            case "run" -> Run.run(rest);
            case "lead" -> Lead.run(rest);
            case "help" -> help(rest);
            case "--help", "-h" -> help(new String[0]);
            case "--version", "-V" -> version();
            case WarmUp.COMMAND -> WarmUp.run(rest);
            case LeaseKeeper.COMMAND -> LeaseKeeper.run(rest);
            default -> subcommand(arguments[0], rest);
        };
    }

    private static int subcommand(String name, String[] arguments) {
        Subcommand command = Subcommand.named(name);
        if (command == null) {
            throw unknown(name.startsWith("-") ? "unknown option" : "unknown command", name);
        }
        ParseResult given = Specs.parse(command.spec(), arguments);
        if (given.isUsageHelpRequested()) {
            return page(name);
        }
        Say.verbosely(given.hasMatchedOption("--verbose"));
        return command.run(given);
    }

    private static int help(String[] arguments) {
        if (arguments.length > 1) {
            throw new UsageException("help takes one word: " + topics());
        }
        String about = arguments.length == 0 ? "" : arguments[0];
        if (!about.isEmpty() && !isTopic(about)) {
            throw unknown("no help about", about);
        }
        return page(about);
    }

    private static UsageException unknown(String what, String word) {
        List<String> known = new ArrayList<>(Subcommand.NAMES);
        known.addAll(Specs.WITH_COMMAND);
        known.addAll(List.of("help", "--help", "--version"));
        return new UsageException(what + " '" + word + "'" + Suggestion.of(word, known));
    }

    static int page(String command) {
        System.out.print(Specs.page(command));
        return 0;
    }

    private static int version() {
        System.out.println("holdfast " + versionNumber());
        return 0;
    }

    /** The version of this build. */
    static String versionNumber() {
        try (InputStream in = Main.class.getResourceAsStream("version")) {
            return in == null ? "unknown" : new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new IllegalStateException("the version cannot be read", e);
        }
    }
}
