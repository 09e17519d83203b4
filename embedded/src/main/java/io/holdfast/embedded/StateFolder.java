package io.holdfast.embedded;

import io.holdfast.spi.DriverException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The folder in which the processes of one user on one machine find each other. Nobody else can enter it.
 *
 * <p>Where it is must not depend on how a process was started: a job of cron or a service that looked elsewhere than the
 * user's terminals would get another server, and its locks would exclude nobody. Hence the home folder, as the user
 * database has it, and not {@code XDG_RUNTIME_DIR}, which only login sessions have and which disappears with the last of
 * them; that is for users without a home.
 */
final class StateFolder {
    /** The lock; see {@link FolderLock}. */
    static final String LOCK = "lock";
    /** Where the server is; see {@link ServerRecord}. */
    static final String ADDRESS = "address";
    /** Each keeper locks the byte of this file whose position is the id of its server. The file stays empty. */
    static final String KEEPER = "keeper";
    /** What the server and the keeper have to say. */
    static final String LOG = "log";
    /** What the server reads when it starts. */
    static final String CONFIGURATION = "server.conf";
    /**
     * The end of the names of the files into which servers write their process numbers. Each has its own, since each
     * removes it when it ends, which may be while its successor starts.
     */
    static final String PID = ".pid";
    /** The folder in which the clients say where they live; see {@link Presence}. */
    static final String CLIENTS = "clients";
    /** What is known of the server programs on the search path. */
    static final String VERSIONS = "versions";

    private static final int FILE_TYPE = 0170000;
    private static final int DIRECTORY = 0040000;
    private static final int EVERYONE_ELSE = 0077;

    private final Path path;

    private StateFolder(Path path) {
        this.path = path;
    }

    /**
     * Finds the folder, or makes it.
     *
     * @throws DriverException if it is not safe from others
     */
    static StateFolder open(Settings settings) throws IOException {
        if (!FileSystems.getDefault().supportedFileAttributeViews().contains("unix")) {
            throw DriverException.unknown(
                    "the embedded server needs a system with POSIX file permissions, such as Linux or macOS: give the"
                            + " address of a server instead",
                    null);
        }
        Path path = settings.folder();
        if (path == null) {
            path = usual(settings.mac(), System.getProperty("user.home", ""), System.getenv("XDG_RUNTIME_DIR"));
        }
        StateFolder folder = new StateFolder(path);
        folder.ensure();
        return folder;
    }

    /**
     * Makes the folder if it is not there, or not any more.
     *
     * @throws DriverException if it is not safe from others
     */
    void ensure() throws IOException {
        Map<String, Object> attributes;
        try {
            attributes = attributes(path);
        } catch (NoSuchFileException e) {
            try {
                create(path);
            } catch (FileAlreadyExistsException inTheWay) { // which names another file, and not the folder
                FileSystemException refusal =
                        new FileSystemException(path.toString(), null, "Not a folder: " + inTheWay.getFile());
                refusal.initCause(inTheWay);
                throw refusal;
            }
            attributes = attributes(path);
        }
        String refusal = refusal(path, attributes);
        if (refusal != null) {
            throw DriverException.unknown("the embedded server's folder " + path + " " + refusal, null);
        }
    }

    /** Makes a folder in it, if it is not there. */
    void inner(String name) throws IOException {
        try {
            Files.createDirectory(file(name), permissions("rwx------"));
        } catch (FileAlreadyExistsException e) {
            // Only the user can have made it.
        }
    }

    private static @Nullable String refusal(Path path, Map<String, Object> attributes) throws IOException {
        int mode = number(attributes, "mode");
        if ((mode & FILE_TYPE) != DIRECTORY) {
            return "is not a folder, or is a link to one: set HOLDFAST_HOME to a folder of your own";
        }
        int owner = number(attributes, "uid");
        if (!isMine(owner)) {
            return "belongs to another user (number " + owner + "): set HOLDFAST_HOME to a folder of your own";
        }
        if ((mode & EVERYONE_ELSE) != 0) {
            return "is open to other users (mode " + Integer.toOctalString(mode & 0777) + "): if no other user has"
                    + " changed what is in it, run chmod 700 " + path;
        }
        return null;
    }

    /**
     * The folder if none is given. In a home that several machines or containers share, each has its own: an address on
     * 127.0.0.1 and a process number mean nothing to the others.
     */
    static Path usual(boolean mac, String home, @Nullable String runtimeFolder) throws IOException {
        if (home.startsWith("/") && Files.isDirectory(Path.of(home))) {
            return mac
                    ? Path.of(home, "Library", "Caches", "holdfast")
                    : Path.of(home, ".cache", "holdfast", machine());
        }
        if (runtimeFolder != null && Files.isDirectory(Path.of(runtimeFolder))) {
            return Path.of(runtimeFolder, "holdfast");
        }
        throw DriverException.unknown(
                "the embedded server has no place for its files, because this user has no home folder ('" + home
                        + "'): set HOLDFAST_HOME to a folder that is the same for all processes of this user",
                null);
    }

    /** The name of this machine or container: process numbers mean nothing elsewhere. */
    static String machine() throws IOException {
        try {
            String name = Files.readString(Path.of("/proc/sys/kernel/hostname"))
                    .trim()
                    .replace('/', '_');
            return name + namespace("net") + namespace("pid");
        } catch (NoSuchFileException e) {
            return "local"; // no /proc
        }
    }

    /** The number of a name space, from a link such as {@code net:[4026531840]}. */
    private static String namespace(String kind) throws IOException {
        String link = Files.readSymbolicLink(Path.of("/proc/self/ns/" + kind)).toString();
        int from = link.indexOf('[');
        return "-" + (from < 0 ? link : link.substring(from + 1, link.length() - 1));
    }

    private static void create(Path path) throws IOException {
        Path parent = path.getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        try {
            Files.createDirectory(path, permissions("rwx------"));
        } catch (FileAlreadyExistsException e) {
            // Another process was quicker. Whose it is, is checked next.
        }
    }

    private static Map<String, Object> attributes(Path path) throws IOException {
        return Files.readAttributes(path, "unix:mode,uid", LinkOption.NOFOLLOW_LINKS);
    }

    private static int number(Map<String, Object> attributes, String name) {
        return (Integer) Objects.requireNonNull(attributes.get(name));
    }

    private static boolean isMine(int owner) throws IOException {
        // Java does not tell the user's number. On Linux the process's own entry in /proc has it, mostly; what always
        // has it is a fresh file.
        try {
            if (number(Files.readAttributes(Path.of("/proc/self"), "unix:uid"), "uid") == owner) {
                return true;
            }
        } catch (NoSuchFileException e) {
            // no /proc
        }
        Path probe = Files.createTempFile("holdfast", null);
        try {
            return number(attributes(probe), "uid") == owner;
        } finally {
            Files.delete(probe);
        }
    }

    /** Attributes for a new file or folder. */
    static FileAttribute<Set<PosixFilePermission>> permissions(String text) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
    }

    /** The number of the user whose folder it is. */
    int owner() throws IOException {
        return number(attributes(path), "uid");
    }

    /** The folder itself. */
    Path path() {
        return path;
    }

    /** A file in it. */
    Path file(String name) {
        return path.resolve(name);
    }

    /** Makes a file empty and private, whether or not it was there. */
    Path emptied(String name) throws IOException {
        Path file = file(name);
        Files.deleteIfExists(file);
        return Files.createFile(file, permissions("rw-------"));
    }

    /** Gives a private file this content, or leaves it as it was. Only under the folder's lock. */
    void write(String name, String text) throws IOException {
        Path temporary = emptied(name + ".new");
        Files.writeString(temporary, text);
        Files.move(temporary, file(name), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Whether the server with this id has a keeper. Only under the folder's lock. */
    boolean isKept(long id) throws IOException {
        try (FileChannel channel = FolderLock.open(file(KEEPER))) {
            return !FolderLock.lock(channel, id, 1);
        }
    }
}
