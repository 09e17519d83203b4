package io.holdfast.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What users can see of each published module is a decision: it stands in a file beside its POM, which is reviewed. */
final class PublicSurfaceTest {
    private static final String FILE = "public-surface.txt";

    /**
     * An application: what it promises are words on a command line, and the documents that it prints. Suites of tests, which are there to be
     * extended: what they promise is said in docs/releasing.md.
     */
    private static final Set<String> NO_LIBRARY = Set.of("cli", "contracts");

    static List<BuildModule> libraries() throws Exception {
        return BuildModule.published().stream()
                .filter(module -> Files.isDirectory(module.folder().resolve("src/main")))
                .filter(module -> !NO_LIBRARY.contains(module.toString()))
                .toList();
    }

    @Test
    void libraries_published_areFound() throws Exception {
        List<String> names = libraries().stream().map(BuildModule::toString).toList();
        assertTrue(names.containsAll(List.of("core", "testkit", "kotlin", "spring-boot-starter")), names.toString());
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void publicSurface_asCompiled_isTheReviewedOne(BuildModule module) throws Exception {
        Path classes = module.folder().resolve("target/classes");
        String present = PublicSurface.describe(PublicSurface.types(classes));
        Path file = module.folder().resolve(FILE);
        String reviewed = Files.exists(file) ? Files.readString(file) : "";
        if (present.equals(reviewed)) {
            return;
        }
        Path proposed = classes.resolveSibling(FILE);
        Files.writeString(proposed, present);
        Set<String> added = lines(present);
        added.removeAll(lines(reviewed));
        Set<String> removed = lines(reviewed);
        removed.removeAll(lines(present));
        throw new AssertionError("the public surface has changed.\nadded:\n  " + String.join("\n  ", added)
                + "\nremoved:\n  " + String.join("\n  ", removed)
                + "\nIf that is meant, accept it, at the root, with: cp " + BuildModule.ROOT.relativize(proposed) + " "
                + BuildModule.ROOT.relativize(file));
    }

    @ParameterizedTest
    @MethodSource("libraries")
    void publicTypes_allOfThem_sayWhoMayExtendThem(BuildModule module) throws Exception {
        List<Class<?>> open = PublicSurface.types(module.folder().resolve("target/classes")).stream()
                .filter(PublicSurface::isOpen)
                .toList();
        assertEquals(List.of(), open, "can be extended by anybody");
    }

    private static Set<String> lines(String text) {
        return text.lines().filter(line -> !line.isBlank()).collect(Collectors.toCollection(TreeSet::new));
    }
}
