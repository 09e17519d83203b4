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
 * The documents are written in plain English: a clause has a noun as its subject, a sentence has {@value #MOST_WORDS} words at
 * most, and some words have a plainer one in their place. Decision records and the changelog are history, and are not looked at.
 */
class DocumentWordsTest {
    private static final Path ROOT = Path.of("..");
    private static final int MOST_WORDS = 30;

    /** The pages that break a rule yet. A page that keeps them leaves this list, and none is added. */
    private static final Set<String> NOT_YET = Set.of();

    /** What breaks a rule and stays, as it begins, with the reason. */
    private static final Map<String, String> ALLOWED = Map.of();

    private static final Map<String, Pattern> RULES = Map.of(
            "a clause needs a noun as its subject",
            Pattern.compile("^(?:Who|who|What|what)\\b(?!.*\\?[\")]*$)|; (?:who|what) (?!if\\b)"),
            "distinguish, report, notify, say: not tell",
            Pattern.compile("\\b(?i:tells|told)\\b(?! apart)"),
            "no client, another holder, each request: not nobody, whoever",
            Pattern.compile("\\b(?i:nobody|somebody|whoever|whomever|whatever)\\b"),
            "again: not anew",
            Pattern.compile("\\b(?i:anew)\\b"),
            "possible, available: not to be had",
            Pattern.compile("\\b(?i:to be had)\\b"),
            "the same as what?",
            Pattern.compile("^(?i:(?:the )?same)\\.?$"));

    private static final Pattern ITEM = Pattern.compile("^(?:[-*+]|\\d+\\.|>)\\s+");
    private static final Pattern RULER = Pattern.compile("[|:\\- ]+");
    private static final Pattern BOUNDARY = Pattern.compile("(?<=[.!?])[\")']*\\s+(?=[A-Z\"(0-9])| · ");
    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][\\w'’.,:/%-]*");

    @Test
    void pages_areInPlainEnglish() throws IOException {
        List<String> broken = new ArrayList<>();
        Set<String> kept = new TreeSet<>(NOT_YET);
        int sentences = 0;
        for (Path page : pages()) {
            String name = ROOT.relativize(page).toString().replace('\\', '/');
            for (String sentence : sentences(Files.readString(page))) {
                sentences++;
                for (String fault : faults(sentence)) {
                    if (NOT_YET.contains(name)) {
                        kept.remove(name);
                    } else {
                        broken.add(name + ": " + fault + ": " + sentence);
                    }
                }
            }
        }
        assertEquals(List.of(), broken, () -> String.join("\n", broken));
        assertEquals(Set.of(), kept, "these pages keep the rules, or are gone: the list gets shorter");
        assertTrue(sentences > 5000, "the sentences are no longer found");
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
        assertEquals(
                List.of("One two.", "Three CODE LINK four.", "item", "cell one", "Cell two."),
                sentences("# Heading\n\nOne *two*.\nThree `a. B`\n[what it is](x.md) four.\n\n```java\nNo.\n```\n- item\n\n"
                        + "| what | head |\n|---|---|\n| **cell** one | Cell two. |\n"));
    }

    private static List<String> faults(String sentence) {
        List<String> faults = new ArrayList<>();
        if (ALLOWED.keySet().stream().anyMatch(sentence::startsWith)) {
            return faults;
        }
        RULES.forEach((fault, pattern) -> {
            if (pattern.matcher(sentence).find()) {
                faults.add(fault);
            }
        });
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
            if (code || fence || row || line.isEmpty() || line.startsWith("#") || ITEM.matcher(line).find()) {
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
                units.addAll(List.of(line.replace("\\|", "/").split("\\|")));
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
                    .filter(file -> !file.endsWith("CHANGELOG.md")
                            && !file.getParent().endsWith("decisions"))
                    .sorted()
                    .toList();
        }
    }
}
