package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the documents point at exists: tests that are named, files and their parts that are linked. */
class DocumentsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern NAMED_TEST =
            Pattern.compile("`([A-Z][A-Za-z]*(?:Test|Contract))(?:\\.([a-zA-Z0-9_]+))?`");
    /** To a file, to a part of one, or to a part of the same document. */
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]*)(?:#([^)]*))?\\)");

    private static final Pattern DECLARED = Pattern.compile("\\b(?:class|interface|enum|record) ([A-Z]\\w*)");
    private static final Pattern NAMED_TYPE = Pattern.compile("`([A-Z]\\w*[a-z]\\w*)[.`]");
    private static final Pattern STATUS =
            Pattern.compile("^\\*\\*Status\\.\\*\\* Accepted, (\\d{4}-\\d{2}-\\d{2})[.;]", Pattern.MULTILINE);
    private static final Pattern BLOCK = Pattern.compile("^```.*?^```", Pattern.MULTILINE | Pattern.DOTALL);
    private static final Pattern HEADING = Pattern.compile("^#+ (.*)$", Pattern.MULTILINE);
    private static final Pattern MARK = Pattern.compile("<a id=\"([^\"]+)\"");

    @Test
    void documents_testsThatTheyName_exist() throws IOException {
        Map<String, String> sources = new HashMap<>();
        for (Path file : files(".java")) {
            String name = file.getFileName().toString();
            sources.put(name.substring(0, name.length() - 5), Files.readString(file));
        }
        for (Path file : files(".kt")) {
            String name = file.getFileName().toString();
            sources.put(
                    name.substring(0, name.length() - 3), Files.readString(file).replace(" fun ", " void "));
        }
        List<String> missing = new ArrayList<>();
        int named = 0;
        for (Path document : files(".md")) {
            Matcher matcher = NAMED_TEST.matcher(Files.readString(document));
            while (matcher.find()) {
                named++;
                String source = sources.get(matcher.group(1));
                if (source == null
                        || (matcher.group(2) != null && !source.contains(" void " + matcher.group(2) + "("))) {
                    missing.add(document.getFileName() + ": " + matcher.group());
                }
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(named > 40, "the pattern no longer finds the names");
    }

    @Test
    void documents_filesThatTheyLinkTo_exist() throws IOException {
        List<String> missing = new ArrayList<>();
        for (Path document : files(".md")) {
            Matcher matcher = LINK.matcher(Files.readString(document));
            while (matcher.find()) {
                if (!Files.exists(document.resolveSibling(matcher.group(1)))) {
                    missing.add(document + ": " + matcher.group(1));
                }
            }
        }
        assertEquals(List.of(), missing);
    }

    /** A decision is listed by the index of decisions. */
    @Test
    void index_everyPage_isReachedFromIt() throws IOException {
        Path index = ROOT.resolve("docs/README.md");
        Set<Path> linked = new TreeSet<>();
        Matcher links = LINK.matcher(Files.readString(index));
        while (links.find()) {
            linked.add(index.resolveSibling(links.group(1)).normalize());
        }
        List<Path> missing = files(".md").stream()
                .map(Path::normalize)
                .filter(page -> page.startsWith(ROOT.resolve("docs").normalize())
                        && !page.equals(index.normalize())
                        && !page.startsWith(ROOT.resolve("docs/decisions").normalize())
                        && !linked.contains(page))
                .toList();
        assertEquals(List.of(), missing);
        assertTrue(linked.size() > 50, "the pattern no longer finds the links");
    }

    @Test
    void documents_partsThatTheyLinkTo_exist() throws IOException {
        List<String> missing = new ArrayList<>();
        int linked = 0;
        for (Path document : files(".md")) {
            Matcher matcher = LINK.matcher(Files.readString(document));
            while (matcher.find()) {
                Path other = matcher.group(1).isEmpty() ? document : document.resolveSibling(matcher.group(1));
                if (matcher.group(2) != null && other.toString().endsWith(".md") && Files.exists(other)) {
                    linked++;
                    if (!parts(Files.readString(other)).contains(matcher.group(2))) {
                        missing.add(document + ": " + matcher.group());
                    }
                }
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(linked > 100, "the pattern no longer finds the links");
    }

    /** The names by which parts of a document can be linked to: of its headings, as GitHub makes them, and its marks. */
    private static Set<String> parts(String document) {
        String text = BLOCK.matcher(document).replaceAll("");
        Set<String> parts =
                MARK.matcher(text).results().map(mark -> mark.group(1)).collect(Collectors.toSet());
        HEADING.matcher(text)
                .results()
                .map(heading -> heading.group(1)
                        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
                        .strip()
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^\\p{L}\\p{N}_\\- ]", "")
                        .replace(' ', '-'))
                .forEach(parts::add);
        return parts;
    }

    @Test
    void defaults_everyOption_isListed() throws IOException {
        String text = Files.readString(ROOT.resolve("docs/defaults.md"));
        List<String> missing = new ArrayList<>();
        for (Class<?> options :
                List.of(HoldfastOptions.class, LockOptions.class, PlainOptions.class, QuorumOptions.class)) {
            int begin = text.indexOf("(`" + options.getSimpleName() + "`)");
            assertTrue(begin > 0, options + " has a part of the table");
            String part = text.substring(begin, text.indexOf("| **", begin));
            Stream.of(options.getMethods())
                    .map(Method::getName)
                    .filter(name -> name.startsWith("with"))
                    .distinct()
                    .filter(name -> !part.contains("`" + name + "`"))
                    .forEach(name -> missing.add(options.getSimpleName() + "." + name));
        }
        assertEquals(List.of(), missing);
    }

    @Test
    void capabilities_eachOfThem_namesATestThatShowsIt() throws IOException {
        List<String> rows = Files.readString(ROOT.resolve("docs/capabilities.md"))
                .lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| what "))
                .toList();
        List<String> without = rows.stream()
                .filter(row -> NAMED_TEST.matcher(row).results().noneMatch(name -> name.group(2) != null))
                .toList();
        assertEquals(List.of(), without);
        assertTrue(rows.size() > 60, "the table is no longer found");
    }

    @Test
    void trackRecord_eachDefect_namesATestOrHasADash() throws IOException {
        List<String> rows = Files.readString(ROOT.resolve("docs/track-record.md"))
                .lines()
                .filter(line -> line.endsWith(" |") && line.split(" \\| ").length >= 4)
                .filter(line -> !line.startsWith("| defect ") && !line.startsWith("| mistake "))
                .toList();
        List<String> without = rows.stream()
                .filter(row -> !row.contains(" | — | – |")
                        && NAMED_TEST.matcher(row).results().findAny().isEmpty())
                .toList();
        assertEquals(List.of(), without);
        assertTrue(rows.size() > 100, "the tables are no longer found");
    }

    @Test
    void architecture_typesThatItNames_exist() throws IOException {
        Set<String> declared = new TreeSet<>();
        for (Path file : files(".java")) {
            DECLARED.matcher(Files.readString(file)).results().forEach(type -> declared.add(type.group(1)));
        }
        Set<String> named = new TreeSet<>();
        NAMED_TYPE
                .matcher(Files.readString(ROOT.resolve("ARCHITECTURE.md")))
                .results()
                .forEach(type -> named.add(type.group(1)));
        assertTrue(named.size() > 100, "the pattern no longer finds the names");
        named.removeAll(declared);
        assertEquals(Set.of(), named);
    }

    @Test
    void decisions_eachOfThem_hasAStatusAndIsInTheIndex() throws IOException {
        Path folder = ROOT.resolve("docs/decisions");
        String index = Files.readString(folder.resolve("README.md"));
        List<String> missing = new ArrayList<>();
        int records = 0;
        for (Path record : files(".md")) {
            String name = record.getFileName().toString();
            if (record.startsWith(folder) && !name.equals("README.md")) {
                records++;
                Matcher status = STATUS.matcher(Files.readString(record));
                if (!status.find() || !index.contains("](" + name + ") | " + status.group(1) + " |")) {
                    missing.add(name);
                }
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(records > 30, "the folder is no longer found");
    }

    private static List<Path> files(String suffix) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(file -> file.toString().endsWith(suffix))
                    .filter(file -> !file.toString().contains("/target/")
                            && !file.toString().contains("/.git/"))
                    .toList();
        }
    }
}
