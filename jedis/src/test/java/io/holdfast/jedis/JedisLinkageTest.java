package io.holdfast.jedis;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Whatever the driver names of Jedis is there, in the version at hand. A call that is missing fails only when it is come to,
 * and some are come to only when a connection breaks.
 */
final class JedisLinkageTest {
    /** What is loaded only where Jedis has a certain class or method: {@link JedisVersion} says which. */
    private static final Map<String, String> ONLY_WHERE = Map.of(
            "io.holdfast.jedis.JedisVersion$Cutter7", "redis.clients.jedis.Connection#forceDisconnect",
            "io.holdfast.jedis.JedisVersion$Client7", "redis.clients.jedis.RedisClient#getPool");

    @Test
    void classesOfTheDriver_everythingNamedOfJedis_isThereAndAccessible() throws Exception {
        Set<String> missing = new TreeSet<>();
        int named = 0;
        for (String name : classesOfTheDriver()) {
            if (ONLY_WHERE.containsKey(name) && !isThere(ONLY_WHERE.get(name))) {
                continue;
            }
            Class<?> user = Class.forName(name, false, JedisDriver.class.getClassLoader());
            // Fail if a class is missing that a signature names: it would also stop the compiler of whoever calls it.
            assertDoesNotThrow(user::getDeclaredMethods, name);
            assertDoesNotThrow(user::getDeclaredConstructors, name);
            assertDoesNotThrow(user::getDeclaredFields, name);
            for (Reference reference : referencesOf(user)) {
                if (reference.owner.startsWith("redis.clients.")) {
                    named++;
                    if (!reference.resolves(user)) {
                        missing.add(name + " uses " + reference);
                    }
                }
            }
        }
        assertEquals(Set.of(), missing);
        assertTrue(named > 50, "only " + named + " references were found");
    }

    @Test
    void references_whatIsNotThere_isNoticed() {
        assertFalse(new Reference("redis.clients.jedis.Connection", "gone", "()V").resolves(getClass()));
        assertFalse(new Reference("redis.clients.jedis.Connection", "ping", "()V").resolves(getClass()));
        assertFalse(new Reference("redis.clients.jedis.Gone", "", "").resolves(getClass()));
        assertFalse(new Reference("redis.clients.jedis.Connection", "flush", "()V").resolves(getClass()));
        assertTrue(new Reference("redis.clients.jedis.Connection", "ping", "()Z").resolves(getClass()));
    }

    private static boolean isThere(String member) throws ClassNotFoundException {
        String[] parts = member.split("#");
        try {
            return Arrays.stream(Class.forName(parts[0]).getMethods())
                    .anyMatch(method -> method.getName().equals(parts[1]));
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static List<String> classesOfTheDriver() throws IOException, URISyntaxException {
        Path place = Path.of(JedisDriver.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        if (Files.isDirectory(place)) {
            return classesBelow(place);
        }
        try (FileSystem jar = FileSystems.newFileSystem(URI.create("jar:" + place.toUri()), Map.of())) {
            return classesBelow(jar.getPath("/"));
        }
    }

    private static List<String> classesBelow(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root.resolve("io"))) {
            return files.map(file -> root.relativize(file).toString())
                    .filter(file -> file.endsWith(".class") && !file.endsWith("package-info.class"))
                    .map(file -> file.substring(0, file.length() - ".class".length())
                            .replace('/', '.')
                            .replace('\\', '.'))
                    .toList();
        }
    }

    /** A class, a field or a method that a class file names; a class alone has no name and no descriptor. */
    private record Reference(String owner, String name, String descriptor) {
        boolean resolves(Class<?> user) {
            try {
                Class<?> declared = Class.forName(owner, false, user.getClassLoader());
                if (!Modifier.isPublic(declared.getModifiers())) {
                    return false;
                }
                return name.isEmpty() || name.equals("<init>")
                        ? name.isEmpty() || hasConstructor(declared)
                        : isThereFor(user, declared);
            } catch (ClassNotFoundException | TypeNotPresentException | LinkageError e) {
                return false;
            }
        }

        private boolean hasConstructor(Class<?> declared) {
            MethodType wanted = MethodType.fromMethodDescriptorString(descriptor, declared.getClassLoader());
            return Arrays.stream(declared.getConstructors())
                    .anyMatch(each -> wanted.parameterList().equals(List.of(each.getParameterTypes())));
        }

        private boolean isThereFor(Class<?> user, Class<?> declared) {
            for (Class<?> each : withAncestors(declared)) {
                for (Member member : descriptor.startsWith("(") ? each.getDeclaredMethods() : each.getDeclaredFields()) {
                    if (member.getName().equals(name) && descriptorOf(member).equals(descriptor)) {
                        return Modifier.isPublic(member.getModifiers())
                                || (Modifier.isProtected(member.getModifiers()) && each.isAssignableFrom(user));
                    }
                }
            }
            return false;
        }

        private static List<Class<?>> withAncestors(Class<?> type) {
            List<Class<?>> all = new ArrayList<>();
            for (Class<?> each = type; each != null; each = each.getSuperclass()) {
                all.add(each);
            }
            for (int i = 0; i < all.size(); i++) {
                all.addAll(List.of(all.get(i).getInterfaces()));
            }
            return all;
        }

        private static String descriptorOf(Member member) {
            return member instanceof Method method
                    ? MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                            .toMethodDescriptorString()
                    : ((Field) member).getType().descriptorString();
        }
    }

    /** Reads the constant pool of a class file, in which everything is named that the class uses. */
    private static List<Reference> referencesOf(Class<?> user) throws IOException {
        String file = user.getName().substring(user.getPackageName().length() + 1) + ".class";
        try (InputStream stream = user.getResourceAsStream(file);
                DataInputStream in = new DataInputStream(stream)) {
            in.skipBytes(8);
            int count = in.readUnsignedShort();
            Object[] entries = new Object[count];
            int[] tags = new int[count];
            for (int i = 1; i < count; i++) {
                tags[i] = in.readUnsignedByte();
                switch (tags[i]) {
                    case 1 -> entries[i] = in.readUTF();
                    case 3, 4 -> in.readInt();
                    case 5, 6 -> {
                        in.readLong();
                        i++;
                    }
                    case 7, 8, 16, 19, 20 -> entries[i] = new int[] {in.readUnsignedShort()};
                    case 9, 10, 11, 12, 17, 18 ->
                        entries[i] = new int[] {in.readUnsignedShort(), in.readUnsignedShort()};
                    case 15 -> in.skipBytes(3);
                    default -> throw new IOException("a constant of kind " + tags[i]);
                }
            }
            List<Reference> references = new ArrayList<>();
            for (int i = 1; i < count; i++) {
                if (tags[i] == 7 && !text(entries, i, 0).startsWith("[")) {
                    references.add(new Reference(text(entries, i, 0).replace('/', '.'), "", ""));
                } else if (tags[i] >= 9 && tags[i] <= 11) {
                    int[] parts = (int[]) entries[i];
                    references.add(new Reference(
                            text(entries, parts[0], 0).replace('/', '.'),
                            text(entries, parts[1], 0),
                            text(entries, parts[1], 1)));
                }
            }
            return references;
        }
    }

    private static String text(Object[] entries, int entry, int part) {
        return (String) entries[((int[]) entries[entry])[part]];
    }
}
