package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The English of pages, Javadoc and messages keeps a few rules that a machine can check. What does not keep them yet is
 * counted in {@code english.txt}, by page and rule, with the reason; a page without a line there has to be clean. The
 * counts are exact: a sentence more fails, and a sentence less has to be written down, so that it stays mended.
 *
 * <p>Not looked at are the changelog and the records of decisions, which are history.
 */
class DocumentedEnglishTest {
    private static final Path ROOT = Path.of("..");
    private static final int LONGEST = 30;

    /** Rules for any text: words that have a better one. */
    private static final Map<String, Pattern> WORDS = Map.of(
            "whoever", Pattern.compile("\\b[Ww]hoever\\b"),
            "told", Pattern.compile("\\b(?:tells?|told|telling)\\b", Pattern.CASE_INSENSITIVE),
            "nobody", Pattern.compile("\\b(?:nobody|somebody)\\b", Pattern.CASE_INSENSITIVE),
            "anew", Pattern.compile("\\banew\\b", Pattern.CASE_INSENSITIVE),
            "to-be-had", Pattern.compile("\\bto be had\\b"),
            "beside", Pattern.compile("\\b[Bb]eside (?:that|this|these|those)\\b"));

    /** A clause whose subject is a bare pronoun; a question is none. */
    private static final Pattern HEADLESS = Pattern.compile("(?:Who|Whatever|(?:[Aa]nd|[Bb]ut|[Ss]o) who|who|whatever"
            + "|What (?:is|was|are|were|has|had|does|did|must|may|can|will|rests|stands|fits|waits)) .*[^?:]");

    private static final Pattern SAME = Pattern.compile("[Tt]he same\\.?");
    private static final Pattern CODE_BLOCK = Pattern.compile("^ *```.*?^ *```", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern LINK = Pattern.compile("!?\\[([^\\]]*)\\]\\([^)]*\\)");
    private static final Pattern LIST = Pattern.compile("(?:[-*>]|\\d+\\.) .*");
    private static final Pattern CLAUSE = Pattern.compile("(?<=[.!?;:])[\"')]*\\s+");
    private static final Pattern SENTENCE = Pattern.compile("(?<=[.!?])[\"')]*\\s+(?=\\S)");
    private static final Pattern JAVADOC = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);
    private static final Pattern LITERAL = Pattern.compile("\"((?:[^\"\\\\\n]|\\\\.)+)\"");

    @Test
    void pagesJavadocAndMessages_keepTheRules_exceptWhereItIsCounted() throws IOException {
        Map<String, List<String>> found = new TreeMap<>();
        List<Path> pages = pages();
        for (Path page : pages) {
            String name = name(page);
            for (Text text : texts(Files.readString(page))) {
                broken(text).forEach(rule -> add(found, name + " " + rule, text.words()));
            }
        }
        List<Path> modules = modules();
        for (Path module : modules) {
            for (Path source : sources(module)) {
                String code = Files.readString(source);
                if (!name(source).contains("/internal/")) {
                    for (String doc : javadoc(code)) {
                        brokenByJavadoc(doc).forEach(rule -> add(found, name(module) + ":javadoc " + rule, doc));
                    }
                }
                for (String message : messages(code)) {
                    brokenWords(message).forEach(rule -> add(found, name(module) + ":messages " + rule, message));
                }
            }
        }
        Map<String, Integer> counted = counted();
        List<String> wrong = new ArrayList<>();
        found.forEach((place, texts) -> {
            int allowed = counted.getOrDefault(place, 0);
            if (texts.size() != allowed) {
                wrong.add(place + " " + texts.size() + ", not " + allowed
                        + (texts.size() < allowed ? ": lower it" : ": " + texts));
            }
        });
        counted.keySet().stream()
                .filter(place -> !found.containsKey(place))
                .forEach(place -> wrong.add(place + " has none: remove it"));
        assertEquals(List.of(), wrong);
        assertTrue(pages.size() > 60 && modules.size() > 10, "pages or modules are no longer found");
    }

    @Test
    void rules_sentencesThatBreakThem_areFound() {
        assertEquals(List.of("headless"), brokenBy("Who comes waits. It is free."));
        assertEquals(List.of("headless"), brokenBy("A lock is free; who comes has it."));
        assertEquals(List.of("headless"), brokenBy("What is left ends."));
        assertEquals(List.of("headless"), brokenBy("Whatever comes waits."));
        assertEquals(List.of("whoever"), brokenBy("It serves whoever comes."));
        assertEquals(List.of("told"), brokenBy("A loss is told."));
        assertEquals(List.of("nobody"), brokenBy("- Nobody waits."));
        assertEquals(List.of("anew"), brokenBy("The set begins anew."));
        assertEquals(List.of("to-be-had"), brokenBy("More is not to be had."));
        assertEquals(List.of("beside"), brokenBy("Beside that it waits."));
        assertEquals(List.of("same", "same"), brokenBy("| a | the same |\n\nThe same."));
        assertEquals(List.of("long"), brokenBy("word ".repeat(LONGEST + 1) + "."));
        assertEquals(List.of("javadoc"), brokenByJavadoc("The same with a limit."));
        assertEquals(List.of("javadoc"), brokenByJavadoc("With another limit."));
        assertEquals(List.of("told is new"), messages("x(\"told is new\", 'a');"));
    }

    @Test
    void rules_sentencesThatKeepThem_pass() {
        assertEquals(List.of(), brokenBy("Who comes first?"));
        assertEquals(List.of(), brokenBy("A waiter that comes waits for the same lock, and `nobody()` is code."));
        assertEquals(List.of(), brokenBy("What each page says stands in its first line."));
        assertEquals(List.of(), brokenBy("word ".repeat(LONGEST) + "."));
        assertEquals(List.of(), brokenBy("```\nnobody\n```\n# Nobody\n"));
        assertEquals(List.of(), brokenByJavadoc("Returns a copy with the given limit."));
    }

    private static List<String> brokenBy(String page) {
        return texts(page).stream().flatMap(text -> broken(text).stream()).toList();
    }

    private static List<String> broken(Text text) {
        List<String> broken = new ArrayList<>(brokenWords(text.words()));
        if (!text.cell()) {
            CLAUSE.splitAsStream(text.words())
                    .filter(clause -> HEADLESS.matcher(clause).matches())
                    .forEach(clause -> broken.add("headless"));
        }
        SENTENCE.splitAsStream(text.words()).forEach(sentence -> {
            if (SAME.matcher(sentence).matches()) {
                broken.add("same");
            }
            if (Stream.of(sentence.split("\\s+")).filter(word -> word.matches(".*\\w.*")).count() > LONGEST) {
                broken.add("long");
            }
        });
        return broken;
    }

    private static List<String> brokenWords(String text) {
        List<String> broken = new ArrayList<>();
        WORDS.forEach((rule, word) -> word.matcher(text).results().forEach(found -> broken.add(rule)));
        return broken;
    }

    private static List<String> brokenByJavadoc(String doc) {
        List<String> broken = new ArrayList<>(brokenWords(doc));
        if (doc.startsWith("The same") || doc.startsWith("With another")) {
            broken.add("javadoc");
        }
        return broken;
    }

    /** A paragraph, an item of a list or a cell of a table, without its marks. */
    private record Text(String words, boolean cell) {}

    private static List<Text> texts(String page) {
        List<Text> texts = new ArrayList<>();
        StringBuilder paragraph = new StringBuilder();
        for (String line : (CODE_BLOCK.matcher(page).replaceAll("") + "\n\n").lines().map(String::strip).toList()) {
            boolean list = LIST.matcher(line).matches();
            if (list || line.isEmpty() || line.startsWith("#") || line.startsWith("|")) {
                texts.add(new Text(clean(paragraph.toString()), false));
                paragraph.setLength(0);
            }
            if (line.startsWith("|")) {
                for (String cell : line.split("(?<!\\\\)\\|")) {
                    texts.add(new Text(clean(cell), true));
                }
            } else if (!line.startsWith("#")) {
                paragraph.append(list ? line.replaceFirst("^\\S+ ", "") : line).append(' ');
            }
        }
        return texts;
    }

    private static String clean(String text) {
        return LINK.matcher(text)
                .replaceAll("$1")
                .replaceAll("`[^`]*`", "code")
                .replaceAll("<[^>]+>", "")
                .replaceAll("[*_]{1,2}", "")
                .strip();
    }

    private static List<String> javadoc(String code) {
        return JAVADOC.matcher(code)
                .results()
                .map(doc -> doc.group(1)
                        .replaceAll("\\n\\s*\\*", " ")
                        .replaceAll("\\{@\\w+ [^}]*\\}", "code")
                        .replaceAll("\\s+", " ")
                        .strip())
                .toList();
    }

    private static List<String> messages(String code) {
        return LITERAL.matcher(JAVADOC.matcher(code).replaceAll(""))
                .results()
                .map((MatchResult literal) -> literal.group(1))
                .filter(text -> text.contains(" "))
                .toList();
    }

    private static void add(Map<String, List<String>> found, String place, String text) {
        found.computeIfAbsent(place, any -> new ArrayList<>()).add(text);
    }

    private static Map<String, Integer> counted() throws IOException {
        Map<String, Integer> counted = new LinkedHashMap<>();
        try (var file = Objects.requireNonNull(DocumentedEnglishTest.class.getResourceAsStream("english.txt"))) {
            new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .map(line -> line.split(" +"))
                    .forEach(line -> counted.put(line[0] + " " + line[1], Integer.parseInt(line[2])));
        }
        return counted;
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> root = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(root, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .filter(file -> !file.endsWith("CHANGELOG.md") && !name(file).startsWith("docs/decisions/"))
                    .sorted()
                    .toList();
        }
    }

    /** The published ones, by the file that lists their public surface. */
    private static List<Path> modules() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT, 3)) {
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

    private static String name(Path file) {
        return ROOT.relativize(file).toString().replace('\\', '/');
    }
}
