package io.holdfast.lettuce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every block of Java in the README, below docs/ and in the Javadoc of public types compiles, so that they do not rot.
 *
 * <p><b>How a block is compiled:</b> as the body of a method that may throw anything, each for itself. What it does not
 * declare is what {@link #CAST} declares: a client, a lock, a lease, options, and a few things of an imaginary application.
 * {@link #IMPORTS} are those that a reader's editor would find. A block that needs more should show it, and only then be
 * given it here.
 */
class DocumentSnippetsTest {
    private static final String IMPORTS = """
            import io.holdfast.*;
            import io.holdfast.contracts.DriverContract;
            import io.holdfast.contracts.SubscriptionContract;
            import io.holdfast.fencing.JdbcFence;
            import io.holdfast.jedis.JedisDriver;
            import io.holdfast.lettuce.LettuceDriver;
            import io.holdfast.micrometer.HoldfastMetrics;
            import io.holdfast.routing.*;
            import io.holdfast.spi.*;
            import io.lettuce.core.RedisClient;
            import io.lettuce.core.RedisURI;
            import io.micrometer.core.instrument.MeterRegistry;
            import java.io.IOException;
            import java.io.UncheckedIOException;
            import java.nio.file.Files;
            import java.nio.file.Path;
            import java.sql.Connection;
            import java.sql.PreparedStatement;
            import java.sql.SQLException;
            import java.time.Duration;
            import java.time.Instant;
            import java.time.ZoneId;
            import java.util.*;
            import java.util.concurrent.CompletableFuture;
            import java.util.concurrent.locks.Lock;
            import java.util.function.Supplier;
            import javax.net.ssl.SSLContext;
            import javax.sql.DataSource;
            import redis.clients.jedis.JedisPool;
            """;

    private static final String CAST = IMPORTS + """
            abstract class Cast {
                Holdfast holdfast;
                DistributedLock lock;
                LockOptions options;
                Lease lease;
                Lock oldLock;
                MeterRegistry registry;
                DataSource dataSource;
                Connection connection;
                JdbcFence fence;

                interface Store {
                    void write(Object what, long token);
                }

                List<String> rows;
                String entry;
                Store store;
                Store ledger;

                abstract void work();
                abstract void stop();
                abstract void reload();
                abstract void send(String text);
                abstract String receive();
                abstract String report(long token);
                abstract String compute(long token);
            }
            """;

    /** Documents whose blocks are compiled, and some of them run, in the module that they are about. */
    private static final Set<String> RUN_ELSEWHERE = Set.of(
            "guide/dashboard.md",
            "guide/fencing.md",
            "guide/micronaut.md",
            "guide/quarkus.md",
            "guide/reactive.md",
            "guide/redisson.md",
            "guide/shedlock.md",
            "guide/spring-boot.md",
            "guide/spring-integration.md",
            "guide/testing.md",
            "guide/vertx.md");

    /** Begins a block of another library's, which is not compiled; such blocks stand in one folder only. */
    private static final String FOREIGN = "```java there";

    private static final List<Path> WITH_EXAMPLES = List.of(
            Path.of("../core/src/main/java/io/holdfast/DistributedLock.java"),
            Path.of("../core/src/main/java/io/holdfast/Election.java"),
            Path.of("../core/src/main/java/io/holdfast/Holdfast.java"),
            Path.of("../core/src/main/java/io/holdfast/Lease.java"),
            Path.of("../core/src/main/java/io/holdfast/LockSet.java"),
            Path.of("../fencing/src/main/java/io/holdfast/fencing/JdbcFence.java"));

    @TempDir
    @SuppressWarnings("NullAway.Init") // set by JUnit
    private Path folder;

    /** A block, and where it stands. */
    private record Snippet(Path document, int line, String text) {}

    @Test
    void blocksOfJava_inAllDocuments_compile() throws IOException {
        List<Snippet> snippets = new ArrayList<>();
        try (Stream<Path> guides = Files.walk(Path.of("../docs"))) {
            for (Path document : Stream.concat(Stream.of(Path.of("../README.md")), guides.sorted())
                    .filter(file -> file.toString().endsWith(".md")
                            && RUN_ELSEWHERE.stream().noneMatch(file::endsWith))
                    .toList()) {
                snippets.addAll(snippets(document));
            }
        }
        assertTrue(snippets.size() > 30, "the blocks are no longer found");
        for (Path source : WITH_EXAMPLES) {
            List<Snippet> examples = snippets(source);
            assertFalse(examples.isEmpty(), "there is no example in " + source);
            snippets.addAll(examples);
        }

        List<JavaFileObject> units = new ArrayList<>();
        units.add(source("Cast", CAST));
        units.addAll(sourcesOf("../fencing/src/main/java"));
        units.addAll(sourcesOf("../jedis/src/main/java"));
        units.addAll(sourcesOf("../micrometer/src/main/java"));
        Map<String, Snippet> byName = new TreeMap<>();
        for (Snippet snippet : snippets) {
            String name = "Snippet" + byName.size();
            byName.put("/" + name + ".java", snippet);
            units.add(source(
                    name,
                    IMPORTS + "abstract class " + name + " extends Cast {\nvoid body() throws Exception {\n"
                            + snippet.text() + "}\n}\n"));
        }
        assertEquals(List.of(), errors(units, byName));
    }

    /** The blocks of Java of a document, or the examples in the Javadoc of a source. */
    private static List<Snippet> snippets(Path document) throws IOException {
        boolean source = document.toString().endsWith(".java");
        List<Snippet> found = new ArrayList<>();
        List<String> lines = Files.readAllLines(document);
        if (source) {
            lines.replaceAll(line -> line.replaceFirst("^ *\\* ?", ""));
        }
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            assertTrue(
                    source
                            || !line.startsWith("```java")
                            || line.equals("```java")
                            || (line.equals(FOREIGN) && document.toString().contains("coming-from")),
                    () -> document + ": " + line + " is not compiled");
            if (line.equals(source ? "<pre>{@code" : "```java")) {
                int begin = i + 1;
                do {
                    i++;
                } while (!lines.get(i).equals(source ? "}</pre>" : "```"));
                found.add(new Snippet(document, begin + 1, String.join("\n", lines.subList(begin, i)) + "\n"));
            }
        }
        return found;
    }

    private List<String> errors(List<JavaFileObject> units, Map<String, Snippet> byName) {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options =
                List.of("-d", folder.toString(), "-proc:none", "-classpath", System.getProperty("java.class.path", ""));
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(new StringWriter(), null, found, options, null, units)
                .call();
        List<String> errors = new ArrayList<>();
        int before = (int) IMPORTS.lines().count() + 2;
        for (Diagnostic<? extends JavaFileObject> each : found.getDiagnostics()) {
            if (each.getKind() == Diagnostic.Kind.ERROR) {
                JavaFileObject file = each.getSource();
                Snippet snippet = file == null ? null : byName.get(file.toUri().getPath());
                errors.add((snippet == null
                                ? String.valueOf(file)
                                : snippet.document() + ":" + (snippet.line() + each.getLineNumber() - before - 1))
                        + ": " + each.getMessage(Locale.ROOT));
            }
        }
        assertEquals(compiled, errors.isEmpty());
        return errors;
    }

    private static List<JavaFileObject> sourcesOf(String folder) throws IOException {
        List<JavaFileObject> sources = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of(folder))) {
            // Without its declaration, what belongs to a module is compiled on the class path like the rest.
            for (Path file : files.filter(path -> path.toString().endsWith(".java")
                            && !path.endsWith("module-info.java")
                            && !path.endsWith("package-info.java"))
                    .toList()) {
                sources.add(source(file.toUri(), Files.readString(file)));
            }
        }
        return sources;
    }

    private static JavaFileObject source(String name, String text) {
        return source(URI.create("string:///" + name + ".java"), text);
    }

    private static JavaFileObject source(URI address, String text) {
        return new SimpleJavaFileObject(address, JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
