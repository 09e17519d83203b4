package io.holdfast.contracts.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;

/** The server program: the one that a system property names, or the one inside embedded-redis. */
final class ServerBinary {
    /** Names another program to test with, for example an older Redis or a Valkey. */
    static final String PROPERTY = "holdfast.test.server";

    private static final String VERSION = "7.0.15";

    private ServerBinary() {}

    static Path path() {
        String chosen = System.getProperty(PROPERTY, "");
        if (chosen.isEmpty()) {
            return Unpacked.PATH;
        }
        Path path = Path.of(chosen);
        if (!Files.isExecutable(path)) {
            throw new IllegalStateException("the system property " + PROPERTY + " names '" + chosen
                    + "', which is not a program that this user may run");
        }
        return path;
    }

    /** Unpacks when first needed, once per JVM: class initialisation is the lock. */
    private static final class Unpacked {
        static final Path PATH = unpack();
    }

    private static Path unpack() {
        String name = "redis-server-" + VERSION + "-" + platform();
        try (InputStream in = ServerBinary.class.getClassLoader().getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the resource " + name + " is missing: put org.signal:embedded-redis on"
                        + " the class path, or name a server program in the system property " + PROPERTY);
            }
            byte[] program = in.readAllBytes();
            Path folder = ownFolder();
            Path target = folder.resolve(name);
            if (Files.isExecutable(target) && Files.size(target) == program.length) {
                return target;
            }
            // Other JVMs of this user may unpack at the same time. Each writes a file of its own and moves it into
            // place in one step, so nobody ever sees or runs half a program.
            Path draft = Files.createTempFile(
                    folder,
                    name,
                    ".part",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            Files.write(draft, program);
            return Files.move(draft, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException("could not unpack " + name, e);
        }
    }

    /** A folder that only this user can write to: what lies there will be run. */
    private static Path ownFolder() throws IOException {
        var ownerOnly = PosixFilePermissions.fromString("rwx------");
        Path temp = Path.of(System.getProperty("java.io.tmpdir"));
        Path shared = temp.resolve("holdfast-contracts-" + System.getProperty("user.name"));
        try {
            Files.createDirectory(shared, PosixFilePermissions.asFileAttribute(ownerOnly));
            return shared;
        } catch (IOException e) {
            Path probe = Files.createTempFile(temp, "holdfast-contracts", ".probe");
            Object self = Files.getOwner(probe);
            Files.delete(probe);
            if (Files.isDirectory(shared, LinkOption.NOFOLLOW_LINKS)
                    && Files.getOwner(shared).equals(self)
                    && Files.getPosixFilePermissions(shared).equals(ownerOnly)) {
                return shared;
            }
            return Files.createTempDirectory(temp, "holdfast-contracts");
        }
    }

    private static String platform() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
        String system = os.contains("linux") ? "linux" : os.contains("mac") ? "darwin" : "";
        String processor = switch (arch) {
            case "amd64", "x86_64" -> "amd64";
            case "aarch64", "arm64" -> "arm64";
            default -> "";
        };
        if (system.isEmpty() || processor.isEmpty()) {
            throw new IllegalStateException("there is no server program for " + os + " on " + arch
                    + ": name one in the system property " + PROPERTY);
        }
        return system + "-" + processor;
    }
}
