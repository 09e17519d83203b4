package io.holdfast.cli;

import io.holdfast.HoldfastException;
import io.holdfast.ServerRefusedException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.spi.DriverException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import picocli.CommandLine.ParseResult;

/** Where the command begins. */
final class Main {
    private static final String HINT = "; see holdfast help";

    private Main() {}

    /** Runs, and ends the process with the status. */
    public static void main(String[] arguments) {
        int status = status(arguments);
        System.out.flush();
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
        return first.equals("run") || first.equals("ls") || first.equals("info") ? " " + first : "";
    }

    private static int dispatch(String[] arguments) {
        if (arguments.length == 0) {
            throw new UsageException("which command? run, ls, info or help");
        }
        String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length);
        return switch (arguments[0]) {
            case "run" -> Run.run(rest);
            case "ls" -> ls(rest);
            case "info" -> info(rest);
            case "help" -> help(rest);
            case "--help", "-h" -> help(new String[0]);
            case "--version", "-V" -> version();
            case WarmUp.COMMAND -> WarmUp.run(rest);
            default ->
                throw new UsageException(
                        (arguments[0].startsWith("-") ? "unknown option '" : "unknown command '") + arguments[0] + "'");
        };
    }

    private static int ls(String[] arguments) {
        ParseResult given = Specs.parse(Specs.ls(), arguments);
        if (given.isUsageHelpRequested()) {
            return page("ls");
        }
        Say.verbosely(given.hasMatchedOption("--verbose"));
        return Listing.all(Server.chosen(given.matchedOptionValue("--url", null)));
    }

    private static int info(String[] arguments) {
        ParseResult given = Specs.parse(Specs.info(), arguments);
        if (given.isUsageHelpRequested()) {
            return page("info");
        }
        Say.verbosely(given.hasMatchedOption("--verbose"));
        return Listing.one(Server.chosen(given.matchedOptionValue("--url", null)), LockName.of(given));
    }

    private static int help(String[] arguments) {
        if (arguments.length > 1) {
            throw new UsageException("help takes one word: run, ls or info");
        }
        String about = arguments.length == 0 ? "" : arguments[0];
        return switch (about) {
            case "run", "ls", "info", "" -> page(about);
            default -> throw new UsageException("no help about '" + about + "'");
        };
    }

    static int page(String command) {
        System.out.print(Specs.page(command));
        return 0;
    }

    private static int version() {
        try (InputStream in = Main.class.getResourceAsStream("version")) {
            String version = in == null ? "unknown" : new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
            System.out.println("holdfast " + version);
            return 0;
        } catch (IOException e) {
            throw new IllegalStateException("the version cannot be read", e);
        }
    }
}
