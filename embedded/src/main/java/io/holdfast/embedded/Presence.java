package io.holdfast.embedded;

import io.holdfast.spi.DriverException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the clients of one state folder say of the processes that they live in: a file for each, named by the client's id.
 *
 * <p>A client has ended when every process in its file is gone, each told from a later one of the same number by its
 * {@link ProcessBirth}. Only what the file says in so many words is believed: without a file, with one from another machine
 * or container (process numbers mean nothing there), or one that cannot be read, a client has not ended.
 *
 * <p>Not by a lock on the file: one of this kind is lost when any part of the process that has it opens and closes the file
 * once more, as a second class loader would that looks at it.
 */
final class Presence {
    private static final String FIRST_LINE = "holdfast-client 1";
    private static final String MACHINE = "machine ";
    private static final String PROCESS = "process ";
    private static final String NEW = ".new";
    /** The ids that clients draw are shorter; what is longer, or has other characters, is none. */
    private static final int LONGEST_ID = 64;

    private final StateFolder state;
    private final Path folder;

    Presence(StateFolder state) {
        this.state = state;
        this.folder = state.file(StateFolder.CLIENTS);
    }

    /** Says of a client that it lives in this process and these others. */
    void tell(String client, long... others) throws IOException {
        StringBuilder text = new StringBuilder(120)
                .append(FIRST_LINE)
                .append('\n')
                .append(MACHINE)
                .append(StateFolder.machine())
                .append('\n');
        add(text, ProcessHandle.current().pid());
        for (long other : others) {
            add(text, other);
        }
        if (!isId(client)) {
            throw new IOException("'" + client + "' is no client's id");
        }
        state.inner(StateFolder.CLIENTS);
        // By a name of its own, and then all at once: nobody reads a part.
        Path fresh = folder.resolve(client + NEW);
        Files.deleteIfExists(fresh);
        Files.writeString(Files.createFile(fresh, StateFolder.permissions("rw-------")), text);
        Files.move(fresh, folder.resolve(client), StandardCopyOption.ATOMIC_MOVE);
    }

    private static void add(StringBuilder text, long pid) throws IOException {
        String birth = ProcessBirth.of(pid);
        if (!birth.isEmpty()) { // it may have ended by now
            text.append(PROCESS).append(pid).append(' ').append(birth).append('\n');
        }
    }

    /** Says nothing of a client any more. */
    void forget(String client) {
        if (isId(client)) {
            try {
                Files.deleteIfExists(folder.resolve(client));
            } catch (IOException e) {
                throw DriverException.unknown("could not remove " + folder.resolve(client) + ": " + e.getMessage(), e);
            }
        }
    }

    /** Whether a client has ended for sure. */
    boolean hasEnded(String client) {
        if (!isId(client)) {
            return false;
        }
        try {
            return hasEnded(folder.resolve(client));
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean hasEnded(Path file) throws IOException {
        List<String> lines;
        try {
            lines = List.of(new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\n", -1));
        } catch (NoSuchFileException e) {
            return false;
        }
        if (lines.size() < 3
                || !lines.get(0).equals(FIRST_LINE)
                || !lines.get(1).equals(MACHINE + StateFolder.machine())) {
            return false;
        }
        boolean any = false;
        for (String line : lines.subList(2, lines.size())) {
            if (!line.startsWith(PROCESS)) {
                continue;
            }
            int space = line.indexOf(' ', PROCESS.length());
            Long pid = number(space < 0 ? "" : line.substring(PROCESS.length(), space));
            if (pid == null || ProcessBirth.of(pid).equals(line.substring(space + 1))) {
                return false;
            }
            any = true;
        }
        return any;
    }

    private static @Nullable Long number(String text) {
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** Removes the files of clients that have ended. Only while there is no server, and so no hold of theirs. */
    void sweep() throws IOException {
        if (!Files.isDirectory(folder)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                boolean ended;
                try {
                    ended = hasEnded(file);
                } catch (IOException e) {
                    ended = false; // it is being removed, or will be looked at the next time
                }
                if (ended) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    private static boolean isId(String client) {
        return !client.isEmpty()
                && client.length() <= LONGEST_ID
                && client.chars().allMatch(c -> c == '-' || c == '_' || (c < 128 && Character.isLetterOrDigit(c)));
    }
}
