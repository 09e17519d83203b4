package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The documents are written in plain English: a clause has a noun as its subject, a sentence has {@value #MOST_WORDS} words at
 * most, and some words have a plainer one in their place. Decision records and the changelog are history, and are not looked at.
 * A page that does not keep the rules yet has the number of its faults in {@code document-words.txt}: it can only fall.
 */
class DocumentWordsTest {
    private static final Path ROOT = Path.of("..");
    private static final int MOST_WORDS = 30;

    private static final PlainWords RULES = new PlainWords(Map.of(
            "a clause needs a noun as its subject",
            Pattern.compile("^(?:[Ww]ho|[Ww]hat|Whatever)\\b(?!.*[?:][\")]*$)|; (?:who|what) (?!if\\b)|[;:] whatever "),
            "distinguish, report, notify, say: not tell",
            Pattern.compile("\\b(?:[Tt]ells|[Tt]old)\\b(?! apart)"),
            "the same as what?",
            Pattern.compile("^(?i:(?:the )?same)\\.?$")));

    private static final Pattern ITEM = Pattern.compile("^(?:[-*+]|\\d+\\.|>)\\s+");
    private static final Pattern RULER = Pattern.compile("[|:\\- ]+");
    private static final Pattern BOUNDARY = Pattern.compile("(?<=[.!?])[\")']*\\s+(?=[A-Z\"(0-9])| · ");
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][\\w'’.,:/%-]*");

    /** A page has exactly as many faults as are counted for it in {@code document-words.txt}; by default none. */
    @Test
    void pages_areInPlainEnglish_butForFaultsThatAreCounted() throws IOException {
        Map<String, Integer> counted = counted();
        List<String> wrong = new ArrayList<>();
        int sentences = 0;
        for (Path page : pages()) {
            String name = ROOT.relativize(page).toString().replace('\\', '/');
            List<String> broken = new ArrayList<>();
            for (String sentence : sentences(Files.readString(page))) {
                sentences++;
                faults(sentence).forEach(fault -> broken.add(fault + ": " + sentence));
            }
            Integer expected = counted.remove(name);
            int most = expected == null ? 0 : expected;
            if (broken.size() > most) {
                wrong.add(name + " has " + broken.size() + " faults, " + most + " are allowed:\n  "
                        + String.join("\n  ", broken));
            } else if (broken.size() < most) {
                wrong.add(name + " has only " + broken.size() + " faults: write that down in place of " + most);
            }
        }
        assertEquals(List.of(), wrong, () -> String.join("\n", wrong));
        assertEquals(Map.of(), counted, "these pages are gone");
        assertTrue(sentences > 5000, "the sentences are no longer found");
    }

    private static Map<String, Integer> counted() throws IOException {
        Map<String, Integer> counted = new TreeMap<>();
        for (String line : PlainWords.list("document-words.txt")) {
            String[] words = line.split(" ", -1);
            counted.put(words[0], Integer.parseInt(words[1]));
        }
        return counted;
    }

    @Test
    void faults_eachRule_isBrokenByItsExample() {
        String tooLong = "A lock" + " and a lock".repeat(10) + ".";
        for (String sentence : List.of(
                "Who waits is served.",
                "What is kept goes back.",
                "The lock is free; what was kept goes back.",
                "The holder is told.",
                "The lock belongs to nobody.",
                "Whoever comes is served.",
                "Whatever comes is served.",
                "The client connects anew.",
                "No permit is to be had.",
                "the same",
                tooLong)) {
            assertEquals(1, faults(sentence).size(), sentence);
        }
        for (String sentence : List.of(
                "What does a lock cost?",
                "The client reports what it has.",
                "Two outcomes are told apart.",
                "the same as above",
                "A lock" + " and a lock".repeat(9) + ".")) {
            assertEquals(List.of(), faults(sentence), sentence);
        }
    }

    @Test
    void sentences_areThoseOfParagraphsItemsAndCells() {
        String page = """
                # Heading

                One *two*.
                Three `a. B`
                [what it is](x.md) four.

                ```java
                No.
                ```
                - item

                | what | head |
                |---|---|
                | **cell** one | Cell two. |
                """;
        assertEquals(List.of("One two.", "Three CODE LINK four.", "item", "cell one", "Cell two."), sentences(page));
    }

    private static List<String> faults(String sentence) {
        List<String> faults = RULES.faults(sentence);
        long words = WORD.matcher(sentence).results().count();
        if (words > MOST_WORDS) {
            faults.add(words + " words, at most " + MOST_WORDS);
        }
        return faults;
    }

    /** Of paragraphs, items of lists and cells of tables; not of headings, heads of tables and blocks of code. */
    private static List<String> sentences(String page) {
        List<String> units = new ArrayList<>();
        StringBuilder unit = new StringBuilder();
        boolean code = false;
        List<String> lines = page.lines().map(String::strip).toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            boolean fence = line.startsWith("```");
            boolean row = line.startsWith("|");
            if (code
                    || fence
                    || row
                    || line.isEmpty()
                    || line.startsWith("#")
                    || ITEM.matcher(line).find()) {
                units.add(unit.toString());
                unit.setLength(0);
            }
            code ^= fence;
            if (code || fence || line.startsWith("#")) {
                continue;
            }
            if (!row) {
                unit.append(ITEM.matcher(line).replaceFirst("")).append(' ');
            } else if (!isRuler(line) && !(i + 1 < lines.size() && isRuler(lines.get(i + 1)))) {
                units.addAll(List.of(line.replace("\\|", "/").split("\\|", -1)));
            }
        }
        units.add(unit.toString());
        return units.stream()
                .map(DocumentWordsTest::plain)
                .flatMap(BOUNDARY::splitAsStream)
                .filter(sentence -> !sentence.isBlank())
                .toList();
    }

    private static boolean isRuler(String line) {
        return line.startsWith("|") && RULER.matcher(line).matches();
    }

    /** Without marks, addresses and code. A link whose text is a question of its own is one word. */
    private static String plain(String unit) {
        return unit.replaceAll("`[^`]*`", "CODE")
                .replaceAll("!?\\[(?:[Ww]ho|[Ww]hat)\\b[^\\]]*\\]\\([^)]*\\)", "LINK")
                .replaceAll("!?\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                .replaceAll("<[^>]*>", "")
                .replaceAll("[*_]{1,2}(?=\\S)|(?<=\\S)[*_]{1,2}", "")
                .replaceAll("\\s+", " ")
                .strip();
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> root = Files.list(ROOT);
                Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(root, docs)
                    .filter(file -> file.toString().endsWith(".md"))
                    .filter(file ->
                            !file.endsWith("CHANGELOG.md") && !file.toString().contains("decisions"))
                    .sorted()
                    .toList();
        }
    }
}
