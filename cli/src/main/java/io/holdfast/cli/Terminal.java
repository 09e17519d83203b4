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

    /** Whether standard output is one. */
    static boolean isOutput() {
        return Boolean.getBoolean("holdfast.terminal.output");
    }

    /** How many columns it has: as {@code COLUMNS} says, else as it says itself if standard output is one, else 80. */
    static int columns() {
        String variable = System.getenv("COLUMNS");
        if (variable != null && variable.matches("[1-9]\\d{0,3}")) {
            return Integer.parseInt(variable);
        }
        return (isOutput() ? Screen.size() : Screen.Size.parse("")).columns();
    }

    /** Whether somebody sits there who can be asked: both standard input and standard error are one. */
    static boolean hasPerson() {
        return Boolean.getBoolean("holdfast.terminal.input") && isErrorOutput();
    }

    /**
     * Whether this process is in the terminal's foreground group, to all of which the terminal sends INT when somebody
     * types Ctrl-C.
     */
    static boolean inForeground() {
        try {
            return Files.exists(STAT)
                    ? inForeground(Files.readString(STAT, StandardCharsets.ISO_8859_1))
                    : same(elsewhere());
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * The same, from what Linux tells of a process: {@code pid (name) state ppid pgrp session tty_nr tpgid …}, where the
     * name may hold anything. The last is the terminal's foreground group, -1 if there is no terminal.
     */
    static boolean inForeground(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 7);
        return fields.length == 7 && fields[2].equals(fields[5]);
    }

    private static boolean same(String[] groups) {
        return groups.length == 2 && groups[0].equals(groups[1]);
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
