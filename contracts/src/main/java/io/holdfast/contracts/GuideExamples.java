package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** The blocks of Java of a guide that is about one module: they are compiled with what that module's tests have. */
public final class GuideExamples {
    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

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
