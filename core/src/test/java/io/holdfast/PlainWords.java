package io.holdfast;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

/** Rules of plain English, each by what is wrong with a text that breaks it; and lists of what they leave out. */
final class PlainWords {
    /** Of words for which there is a plainer one wherever they stand. */
    private static final Map<String, Pattern> ANYWHERE = Map.of(
            "no client, another holder, each request: not nobody, whoever",
            Pattern.compile("\\b(?i:nobody|somebody|whoever|whomever)\\b"),
            "again: not anew",
            Pattern.compile("\\b(?i:anew)\\b"),
            "possible, available: not to be had",
            Pattern.compile("\\b(?i:to be had)\\b"));

    private final Map<String, Pattern> rules;

    /** Those for all texts, and these. */
    PlainWords(Map<String, Pattern> further) {
        rules = new LinkedHashMap<>(ANYWHERE);
        rules.putAll(further);
    }

    List<String> faults(String text) {
        List<String> faults = new ArrayList<>();
        rules.forEach((fault, pattern) -> {
            if (pattern.matcher(text).find()) {
                faults.add(fault);
            }
        });
        return faults;
    }

    /** The lines of a file beside this class, but for those that begin with #, which are reasons. */
    static List<String> list(String file) throws IOException {
        try (var read = Objects.requireNonNull(PlainWords.class.getResourceAsStream(file))) {
            return new String(read.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        }
    }
}
