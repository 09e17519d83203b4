package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.spi.Tls;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What the documents call by its Java name exists: options, members of public types, and methods of the things that
 * examples hold in their hands. Read is what stands between backticks; blocks of Java are compiled elsewhere.
 */
class DocumentedNamesTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern CODE = Pattern.compile("`([^`\n]+)`");
    private static final Pattern OPTION = Pattern.compile("\\bwith(?:out)?[A-Z][A-Za-z]*\\b");
    private static final Pattern MEMBER = Pattern.compile("\\b([A-Z]\\w+)\\.([A-Za-z]\\w*)");
    private static final Pattern CALL =
            // What is called holdfast without a call may be a meter or a logger.
            Pattern.compile("\\b(lock|lease|admin\\(\\)|inspect\\(\\)|holdfast(?=\\.\\w+\\())\\.(\\w+)");
    private static final Pattern EXCEPTION = Pattern.compile("\\b[A-Z]\\w+Exception\\b");

    /** The documents whose tables begin with a name of another library, and the folder of such. */
    private static final Set<String> OF_OTHERS = Set.of("coming-from", "migration.md");

    /**
     * Of modules and libraries that are not on this class path: the adapters for ShedLock and Spring Integration, and these; Kotlin,
     * and its locks.
     */
    private static final Set<String> ELSEWHERE = Set.of(
            "withOptions",
            "LockException",
            "CannotAcquireLockException",
            "PessimisticLockingFailureException",
            "OptimisticLockingFailureException",
            "ConcurrencyFailureException",
            "QueryTimeoutException",
            "withLease",
            "lock.withLease",
            "withLeases",
            "withTimeout");

    private static final List<Class<?>> OPTIONS = List.of(
            HoldfastOptions.class,
            LockOptions.class,
            PlainOptions.class,
            QuorumOptions.class,
            Backoff.class,
            Election.class,
            Once.class,
            DistributedLock.class,
            DistributedSemaphore.class,
            Tls.class);

    private static final Map<String, List<Class<?>>> CAST = Map.of(
            "lock", List.of(DistributedLock.class, PlainLock.class, MigrationLock.class),
            "lease", List.of(Lease.class, PlainLease.class, MigrationLease.class),
            "holdfast", List.of(Holdfast.class),
            "admin()", List.of(Admin.class),
            "inspect()", List.of(Inspector.class));

    @Test
    void documents_namesOfTheLibrary_exist() throws IOException {
        List<String> missing = new ArrayList<>();
        int looked = 0;
        for (Path document : documents()) {
            for (String line : Files.readAllLines(document)) {
                Matcher codes = CODE.matcher(ours(document, line));
                while (codes.find()) {
                    looked++;
                    for (String name : unknown(codes.group(1))) {
                        missing.add(document.getFileName() + ": `" + codes.group(1) + "`: " + name);
                    }
                }
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(looked > 500, "the code in the documents is no longer found");
    }

    @Test
    void unknown_wrongNames_areFound() {
        assertEquals(List.of("withTerms"), unknown("LockOptions.defaults().withTerms"));
        assertEquals(List.of("Wait.until"), unknown("Wait.until(…)"));
        assertEquals(List.of("LockEvent.Gone"), unknown("LockEvent.Gone"));
        assertEquals(List.of("lease.renew"), unknown("lease.renew()"));
        assertEquals(List.of("admin().unlock"), unknown("admin().unlock(name)"));
        assertEquals(List.of("LeaseGoneException"), unknown("LeaseGoneException"));
        assertEquals(List.of("holdfast.unlock"), unknown("holdfast.unlock(lease)"));
        assertEquals(List.of(), unknown("holdfast.obtained"));
        assertEquals(List.of(), unknown("lock.with(options.withLeaseDuration(d)).acquire(Wait.forever())"));
        assertEquals(List.of(), unknown("LockEvent.Obtained"));
        assertEquals(List.of(), unknown("Admin.Waiters.DROP"));
    }

    private static List<Path> documents() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT.resolve("docs"))) {
            // What was decided is history, and may name what is gone.
            return Stream.concat(Stream.of(ROOT.resolve("README.md")), files)
                    .filter(file ->
                            file.toString().endsWith(".md") && !file.toString().contains("decisions"))
                    .sorted()
                    .toList();
        }
    }

    /** A line without its first cell, where that is the other library's. */
    private static String ours(Path document, String line) {
        if (!line.startsWith("|") || OF_OTHERS.stream().noneMatch(document.toString()::contains)) {
            return line;
        }
        int end = line.replace("\\|", "__").indexOf('|', 1);
        return end < 0 ? line : line.substring(end);
    }

    private static List<String> unknown(String code) {
        if (code.contains("JdbcFence")) {
            return List.of(); // of a module that is not on this class path
        }
        Set<String> unknown = new TreeSet<>();
        Matcher options = OPTION.matcher(code);
        while (options.find()) {
            String name = options.group();
            if (OPTIONS.stream().noneMatch(type -> has(type, name))) {
                unknown.add(name);
            }
        }
        Matcher members = MEMBER.matcher(code);
        int from = 0;
        while (members.find(from)) {
            // From the second word on again: in A.B.c both A.B and B.c are looked at.
            from = members.start(2);
            Class<?> type = type(members.group(1));
            if (type != null && !has(type, members.group(2))) {
                unknown.add(members.group());
            }
        }
        Matcher calls = CALL.matcher(code);
        while (calls.find()) {
            List<Class<?>> types = CAST.get(calls.group(1));
            if (types != null && types.stream().noneMatch(type -> has(type, calls.group(2)))) {
                unknown.add(calls.group(1) + "." + calls.group(2));
            }
        }
        Matcher exceptions = EXCEPTION.matcher(code);
        while (exceptions.find()) {
            if (type(exceptions.group()) == null && !ofJava(exceptions.group())) {
                unknown.add(exceptions.group());
            }
        }
        unknown.removeAll(ELSEWHERE);
        return List.copyOf(unknown);
    }

    private static boolean ofJava(String name) {
        for (String packageName : List.of("java.lang.", "java.util.", "java.util.concurrent.", "java.sql.")) {
            try {
                Class.forName(packageName + name);
                return true;
            } catch (ClassNotFoundException e) {
                // The next package.
            }
        }
        return false;
    }

    /** A public type of the library or of its tests, also a nested one whose name is unique enough; null if it is none. */
    private static @Nullable Class<?> type(String name) {
        for (String candidate : List.of(name, "Admin$" + name, "LockEvent$" + name, "LockOptions$" + name)) {
            for (String packageName : List.of("io.holdfast.", "io.holdfast.spi.")) {
                try {
                    Class<?> found = Class.forName(packageName + candidate, false, Holdfast.class.getClassLoader());
                    if (Modifier.isPublic(found.getModifiers())) {
                        return found;
                    }
                } catch (ClassNotFoundException e) {
                    // The next candidate.
                }
            }
        }
        return null;
    }

    private static boolean has(Class<?> type, String member) {
        Method[] methods = type.getSimpleName().endsWith("Test") ? type.getDeclaredMethods() : type.getMethods();
        return Stream.of(methods).map(Method::getName).anyMatch(member::equals)
                || Stream.of(type.getFields()).map(Field::getName).anyMatch(member::equals)
                || Stream.of(type.getClasses()).map(Class::getSimpleName).anyMatch(member::equals);
    }
}
