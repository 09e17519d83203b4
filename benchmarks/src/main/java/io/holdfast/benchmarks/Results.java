package io.holdfast.benchmarks;

import com.google.gson.Gson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;

/** What a run left, for questions. */
final class Results {
    /** A median with the least and the greatest. */
    record Spread(double median, double min, double max) {
        static Optional<Spread> of(List<Double> values) {
            if (values.isEmpty()) {
                return Optional.empty();
            }
            double[] sorted =
                    values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
            int middle = sorted.length / 2;
            double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
            return Optional.of(new Spread(median, sorted[0], sorted[sorted.length - 1]));
        }
    }

    private final List<Result> all;

    Results(List<Result> all) {
        this.all = List.copyOf(all);
    }

    static Results read(Path file) throws IOException {
        Gson gson = new Gson();
        List<Result> list = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            list.add(gson.fromJson(line, Result.class));
        }
        return new Results(list);
    }

    List<Result> all() {
        return all;
    }

    /** All but what these scenarios left. */
    List<Result> without(Set<String> scenarios) {
        return all.stream().filter(each -> !scenarios.contains(each.scenario())).toList();
    }

    boolean has(String scenario) {
        return all.stream().anyMatch(each -> each.scenario().equals(scenario));
    }

    Set<Integer> sizes(String scenario) {
        Set<Integer> sizes = new TreeSet<>();
        all.stream()
                .filter(each ->
                        each.scenario().equals(scenario) && !each.contestant().isEmpty())
                .forEach(each -> sizes.add(each.size()));
        return sizes;
    }

    Set<String> contestants(String scenario, int size) {
        Set<String> names = new LinkedHashSet<>();
        all.stream()
                .filter(each -> each.scenario().equals(scenario) && each.size() == size)
                .filter(each -> !each.contestant().isEmpty())
                .forEach(each -> names.add(each.contestant()));
        return names;
    }

    List<String> failures(String scenario) {
        return all.stream()
                .filter(each -> each.scenario().equals(scenario) && each.failure() != null)
                .map(each -> (each.contestant().isEmpty() ? "" : each.contestant())
                        + (each.size() == 0 ? "" : " at " + each.size())
                        + (each.contestant().isEmpty() ? "" : ": ")
                        + each.failure())
                .toList();
    }

    /** By round. */
    private Map<Integer, Double> values(String scenario, int size, String contestant, String metric) {
        Map<Integer, Double> values = new LinkedHashMap<>();
        for (Result each : all) {
            if (each.scenario().equals(scenario)
                    && each.size() == size
                    && each.contestant().equals(contestant)
                    && each.values().containsKey(metric)) {
                values.put(each.round(), each.values().get(metric));
            }
        }
        return values;
    }

    Optional<Spread> spread(String scenario, int size, String contestant, String metric) {
        return Spread.of(List.copyOf(values(scenario, size, contestant, metric).values()));
    }

    /** The median of what a contestant had in a round, divided by what the reference had in the same one. */
    OptionalDouble ratio(
            String scenario,
            String metric,
            int size,
            String contestant,
            String referenceScenario,
            int referenceSize,
            String reference) {
        Map<Integer, Double> below = values(referenceScenario, referenceSize, reference, metric);
        List<Double> ratios = new ArrayList<>();
        values(scenario, size, contestant, metric).forEach((round, value) -> {
            Double other = below.get(round);
            if (other != null && other != 0) {
                ratios.add(value / other);
            }
        });
        return Spread.of(ratios)
                .map(spread -> OptionalDouble.of(spread.median()))
                .orElse(OptionalDouble.empty());
    }

    /** Of all rounds together; empty if there are no latencies. */
    Optional<Histogram> histogram(String scenario, int size, String contestant) {
        Histogram sum = new Histogram();
        for (Result each : all) {
            List<Long> sparse = each.histogram();
            if (sparse != null
                    && each.scenario().equals(scenario)
                    && each.size() == size
                    && each.contestant().equals(contestant)) {
                sum.add(Histogram.of(sparse));
            }
        }
        return sum.total() == 0 ? Optional.empty() : Optional.of(sum);
    }
}
