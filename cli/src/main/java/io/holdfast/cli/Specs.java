package io.holdfast.cli;

import java.util.LinkedHashMap;
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
    private static final int WIDTH = 100;

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
                .addOption(value("--wait", "TIME"))
                .addOption(flag("--try"))
                .addOption(value("--term", "TIME"))
                .addOption(value("--at-least", "TIME"))
                .addOption(value("--kill-after", "TIME"))
                .addOption(value("--busy-exit", "N"))
                .addOption(value("--url", "URL"))
                .addOption(flag("-q", "--quiet"))
                .addOption(flag("-v", "--verbose"))
                .addOption(help())
                .addPositional(name());
        return spec;
    }

    static CommandSpec ls() {
        return create().name("holdfast ls")
                .addOption(value("--url", "URL"))
                .addOption(flag("-v", "--verbose"))
                .addOption(help());
    }

    static CommandSpec info() {
        return create().name("holdfast info")
                .addOption(value("--url", "URL"))
                .addOption(flag("-v", "--verbose"))
                .addOption(help())
                .addPositional(name());
    }

    private static CommandSpec create() {
        return CommandSpec.wrapWithoutInspection(null, PLAIN);
    }

    private static OptionSpec flag(String... names) {
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
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    /** The page that {@code --help} prints. */
    static String page(String command) {
        CommandSpec spec = switch (command) {
            case "run" -> run();
            case "ls" -> ls();
            case "info" -> info();
            default -> create().name("holdfast");
        };
        describe(spec, command);
        return new CommandLine(spec, PLAIN).getUsageMessage(CommandLine.Help.Ansi.OFF);
    }

    private static void describe(CommandSpec spec, String command) {
        UsageMessageSpec page = spec.usageMessage()
                .width(WIDTH)
                .autoWidth(false)
                .sortOptions(false)
                .sortSynopsis(false)
                .synopsisHeading("Usage: ");
        switch (command) {
            case "run" -> {
                Pages.run(page);
                words(spec, Pages.RUN_OPTIONS);
            }
            case "ls" -> {
                Pages.ls(page);
                words(spec, Pages.LOOK_OPTIONS);
            }
            case "info" -> {
                Pages.info(page);
                words(spec, Pages.LOOK_OPTIONS);
            }
            default -> Pages.root(page);
        }
    }

    /** Replaces each option by one that has its description. */
    private static void words(CommandSpec spec, Map<String, String> descriptions) {
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
            spec.addPositional(PositionalParamSpec.builder(each)
                    .description("The lock: 1 to 1,000 characters, any of them.")
                    .build());
        }
    }
}
