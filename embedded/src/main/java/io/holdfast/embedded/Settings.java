package io.holdfast.embedded;

import io.holdfast.spi.DriverException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What the surroundings say about the server. A system property goes before its environment variable.
 *
 * @param folder the state folder ({@code holdfast.embedded.home}, {@code HOLDFAST_HOME}), or null for the usual one
 * @param program the server program ({@code holdfast.embedded.server}, {@code HOLDFAST_SERVER}): a path, a name to be
 *     found on the search path, or {@value #BUNDLED}; null for the best there is
 * @param idleMillis how long an unused server stays ({@code holdfast.embedded.idleMillis},
 *     {@code HOLDFAST_IDLE_MILLIS}); at least 100, 30 seconds by default. A running server keeps the time that it was
 *     started with
 * @param searchPath the value of {@code PATH}
 * @param platform operating system and processor, in the words of the bundled programs' names where they have any
 */
record Settings(@Nullable Path folder, @Nullable String program, long idleMillis, String searchPath, String platform) {
    /** The program that this library carries, even if there is a newer one on the search path. */
    static final String BUNDLED = "bundled";

    private static final long DEFAULT_IDLE_MILLIS = 30_000;
    private static final long SHORTEST_IDLE_MILLIS = 100;

    /** Reads them. */
    static Settings read() {
        String folder = value("holdfast.embedded.home", "HOLDFAST_HOME");
        String path = System.getenv("PATH");
        return new Settings(
                folder == null ? null : absolute(folder),
                value("holdfast.embedded.server", "HOLDFAST_SERVER"),
                idleMillis(value("holdfast.embedded.idleMillis", "HOLDFAST_IDLE_MILLIS")),
                path == null ? "" : path,
                platform(System.getProperty("os.name", ""), System.getProperty("os.arch", "")));
    }

    private static @Nullable String value(String property, String variable) {
        String value = System.getProperty(property);
        if (value == null) {
            value = System.getenv(variable);
        }
        return value == null || value.isEmpty() ? null : value;
    }

    private static Path absolute(String folder) {
        Path path = Path.of(folder);
        if (!path.isAbsolute()) {
            throw DriverException.unknown(
                    "holdfast.embedded.home (or HOLDFAST_HOME) is '" + folder
                            + "', must be an absolute path: else each working directory would have locks of its own",
                    null);
        }
        return path;
    }

    private static long idleMillis(@Nullable String text) {
        if (text == null) {
            return DEFAULT_IDLE_MILLIS;
        }
        long millis;
        try {
            millis = Long.parseLong(text);
        } catch (NumberFormatException e) {
            millis = -1;
        }
        if (millis < SHORTEST_IDLE_MILLIS) {
            throw DriverException.unknown(
                    "holdfast.embedded.idleMillis (or HOLDFAST_IDLE_MILLIS) is '" + text + "', must be a whole number, "
                            + SHORTEST_IDLE_MILLIS + " or more",
                    null);
        }
        return millis;
    }

    /** The operating system and the processor, as the bundled programs are named after them. */
    static String platform(String system, String processor) {
        String os = system.equals("Mac OS X") ? "darwin" : system.toLowerCase(Locale.ROOT);
        String cpu = processor.equals("x86_64") ? "amd64" : processor.equals("aarch64") ? "arm64" : processor;
        return os + "-" + cpu;
    }

    /** Whether this is macOS. */
    boolean mac() {
        return platform.startsWith("darwin-");
    }

    /** A program on the search path; null if it is not there. */
    @Nullable
    Path program(String name) {
        for (String place : searchPath.split(File.pathSeparator, -1)) {
            // An empty entry and a relative one mean the working folder, which may hold anything.
            if (place.startsWith("/")) {
                Path program = Path.of(place, name);
                if (isProgram(program)) {
                    return program;
                }
            }
        }
        return null;
    }

    /** Whether there is something to execute. */
    static boolean isProgram(Path path) {
        return Files.isRegularFile(path) && Files.isExecutable(path);
    }
}
