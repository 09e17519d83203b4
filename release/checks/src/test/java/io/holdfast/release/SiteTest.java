package io.holdfast.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What can be said of the site without Node.js: what its navigation is made of, and what npm is asked for. */
final class SiteTest {
    private static final Path DOCS = BuildModule.ROOT.resolve("docs");
    private static final Path PAGES = BuildModule.ROOT.resolve("release/pages");
    private static final Pattern LINK = Pattern.compile("\\[([^\\]]+)\\]\\(([^)#:]+\\.md)(?:#[^)]*)?\\)");

    @Test
    void navigation_fromTheIndex_hasEveryPage() throws Exception {
        Set<Path> shown = new TreeSet<>();
        for (String part : parts()) {
            links(part).forEach(link -> shown.add(link.page()));
        }
        List<Path> missing;
        try (Stream<Path> files = Files.walk(DOCS)) {
            missing = files.filter(file -> file.toString().endsWith(".md"))
                    .map(Path::normalize)
                    .filter(file -> !file.startsWith(DOCS.resolve("decisions").normalize())
                            && !file.equals(DOCS.resolve("README.md").normalize())
                            && !shown.contains(file))
                    .toList();
        }
        assertEquals(
                List.of(),
                missing,
                "the navigation has what docs/README.md links to below a heading of its second level");
        assertTrue(shown.size() > 50, "the pattern no longer finds the links");
    }

    @Test
    void navigation_eachEntry_saysWhatItLeadsToWithoutItsRow() throws Exception {
        List<String> unclear = new ArrayList<>();
        for (String part : parts()) {
            Set<String> labels = new TreeSet<>();
            for (Link link : links(part)) {
                if (link.label().matches("(?i)here|below|above|this|page|it|next|more")
                        || link.label().length() > 45) {
                    unclear.add(link.label());
                } else if (labels.contains(link.label())) {
                    unclear.add("twice: " + link.label());
                }
                labels.add(link.label());
            }
        }
        assertEquals(List.of(), unclear);
    }

    @Test
    void index_partThatGetsTheJavadoc_isThere() throws Exception {
        assertTrue(Files.readString(PAGES.resolve("stage.mjs")).contains("part.text === 'Reference'"));
        assertTrue(parts().stream().anyMatch(part -> part.startsWith("Reference\n")));
    }

    @Test
    void packages_ofTheSite_haveOneVersionEachAndAChecksumAndNoAddress() throws Exception {
        String asked = Files.readString(PAGES.resolve("package.json"));
        Matcher versions = Pattern.compile("\"devDependencies\": \\{ (.*) \\}").matcher(asked);
        assertTrue(versions.find(), "package.json names what it needs in one line");
        assertTrue(versions.group(1).matches("(\"[^\"]+\": \"\\d+\\.\\d+\\.\\d+\"(, )?)+"), versions.group(1));
        String locked = Files.readString(PAGES.resolve("package-lock.json"));
        assertTrue(!locked.contains("\"resolved\""), "make it with npm install --omit-lockfile-registry-resolved");
        long packages = count(locked, "^    \"node_modules/[^\"]+\": \\{");
        assertEquals(packages, count(locked, "^      \"integrity\": \"sha512-"));
        assertTrue(packages > 50, "the pattern no longer finds the packages");
    }

    private static long count(String text, String pattern) {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(text)
                .results()
                .count();
    }

    /** The index from each heading to the next. */
    private static List<String> parts() throws Exception {
        String[] parts = Files.readString(DOCS.resolve("README.md")).split("(?m)^## ");
        return List.of(parts).subList(1, parts.length);
    }

    private record Link(String label, Path page) {}

    private static List<Link> links(String part) {
        return LINK.matcher(part)
                .results()
                .map(link -> new Link(link.group(1), DOCS.resolve(link.group(2)).normalize()))
                .toList();
    }
}
