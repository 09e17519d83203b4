package io.holdfast.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What the address file says of a server: one line for each component, its name, a space and its value. Lines with other
 * names are ignored, so that later versions can add some.
 *
 * <p>The keeper uses this class too: see {@link Keeper} for what that forbids.
 *
 * @param id a random positive number, another for each server ever started
 * @param port where it listens on 127.0.0.1
 * @param password what it asks for
 * @param pid its process, or 0 while it is being started: nobody has joined it then
 * @param birth {@link ProcessBirth} of that process, or empty while it is being started
 */
record ServerRecord(long id, int port, String password, long pid, String birth) {
    private static final String FIRST_LINE = "holdfast-server 1";

    /** Whether its start was seen to the end. */
    boolean complete() {
        return pid > 0;
    }

    /** Whether its process exists, which says nothing of whether it answers. */
    boolean alive() throws IOException {
        return complete() && birth.equals(ProcessBirth.of(pid));
    }

    /** The same server, now with a process. */
    ServerRecord started(long itsPid, String itsBirth) {
        return new ServerRecord(id, port, password, itsPid, itsBirth);
    }

    /** Reads the file; null if there is none. */
    static @Nullable ServerRecord read(Path file) throws IOException {
        String text;
        try {
            text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
        } catch (NoSuchFileException e) {
            return null;
        }
        if (!text.startsWith(FIRST_LINE + "\n")) {
            throw new IOException(file + " is not an address file of this version of Holdfast: end the processes that"
                    + " use the other version, or remove the file if there are none");
        }
        try {
            return new ServerRecord(
                    Long.parseLong(value(text, "id")),
                    Integer.parseInt(value(text, "port")),
                    value(text, "password"),
                    Long.parseLong(value(text, "pid")),
                    value(text, "birth"));
        } catch (NumberFormatException e) {
            throw new IOException(file + " is damaged: remove it", e);
        }
    }

    private static String value(String text, String name) {
        String label = "\n" + name + " ";
        int from = text.indexOf(label);
        int to = from < 0 ? -1 : text.indexOf('\n', from + label.length());
        return to < 0 ? "" : text.substring(from + label.length(), to);
    }

    /** What {@link #read} reads. */
    String text() {
        return FIRST_LINE + "\nid " + id + "\nport " + port + "\npassword " + password + "\npid " + pid + "\nbirth "
                + birth + "\n";
    }

    /** Without the password. */
    @Override
    public String toString() {
        return "process " + pid + " at 127.0.0.1:" + port;
    }
}
