package io.holdfast.faults.campaign;

import com.google.gson.Gson;
import io.holdfast.model.following.Followed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Tables from the results of a run, in Markdown. */
final class Report {
    private final List<EpisodeResult> results;

    private Report(List<EpisodeResult> results) {
        this.results = results;
    }

    /** From all results in a folder. */
    static Report of(Path folder) throws IOException {
        List<EpisodeResult> results = new ArrayList<>();
        Gson gson = new Gson();
        Path file = folder.resolve("results.jsonl");
        for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
            results.add(gson.fromJson(line, EpisodeResult.class));
        }
        return new Report(results);
    }

    /** Whether there is no violation. */
    boolean isClean() {
        return results.stream().allMatch(each -> each.violations().isEmpty());
    }

    /** The whole report. */
    String text() {
        StringBuilder text = new StringBuilder(head()).append("\n").append(summary());
        Map<String, List<EpisodeResult>> byWay = new LinkedHashMap<>();
        for (EpisodeResult each : results) {
            String way = each.subject() + " (" + each.version() + "), term " + each.leaseDurationMillis() + " ms";
            byWay.computeIfAbsent(way, key -> new ArrayList<>()).add(each);
        }
        byWay.forEach((way, episodes) ->
                text.append("\n### ").append(way).append("\n\n").append(table(episodes)));
        if (byWay.size() > 1) {
            text.append("\n### Side by side, on one server\n\n").append(sideBySide());
        }
        Followed followed = new Followed();
        results.stream().flatMap(each -> Stream.ofNullable(each.followed())).forEach(followed::add);
        if (!followed.toString().isEmpty()) {
            text.append("\n### Calls compared with the model\n\n```\n")
                    .append(followed)
                    .append("```\n");
        }
        List<String> violations = results.stream()
                .flatMap(each -> each.violations().stream()
                        .map(what -> "- " + each.subject() + ", " + each.topology() + ", " + each.fault() + ", seed "
                                + each.seed() + ": " + what))
                .toList();
        text.append("\n### Violations\n\n")
                .append(violations.isEmpty() ? "None.\n" : String.join("\n", violations) + "\n");
        return text.toString();
    }

    private String head() {
        double seconds = results.stream().mapToDouble(EpisodeResult::seconds).sum();
        long requests = results.stream().mapToLong(EpisodeResult::requests).sum();
        long obtained = results.stream().mapToLong(EpisodeResult::obtained).sum();
        int faults = results.stream().mapToInt(EpisodeResult::faults).sum();
        int violations =
                results.stream().mapToInt(each -> each.violations().size()).sum();
        String servers = results.stream().map(EpisodeResult::server).distinct().collect(Collectors.joining(", "));
        return String.format(
                Locale.ROOT,
                "%d episodes, %.0f minutes under load, %d requests, %d holds, %d faults, %d violations. Servers: %s.%n"
                        + "Commit %s, begun %s, seeds %s.%n",
                results.size(),
                seconds / 60,
                requests,
                obtained,
                faults,
                violations,
                servers,
                distinct(EpisodeResult::commit),
                results.stream()
                        .flatMap(each -> Stream.ofNullable(each.began()))
                        .min(Comparator.naturalOrder())
                        .orElse("?"),
                distinct(each -> Long.toString(each.seed())));
    }

    private String distinct(Function<EpisodeResult, @Nullable String> of) {
        return results.stream()
                .flatMap(each -> Stream.ofNullable(of.apply(each)))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }

    /** A row for each subject and each topology. */
    private String summary() {
        return table(
                """
                | subject | servers | episodes | minutes | faults | requests | holds | overlaps inside | overlaps outside | violations |
                |---|---|---|---|---|---|---|---|---|---|
                """,
                results,
                each -> each.subject() + " | " + each.topology(),
                each -> List.of(
                        Integer.toString(each.size()),
                        String.format(
                                Locale.ROOT,
                                "%.1f",
                                each.stream()
                                                .mapToDouble(EpisodeResult::seconds)
                                                .sum()
                                        / 60),
                        sum(each, EpisodeResult::faults),
                        sum(each, EpisodeResult::requests),
                        sum(each, EpisodeResult::obtained),
                        sum(each, result -> result.inside() ? result.overlaps() : 0),
                        sum(each, result -> result.inside() ? 0 : result.overlaps()),
                        sum(each, result -> result.violations().size())));
    }

    private static String table(List<EpisodeResult> episodes) {
        return table(
                """
                | servers | fault | assumptions | episodes | faults | requests | holds | told lost | overlaps | tokens fell | overtaken | lost updates, unfenced | lost updates, fenced | stale reads, unfenced | stale reads, fenced | refused | worst idle | left | work done | slots of it | violations |
                |---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
                """,
                episodes,
                each -> each.topology() + " | " + each.fault() + " | " + (each.inside() ? "inside" : "outside"),
                each -> List.of(
                        Integer.toString(each.size()),
                        sum(each, EpisodeResult::faults),
                        sum(each, EpisodeResult::requests),
                        sum(each, EpisodeResult::obtained),
                        sum(each, EpisodeResult::lossesTold),
                        sum(each, EpisodeResult::overlaps),
                        sum(each, EpisodeResult::tokenFaults),
                        sum(each, EpisodeResult::overtaken),
                        sum(each, EpisodeResult::lostPlain),
                        sum(each, EpisodeResult::lostFenced),
                        sum(each, EpisodeResult::stalePlain),
                        sum(each, EpisodeResult::staleFenced),
                        sum(each, EpisodeResult::refusedFenced),
                        each.stream()
                                        .mapToLong(EpisodeResult::worstIdleMillis)
                                        .max()
                                        .orElse(0) + " ms",
                        sum(each, EpisodeResult::leftKeys),
                        sum(each, EpisodeResult::done),
                        sum(each, EpisodeResult::slots),
                        sum(each, result -> result.violations().size())));
    }

    /** A row for all episodes that begin it alike. */
    private static String table(
            String head,
            List<EpisodeResult> episodes,
            Function<EpisodeResult, String> begin,
            Function<List<EpisodeResult>, List<String>> cells) {
        Map<String, List<EpisodeResult>> rows = new LinkedHashMap<>();
        for (EpisodeResult each : episodes) {
            rows.computeIfAbsent(begin.apply(each), key -> new ArrayList<>()).add(each);
        }
        StringBuilder text = new StringBuilder(head);
        rows.forEach((row, each) -> text.append("| ")
                .append(row)
                .append(" | ")
                .append(String.join(" | ", cells.apply(each)))
                .append(" |\n"));
        return text.toString();
    }

    private String sideBySide() {
        Map<String, List<EpisodeResult>> columns = new LinkedHashMap<>();
        Map<String, Boolean> faults = new LinkedHashMap<>();
        for (EpisodeResult each : results) {
            if (each.topology().equals("single")) {
                columns.computeIfAbsent(
                                each.subject() + ", " + each.leaseDurationMillis() / 1_000 + " s",
                                key -> new ArrayList<>())
                        .add(each);
                faults.put(each.fault(), each.inside());
            }
        }
        StringBuilder text =
                new StringBuilder("Overlaps / lost updates unfenced / fenced / overtaken; worst idle (strikes).\n\n");
        text.append("| fault | ").append(String.join(" | ", columns.keySet())).append(" |\n");
        text.append("|---".repeat(columns.size() + 1)).append("|\n");
        faults.forEach((fault, inside) -> {
            text.append("| ").append(fault).append(inside ? "" : " (outside)");
            columns.values().forEach(all -> {
                List<EpisodeResult> cell =
                        all.stream().filter(each -> each.fault().equals(fault)).toList();
                text.append(" | ").append(cell.isEmpty() ? "" : cell(cell));
            });
            text.append(" |\n");
        });
        return text.toString();
    }

    private static String cell(List<EpisodeResult> results) {
        return String.join(
                        " / ",
                        sum(results, EpisodeResult::overlaps),
                        sum(results, EpisodeResult::lostPlain),
                        sum(results, EpisodeResult::lostFenced),
                        sum(results, EpisodeResult::overtaken))
                + "; " + worstIdle(results) + " (" + sum(results, EpisodeResult::faults) + ")";
    }

    private static String worstIdle(List<EpisodeResult> results) {
        return results.stream().mapToLong(EpisodeResult::worstIdleMillis).max().orElse(0) + " ms";
    }

    private interface Count {
        int of(EpisodeResult result);
    }

    /** A dash where there is nothing to count. */
    private static String sum(List<EpisodeResult> results, Count count) {
        if (results.stream().allMatch(each -> count.of(each) < 0)) {
            return "–";
        }
        return Integer.toString(
                results.stream().mapToInt(each -> Math.max(0, count.of(each))).sum());
    }
}
