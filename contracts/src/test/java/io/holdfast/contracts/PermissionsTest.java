package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The permissions that the documentation tells of are those that the scripts need. */
final class PermissionsTest {
    /** Told of apart: fenced values without expiry, plain locks without expiry; clusters. */
    private static final Set<String> BESIDES = Set.of("+persist", "+spublish");

    private static final Pattern CALL = Pattern.compile("redis\\.p?call\\(\\s*'([A-Z]+)'");

    @Test
    void leastPermissions_coverEachCommandOfTheScripts() throws IOException {
        Set<String> missing = new TreeSet<>();
        try (Stream<Path> scripts = Files.list(Path.of("../core/src/main/resources/io/holdfast/lua"))) {
            for (Path script : scripts.toList()) {
                Matcher call = CALL.matcher(Files.readString(script));
                while (call.find()) {
                    String rule = "+" + call.group(1).toLowerCase(Locale.ROOT);
                    if (!BESIDES.contains(rule)
                            && Permissions.LEAST.stream()
                                    .noneMatch(each -> each.equals(rule) || each.startsWith(rule + "|"))) {
                        missing.add(rule + " in " + script.getFileName());
                    }
                }
            }
        }
        assertEquals(Set.of(), missing);
    }

    @Test
    void leastPermissions_areThoseThatTheDocumentationTells() throws IOException {
        String page = Files.readString(Path.of("../docs/operations.md"));
        int begin = page.indexOf("ACL SETUSER locks ");
        String told = page.substring(begin, page.indexOf("```", begin));
        Set<String> rules = new TreeSet<>(List.of(told.split("\\s+", -1)));
        rules.removeIf(rule -> !rule.startsWith("+") && !rule.startsWith("~"));
        assertEquals(new TreeSet<>(Permissions.LEAST), rules);
    }
}
