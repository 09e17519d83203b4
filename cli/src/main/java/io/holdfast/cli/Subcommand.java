package io.holdfast.cli;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** One word after {@code holdfast}, apart from run and help: what it understands, its page, and what it does. */
interface Subcommand {
    /** All words that {@link #named} knows, in the order of the help page. */
    List<String> NAMES = List.of(
            "acquire",
            "check",
            "ls",
            "info",
            "why",
            "queue",
            "top",
            "clients",
            "dashboard",
            "release",
            "extend",
            "limit",
            "unlimit",
            "pause",
            "resume",
            "clear",
            "doctor",
            "demo");

    /** The command line as it is to be understood, with all that its page says. */
    CommandSpec spec();

    /**
     * Does it.
     *
     * @return the status to end with
     * @throws UsageException if words contradict each other
     */
    int run(ParseResult given);

    /** The one with this name; null if there is none. */
    static @Nullable Subcommand named(String name) {
        return switch (name) {
            case "acquire" -> new Acquire();
            case "check" -> new Check();
            case "ls" -> new Ls();
            case "info" -> new Info();
            case "why" -> new Why();
            case "queue" -> new Queue();
            case "top" -> new Top();
            case "clients" -> new Clients();
            case "dashboard" -> new ShowDashboard();
            case "release" -> new Release();
            case "extend" -> new Extend();
            case "limit" -> new Limit();
            case "unlimit" -> new Unlimit();
            case "pause" -> new Pause();
            case "resume" -> new Resume();
            case "clear" -> new Clear();
            case "doctor" -> new Doctor();
            case "demo" -> new Demo();
            default -> null;
        };
    }
}
