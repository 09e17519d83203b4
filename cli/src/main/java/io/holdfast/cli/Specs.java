package io.holdfast.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * The command lines as picocli is to see them. Put together by hand and not from annotations, and each only when it is
 * needed: reading annotations would take longer than all the rest of the start.
 */
final class Specs {
    /** Longer lines are hard to read, however wide the terminal is; in narrower ones nothing fits beside the options. */
    private static final int WIDEST = 100;

    private static final int NARROWEST = 55;
    /** What takes a command after {@code --}. */
    static final List<String> WITH_COMMAND = List.of("run", "lead");

    private static final String USAGE = "Usage: ";

    /** What begins so on a page is a command line: it stays whole, so that it can be copied. */
    private static final String COMMAND_LINE = "    ";

    private static final String ANY_NAME = ": 1 to 1,000 characters, any of them.";
    private static final String LOCK_NAME = "The lock" + ANY_NAME;
    private static final String RUN_NAME =
            "Name of the lock; with --read or --write of the read/write lock, with --permits of the"
                    + " semaphore, with --once of the work"
                    + ANY_NAME;
    private static final String ELECTION_NAME = "The election" + ANY_NAME;

    /** picocli's own would look for Groovy in every jar, even where there is nothing to make. */
    private static final CommandLine.IFactory PLAIN = new CommandLine.IFactory() {
        @Override
        public <K> K create(Class<K> type) throws Exception {
            return type.getDeclaredConstructor().newInstance();
        }
    };

    private Specs() {}

    /** {@code run}, as far as {@code --}: what follows is the child's and is not looked at. */
    static CommandSpec run() {
        CommandSpec spec = create().name("holdfast run")
                .addOption(values(LockRequest.ALSO, "NAME"))
                .addOption(flag(new String[] {Wanted.READ}))
                .addOption(flag(new String[] {Wanted.WRITE}))
                .addOption(value(Wanted.PERMITS, "K/N"))
                .addOption(flag(new String[] {OnceWish.ONCE}))
                .addOption(value(OnceWish.PER, "PERIOD"))
                .addOption(value(OnceWish.KEEP, "TIME"))
                .addOption(value(OnceWish.TRIES, "N"))
                .addOption(value("--wait", "TIME"))
                .addOption(flag(new String[] {"--try"}))
                .addOption(value("--lease", "TIME"))
                .addOption(value("--min-hold", "TIME"))
                .addOption(value(LockRequest.LOCK_DELAY, "TIME"))
                .addOption(value("--kill-after", "TIME"))
                .addOption(flag(new String[] {"--hold-for-children"}))
                .addOption(flag(new String[] {RunRequest.NOTES}))
                .addOption(value("--order", "ORDER"))
                .addOption(value("--priority", "N"))
                .addOption(value("--group", "NAME"))
                .addOption(value("--group-weight", "N"))
                .addOption(value("--queue-limit", "N"))
                .addOption(values("--meta", "KEY=VALUE"))
                .addOption(value("--busy-exit", "N"))
                .addOption(value(LockRequest.AS, "NAME"))
                .addOption(value("--url", "URL"))
                .addOption(value(Server.PREFIX, "PREFIX"))
                .addOption(flag(new String[] {Server.REQUIRE}))
                .addOption(flag(new String[] {Access.PASS_SECRETS}))
                .addOption(flag(new String[] {"-q", "--quiet"}))
                .addOption(flag(new String[] {"-v", "--verbose"}))
                .addOption(help())
                .addPositional(name());
        Access.OPTIONS.forEach((name, words) -> spec.addOption(value(name, words[0])));
        return spec;
    }

    /** {@code lead}, as far as {@code --}. */
    static CommandSpec lead() {
        CommandSpec spec = create().name("holdfast lead");
        for (OptionSpec each : run().options()) {
            if (Pages.LEAD_OPTIONS.containsKey(each.longestName())) {
                spec.addOption(each);
            }
        }
        return spec.addPositional(name());
    }

    /** The beginning of another command: its name, how it is written, what it does, and its statuses. */
    static CommandSpec command(String name, String synopsis, String description, Map<String, String> statuses) {
        CommandSpec spec = create().name("holdfast " + name);
        spec.usageMessage()
                .customSynopsis(synopsis)
                .description("", description, "")
                .exitCodeList(statuses);
        return spec;
    }

    /** The options that every command has but run, to be added last. */
    static CommandSpec withCommon(CommandSpec spec) {
        spec.addOption(flag("Print one JSON document; docs/guide/command-line.md lists its fields.", "--json"))
                .addOption(value(
                        "--url",
                        "URL",
                        "Address of the server; by default from HOLDFAST_URL, else 'local': this user's server on this"
                                + " machine."))
                .addOption(value(
                        Server.PREFIX,
                        "PREFIX",
                        "Prefix of the server's keys, as the applications that use the locks give it to withPrefix; by"
                                + " default from HOLDFAST_PREFIX."));
        Access.OPTIONS.forEach((name, words) -> spec.addOption(value(name, words[0], words[1])));
        return spec.addOption(flag(
                        "Fail if no server's address is given. HOLDFAST_REQUIRE_SERVER=1 does the same.",
                        Server.REQUIRE))
                .addOption(flag("Say more about errors.", "-v", "--verbose"))
                .addOption(OptionSpec.builder(help())
                        .description("Show this page.")
                        .build());
    }

    /** Ends the page with examples, a line each. */
    static void examples(CommandSpec spec, String... lines) {
        String[] footer = new String[lines.length + 2];
        footer[0] = "";
        footer[1] = "Examples:";
        System.arraycopy(lines, 0, footer, 2, lines.length);
        spec.usageMessage().footer(footer);
    }

    /** An option without a value. */
    static OptionSpec flag(String description, String[] names) {
        return OptionSpec.builder(flag(names)).description(description).build();
    }

    /** The same with one name. */
    static OptionSpec flag(String description, String name) {
        return flag(description, new String[] {name});
    }

    private static OptionSpec flag(String description, String name, String other) {
        return flag(description, new String[] {name, other});
    }

    /** An option with a value. */
    static OptionSpec value(String name, String label, String description) {
        return OptionSpec.builder(value(name, label)).description(description).build();
    }

    /** An option of {@code run}, with its words. */
    static OptionSpec ofRun(String longestName) {
        String words = Pages.RUN_OPTIONS.get(longestName);
        for (OptionSpec each : run().options()) {
            if (each.longestName().equals(longestName) && words != null) {
                return OptionSpec.builder(each).description(words).build();
            }
        }
        throw new IllegalStateException("run has no " + longestName);
    }

    /** A lock's name. */
    static PositionalParamSpec lockName() {
        return name(true, LOCK_NAME);
    }

    /** A semaphore's. */
    static PositionalParamSpec semaphoreName() {
        return name(true, "The semaphore" + ANY_NAME);
    }

    /** That of a lock, or of what {@code --kind} says. */
    static PositionalParamSpec nameOfAKind(boolean needed) {
        return name(needed, "Name of the lock, or of the kind that --kind gives" + ANY_NAME);
    }

    private static PositionalParamSpec name(boolean needed, String description) {
        return PositionalParamSpec.builder(name())
                .arity(needed ? "1" : "0..1")
                .description(description)
                .build();
    }

    /** Another word that is no option. */
    static PositionalParamSpec word(int index, String label, String description) {
        return PositionalParamSpec.builder()
                .index(Integer.toString(index))
                .arity("1")
                .type(String.class)
                .paramLabel(label)
                .description(description)
                .build();
    }

    private static CommandSpec create() {
        return CommandSpec.wrapWithoutInspection(null, PLAIN);
    }

    private static OptionSpec flag(String[] names) {
        return OptionSpec.builder(names).arity("0").type(boolean.class).build();
    }

    // A text always, read by us: picocli's conversions cost time at the start, and our words for what is wrong are
    // better.
    private static OptionSpec value(String name, String label) {
        return OptionSpec.builder(name)
                .arity("1")
                .type(String.class)
                .paramLabel(label)
                .build();
    }

    /** The same, for an option that may be given more than once. */
    private static OptionSpec values(String name, String label) {
        return OptionSpec.builder(name)
                .arity("1")
                .type(String[].class)
                .auxiliaryTypes(String.class)
                .paramLabel(label)
                .build();
    }

    private static OptionSpec help() {
        return OptionSpec.builder("-h", "--help")
                .arity("0")
                .type(boolean.class)
                .usageHelp(true)
                .build();
    }

    private static PositionalParamSpec name() {
        return PositionalParamSpec.builder()
                .index("0")
                .arity("1")
                .type(String.class)
                .paramLabel("NAME")
                .build();
    }

    /** Parses, with errors as ours. */
    static ParseResult parse(CommandSpec spec, String[] arguments) {
        try {
            return new CommandLine(spec, PLAIN).parseArgs(arguments);
        } catch (ParameterException e) {
            throw new UsageException(e.getMessage() + suggestion(spec, e));
        }
    }

    private static String suggestion(CommandSpec spec, ParameterException e) {
        if (e instanceof CommandLine.UnmatchedArgumentException unmatched) {
            String word = unmatched.getUnmatched().get(0);
            return word.startsWith("--") ? Suggestion.of(word, spec.optionsMap().keySet()) : "";
        }
        return "";
    }

    /** The page that {@code --help} prints; that of the whole command for no name. */
    static String page(String command) {
        return page(command, Terminal.columns());
    }

    /** The same for so many columns. */
    static String page(String command, int columns) {
        CommandSpec spec = described(command);
        return text(spec, spec.usageMessage(), Math.max(NARROWEST, Math.min(WIDEST, columns)));
    }

    /** A command with all that its page says; the whole command for no name. */
    static CommandSpec described(String command) {
        Subcommand named = Subcommand.named(command);
        CommandSpec spec = named != null
                ? named.spec()
                : switch (command) {
                    case "run" -> run();
                    case "lead" -> lead();
                    default -> create().name("holdfast");
                };
        UsageMessageSpec page = spec.usageMessage();
        if (command.equals("run")) {
            Pages.run(page);
            words(spec, Pages.RUN_OPTIONS, RUN_NAME);
        } else if (command.equals("lead")) {
            Pages.lead(page);
            words(spec, Pages.LEAD_OPTIONS, ELECTION_NAME);
        } else if (named == null) {
            Pages.root(page);
        }
        return spec;
    }

    // Not by picocli, which breaks command lines, and at some widths words.
    private static String text(CommandSpec spec, UsageMessageSpec page, int width) {
        StringBuilder text = new StringBuilder();
        String heading = USAGE;
        for (String synopsis : page.customSynopsis()) {
            add(text, Columns.wrapped(heading + synopsis, width, heading.isEmpty() ? 2 : USAGE.length() + 2));
            heading = "";
        }
        for (String paragraph : page.description()) {
            add(text, Columns.wrapped(paragraph, width, 0));
        }
        Table words = new Table();
        spec.positionalParameters().forEach(each -> words.add("  " + each.paramLabel(), each.description()[0]));
        if (!spec.positionalParameters().isEmpty()) {
            text.append(words.text(width)).append('\n');
        }
        if (!spec.options().isEmpty()) {
            Table options = new Table();
            spec.options().forEach(each -> options.add(names(each), each.description()[0]));
            text.append("Options:\n").append(options.text(width));
        }
        if (!page.exitCodeList().isEmpty()) {
            Table statuses = new Table();
            page.exitCodeList().forEach((status, meaning) -> statuses.add("  " + status, meaning));
            text.append("\nExit status:\n").append(statuses.text(width));
        }
        for (String each : page.footer()) {
            add(text, each.startsWith(COMMAND_LINE) ? List.of(each) : Columns.wrapped(each, width, 0));
        }
        return text.toString();
    }

    /** {@code -q, --quiet} or {@code     --url=URL}. */
    private static String names(OptionSpec option) {
        String shortest = option.shortestName();
        return (shortest.startsWith("--") ? "      " : "  " + shortest + ", ")
                + option.longestName()
                + (option.arity().max() > 0 ? "=" + option.paramLabel() : "");
    }

    private static void add(StringBuilder text, List<String> lines) {
        lines.forEach(line -> text.append(line).append('\n'));
    }

    /** Replaces each option by one that has its description, and the name. */
    private static void words(CommandSpec spec, Map<String, String> descriptions, String name) {
        Map<String, OptionSpec> options = new LinkedHashMap<>();
        for (OptionSpec option : spec.options()) {
            options.put(option.longestName(), option);
        }
        for (Map.Entry<String, OptionSpec> each : options.entrySet()) {
            String text = descriptions.get(each.getKey());
            if (text == null) {
                throw new IllegalStateException(each.getKey() + " has no description");
            }
            spec.remove(each.getValue());
            spec.addOption(OptionSpec.builder(each.getValue()).description(text).build());
        }
        for (PositionalParamSpec each : spec.positionalParameters().toArray(PositionalParamSpec[]::new)) {
            spec.remove(each);
            spec.addPositional(
                    PositionalParamSpec.builder(each).description(name).build());
        }
    }
}
