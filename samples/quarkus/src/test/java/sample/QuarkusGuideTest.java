package sample;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each block of Java in the guide stands in this application, or in its tests. */
class QuarkusGuideTest {
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void examples_ofTheGuide_areOfThisApplication() throws IOException {
        String sources;
        try (Stream<Path> files = Files.walk(Path.of("src"))) {
            sources = files.filter(file -> file.toString().endsWith(".java"))
                    .map(QuarkusGuideTest::read)
                    .collect(Collectors.joining());
        }
        int examples = 0;
        Matcher blocks = BLOCK.matcher(Files.readString(Path.of("../../docs/guide/quarkus.md")));
        while (blocks.find()) {
            examples++;
            assertTrue(unindented(sources).contains(unindented(blocks.group(1))), blocks.group(1));
        }
        assertEquals(6, examples, "the pattern no longer finds the examples");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String unindented(String text) {
        return text.lines().map(String::strip).collect(Collectors.joining("\n"));
    }
}
