package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What users can see of a module with one package, compared with the file {@code public-surface.txt} that is reviewed. */
public final class PublicSurface {
    private PublicSurface() {}

    /**
     * Fails with both if they differ.
     *
     * @param type any class of the package, compiled into a folder
     */
    public static void assertReviewed(Class<?> type) throws IOException, URISyntaxException, ClassNotFoundException {
        Path folder = Path.of(
                        type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .resolve(type.getPackageName().replace('.', '/'));
        List<String> names;
        try (Stream<Path> files = Files.list(folder)) {
            names = files.map(file -> String.valueOf(file.getFileName()))
                    .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
                    .map(file -> type.getPackageName() + "." + file.substring(0, file.length() - 6))
                    .sorted()
                    .toList();
        }
        StringBuilder present = new StringBuilder();
        for (String name : names) {
            if (isVisible(Class.forName(name, false, type.getClassLoader()))) {
                present.append(described(folder.resolve(name.substring(name.lastIndexOf('.') + 1) + ".class")));
            }
        }
        try (InputStream reviewed = type.getResourceAsStream("public-surface.txt")) {
            assertNotNull(
                    reviewed,
                    "public-surface.txt, beside the package in the resources of the tests, is to be:\n" + present);
            assertEquals(new String(reviewed.readAllBytes(), StandardCharsets.UTF_8), present.toString());
        }
    }

    private static boolean isVisible(Class<?> type) {
        Class<?> outer = type.getEnclosingClass();
        return (type.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
                && !type.isAnonymousClass()
                && (outer == null || isVisible(outer));
    }

    private static String described(Path file) {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text, true);
        ToolProvider.findFirst("javap").orElseThrow().run(out, out, "-protected", file.toString());
        return text.toString()
                .lines()
                .filter(line -> !line.startsWith("Compiled from"))
                .filter(line -> !line.contains(" access$")) // what Kotlin's compiler adds for itself
                .map(line -> line.replace('/', '.')) // before 25, javap writes some names so
                .collect(Collectors.joining("\n", "", "\n"));
    }
}
