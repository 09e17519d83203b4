package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * The blocks of Java of a guide that is about one module: they are compiled with what that module's tests have, or they stand
 * in sources that are compiled and run anyway.
 */
public final class GuideExamples {
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    /** The same, and blocks of other libraries. */
    private static final Pattern ANY_BLOCK = Pattern.compile("```java(?: there)?\n(.*?)```", Pattern.DOTALL);

    private GuideExamples() {}

    /**
     * Fails unless each block compiles as the body of a method that may throw anything.
     *
     * @param expected how many there are
     * @param imports what a reader's editor would find
     * @param given parameters of the methods, as in a declaration
     */
    public static void compile(Path document, int expected, String imports, String given, Path folder)
            throws IOException {
        StringBuilder source = new StringBuilder(imports).append("class Examples {\n");
        int examples = 0;
        Matcher matcher = BLOCK.matcher(Files.readString(document));
        while (matcher.find()) {
            source.append("static void example")
                    .append(examples++)
                    .append('(')
                    .append(given)
                    .append(") throws Exception {\n")
                    .append(matcher.group(1))
                    .append("}\n");
        }
        assertEquals(expected, examples, "the pattern no longer finds the examples");
        compile("Examples", source.append("}\n").toString(), folder);
    }

    /**
     * Fails unless each block of a page, also of another library, stands in the sources of one folder, line by line. Indents do not
     * count.
     *
     * <p>Both paths are looked for from the working folder of the tests upwards, so that a module that runs the tests of another
     * one finds what that one does.
     *
     * @param document the page, as seen from the root of the repository
     * @param expected how many blocks there are
     * @param folder the sources, as seen from the module that has them
     */
    public static void quote(String document, int expected, String folder) throws IOException {
        StringBuilder sources = new StringBuilder();
        try (Stream<Path> files = Files.walk(nearest(folder))) {
            for (Path file : files.filter(each -> each.toString().endsWith(".java"))
                    .sorted()
                    .toList()) {
                sources.append(withoutIndents(file));
            }
        }
        List<String> blocks = ANY_BLOCK
                .matcher(withoutIndents(nearest(document)))
                .results()
                .map(block -> block.group(1))
                .toList();
        assertEquals(expected, blocks.size(), "the pattern no longer finds the examples");
        assertEquals(
                List.of(),
                blocks.stream()
                        .filter(block -> sources.indexOf("\n" + block) < 0)
                        .toList(),
                "blocks that no source has");
    }

    /**
     * Fails unless each of these pages, as seen from the root of the repository, has these words: for instance the version that a
     * test runs with.
     */
    public static void name(String words, String... documents) throws IOException {
        for (String document : documents) {
            String page = Files.readString(nearest(document)).replaceAll("\\s+", " ");
            assertTrue(page.contains(words), () -> document + " does not say: " + words);
        }
    }

    private static Path nearest(String path) {
        Path folder = Path.of("").toAbsolutePath();
        while (folder != null && !Files.exists(folder.resolve(path))) {
            folder = folder.getParent();
        }
        return Objects.requireNonNull(folder, path).resolve(path);
    }

    private static String withoutIndents(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(String::strip).collect(Collectors.joining("\n", "", "\n"));
        }
    }

    /** Compiles one source file into a folder, with the class path of the tests; fails with what the compiler says. */
    public static void compile(String className, String source, Path folder) {
        JavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///" + className + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        StringWriter output = new StringWriter();
        List<String> options =
                List.of("-d", folder.toString(), "-proc:none", "-classpath", System.getProperty("java.class.path", ""));
        assertTrue(
                ToolProvider.getSystemJavaCompiler()
                        .getTask(output, null, null, options, null, List.of(file))
                        .call(),
                output::toString);
    }
}
