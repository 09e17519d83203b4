package io.holdfast.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** A run as a page with tables and plots. */
final class Report {
    private static final String SHORT = "## In short";

    private final Results results;
    private final Machine machine;
    private final StringBuilder text = new StringBuilder();

    private Report(Results results, Machine machine) {
        this.results = results;
        this.machine = machine;
    }

    /**
     * Writes the page and its plots.
     *
     * @param said a reader's account of the run; a first part "In short" stands at the top of the page; may be empty
     * @param images a folder below the page's
     */
    static void write(Results results, Machine machine, String said, Path page, Path images) throws IOException {
        Report report = new Report(results, machine);
        Files.createDirectories(images);
        String notes = said.replace("](../docs/", "]("); // links of a page in another folder
        // A part of the notes that answers in short stands before all else.
        int end = notes.startsWith(SHORT) ? notes.indexOf("\n## ", SHORT.length()) : 0;
        end = end < 0 ? notes.length() : end;
        report.begin(notes.substring(0, end));
        report.paragraph(notes.substring(end));
        for (Scenario scenario : Scenarios.all()) {
            if (results.has(scenario.id())) {
                report.tell(scenario, page, images);
            }
        }
        Files.writeString(page, report.text);
    }

    private void line(String... parts) {
        text.append(String.join("", parts)).append('\n');
    }

    private void paragraph(String words) {
        if (!words.isBlank()) {
            line(words.strip());
            line();
        }
    }

    private void begin(String inShort) {
        line("# Benchmarks");
        line();
        paragraph(inShort);
        line("## How it was measured");
        line();
        line("This page is made by `benchmarks/run`; `benchmarks/README.md` describes the method.");
        line();
        line("In most tables all contestants were measured side by side, in rounds: in each round each contestant once,"
                + " in rotating");
        line("order. Waiters and held leases were measured one contestant at a time. A number is the median over the"
                + " rounds, with the");
        line("lowest and the highest in brackets. A ratio is the median of the ratios within each round. Absolute"
                + " numbers are valid only for this machine; ratios carry over better to others.");
        line();
        line("| | |");
        line("|---|---|");
        machine.facts().forEach((what, fact) -> line("| ", what, " | ", fact, " |"));
        line();
        line("## Targets");
        line();
        line("From `targets.md` of the benchmarks, which explains how each target is measured and why it is a goal.");
        line();
        line("| | measured | target | |");
        line("|---|---|---|---|");
        for (Target target : Target.ALL) {
            OptionalDouble measured = target.measured(results);
            String mark = measured.isEmpty() ? "" : target.isReached(measured.getAsDouble()) ? "reached" : "**missed**";
            line(
                    "| ",
                    target.words(),
                    " | ",
                    measured.isEmpty() ? "–" : number(measured.getAsDouble(), 2),
                    " | ",
                    target.comparison().sign,
                    " ",
                    goal(target.bound()),
                    " | ",
                    mark,
                    " |");
        }
        line();
    }

    private void tell(Scenario scenario, Path page, Path images) throws IOException {
        line("## ", scenario.title());
        line();
        line(scenario.meaning());
        line();
        for (int size : results.sizes(scenario.id())) {
            if (size > 0) {
                line("### ", String.format(Locale.ROOT, "%,d ", size), scenario.sizeWord());
                line();
            }
            table(scenario, size);
            Plot plot = Plot.ofPercentiles(scenario.title() + (size == 0 ? "" : ", " + size));
            for (String contestant : results.contestants(scenario.id(), size)) {
                results.histogram(scenario.id(), size, contestant)
                        .ifPresent(histogram -> plot.add(scenario.label(contestant), histogram));
            }
            draw(plot, scenario.id() + (size == 0 ? "" : "-" + size), page, images);
        }
        if (results.sizes(scenario.id()).size() > 1) {
            draw(growth(scenario), scenario.id() + "-growth", page, images);
        }
        List<String> failures = results.failures(scenario.id());
        for (String failure : failures) {
            line("- not measured: ", failure.lines().findFirst().orElse(""));
        }
        if (!failures.isEmpty()) {
            line();
        }
    }

    private void table(Scenario scenario, int size) {
        List<String> references = scenario.references().stream()
                .filter(results.contestants(scenario.id(), size)::contains)
                .toList();
        Scenario.Metric main = scenario.metrics().get(0);
        StringBuilder head = new StringBuilder("| |");
        StringBuilder rule = new StringBuilder("|---|");
        for (Scenario.Metric metric : scenario.metrics()) {
            head.append(' ').append(metric.header()).append(" |");
            rule.append("---:|");
        }
        for (String reference : references) {
            head.append(" × ").append(scenario.label(reference)).append(" |");
            rule.append("---:|");
        }
        line(head.toString());
        line(rule.toString());
        for (String contestant : results.contestants(scenario.id(), size)) {
            if (results.spread(scenario.id(), size, contestant, main.key()).isEmpty()) {
                continue;
            }
            StringBuilder row = new StringBuilder("| " + scenario.label(contestant) + " |");
            for (Scenario.Metric metric : scenario.metrics()) {
                Optional<Results.Spread> spread = results.spread(scenario.id(), size, contestant, metric.key());
                row.append(' ')
                        .append(spread.map(each -> words(each, metric.decimals()))
                                .orElse("–"))
                        .append(" |");
            }
            for (String reference : references) {
                OptionalDouble ratio =
                        results.ratio(scenario.id(), main.key(), size, contestant, scenario.id(), size, reference);
                row.append(' ')
                        .append(ratio.isPresent() ? number(ratio.getAsDouble(), 2) : "–")
                        .append(" |");
            }
            line(row.toString());
        }
        line();
    }

    private Plot growth(Scenario scenario) {
        Scenario.Metric main = scenario.metrics().get(0);
        Plot plot = Plot.ofGrowth(scenario.title(), scenario.sizeWord(), main.header());
        List<String> contestants = new ArrayList<>();
        for (int size : results.sizes(scenario.id())) {
            for (String contestant : results.contestants(scenario.id(), size)) {
                if (!contestants.contains(contestant)) {
                    contestants.add(contestant);
                }
            }
        }
        for (String contestant : contestants) {
            List<double[]> points = new ArrayList<>();
            for (int size : results.sizes(scenario.id())) {
                results.spread(scenario.id(), size, contestant, main.key())
                        .ifPresent(spread -> points.add(new double[] {size, spread.median()}));
            }
            if (!points.isEmpty()) {
                plot.add(scenario.label(contestant), points);
            }
        }
        return plot;
    }

    private void draw(Plot plot, String name, Path page, Path images) throws IOException {
        if (plot.isEmpty()) {
            return;
        }
        Path file = images.resolve(name + ".svg");
        Files.writeString(file, plot.svg());
        Path folder = page.toAbsolutePath().getParent();
        Path link = folder == null ? file : folder.relativize(file.toAbsolutePath());
        line("![", name, "](", link.toString(), ")");
        line();
    }

    private static String words(Results.Spread spread, int decimals) {
        String median = number(spread.median(), decimals);
        if (spread.min() == spread.max()) {
            return median;
        }
        return median + " (" + number(spread.min(), decimals) + ".." + number(spread.max(), decimals) + ")";
    }

    /** As short as it was written. */
    private static String goal(double value) {
        return value == Math.rint(value) ? number(value, 0) : String.valueOf(value);
    }

    private static String number(double value, int decimals) {
        return String.format(Locale.ROOT, "%,." + decimals + "f", value);
    }
}
