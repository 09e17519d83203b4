package io.holdfast.spring.platforms;

import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles text against what is on the class path. */
final class Compiler {
    private Compiler() {}

    /**
     * What is wrong with it; nothing if its classes are in the folder now.
     *
     * @param name that of the file
     */
    static List<String> errors(String name, CharSequence source, Path folder) {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        List<String> options = List.of(
                "-d",
                folder.toString(),
                "-proc:none",
                "-parameters",
                "-classpath",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path", "")));
        JavaFileObject unit =
                new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return source;
                    }
                };
        boolean compiled = ToolProvider.getSystemJavaCompiler()
                .getTask(new StringWriter(), null, found, options, null, List.of(unit))
                .call();
        List<String> errors = new ArrayList<>();
        found.getDiagnostics().stream()
                .filter(each -> !compiled || each.getKind() == javax.tools.Diagnostic.Kind.ERROR)
                .forEach(each -> errors.add(each.getLineNumber() + ": " + each.getMessage(Locale.ROOT)));
        return errors;
    }
}
