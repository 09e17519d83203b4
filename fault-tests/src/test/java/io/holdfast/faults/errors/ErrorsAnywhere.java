package io.holdfast.faults.errors;

import io.holdfast.faults.errors.ErrorRuns.Finding;
import io.holdfast.faults.errors.ErrorRuns.Step;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Many runs, each with an Error at another step, and what they have violated. By hand: {@code --lines} for each line once, {@code --play NAMES}, or
 * {@code --replay PLAY CALLBACKS CLASS:LINE HIT}; {@code --to FILE} writes the findings there.
 */
final class ErrorsAnywhere {
    static final List<String> CALLBACKS = List.of("AT_ONCE", "IN_TURN", "AT_THE_END");

    /** The most severe ones first. */
    private static final List<String> CHECKS = List.of(
            "EXCLUSION",
            "HELD FOR EVER",
            "ENDS",
            "VALID",
            "TOLD",
            "ALIVE",
            "MONITOR",
            "CLOSE",
            "EVENTS",
            "HELD",
            "COUNTS",
            "LEFT",
            "ANSWER",
            "PLAY",
            "UNREACHED");

    private static final Logger LOGGER = Logger.getLogger("io.holdfast"); // kept here, so that it stays quiet

    private ErrorsAnywhere() {}

    public static void main(String[] arguments) throws IOException {
        quiet();
        List<String> words = List.of(arguments);
        ErrorRuns runs = new ErrorRuns();
        if (words.contains("--replay")) {
            List<String> step = words.subList(words.indexOf("--replay") + 1, words.size());
            runs.trace();
            runs.findings(runs.step(step.get(0), step.get(1), step.get(2), Integer.parseInt(step.get(3))))
                    .forEach(each -> System.out.println(each.violation()));
            return;
        }
        List<String> plays = words.contains("--play")
                ? List.of(words.get(words.indexOf("--play") + 1).split(","))
                : runs.plays();
        Path to = words.contains("--to") ? Path.of(words.get(words.indexOf("--to") + 1)) : null;
        List<Finding> found = new ArrayList<>();
        Set<String> known = new HashSet<>();
        int count = 0;
        long begin = System.nanoTime();
        for (String callbacks : CALLBACKS) {
            for (String play : plays) {
                for (Step step : runs.steps(play, callbacks)) {
                    if (words.contains("--lines") && !known.add(step.place())) {
                        continue;
                    }
                    found.addAll(runs.findings(step));
                    count++;
                }
                long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
                System.out.println(play + " " + callbacks + ": " + count + " runs, " + found.size() + " findings, "
                        + seconds + " s");
                if (to != null) {
                    Files.writeString(
                            to, count + " runs so far (last: " + play + " " + callbacks + ")\n" + report(found));
                }
            }
        }
        if (to == null) {
            System.out.println(report(found));
        }
    }

    static void quiet() {
        LOGGER.setLevel(Level.OFF);
    }

    /** What was found, by check and by line of the engine. */
    static String report(List<Finding> found) {
        Map<String, Map<String, List<Finding>>> byCheck =
                new TreeMap<>(Comparator.comparingInt((String check) -> CHECKS.indexOf(check)));
        for (Finding each : found) {
            byCheck.computeIfAbsent(each.check(), check -> new TreeMap<>())
                    .computeIfAbsent(each.step().place(), place -> new ArrayList<>())
                    .add(each);
        }
        StringBuilder text = new StringBuilder();
        byCheck.forEach((check, places) -> {
            text.append("\n==== ")
                    .append(check)
                    .append(": ")
                    .append(places.size())
                    .append(" lines\n");
            places.forEach((place, all) -> {
                text.append(place).append("   | ").append(source(place)).append('\n');
                for (Finding each : all.subList(0, Math.min(3, all.size()))) {
                    text.append("    --replay ")
                            .append(each.step())
                            .append("\n        ")
                            .append(each.violation())
                            .append('\n');
                }
                if (all.size() > 3) {
                    text.append("    and ").append(all.size() - 3).append(" more\n");
                }
            });
        });
        return text.toString();
    }

    /** The line itself, if its source is there. */
    private static String source(String place) {
        String name =
                place.substring(0, place.indexOf(':')).replaceAll("\\$.*", "").replace('.', '/');
        int line = Integer.parseInt(place.substring(place.indexOf(':') + 1));
        try {
            return Files.readAllLines(Path.of("..", "core", "src", "main", "java", name + ".java"))
                    .get(line - 1)
                    .strip();
        } catch (IOException | IndexOutOfBoundsException e) {
            return "";
        }
    }
}
