package io.holdfast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What users can see of the exported packages is a decision: it stands in a file that is reviewed. */
final class PublicSurfaceTest {
    private static final List<String> EXPORTED = List.of("io.holdfast", "io.holdfast.routing", "io.holdfast.spi");

    @Test
    void publicTypes_allOfThem_areFinalOrSealedOrInterfaces() throws Exception {
        for (Class<?> type : visibleTypes()) {
            assertTrue(
                    Modifier.isFinal(type.getModifiers())
                            || type.isSealed()
                            || type.isInterface()
                            || type.isEnum()
                            || type.equals(HoldfastException.class),
                    type + " can be extended by anybody");
        }
    }

    @Test
    void publicTypes_theOneThatIsExtended_cannotBeExtendedFromOutside() {
        for (Constructor<?> constructor : HoldfastException.class.getDeclaredConstructors()) {
            assertEquals(
                    0, constructor.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED), constructor.toString());
        }
    }

    @Test
    void publicSurface_asCompiled_isTheReviewedOne() throws Exception {
        String present = describe();
        String reviewed;
        try (InputStream in = PublicSurfaceTest.class.getResourceAsStream("/public-surface.txt")) {
            reviewed = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        if (present.equals(reviewed)) {
            return;
        }
        Path proposed = classes().resolveSibling("public-surface.txt");
        Files.writeString(proposed, present);
        Set<String> added = lines(present);
        added.removeAll(lines(reviewed));
        Set<String> removed = lines(reviewed);
        removed.removeAll(lines(present));
        throw new AssertionError("the public surface has changed.\nadded:\n  " + String.join("\n  ", added)
                + "\nremoved:\n  " + String.join("\n  ", removed)
                + "\nIf that is meant, accept it with: cp core/target/public-surface.txt"
                + " core/src/test/resources/public-surface.txt");
    }

    private static Set<String> lines(String text) {
        return text.lines().filter(line -> !line.isBlank()).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String describe() throws Exception {
        StringBuilder text = new StringBuilder();
        for (Class<?> type : visibleTypes()) {
            text.append(declaration(type)).append('\n');
            TreeSet<String> members = new TreeSet<>();
            for (Field field : type.getDeclaredFields()) {
                if (isVisible(field.getModifiers()) && !field.isSynthetic()) {
                    members.add(Modifier.toString(field.getModifiers()) + " " + name(field.getGenericType()) + " "
                            + field.getName());
                }
            }
            for (Constructor<?> constructor : type.getDeclaredConstructors()) {
                if (isVisible(constructor.getModifiers()) && !constructor.isSynthetic()) {
                    members.add(executable(constructor, "<init>"));
                }
            }
            for (Method method : type.getDeclaredMethods()) {
                if (isVisible(method.getModifiers()) && !method.isSynthetic() && !method.isBridge()) {
                    members.add(executable(method, name(method.getGenericReturnType()) + " " + method.getName()));
                }
            }
            members.forEach(member -> text.append("  ")
                    .append(type.getName().substring(type.getPackageName().length() + 1))
                    .append(": ")
                    .append(member)
                    .append('\n'));
        }
        return text.toString();
    }

    private static String declaration(Class<?> type) {
        String kind = type.isAnnotation()
                ? "@interface"
                : type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
        int shown = type.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED | Modifier.FINAL | Modifier.ABSTRACT);
        if (type.isInterface()) {
            shown &= ~Modifier.ABSTRACT;
        }
        String above = type.getGenericSuperclass() == null || type.isRecord() || type.isEnum()
                ? ""
                : " extends " + name(type.getGenericSuperclass());
        String beside = Stream.of(type.getGenericInterfaces())
                .map(PublicSurfaceTest::name)
                .collect(Collectors.joining(", "));
        return Modifier.toString(shown) + (type.isSealed() ? " sealed " : " ") + kind + " " + type.getName()
                + (above.equals(" extends Object") ? "" : above)
                + (beside.isEmpty() ? "" : " implements " + beside)
                + (deprecated(type) ? " (deprecated)" : "");
    }

    private static String executable(Executable member, String label) {
        int shown = member.getModifiers() & ~(Modifier.TRANSIENT | Modifier.VOLATILE | Modifier.SYNCHRONIZED);
        String parameters = Stream.of(member.getGenericParameterTypes())
                .map(PublicSurfaceTest::name)
                .collect(Collectors.joining(", "));
        String thrown = Stream.of(member.getGenericExceptionTypes())
                .map(PublicSurfaceTest::name)
                .collect(Collectors.joining(", "));
        boolean byDefault = member instanceof Method method && method.isDefault();
        return Modifier.toString(shown) + (byDefault ? " default " : " ") + label + "(" + parameters + ")"
                + (thrown.isEmpty() ? "" : " throws " + thrown)
                + (deprecated(member) ? " (deprecated)" : "");
    }

    private static boolean deprecated(AnnotatedElement element) {
        return element.isAnnotationPresent(Deprecated.class);
    }

    private static String name(Type type) {
        return type.getTypeName().replace("java.lang.", "").replace("java.util.", "");
    }

    private static boolean isVisible(int modifiers) {
        return (modifiers & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0;
    }

    /** The types that a user of the exported packages can name, in the order of their names. */
    private static List<Class<?>> visibleTypes() throws Exception {
        List<Class<?>> types = new ArrayList<>();
        for (String exported : EXPORTED) {
            Path folder = classes().resolve(exported.replace('.', '/'));
            List<String> names;
            try (Stream<Path> files = Files.list(folder)) {
                names = files.map(file ->
                                Objects.requireNonNull(file.getFileName()).toString())
                        .filter(file -> file.endsWith(".class") && !file.equals("package-info.class"))
                        .sorted()
                        .toList();
            }
            for (String file : names) {
                Class<?> type = Class.forName(exported + "." + file.substring(0, file.length() - 6));
                if (isVisibleFromOutside(type)) {
                    types.add(type);
                }
            }
        }
        assertTrue(types.size() > 10, "types not found: " + types);
        return types;
    }

    private static boolean isVisibleFromOutside(Class<?> type) {
        for (Class<?> at = type; at != null; at = at.getEnclosingClass()) {
            if (!isVisible(at.getModifiers()) || at.isAnonymousClass() || at.isLocalClass()) {
                return false;
            }
        }
        return true;
    }

    private static Path classes() throws IOException, URISyntaxException {
        return Path.of(Holdfast.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
    }
}
