package io.holdfast.release;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What users can see of a module: the public and protected types of the packages that it exports, and their members. */
final class PublicSurface {
    private PublicSurface() {}

    /** In the order of their names. Without a module descriptor every package is exported. */
    static List<Class<?>> types(Path classes) throws IOException, ClassNotFoundException {
        List<Class<?>> types = new ArrayList<>();
        for (String exported : packages(classes)) {
            List<String> names;
            try (Stream<Path> files = Files.list(classes.resolve(exported.replace('.', '/')))) {
                names = files.filter(PublicSurface::isPublic)
                        .map(file -> file.toFile().getName())
                        .sorted()
                        .toList();
            }
            for (String file : names) {
                Class<?> type = Class.forName(
                        exported + "." + file.substring(0, file.length() - 6),
                        false,
                        PublicSurface.class.getClassLoader());
                if (isVisibleFromOutside(type)) {
                    types.add(type);
                }
            }
        }
        return types;
    }

    /**
     * Whether a file is a class that is public in the eyes of the JVM, as protected ones are: the others are not loaded, since they may need
     * what only some applications have.
     */
    private static boolean isPublic(Path file) {
        if (!file.toString().endsWith(".class") || file.endsWith("package-info.class")) {
            return false;
        }
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            in.skipNBytes(8); // magic, versions
            int count = in.readUnsignedShort();
            for (int i = 1; i < count; i++) {
                int kind = in.readUnsignedByte();
                switch (kind) {
                    case 1 -> in.skipNBytes(in.readUnsignedShort()); // a text
                    case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
                    case 15 -> in.skipNBytes(3);
                    case 5, 6 -> { // long and double count twice
                        in.skipNBytes(8);
                        i++;
                    }
                    default -> in.skipNBytes(4);
                }
            }
            return Modifier.isPublic(in.readUnsignedShort());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> packages(Path classes) throws IOException {
        Path descriptor = classes.resolve("module-info.class");
        if (Files.exists(descriptor)) {
            try (InputStream in = Files.newInputStream(descriptor)) {
                return ModuleDescriptor.read(in).exports().stream()
                        .map(ModuleDescriptor.Exports::source)
                        .collect(Collectors.toCollection(TreeSet::new));
            }
        }
        try (Stream<Path> files = Files.walk(classes)) {
            return files.filter(file -> file.toString().endsWith(".class"))
                    .map(file -> classes.relativize(Objects.requireNonNull(file.getParent()))
                            .toString()
                            .replace('/', '.'))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }

    /** Whether whoever sees a type may extend it although it does not say who. */
    static boolean isOpen(Class<?> type) {
        return !Modifier.isFinal(type.getModifiers())
                && !type.isSealed()
                && !type.isInterface()
                && !type.isEnum()
                && Stream.of(type.getDeclaredConstructors()).anyMatch(made -> isVisible(made.getModifiers()));
    }

    static String describe(List<Class<?>> types) {
        StringBuilder text = new StringBuilder();
        for (Class<?> type : types) {
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
                // What Kotlin's compiler makes for arguments that are left out is called by those that leave them out.
                boolean written = !method.isSynthetic() || method.getName().endsWith("$default");
                if (isVisible(method.getModifiers()) && written && !method.isBridge()) {
                    members.add(executable(method, name(method.getGenericReturnType()) + " " + method.getName())
                            + unlessSaid(method.getDefaultValue()));
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
        String beside =
                Stream.of(type.getGenericInterfaces()).map(PublicSurface::name).collect(Collectors.joining(", "));
        return Modifier.toString(shown) + (type.isSealed() ? " sealed " : " ") + kind + " " + type.getName()
                + (above.equals(" extends Object") ? "" : above)
                + (beside.isEmpty() ? "" : " implements " + beside)
                + (deprecated(type) ? " (deprecated)" : "");
    }

    private static String executable(Executable member, String label) {
        int shown = member.getModifiers() & ~(Modifier.TRANSIENT | Modifier.VOLATILE | Modifier.SYNCHRONIZED);
        String parameters = Stream.of(member.getGenericParameterTypes())
                .map(PublicSurface::name)
                .collect(Collectors.joining(", "));
        String thrown = Stream.of(member.getGenericExceptionTypes())
                .map(PublicSurface::name)
                .collect(Collectors.joining(", "));
        boolean byDefault = member instanceof Method method && method.isDefault();
        return Modifier.toString(shown) + (byDefault ? " default " : " ") + label + "(" + parameters + ")"
                + (thrown.isEmpty() ? "" : " throws " + thrown)
                + (deprecated(member) ? " (deprecated)" : "");
    }

    /** The default of an element of an annotation. */
    private static String unlessSaid(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        String text = Arrays.deepToString(new Object[] {value instanceof String said ? '"' + said + '"' : value});
        return " default " + text.substring(1, text.length() - 1);
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

    private static boolean isVisibleFromOutside(Class<?> type) {
        for (Class<?> at = type; at != null; at = at.getEnclosingClass()) {
            if (!isVisible(at.getModifiers()) || at.isAnonymousClass() || at.isLocalClass()) {
                return false;
            }
        }
        return true;
    }
}
