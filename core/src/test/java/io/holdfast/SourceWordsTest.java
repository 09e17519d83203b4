package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Javadoc of public types, and messages, avoid the words that have a plainer one, as pages do. Messages are the texts of more
 * than one word in published modules and in the command; a text that stays as it is, is in {@code source-words.txt} with the
 * reason.
 */
class SourceWordsTest {
    private static final Path ROOT = Path.of("..");

    private static final PlainWords RULES = new PlainWords(
            Map.of("distinguish, report, notify, say: not tell", Pattern.compile("\\b(?i:tells?|told|telling)\\b")));

    private static final Pattern BEGINNING = Pattern.compile("(?:The same|With another)\\b.*");
    private static final Pattern JAVADOC = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);
    private static final Pattern PUBLIC =
            Pattern.compile("^public .*\\b(?:class|interface|record|enum)\\b", Pattern.MULTILINE);
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\n]|\\\\.)+)\"");

    @Test
    void javadocOfPublicTypes_isInPlainWords() throws IOException {
        List<String> broken = new ArrayList<>();
        int read = 0;
        for (Path module : published()) {
            for (Path source : sources(module)) {
                String code = Files.readString(source);
                if (PUBLIC.matcher(code).find() && !source.toString().contains("internal")) {
                    for (String doc : javadoc(code)) {
                        read++;
                        ofJavadoc(doc).forEach(fault -> broken.add(source.getFileName() + ": " + fault + ": " + doc));
                    }
                }
            }
        }
        assertEquals(List.of(), broken, () -> String.join("\n", broken));
        assertTrue(read > 1000, "the comments are no longer found");
    }

    @Test
    void messages_areInPlainWords() throws IOException {
        Set<String> allowed = Set.copyOf(PlainWords.list("source-words.txt"));
        Set<String> unused = new TreeSet<>(allowed);
        List<String> broken = new ArrayList<>();
        int read = 0;
        for (Path module : Stream.concat(published().stream(), Stream.of(ROOT.resolve("cli")))
                .toList()) {
            for (Path source : sources(module)) {
                for (String message : messages(Files.readString(source))) {
                    read++;
                    for (String fault : RULES.faults(message)) {
                        if (allowed.contains(message)) {
                            unused.remove(message);
                        } else {
                            broken.add(source.getFileName() + ": " + fault + ": " + message);
                        }
                    }
                }
            }
        }
        assertEquals(List.of(), broken, () -> String.join("\n", broken));
        assertEquals(Set.of(), unused, "these are mended, or gone: the list gets shorter");
        assertTrue(read > 2000, "the messages are no longer found");
    }

    @Test
    void faults_eachRule_isBrokenByItsExample() {
        for (String text : List.of(
                "The loss is told.",
                "Nobody waits.",
                "It serves whoever comes.",
                "It begins anew.",
                "None is to be had.")) {
            assertEquals(1, RULES.faults(text).size(), text);
        }
        for (String doc : List.of("The same with a limit.", "With another limit.")) {
            assertEquals(1, ofJavadoc(doc).size(), doc);
        }
        assertEquals(List.of(), ofJavadoc("Returns a copy with the given limit, the same for each."));
        assertEquals(List.of("Nobody waits"), messages("/** \"no one\" */ send(\"Nobody waits\", \"word\");"));
        assertEquals(List.of("A b code d."), javadoc("/**\n * A b\n * {@link X} d.\n */"));
    }

    private static List<String> ofJavadoc(String doc) {
        List<String> faults = RULES.faults(doc);
        if (BEGINNING.matcher(doc).matches()) {
            faults.add("returns a copy, does not block: not the same, with another");
        }
        return faults;
    }

    /** What each comment says, with the names of code left out: their words are not those of a sentence. */
    private static List<String> javadoc(String code) {
        return JAVADOC.matcher(code)
                .results()
                .map(doc -> doc.group(1)
                        .replaceAll("\\n\\s*\\*", " ")
                        .replaceAll("\\{@\\w+[^}]*\\}", "code")
                        .replaceAll("@param \\w+", "")
                        .replaceAll("\\s+", " ")
                        .strip())
                .toList();
    }

    private static List<String> messages(String code) {
        return LITERAL.matcher(JAVADOC.matcher(code).replaceAll(""))
                .results()
                .map(literal -> literal.group(1).strip())
                .filter(text -> text.contains(" "))
                .toList();
    }

    /** The modules that have a list of their public surface. */
    private static List<Path> published() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT, 2)) {
            return files.filter(file -> file.endsWith("public-surface.txt"))
                    .map(Path::getParent)
                    .sorted()
                    .toList();
        }
    }

    private static List<Path> sources(Path module) throws IOException {
        Path main = module.resolve("src/main/java");
        if (!Files.exists(main)) {
            return List.of();
        }
        try (Stream<Path> files = Files.walk(main)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }
}
