package io.holdfast.embedded;

import io.holdfast.spi.DriverException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Finds the program to start: the one that the user names, else one on the search path that is not older than the bundled
 * one, else the bundled one, else any on the search path that is new enough. Only under the folder's lock.
 */
final class ServerProgram {
    private static final Version BUNDLED_VERSION = new Version(7, 0, 15);
    /** The oldest server that Holdfast works with. */
    private static final Version OLDEST = new Version(6, 2, 0);

    private static final List<String> NAMES = List.of("valkey-server", "redis-server");
    private static final List<String> BUNDLED_PLATFORMS =
            List.of("linux-amd64", "linux-arm64", "darwin-amd64", "darwin-arm64");
    private static final String BUNDLED_PREFIX = "redis-server-";
    private static final String LICENCE = "REDIS-LICENSE.txt";

    /** A program that does not tell its version in this time is passed over. */
    private static final long VERSION_PATIENCE_MILLIS = 3_000;
    /** The file of versions begins anew when it has more lines: programs come and go. */
    private static final int MOST_VERSIONS = 20;

    private final Settings settings;
    private final StateFolder folder;

    ServerProgram(Settings settings, StateFolder folder) {
        this.settings = settings;
        this.folder = folder;
    }

    /**
     * Finds it.
     *
     * @throws DriverException if there is none
     */
    Path find() throws IOException, InterruptedException {
        String named = settings.program();
        if (named != null && !named.equals(Settings.BUNDLED)) {
            Path program = named.indexOf('/') < 0 ? settings.program(named) : Path.of(named);
            if (program == null || !Settings.isProgram(program)) {
                throw DriverException.unknown(
                        "holdfast.embedded.server (or HOLDFAST_SERVER) names '" + named
                                + "', which is no executable file",
                        null);
            }
            return program.toAbsolutePath();
        }
        boolean bundled = BUNDLED_PLATFORMS.contains(settings.platform());
        if (named == null) {
            for (String name : NAMES) {
                Path program = settings.program(name);
                if (program != null && isPreferred(version(program), bundled)) {
                    return program;
                }
            }
        }
        if (!bundled) {
            throw DriverException.unknown(
                    "there is no embedded server for this platform, " + settings.platform() + " (there is one for "
                            + String.join(", ", BUNDLED_PLATFORMS) + "): install valkey-server or redis-server, "
                            + OLDEST + " or newer, on the search path, or give the address of a server",
                    null);
        }
        return unpacked();
    }

    private static boolean isPreferred(@Nullable Version version, boolean bundled) {
        if (version == null) {
            return false;
        }
        // Of the same version, too: distributions correct what is wrong with one and leave its number.
        return version.compareTo(bundled ? BUNDLED_VERSION : OLDEST) >= 0;
    }

    /** Whether a process runs the bundled program, by the path of what it runs. */
    static boolean isBundled(String command) {
        return command.substring(command.lastIndexOf('/') + 1).startsWith(BUNDLED_PREFIX);
    }

    /** A program's version, from the folder if it was asked before and has not changed; null if it has none to tell. */
    private @Nullable Version version(Path program) throws IOException, InterruptedException {
        BasicFileAttributes file = Files.readAttributes(program, BasicFileAttributes.class);
        String key = file.lastModifiedTime().toMillis() + " " + file.size() + " " + program + " ";
        Path cache = folder.file(StateFolder.VERSIONS);
        List<String> lines;
        try {
            lines = new ArrayList<>(Files.readAllLines(cache));
        } catch (NoSuchFileException e) {
            lines = new ArrayList<>();
        }
        for (String line : lines) {
            if (line.startsWith(key)) {
                return Version.find(line.substring(key.length()));
            }
        }
        Version version = ask(program);
        if (lines.size() >= MOST_VERSIONS) {
            lines.clear();
        }
        lines.add(key + (version == null ? "none" : "v=" + version));
        folder.write(StateFolder.VERSIONS, String.join("\n", lines) + "\n");
        return version;
    }

    private static @Nullable Version ask(Path program) throws InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(program.toString(), "--version")
                    .redirectErrorStream(true)
                    .start();
        } catch (IOException e) {
            return null; // for another processor, perhaps: no reason to fail while there are other programs
        }
        try {
            process.getOutputStream().close();
            // The answer is one line, far less than what a pipe holds: the process can end before it is read.
            if (!process.waitFor(VERSION_PATIENCE_MILLIS, TimeUnit.MILLISECONDS)) {
                return null;
            }
            byte[] output = process.getInputStream().readNBytes(1000);
            return Version.find(new String(output, StandardCharsets.UTF_8));
        } catch (IOException e) {
            return null;
        } finally {
            process.destroyForcibly();
        }
    }

    private Path unpacked() throws IOException {
        String name = BUNDLED_PREFIX + BUNDLED_VERSION + "-" + settings.platform();
        ClassLoader loader = ServerProgram.class.getClassLoader();
        URL source = loader.getResource(name);
        if (source == null) {
            throw DriverException.unknown(
                    "the program of the embedded server, " + name + ", is not on the class path: add the library"
                            + " org.signal:embedded-redis",
                    null);
        }
        URLConnection connection = source.openConnection();
        connection.setUseCaches(false); // else the jar stays open for good
        try (InputStream in = connection.getInputStream()) {
            Path program = folder.file(name);
            // The size is enough: the file got its name after its content had reached the disk, and only the user can
            // write to the folder.
            if (!Files.isRegularFile(program) || Files.size(program) != connection.getContentLengthLong()) {
                copy(in, program);
                copyLicence();
                removeOthers(name);
            }
            return program;
        }
    }

    private void copy(InputStream in, Path program) throws IOException {
        Path temporary = folder.file("unpacking");
        Files.deleteIfExists(temporary);
        try (FileChannel channel = FileChannel.open(
                temporary,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                StateFolder.permissions("rwx------"))) {
            in.transferTo(Channels.newOutputStream(channel));
            channel.force(true);
        }
        Files.move(temporary, program, StandardCopyOption.ATOMIC_MOVE);
    }

    private void copyLicence() throws IOException {
        try (InputStream in = ServerProgram.class.getResourceAsStream(LICENCE)) {
            if (in != null) {
                Files.write(folder.emptied(LICENCE), in.readAllBytes());
            }
        }
    }

    /** Other versions' programs: this version's server is about to be the only one. */
    private void removeOthers(String name) throws IOException {
        try (DirectoryStream<Path> programs = Files.newDirectoryStream(folder.path(), BUNDLED_PREFIX + "*")) {
            for (Path program : programs) {
                if (!program.endsWith(name)) {
                    Files.delete(program);
                }
            }
        }
    }
}
