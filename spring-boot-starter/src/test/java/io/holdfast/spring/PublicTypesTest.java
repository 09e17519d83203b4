package io.holdfast.spring;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What users can see is a decision: it stands here. */
final class PublicTypesTest {
    private static final List<String> REVIEWED = List.of(
            "CurrentLease: find get",
            "HoldfastOptionsCustomizer: customize",
            "HoldfastTest:",
            "IfTaken: valueOf values",
            "Locked: client fenced ifTaken interruptBefore leaseDuration maxScopedHold minHold value waitLimit",
            "RunsOnce: client leaseDuration minHold per value");

    @Test
    void publicTypes_andTheirMethods_areTheReviewedOnes() throws Exception {
        Path classes = Path.of(Locked.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .resolve("io/holdfast/spring");
        List<String> present = new ArrayList<>();
        try (Stream<Path> files = Files.list(classes)) {
            for (String file :
                    files.map(path -> path.toFile().getName()).sorted().toList()) {
                if (!file.endsWith(".class") || file.equals("package-info.class")) {
                    continue;
                }
                Class<?> type = Class.forName(
                        "io.holdfast.spring." + file.substring(0, file.length() - 6),
                        false,
                        getClass().getClassLoader());
                if (Modifier.isPublic(type.getModifiers()) && !type.isMemberClass()) {
                    TreeSet<String> methods = new TreeSet<>();
                    for (Method method : type.getDeclaredMethods()) {
                        if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic()) {
                            methods.add(method.getName());
                        }
                    }
                    present.add((type.getSimpleName() + ": " + String.join(" ", methods)).strip());
                }
            }
        }
        assertEquals(REVIEWED, present);
    }
}
