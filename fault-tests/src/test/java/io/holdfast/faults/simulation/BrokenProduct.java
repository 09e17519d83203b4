package io.holdfast.faults.simulation;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.holdfast.faults.ProductLoader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * The product with some lines changed: sources are compiled in memory, and loaded before all that is on the class path. The
 * engine, the server in memory and the simulation are loaded anew for it.
 */
final class BrokenProduct {
    private static final Path MAIN = Path.of("..", "core", "src", "main");
    private static final String SCRIPTS = "java/io/holdfast/internal/wire/Script.java";
    /** What is dropped stays reachable: else the product gives it back when garbage is collected, and no seed tells when. */
    private static final Breaks.Edit NOTHING_IS_COLLECTED =
            Breaks.java("internal/lease/Handle", "        this.own = own;\n    }\n", """
                    this.own = own;
                    ALL.add(this);
                }

                private static final java.util.Queue<Handle> ALL = new java.util.concurrent.ConcurrentLinkedQueue<>();
            """);

    private final Map<String, byte[]> changed = new HashMap<>(); // by name of the resource

    /** @throws AssertionError if the old text is not where it should be, or the new one does not compile */
    BrokenProduct(List<Breaks.Edit> edits) {
        Map<String, String> texts = changed(
                Stream.concat(edits.stream(), Stream.of(NOTHING_IS_COLLECTED)).toList());
        Map<String, String> sources = new TreeMap<>();
        texts.forEach((file, text) -> {
            if (file.endsWith(".java")) {
                sources.put(file, text);
            } else {
                changed.put(file.substring("resources/".length()), text.getBytes(StandardCharsets.UTF_8));
            }
        });
        compile(sources); // all at once: what one changes may be what another needs
        if (sources.size() < texts.size()) {
            compile(Map.of(SCRIPTS, rehashed(texts.computeIfAbsent(SCRIPTS, BrokenProduct::read))));
        }
    }

    /**
     * The texts of the files that are changed, by file.
     *
     * @throws AssertionError if the old text is not where it should be
     */
    static Map<String, String> changed(List<Breaks.Edit> edits) {
        Map<String, String> texts = new HashMap<>();
        for (Breaks.Edit edit : edits) {
            String text = texts.computeIfAbsent(edit.file(), BrokenProduct::read);
            int at = text.indexOf(edit.was());
            if (at < 0 || text.indexOf(edit.was(), at + 1) >= 0) {
                throw new AssertionError(edit.file() + " should have once: " + edit.was());
            }
            texts.put(edit.file(), text.replace(edit.was(), edit.is()));
        }
        return texts;
    }

    /** With the hashes of the changed scripts: a product whose scripts no server ever knew would send each of them twice. */
    private String rehashed(String source) {
        try {
            Class<?> scripts = new Loader().loadClass("io.holdfast.internal.wire.Script");
            Method text = scripts.getDeclaredMethod("text");
            Method sha1 = scripts.getDeclaredMethod("sha1");
            text.setAccessible(true);
            sha1.setAccessible(true);
            MessageDigest digest = MessageDigest.getInstance("SHA-1");
            String rehashed = source;
            for (Object script : scripts.getEnumConstants()) {
                byte[] bytes = ((String) text.invoke(script)).getBytes(StandardCharsets.UTF_8);
                rehashed = rehashed.replace(
                        (String) sha1.invoke(script), HexFormat.of().formatHex(digest.digest(bytes)));
            }
            return rehashed;
        } catch (ReflectiveOperationException | NoSuchAlgorithmException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    private static String read(String file) {
        try {
            return Files.readString(MAIN.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void compile(Map<String, String> texts) {
        if (texts.isEmpty()) {
            return;
        }
        JavaCompiler compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "no compiler");
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        StandardJavaFileManager standard = compiler.getStandardFileManager(problems, null, StandardCharsets.UTF_8);
        List<Source> sources = texts.entrySet().stream()
                .map(each -> new Source(each.getKey(), each.getValue()))
                .toList();
        boolean compiled = compiler.getTask(
                        null,
                        new Output(standard),
                        problems,
                        List.of("--release", "17", "-proc:none", "-cp", System.getProperty("java.class.path")),
                        null,
                        sources)
                .call();
        if (!compiled) {
            throw new AssertionError(texts.keySet() + ": "
                    + problems.getDiagnostics().stream()
                            .filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                            .toList());
        }
    }

    /** A text that is compiled from memory. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String file, String text) {
            super(URI.create("memory:///" + file), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }

    private final class Output extends ForwardingJavaFileManager<JavaFileManager> {
        Output(JavaFileManager standard) {
            super(standard);
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
            String name = className.replace('.', '/') + ".class";
            return new SimpleJavaFileObject(URI.create("memory:///" + name), kind) {
                @Override
                public OutputStream openOutputStream() {
                    return new ByteArrayOutputStream() {
                        @Override
                        public void close() {
                            changed.put(name, toByteArray());
                        }
                    };
                }
            };
        }
    }

    /** What was changed comes first. */
    private final class Loader extends ProductLoader {
        @Override
        public @Nullable InputStream getResourceAsStream(String name) {
            byte[] bytes = changed.get(name);
            return bytes == null ? super.getResourceAsStream(name) : new java.io.ByteArrayInputStream(bytes);
        }
    }

    /** As {@link Simulation#firstFinding}. */
    String @Nullable [] firstFinding(String kind, long from, long to) {
        return found(Simulation.class, List.of(String.class, long.class, long.class), kind, from, to);
    }

    /** As {@link SetRuns#firstFinding}. */
    String @Nullable [] firstSetFinding(long from, long to) {
        return found(SetRuns.class, List.of(long.class, long.class), from, to);
    }

    private String @Nullable [] found(Class<?> by, List<Class<?>> parameters, Object... arguments) {
        try {
            Class<?> simulation = new Loader().loadClass(by.getName());
            Method method = simulation.getDeclaredMethod("firstFinding", parameters.toArray(Class<?>[]::new));
            method.setAccessible(true);
            return (String[]) method.invoke(null, arguments);
        } catch (InvocationTargetException e) {
            throw new AssertionError("the simulation failed", e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.getMessage(), e);
        }
    }

    /** @param found by one of these checks, beginning with its name; null if nothing was found */
    static void assertFoundBy(Set<? extends Enum<?>> by, Object broken, String @Nullable [] found) {
        if (found == null) {
            fail("not found: " + broken);
        } else {
            assertTrue(isOneOf(by, found[0]), broken + " is found by " + found[0] + ": " + found[1]);
        }
    }

    /** By name: what a broken product has found is of a class that was loaded for it. */
    static boolean isOneOf(Set<? extends Enum<?>> checks, String name) {
        return checks.stream().anyMatch(check -> check.name().equals(name));
    }
}
