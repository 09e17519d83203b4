package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How the sources hang together: which package may name which, how large a cycle of classes, and how long a file may be. */
final class HouseTest {
    // ---- the rules

    /** What a package of core may name besides itself. One that is not here is unknown, and so an error. */
    private static final Map<String, Set<String>> MAY_NAME = Map.ofEntries(
            Map.entry("io.holdfast.spi", Set.of()),
            Map.entry("io.holdfast.routing", Set.of("io.holdfast.spi")),
            Map.entry("io.holdfast.internal.wire", below("io.holdfast")),
            Map.entry("io.holdfast.internal.lease", below("io.holdfast", "wire")),
            Map.entry("io.holdfast.internal.polled", below("io.holdfast", "wire", "lease")),
            Map.entry("io.holdfast.internal.deadlock", below("io.holdfast", "wire", "lease")),
            Map.entry("io.holdfast.internal.report", below("io.holdfast", "wire", "lease")),
            Map.entry("io.holdfast.internal.safety", below("io.holdfast", "wire", "lease")),
            Map.entry(
                    "io.holdfast.internal.queue",
                    below("io.holdfast", "wire", "lease", "deadlock", "report", "safety")),
            Map.entry("io.holdfast.internal.turns", below("io.holdfast", "wire", "lease", "deadlock", "queue")),
            Map.entry("io.holdfast.internal.client", below("io.holdfast", "wire", "lease", "polled", "queue", "turns")),
            Map.entry("io.holdfast.internal.quorum", below("io.holdfast", "wire", "lease", "polled", "report")),
            Map.entry("io.holdfast.internal.sets", below("io.holdfast", "wire", "lease")),
            Map.entry(
                    "io.holdfast",
                    below(
                            "io.holdfast.routing",
                            "wire",
                            "lease",
                            "polled",
                            "queue",
                            "turns",
                            "client",
                            "quorum",
                            "sets",
                            "report")));

    /** What users hold in their hands and what works through the engine. The engine names values, and none of these. */
    private static final Set<String> FACES = Set.of(
            "Acquirable",
            "Admin",
            "BodyLimit",
            "Calls",
            "Candidacy",
            "Diagnosing",
            "DistributedLock",
            "DistributedReadWriteLock",
            "DistributedSemaphore",
            "Election",
            "FencedValue",
            "Holdfast",
            "Inspector",
            "JavaLock",
            "KeyPages",
            "Leader",
            "Leadership",
            "Lease",
            "LeaseAction",
            "LeaseFunction",
            "LeaseSet",
            "LockSet",
            "MigrationLease",
            "MigrationLock",
            "Once",
            "PlainLease",
            "PlainLock",
            "Quorum",
            "Watching");

    /** All of the engine that values may name: checks and words, which name nothing else themselves. */
    private static final Set<String> FOR_VALUES = Set.of("ClientLabel", "LogText", "OwnerIds", "Require");

    /** Classes that can be understood together only. */
    private static final int LONGEST_CYCLE = 8;

    /** Lines of a file of tests or of code, whatever they have. */
    private static final int MOST_LINES = 600;

    /** Lines of code of a file of main sources: neither blank nor comment, import or package. */
    private static final int MOST_CODE = 400;

    /** Files with more, and with how many. A number may only fall. */
    private static final Map<String, Integer> LONG = Map.ofEntries(
            Map.entry("contracts/ClusterContract", 487),
            Map.entry("contracts/ReadWriteLockContract", 498),
            Map.entry("contracts/ServerLimitsContract", 501),
            Map.entry("contracts/SteeringContract", 474),
            Map.entry("core/Ballot", 451),
            Map.entry("core/Hold", 425),
            Map.entry("core/LocalLine", 466),
            Map.entry("core/Request", 428),
            Map.entry("fault-tests/Plan", 445),
            Map.entry("fault-tests/ServerChecks", 498),
            Map.entry("fault-tests/ServerLines", 427),
            Map.entry("jedis/MessageConnection", 419),
            Map.entry("lettuce/Messages", 403),
            Map.entry("model/Clients", 494),
            Map.entry("model/LineServer", 500),
            Map.entry("model/QueueBench", 416),
            Map.entry("model/Quorum", 413),
            Map.entry("model/Turns", 477));

    /** Files of a package of the engine. */
    private static final int MOST_FILES = 25;

    /** Packages with more, and with how many. A number may only fall. */
    private static final Map<String, Integer> CROWDED = Map.of("internal.lease", 31, "internal.wire", 33);

    /** Classes of a package that stand in a circle with others of it. A number may only fall. */
    private static final Map<String, Integer> IN_CIRCLES = Map.ofEntries(
            Map.entry("internal.lease", 10),
            Map.entry("internal.polled", 6),
            Map.entry("internal.queue", 2),
            Map.entry("internal.quorum", 6),
            Map.entry("internal.wire", 4),
            Map.entry("routing", 2));

    private static Set<String> below(String first, String... rooms) {
        return Stream.concat(
                        Stream.of(first, "io.holdfast.spi"),
                        Stream.of(rooms).map(room -> "io.holdfast.internal." + room))
                .collect(Collectors.toSet());
    }

    // ---- how they are looked at

    private static final Path ROOT = Path.of("..");
    private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
    /** Comments and literals. */
    private static final Pattern SAID = Pattern.compile(
            "/\\*.*?\\*/|//[^\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\n])*\"|'(?:\\\\.|[^'\\\\])+'", Pattern.DOTALL);

    private static final Pattern KIND_ASKED = Pattern.compile("instanceof (?:Queue|Ballot|Plain)Grant\\b");
    private static final Pattern DECLARED = Pattern.compile("\\b(?:class|interface|enum|record)\\s+([A-Z]\\w*)");
    private static final Pattern NAME = Pattern.compile("(?<![\\w.])[A-Z]\\w*");
    private static final Pattern QUALIFIED = Pattern.compile("\\bio\\.holdfast(?:\\.[a-z]\\w*)*\\.[A-Z]\\w*");

    /**
     * A file, read.
     *
     * @param names whole names of the types of core that it names
     */
    private record Source(String packageName, String name, Set<String> names) {
        String whole() {
            return packageName + "." + name;
        }
    }

    @Test
    void packages_ofCore_nameOnlyThoseBelow() throws IOException {
        assertEquals(List.of(), againstTheOrder(core()));
    }

    @Test
    void engine_ofCore_namesNoFace() throws IOException {
        assertEquals(List.of(), facesNamed(core()));
    }

    @Test
    void values_ofCore_nameNothingOfTheEngineButChecksAndWords() throws IOException {
        assertEquals(List.of(), engineNamedByValues(core()));
    }

    @Test
    void classes_ofCore_dependOnEachOtherInSmallCirclesOnly() throws IOException {
        assertEquals(
                List.of(),
                circles(core()).stream()
                        .filter(circle -> circle.size() > LONGEST_CYCLE)
                        .toList());
    }

    @Test
    void files_ofAllModules_areNotTooLong() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (String part : List.of("main", "test")) {
            for (Path file : sources(part)) {
                long lines;
                try (Stream<String> read = Files.lines(file)) {
                    lines = read.count();
                }
                if (lines > MOST_LINES) {
                    tooLong.add(ROOT.relativize(file) + ": " + lines);
                }
            }
        }
        assertEquals(List.of(), tooLong);
    }

    @Test
    void files_ofMainSources_haveFewLinesOfCode() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        for (Path file : sources("main")) {
            int code = linesOfCode(Files.readString(file));
            if (code > MOST_CODE) {
                found.put(ROOT.relativize(file).getName(0) + "/" + nameOf(file), code);
            }
        }
        assertNoneIsMoreThan(LONG, found);
    }

    @Test
    void packages_ofTheEngine_haveFewFiles() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        for (Source source : core()) {
            if (isEngine(source)) {
                found.merge(brief(source.packageName()), 1, Integer::sum);
            }
        }
        found.values().removeIf(count -> count <= MOST_FILES);
        assertNoneIsMoreThan(CROWDED, found);
    }

    @Test
    void packages_ofTheEngine_haveFewClassesInCircles() throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        for (List<String> circle : circles(core())) {
            for (String one : circle) {
                String room = one.substring(0, Math.max(0, one.lastIndexOf('.')));
                if (!room.isEmpty()) {
                    found.merge(room, 1, Integer::sum);
                }
            }
        }
        assertNoneIsMoreThan(IN_CIRCLES, found);
    }

    /** A line asks its grant, and never what kind of grant it is. */
    @Test
    void engine_ofCore_asksNoGrantForItsKind() throws IOException {
        List<String> asked = new ArrayList<>();
        for (Path file : sources("main")) {
            if (file.startsWith(ROOT.resolve("core"))
                    && KIND_ASKED.matcher(Files.readString(file)).find()) {
                asked.add(nameOf(file));
            }
        }
        assertEquals(List.of(), asked);
    }

    /** Says what to do: a limit that is met is no reason to cut a class in two. */
    private static void assertNoneIsMoreThan(Map<String, Integer> allowed, Map<String, Integer> found) {
        Map<String, Integer> more = new TreeMap<>(found);
        more.entrySet().removeIf(each -> each.getValue() <= allowed.getOrDefault(each.getKey(), 0));
        assertEquals(Map.of(), more, "merge what belongs together, or move what does not; allowed are " + allowed);
    }

    private static int linesOfCode(String text) {
        String code = SAID.matcher(text).replaceAll(said -> said.group().startsWith("/") ? "" : "0");
        return (int) code.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("import ") && !line.startsWith("package "))
                .count();
    }

    @Test
    void packages_ofCore_areDeclaredByNobodyElse() throws IOException {
        Set<String> ofCore = core().stream().map(Source::packageName).collect(Collectors.toSet());
        List<String> squatters = new ArrayList<>();
        for (String part : List.of("main", "test")) {
            for (Path file : sources(part)) {
                if (!file.startsWith(ROOT.resolve("core")) && ofCore.contains(packageOf(Files.readString(file)))) {
                    squatters.add(ROOT.relativize(file).toString());
                }
            }
        }
        assertEquals(List.of(), squatters);
    }

    @Test
    void rules_ofMadeUpSources_findWhatBreaksThem() {
        Map<String, String> texts = new TreeMap<>();
        texts.put("io.holdfast.Lease", "import io.holdfast.internal.lease.Hold; class Lease { Hold hold; }");
        texts.put("io.holdfast.Wait", "import io.holdfast.internal.lease.Hold; class Wait { Hold hold; }");
        texts.put(
                "io.holdfast.internal.lease.Hold",
                "class Hold { Engine engine; /* Lease */ String words = \"Lease\"; }");
        texts.put(
                "io.holdfast.internal.lease.Engine",
                "import io.holdfast.Lease; class Engine { Hold hold; enum Other { Keys } Lease lease; }");
        texts.put("io.holdfast.internal.wire.Keys", "class Keys { io.holdfast.internal.lease.Hold hold; }");
        List<Source> sources = read(texts);

        assertEquals(List.of("internal.wire.Keys -> internal.lease.Hold"), againstTheOrder(sources));
        assertEquals(List.of("internal.lease.Engine -> Lease"), facesNamed(sources));
        assertEquals(List.of("Wait -> internal.lease.Hold"), engineNamedByValues(sources));
        assertEquals(List.of(List.of("Lease", "internal.lease.Engine", "internal.lease.Hold")), circles(sources));
    }

    // ---- what is found

    private static List<String> againstTheOrder(Collection<Source> sources) {
        return arrows(sources, (from, to) -> {
            Set<String> allowed = MAY_NAME.get(from.packageName());
            return !from.packageName().equals(to.packageName())
                    && (allowed == null || !allowed.contains(to.packageName()));
        });
    }

    private static List<String> facesNamed(Collection<Source> sources) {
        return arrows(sources, (from, to) -> isEngine(from) && isFace(to));
    }

    private static List<String> engineNamedByValues(Collection<Source> sources) {
        return arrows(
                sources,
                (from, to) -> from.packageName().equals("io.holdfast")
                        && !isFace(from)
                        && isEngine(to)
                        && !FOR_VALUES.contains(to.name()));
    }

    private static boolean isFace(Source source) {
        return source.packageName().equals("io.holdfast") && FACES.contains(source.name());
    }

    private static boolean isEngine(Source source) {
        return source.packageName().startsWith("io.holdfast.internal");
    }

    private interface Rule {
        boolean isBrokenBy(Source from, Source to);
    }

    private static List<String> arrows(Collection<Source> sources, Rule rule) {
        Map<String, Source> byName = byName(sources);
        List<String> found = new ArrayList<>();
        for (Source from : sources) {
            for (String name : from.names()) {
                if (rule.isBrokenBy(from, of(byName, name))) {
                    found.add(brief(from.whole()) + " -> " + brief(name));
                }
            }
        }
        return found;
    }

    private static <T> T of(Map<String, T> map, String key) {
        return Objects.requireNonNull(map.get(key), key);
    }

    private static Map<String, Source> byName(Collection<Source> sources) {
        return sources.stream().collect(Collectors.toMap(Source::whole, source -> source));
    }

    private static String brief(String whole) {
        return whole.substring("io.holdfast.".length());
    }

    /** The classes that reach each other, where they are more than one. */
    private static List<List<String>> circles(Collection<Source> sources) {
        Map<String, Source> byName = byName(sources);
        Map<String, Set<String>> reach = new HashMap<>();
        for (Source source : sources) {
            Set<String> reached = new TreeSet<>();
            Deque<String> open = new ArrayDeque<>(source.names());
            while (!open.isEmpty()) {
                String next = open.remove();
                if (reached.add(next)) {
                    open.addAll(of(byName, next).names());
                }
            }
            reach.put(source.whole(), reached);
        }
        Set<List<String>> circles = new LinkedHashSet<>();
        for (Source source : sources) {
            List<String> circle = of(reach, source.whole()).stream()
                    .filter(other -> of(reach, other).contains(source.whole()))
                    .map(HouseTest::brief)
                    .toList();
            if (circle.size() > 1) {
                circles.add(circle);
            }
        }
        return List.copyOf(circles);
    }

    // ---- reading

    private static List<Source> core() throws IOException {
        Map<String, String> texts = new TreeMap<>();
        for (Path file : sources("main")) {
            if (file.startsWith(ROOT.resolve("core"))) {
                String text = Files.readString(file);
                texts.put(packageOf(text) + "." + nameOf(file), text);
            }
        }
        assertTrue(texts.size() > 100, "the sources are no longer found");
        return read(texts);
    }

    private static List<Path> sources(String part) throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> modules = Files.list(ROOT)) {
            for (Path module : modules.sorted().toList()) {
                Path folder = module.resolve("src").resolve(part).resolve("java");
                if (Files.isDirectory(folder)) {
                    try (Stream<Path> files = Files.walk(folder)) {
                        files.filter(file -> file.toString().endsWith(".java")
                                        && !file.toString().endsWith("-info.java"))
                                .sorted()
                                .forEach(found::add);
                    }
                }
            }
        }
        return found;
    }

    private static String packageOf(String text) {
        Matcher matcher = PACKAGE.matcher(text);
        return matcher.find() ? matcher.group(1) : "";
    }

    private static String nameOf(Path file) {
        String name = file.getFileName().toString();
        return name.substring(0, name.length() - ".java".length());
    }

    /** @param texts by the whole name of the class */
    private static List<Source> read(Map<String, String> texts) {
        List<Source> sources = new ArrayList<>();
        texts.forEach((whole, text) -> {
            String packageName = whole.substring(0, whole.lastIndexOf('.'));
            String code = SAID.matcher(text).replaceAll(" ");
            Set<String> names = matches(QUALIFIED, code, 0); // imports, too
            Set<String> inside = matches(DECLARED, code, 1); // hides what the package has
            for (String name : matches(NAME, code, 0)) {
                if (!inside.contains(name)) {
                    names.add(packageName + "." + name);
                }
            }
            names.retainAll(texts.keySet());
            names.remove(whole);
            sources.add(new Source(packageName, whole.substring(packageName.length() + 1), names));
        });
        return sources;
    }

    private static Set<String> matches(Pattern pattern, String text, int group) {
        return pattern.matcher(text)
                .results()
                .map(result -> result.group(group))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
