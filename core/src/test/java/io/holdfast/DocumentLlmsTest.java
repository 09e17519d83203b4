package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * {@code llms.txt} is an index of the documents for language models, in the form of llmstxt.org: each task with its page, and
 * with a line of the page's code. It is made of the README and of {@code docs/README.md}, so it never goes stale.
 */
class DocumentLlmsTest {
    private static final Path ROOT = Path.of("..");
    private static final Path INDEX = Path.of("docs", "README.md");
    private static final String WRITE = "holdfast.llms.write";
    private static final Pattern LINK = Pattern.compile("\\[((?:[^\\[\\]])*)\\]\\(([^)#:]+)(?:#[^)]*)?\\)");
    private static final Pattern TASK = Pattern.compile("^(?:\\| |\\d\\. )(.*?)(?: \\| |(?<=\\?) |: )(.*)$");
    private static final Pattern JAVA = Pattern.compile("^```java\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);
    /** In characters. */
    private static final int LONGEST_SNIPPET = 110;

    @Test
    void llms_isWhatTheIndexSays() throws IOException {
        String text = text();
        Path file = ROOT.resolve("llms.txt");
        if (Boolean.getBoolean(WRITE)) {
            Files.writeString(file, text);
        }
        assertEquals(
                text,
                Files.exists(file) ? Files.readString(file) : "",
                "rewrite it: mvn -Pquick -pl core test -Dtest=DocumentLlmsTest -Dtest.jvm.args=-D" + WRITE + "=true");
        assertTrue(text.lines().count() < 140, "it is to be small");
        assertTrue(LINK.matcher(text).results().count() > 60, "the pattern no longer finds the pages");
    }

    private static String text() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        String summary = readme.lines().skip(2).findFirst().orElseThrow();
        StringBuilder text = new StringBuilder(
                "# Holdfast\n\n> " + summary + "\n\n```java\n" + firstBlock(readme)
                        + "```\n\nImports: `io.holdfast.*`. Artifacts: `io.holdfast:holdfast-lettuce` or `io.holdfast:holdfast-jedis`.\n");
        Set<Path> listed = new HashSet<>();
        String heading = "";
        for (String line : Files.readAllLines(ROOT.resolve(INDEX))) {
            if (line.startsWith("## ")) {
                heading = line.equals("## Internals") ? "## Optional" : line;
            }
            Matcher task = TASK.matcher(line);
            boolean hasTask = task.matches();
            Matcher links = LINK.matcher(hasTask ? task.group(2) : line);
            while (!heading.isEmpty() && links.find()) {
                Path page = INDEX.resolveSibling(links.group(2)).normalize();
                if (!page.toString().endsWith(".md") || !listed.add(page)) {
                    continue;
                }
                text.append(text.indexOf("\n" + heading + "\n") < 0 ? "\n" + heading + "\n\n" : "");
                text.append("- [")
                        .append(links.group(1))
                        .append("](")
                        .append(page.toString().replace('\\', '/'))
                        .append(')')
                        .append(hasTask ? ": " + LINK.matcher(task.group(1)).replaceAll("$1") : "")
                        .append(snippet(page))
                        .append('\n');
            }
        }
        return text.toString();
    }

    private static String firstBlock(String document) {
        Matcher block = JAVA.matcher(document);
        assertTrue(block.find(), "the README begins with code");
        return block.group(1);
    }

    /** The first call in the first block of Java of a guide; empty if there is none. */
    private static String snippet(Path page) throws IOException {
        Matcher block = JAVA.matcher(Files.readString(ROOT.resolve(page)));
        if (!block.find()) {
            return "";
        }
        return block.group(1)
                .lines()
                .map(line -> line.replaceFirst("\\s+//.*", "").strip())
                .filter(line -> line.matches(".*\\w\\(.*\\).*") && !line.startsWith("@") && !line.contains("static "))
                .filter(line -> line.length() <= LONGEST_SNIPPET)
                .findFirst()
                .map(line -> " — `" + line.replaceFirst("\\s*\\{$", "") + "`")
                .orElse("");
    }
}
