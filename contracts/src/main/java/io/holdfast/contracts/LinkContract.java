package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.holdfast.contracts.ClassFile.Reference;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Checks that everything to which a module's compiled classes refer exists in the versions of the libraries on the class
 * path. A jar is compiled once and runs with several versions of a client; a method that one of them lacks is noticed only
 * when it is called, and it may be called only when a connection breaks.
 *
 * <p>It looks for every class, field and method that is named, with its exact types, and checks that it may be accessed. Every
 * class of the module must implement every method that its supertypes require.
 */
public abstract class LinkContract {
    /** One of the module's classes. */
    protected abstract Class<?> ofModule();

    /**
     * The names of classes that are loaded only with versions that have what they refer to, each with what decides it by its
     * presence: a class, or a method of one, as in {@code com.example.Client#cut}.
     */
    protected abstract Map<String, String> conditional();

    @Test
    final void references_presentVersions_areThere() throws Exception {
        assertEquals(Set.of(), new Links(Set.of()).problems());
    }

    @Test
    final void references_withoutWhatOnlySomeVersionsHave_areThere() throws Exception {
        Set<String> hidden = new HashSet<>();
        conditional().values().forEach(name -> hidden.add(name.replace('.', '/')));
        assertEquals(Set.of(), new Links(hidden).problems());
    }

    /** The search finds what is missing: were it blind, the other tests would pass as well. */
    @Test
    final void references_aClassIsMissing_areTold() throws Exception {
        Links all = new Links(Set.of());
        String foreign = all.own.values().stream()
                .flatMap(type -> type.references().stream())
                .map(Reference::owner)
                .filter(owner -> all.isLibrary(owner))
                .findFirst()
                .orElseThrow();
        assertFalse(new Links(Set.of(foreign)).problems().isEmpty());
    }

    private final class Links {
        final Map<String, ClassFile> own = new HashMap<>();
        private final Map<String, Optional<ClassFile>> seen = new HashMap<>();
        private final Set<String> hidden;
        private final Set<String> problems = new TreeSet<>();

        Links(Set<String> hidden) throws IOException, URISyntaxException {
            this.hidden = hidden;
            Path place = Path.of(ofModule()
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
            if (Files.isDirectory(place)) {
                readOwn(place);
            } else {
                try (FileSystem jar = FileSystems.newFileSystem(place)) {
                    readOwn(jar.getPath("/"));
                }
            }
        }

        private void readOwn(Path root) throws IOException {
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file : (Iterable<Path>) files::iterator) {
                    String name = String.valueOf(file.getFileName());
                    if (name.endsWith(".class") && !name.equals("module-info.class")) {
                        ClassFile type = ClassFile.read(Files.readAllBytes(file));
                        own.put(type.name(), type);
                    }
                }
            }
        }

        Set<String> problems() {
            conditional().forEach((dependent, decider) -> {
                if (!isThere(decider.replace('.', '/'))) {
                    own.remove(dependent.replace('.', '/'));
                }
            });
            for (ClassFile type : own.values()) {
                for (String other : type.classes()) {
                    if (isLibrary(other) && find(other) == null) {
                        problems.add(type.name() + ": no class " + other);
                    }
                }
                for (Reference reference : type.references()) {
                    if (isLibrary(reference.owner())) {
                        check(type, reference);
                    }
                }
                if (!Modifier.isAbstract(type.access())) {
                    checkImplements(type);
                }
            }
            return problems;
        }

        private boolean isThere(String decider) {
            int end = decider.indexOf('#');
            ClassFile type = find(end < 0 ? decider : decider.substring(0, end));
            if (type == null || end < 0) {
                return type != null;
            }
            return !hidden.contains(decider)
                    && supertypes(type).stream()
                            .flatMap(each -> each.members().keySet().stream())
                            .anyMatch(member -> member.startsWith(decider.substring(end + 1) + "("));
        }

        /** Neither Java's own, nor an array. */
        boolean isLibrary(String name) {
            return !name.startsWith("java/")
                    && !name.startsWith("javax/")
                    && !name.startsWith("jdk/")
                    && !name.startsWith("[")
                    && !own.containsKey(name);
        }

        private void check(ClassFile from, Reference reference) {
            ClassFile owner = find(reference.owner());
            if (owner == null) {
                return; // told as a class
            }
            boolean samePackage = owner.packageName().equals(from.packageName());
            if (!samePackage && !Modifier.isPublic(owner.access())) {
                problems.add(from.name() + ": no access to " + owner.name());
            }
            if (reference.toMethod() && owner.isInterface() != reference.ofInterface()) {
                problems.add(from.name() + ": " + owner.name() + " has become "
                        + (owner.isInterface() ? "an interface" : "a class"));
            }
            ClassFile declarer = declarer(owner, reference.member());
            if (declarer == null) {
                problems.add(from.name() + ": no " + owner.name() + "." + reference.member());
                return;
            }
            int access = declarer.members().getOrDefault(reference.member(), 0);
            boolean inherited = Modifier.isProtected(access) && supertypes(from).contains(declarer);
            if (!Modifier.isPublic(access)
                    && !inherited
                    && !declarer.packageName().equals(from.packageName())) {
                problems.add(from.name() + ": no access to " + owner.name() + "." + reference.member());
            }
        }

        private void checkImplements(ClassFile type) {
            Set<ClassFile> all = supertypes(type);
            for (ClassFile above : all) {
                above.members().forEach((member, access) -> {
                    if (member.indexOf('(') >= 0 && Modifier.isAbstract(access) && !isImplemented(all, member)) {
                        problems.add(type.name() + ": does not implement " + above.name() + "." + member);
                    }
                });
            }
        }

        private static boolean isImplemented(Set<ClassFile> types, String member) {
            return types.stream().anyMatch(type -> {
                Integer access = type.members().get(member);
                return access != null
                        && !Modifier.isAbstract(access)
                        && !Modifier.isPrivate(access)
                        && !Modifier.isStatic(access);
            });
        }

        private @Nullable ClassFile declarer(ClassFile owner, String member) {
            if (hidden.contains(owner.name() + "#" + member.replaceFirst("\\(.*", ""))) {
                return null;
            }
            return supertypes(owner).stream()
                    .filter(type -> type.members().containsKey(member))
                    .findFirst()
                    .orElse(null);
        }

        /** A class, its superclasses, and then all interfaces, as far as they are found. */
        private Set<ClassFile> supertypes(ClassFile type) {
            List<ClassFile> found = new ArrayList<>();
            for (ClassFile each = type; each != null; each = each.parent() == null ? null : find(each.parent())) {
                found.add(each);
            }
            for (int i = 0; i < found.size(); i++) {
                for (String each : found.get(i).interfaces()) {
                    ClassFile declared = find(each);
                    if (declared != null && !found.contains(declared)) {
                        found.add(declared);
                    }
                }
            }
            return new LinkedHashSet<>(found);
        }

        private @Nullable ClassFile find(String name) {
            ClassFile known = own.get(name);
            if (known != null) {
                return known;
            }
            if (hidden.contains(name)) {
                return null;
            }
            return seen.computeIfAbsent(name, this::load).orElse(null);
        }

        private Optional<ClassFile> load(String name) {
            ClassLoader loader = ofModule().getClassLoader();
            try (InputStream in = loader.getResourceAsStream(name + ".class")) {
                return in == null ? Optional.empty() : Optional.of(ClassFile.read(in.readAllBytes()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
