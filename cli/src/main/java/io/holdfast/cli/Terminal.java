package io.holdfast.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** What there is to know about the terminal. */
final class Terminal {
    private static final Path STAT = Path.of("/proc/self/stat");

    private Terminal() {}

    /** Whether standard error is one. Java cannot tell; the launcher can. */
    static boolean isErrorOutput() {
        return Boolean.getBoolean("holdfast.terminal");
    }

    /**
     * Whether this process is in the terminal's foreground group, to all of which the terminal sends INT when somebody
     * types Ctrl-C.
     */
    static boolean inForeground() {
        try {
            String[] fields = Files.exists(STAT) ? linux() : elsewhere();
            return fields.length >= 2 && !fields[0].isEmpty() && fields[0].equals(fields[1]);
        } catch (IOException e) {
            return false;
        }
    }

    /** Our process group, and the terminal's foreground group, -1 if we have no terminal. */
    private static String[] linux() throws IOException {
        // "pid (name) state ppid pgrp session tty_nr tpgid …", where the name may hold anything.
        String stat = Files.readString(STAT, StandardCharsets.ISO_8859_1);
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 7);
        return fields.length < 7 ? new String[0] : new String[] {fields[2], fields[5]};
    }

    private static String[] elsewhere() throws IOException {
        String pid = Long.toString(ProcessHandle.current().pid());
        Process ps = new ProcessBuilder("ps", "-o", "pgid=,tpgid=", "-p", pid)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new String(ps.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                .strip()
                .split(" +", 2);
    }
}
