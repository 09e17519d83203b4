package io.holdfast.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * Something that Holdfast is to reach: a row of {@code targets.md}, for one contestant.
 *
 * @param words what it is
 * @param size of what grows; 0 if nothing does
 * @param referenceScenario where those are with whom it is compared; mostly the same
 * @param references with whom it is compared in the same round, of several with the best; empty for a bound as it is
 */
record Target(
        String words,
        String scenario,
        int size,
        String metric,
        String contestant,
        String referenceScenario,
        int referenceSize,
        List<String> references,
        Comparison comparison,
        double bound) {
    /** How what was measured stands to the bound. */
    enum Comparison {
        BELOW("<"),
        AT_MOST("≤"),
        AT_LEAST("≥"),
        ABOVE(">");

        final String sign;

        Comparison(String sign) {
            this.sign = sign;
        }

        boolean wantsMore() {
            return this == AT_LEAST || this == ABOVE;
        }
    }

    private static final String FILE = "targets.md";
    private static final String PEERS = "peers";
    private static final List<String> ALL_PEERS =
            List.of("redisson-lock", "redisson-fair", "redisson-fenced", "spring-pubsub", "spring-spin");

    private static final String WHERE = "([a-z-]+)(?:@([0-9]+))? ";
    private static final String WHO = "([a-z-]+(?:, [a-z-]+)*)";
    private static final Pattern MEASURE =
            Pattern.compile(WHERE + "([A-Za-z0-9]+): " + WHO + "(?: / (?:" + WHERE + ")?" + WHO + ")?");
    private static final Pattern GOAL = Pattern.compile("([<≤≥>]) ([0-9.]+)");
    private static final int COLUMNS = 4;

    static final List<Target> ALL = read();

    private static List<Target> read() {
        try (InputStream in = Target.class.getResourceAsStream(FILE)) {
            if (in == null) {
                throw new IllegalStateException(FILE + " is missing");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of the lines of a table, whose first two are its head. */
    static List<Target> parse(String text) {
        List<Target> targets = new ArrayList<>();
        text.lines().filter(line -> line.startsWith("|")).skip(2).forEach(line -> {
            List<String> cells = Arrays.stream(line.substring(1).split("\\|", -1))
                    .map(String::strip)
                    .toList();
            if (cells.size() != COLUMNS + 1 || cells.subList(0, COLUMNS).contains("")) {
                throw new IllegalArgumentException("not " + COLUMNS + " cells: " + line);
            }
            targets.addAll(of(cells.get(0), cells.get(1), cells.get(2)));
        });
        return List.copyOf(targets);
    }

    private static List<Target> of(String row, String measure, String goal) {
        Matcher what = MEASURE.matcher(measure);
        Matcher bound = GOAL.matcher(goal);
        if (!what.matches() || !bound.matches()) {
            throw new IllegalArgumentException("not a measure with a goal: " + measure + " | " + goal);
        }
        String scenario = what.group(1);
        int size = size(what.group(2));
        String[] contestants = what.group(4).split(", ");
        return Arrays.stream(contestants)
                .map(contestant -> new Target(
                        contestants.length == 1
                                ? row
                                : row + ": " + Scenarios.of(scenario).label(contestant),
                        scenario,
                        size,
                        what.group(3),
                        contestant,
                        what.group(5) == null ? scenario : what.group(5),
                        what.group(5) == null ? size : size(what.group(6)),
                        references(what.group(7)),
                        comparison(bound.group(1)),
                        Double.parseDouble(bound.group(2))))
                .toList();
    }

    private static int size(@Nullable String number) {
        return number == null ? 0 : Integer.parseInt(number);
    }

    private static List<String> references(@Nullable String names) {
        if (names == null) {
            return List.of();
        }
        return names.equals(PEERS) ? ALL_PEERS : List.of(names.split(", "));
    }

    private static Comparison comparison(String sign) {
        return Arrays.stream(Comparison.values())
                .filter(each -> each.sign.equals(sign))
                .findFirst()
                .orElseThrow();
    }

    /** What was measured; empty if it was not. */
    OptionalDouble measured(Results results) {
        if (!references.isEmpty()) {
            DoubleStream ratios = references.stream()
                    .map(each ->
                            results.ratio(scenario, metric, size, contestant, referenceScenario, referenceSize, each))
                    .flatMapToDouble(OptionalDouble::stream);
            return comparison.wantsMore() ? ratios.min() : ratios.max();
        }
        Optional<Results.Spread> spread = results.spread(scenario, size, contestant, metric);
        return spread.isPresent() ? OptionalDouble.of(spread.get().median()) : OptionalDouble.empty();
    }

    boolean isReached(double value) {
        return switch (comparison) {
            case BELOW -> value < bound;
            case AT_MOST -> value <= bound;
            case AT_LEAST -> value >= bound;
            case ABOVE -> value > bound;
        };
    }
}
