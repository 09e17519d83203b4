package io.holdfast.cli;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A clone of the repository as far as the launcher looks at it, with a Maven that only copies: what it would build is
 * taken from this test's class path.
 */
final class Workshop {
    /** All programs that the launcher may call but for java and mvn. */
    private static final List<String> TOOLS = List.of(
            "cat",
            "chmod",
            "cmp",
            "cp",
            "date",
            "find",
            "grep",
            "ln",
            "mkdir",
            "mktemp",
            "mv",
            "readlink",
            "rm",
            "rmdir",
            "sed",
            "sh",
            "sleep",
            "touch",
            "tr",
            "true",
            "uname");

    private static final String MAVEN = """
            #!/bin/sh
            printf 'x' >>"$WORKSHOP/builds"
            echo '[INFO] Building Holdfast 0.1.0-SNAPSHOT                       [1/6]'
            echo '[INFO] Building Holdfast core 0.1.0-SNAPSHOT                  [2/6]'
            while [ -e "$WORKSHOP/hold" ]; do sleep 0.02; done
            if [ -e "$WORKSHOP/broken" ]; then
                echo 'a mistake in Main.java'
                exit 1
            fi
            cat >"$WORKSHOP/input"
            mkdir -p cli/target
            cp "$WORKSHOP/ours.jar" cli/target/holdfast-cli-1-ours.jar
            cp "$WORKSHOP/others.jar" cli/target/holdfast-cli-1-others.jar
            """;

    private static @Nullable Path jars;

    private final Path folder;

    private Workshop(Path folder) {
        this.folder = folder;
    }

    /** Sets one up in a folder that is empty. */
    static Workshop in(Path folder) throws IOException {
        Workshop workshop = new Workshop(folder.toRealPath());
        Path launcher = Path.of("").toAbsolutePath().resolveSibling("holdfast");
        Files.createDirectories(workshop.root());
        Files.copy(launcher, workshop.root().resolve("holdfast"));
        executable(workshop.root().resolve("holdfast"));
        Files.createFile(workshop.root().resolve("pom.xml"));
        for (String module : List.of("core", "jedis", "embedded", "dashboard", "cli")) {
            Files.createDirectories(workshop.root().resolve(module + "/src/main"));
            Files.createFile(workshop.root().resolve(module + "/pom.xml"));
        }
        Files.createDirectories(workshop.bin());
        for (String tool : TOOLS) {
            Files.writeString(workshop.bin().resolve(tool), "#!/bin/sh\nexec '" + find(tool) + "' \"$@\"\n");
            executable(workshop.bin().resolve(tool));
        }
        Files.writeString(workshop.bin().resolve("mvn"), MAVEN);
        executable(workshop.bin().resolve("mvn"));
        return workshop;
    }

    static Path find(String tool) {
        return Stream.of(System.getenv("PATH").split(File.pathSeparator))
                .map(each -> Path.of(each, tool))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("there is no " + tool));
    }

    private static void executable(Path file) {
        if (!file.toFile().setExecutable(true, false)) {
            throw new IllegalStateException(file + " cannot be made executable");
        }
    }

    /** Gives the Maven its jars, which are made once. */
    Workshop withJars() throws IOException {
        Path made = jars();
        for (String name : List.of("ours.jar", "others.jar")) {
            Files.copy(made.resolve(name), folder.resolve(name));
        }
        return this;
    }

    private static synchronized Path jars() throws IOException {
        Path made = jars;
        if (made == null) {
            made = Files.createTempDirectory("holdfast-jars");
            made.toFile().deleteOnExit();
            makeJars(made);
            jars = made;
        }
        return made;
    }

    private static void makeJars(Path to) throws IOException {
        Set<String> ours = new HashSet<>();
        Set<String> others = new HashSet<>();
        try (JarOutputStream first = jar(to.resolve("ours.jar"));
                JarOutputStream second = jar(to.resolve("others.jar"))) {
            for (String entry : Launched.classPath().split(File.pathSeparator)) {
                String name = entry.replace('\\', '/');
                if (name.matches(
                        ".*/(test-classes|(testkit|contracts)/target/[^/]+|(junit|opentest4j|apiguardian|surefire)[^/]*)")) {
                    continue;
                }
                boolean isOurs = name.endsWith("/classes") || name.matches(".*/holdfast-[a-z]+-[^/]*\\.jar");
                add(Path.of(entry), isOurs ? first : second, isOurs ? ours : others);
            }
        }
    }

    private static JarOutputStream jar(Path file) throws IOException {
        JarOutputStream jar = new JarOutputStream(new BufferedOutputStream(Files.newOutputStream(file)));
        file.toFile().deleteOnExit();
        jar.setLevel(1);
        return jar;
    }

    private static void add(Path from, JarOutputStream to, Set<String> names) throws IOException {
        if (Files.isDirectory(from)) {
            try (Stream<Path> files = Files.walk(from)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    try (InputStream in = Files.newInputStream(file)) {
                        add(from.relativize(file).toString(), in, to, names);
                    }
                }
            }
        } else if (Files.exists(from)) {
            try (JarFile jar = new JarFile(from.toFile())) {
                for (JarEntry entry :
                        jar.stream().filter(each -> !each.isDirectory()).toList()) {
                    try (InputStream in = jar.getInputStream(entry)) {
                        add(entry.getName(), in, to, names);
                    }
                }
            }
        }
    }

    private static void add(String name, InputStream in, JarOutputStream to, Set<String> names) throws IOException {
        if (!name.endsWith("module-info.class") && names.add(name)) {
            to.putNextEntry(new JarEntry(name));
            in.transferTo(to);
            to.closeEntry();
        }
    }

    /** The clone. */
    Path root() {
        return folder.resolve("clone");
    }

    /** The search path. */
    Path bin() {
        return folder.resolve("bin");
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    /** Makes the sources newer than the build. */
    void change(String source) throws IOException {
        Files.writeString(root().resolve("core/src/main/Some.java"), source);
    }

    /** How often the Maven was called. */
    int builds() throws IOException {
        Path log = folder.resolve("builds");
        return Files.exists(log) ? Files.readString(log).length() : 0;
    }

    /** The archive of classes for a JDK in the present build. */
    Path archive(Path jdk) throws IOException {
        Path state = root().resolve(".holdfast");
        String build = Files.readString(state.resolve("current")).strip();
        return Path.of(state + "/" + build + "/cds" + jdk + "/holdfast.jsa");
    }

    /** A JDK of which the launcher sees this: a program java, and a file release. */
    Path jdk(String name, String java) throws IOException {
        Path home = folder.resolve(name);
        Files.createDirectories(home.resolve("bin"));
        Files.writeString(home.resolve("bin/java"), "#!/bin/sh\n" + java + "\n");
        executable(home.resolve("bin/java"));
        Files.writeString(home.resolve("release"), "first\n");
        return home;
    }

    /** A JDK that works, but makes no archives: most tests need none, and making one takes seconds. */
    Path quickJdk() throws IOException {
        return jdk(
                "quick",
                "case \"$*\" in *-Xshare:dump* | *DumpLoadedClassList*) exit 1 ;; esac\nexec '" + realJava()
                        + "' \"$@\"");
    }

    static Path realJava() throws IOException {
        return realHome().resolve("bin/java");
    }

    static Path realHome() throws IOException {
        return Path.of(System.getProperty("java.home")).toRealPath();
    }

    Launched launch(Path jdk, String... words) {
        return launch(jdk, Map.of(), root().resolve("holdfast"), words);
    }

    Launched launch(Path jdk, Map<String, String> more, Path launcher, String... words) {
        return start(
                jdk,
                more,
                Stream.concat(Stream.of(launcher.toString()), Stream.of(words)).toList());
    }

    Launched start(Path jdk, Map<String, String> more, List<String> line) {
        Map<String, String> environment = new HashMap<>();
        environment.put("PATH", bin().toString());
        environment.put("JAVA_HOME", jdk.toString());
        environment.put("WORKSHOP", folder.toString());
        environment.put("HOLDFAST_HOME", folder.resolve("home").toString());
        environment.put("HOLDFAST_IDLE_MILLIS", "1000");
        environment.putAll(more);
        return Launched.start(environment, line);
    }
}
