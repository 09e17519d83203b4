package io.holdfast.cli;

import io.holdfast.cli.Documents.Command;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Pages of the manual in the language of man(7). Not by picocli, whose pages another program would have to translate. */
final class Manual {
    private static final String EXAMPLES = "Examples:";
    /** What begins so is to be typed. */
    private static final String TYPED = "    ";
    /** What begins so belongs to the paragraph above. */
    private static final String INDENTED = "  ";
    /** Of a synopsis: what stands for something else, and what is typed as it is. */
    private static final Pattern WORD = Pattern.compile("[A-Z]{2,}|--?[a-zA-Z][a-z-]*|[a-z]+");
    /** Belongs to the launcher of a clone, not to what a package installs. */
    private static final String LAUNCHERS = "  install, uninstall";

    private final StringBuilder text = new StringBuilder();
    /** Whether a section has just begun. */
    private boolean fresh;

    private Manual() {}

    /** The page of one command. */
    static String of(Command command, List<Command> all, String version, String day) {
        Manual page = new Manual();
        page.begin("holdfast-" + command.name(), command.summary(), version, day);
        page.body(command.spec(), all);
        return page.end(all, command.name());
    }

    /** The page of the whole. */
    static String whole(List<Command> all, String version, String day) {
        Manual page = new Manual();
        page.begin("holdfast", "locks among machines, for scripts and cron jobs", version, day);
        page.body(Specs.described(""), all);
        return page.end(all, "");
    }

    private void begin(String name, String summary, String version, String day) {
        line(".TH " + name.toUpperCase(Locale.ROOT) + " 1 \"" + day + "\" \"holdfast " + version + "\" \"Holdfast\"");
        // Names of variables are not to be broken, as they would be to fill the lines.
        line(".nh\n.ad l");
        section("NAME");
        line(escaped(name) + " \\- " + escaped(summary));
    }

    private void body(CommandSpec spec, List<Command> all) {
        UsageMessageSpec page = spec.usageMessage();
        section("SYNOPSIS");
        String separator = "";
        for (String synopsis : page.customSynopsis()) {
            text.append(separator);
            line(synopsis(synopsis.strip()));
            separator = ".br\n";
        }
        section("DESCRIPTION");
        paragraphs(List.of(page.description()), all);
        if (!spec.positionalParameters().isEmpty()) {
            section("ARGUMENTS");
            spec.positionalParameters()
                    .forEach(each -> entry("\\fI" + escaped(each.paramLabel()) + "\\fR", each.description()[0]));
        }
        if (!spec.options().isEmpty()) {
            section("OPTIONS");
            spec.options().forEach(each -> entry(names(each), each.description()[0]));
        }
        if (!page.exitCodeList().isEmpty()) {
            section("EXIT STATUS");
            page.exitCodeList().forEach((status, meaning) -> entry("\\fB" + escaped(status) + "\\fR", meaning));
        }
        List<String> footer = Arrays.asList(page.footer());
        int examples = footer.indexOf(EXAMPLES);
        List<String> notes = examples < 0 ? footer : footer.subList(0, examples);
        if (notes.stream().anyMatch(each -> !each.isBlank())) {
            section("NOTES");
            paragraphs(notes, all);
        }
        if (examples >= 0) {
            section("EXAMPLES");
            paragraphs(footer.subList(examples + 1, footer.size()), all);
        }
    }

    private String end(List<Command> all, String but) {
        section("SEE ALSO");
        List<String> others = new ArrayList<>();
        if (!but.isEmpty()) {
            others.add("\\fBholdfast\\fR(1)");
        }
        all.stream().filter(each -> !each.name().equals(but)).forEach(each -> others.add(reference(each.name())));
        line(String.join(",\n", others));
        return text.toString();
    }

    private static String reference(String command) {
        return "\\fBholdfast\\-" + command + "\\fR(1)";
    }

    /** Paragraphs, lists of commands, and what is to be typed. */
    private void paragraphs(List<String> lines, List<Command> all) {
        boolean typed = false;
        for (String each : lines) {
            if (each.startsWith(TYPED) != typed) {
                line(typed ? ".fi\n.RE" : ".RS 4\n.nf");
                typed = !typed;
            }
            if (each.isBlank() || each.startsWith(LAUNCHERS)) {
                continue;
            }
            if (typed) {
                line(started(escaped(each.substring(TYPED.length()))));
            } else if (each.startsWith(INDENTED)) {
                indented(each.strip(), all);
            } else {
                paragraph(each);
            }
            fresh = false;
        }
        if (typed) {
            line(".fi\n.RE");
        }
    }

    private void paragraph(String words) {
        text.append(fresh ? "" : ".PP\n");
        line(started(escaped(words)));
    }

    /** A command with what it does, the words above an example, or a form of an address. */
    private void indented(String words, List<Command> all) {
        int end = words.indexOf("  ");
        if (end < 0 && words.endsWith(":")) {
            paragraph(words);
            return;
        }
        if (end < 0) {
            line(".TP 2\n\\(bu");
            line(started(escaped(words)));
            return;
        }
        String name = words.substring(0, end);
        boolean known = all.stream().anyMatch(each -> each.name().equals(name));
        entry(
                known ? reference(name) : "\\fB" + escaped(name) + "\\fR",
                words.substring(end).strip());
    }

    private void section(String title) {
        line(".SH " + (title.indexOf(' ') < 0 ? title : '"' + title + '"'));
        fresh = true;
    }

    private void entry(String label, String words) {
        line(".TP");
        line(label);
        line(started(escaped(words)));
    }

    private void line(String words) {
        text.append(words).append('\n');
    }

    /** {@code -q, --quiet} or {@code --url=URL}. */
    private static String names(OptionSpec option) {
        String shortest = option.shortestName();
        String longest = option.longestName();
        return (shortest.equals(longest) ? "" : "\\fB" + escaped(shortest) + "\\fR, ")
                + "\\fB" + escaped(longest) + "\\fR"
                + (option.arity().max() > 0 ? "=\\fI" + escaped(option.paramLabel()) + "\\fR" : "");
    }

    private static String synopsis(String words) {
        StringBuilder shown = new StringBuilder();
        Matcher word = WORD.matcher(words);
        int end = 0;
        while (word.find()) {
            boolean variable = Character.isUpperCase(word.group().charAt(0));
            shown.append(escaped(words.substring(end, word.start())))
                    .append(variable ? "\\fI" : "\\fB")
                    .append(escaped(word.group()))
                    .append("\\fR");
            end = word.end();
        }
        return shown.append(escaped(words.substring(end))).toString();
    }

    /** So that no letter is taken for a request, nor shown as another that cannot be copied into a shell. */
    private static String escaped(String words) {
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < words.length(); i++) {
            char c = words.charAt(i);
            switch (c) {
                case '\\' -> shown.append("\\e");
                case '-' -> shown.append("\\-");
                case '\'' -> shown.append("\\(aq");
                case '"' -> shown.append("\\(dq");
                case '`' -> shown.append("\\(ga");
                case '^' -> shown.append("\\(ha");
                case '~' -> shown.append("\\(ti");
                default -> shown.append(c);
            }
        }
        return shown.toString();
    }

    /** As the beginning of a line, where a full stop would be a request. */
    private static String started(String words) {
        return words.startsWith(".") ? "\\&" + words : words;
    }
}
