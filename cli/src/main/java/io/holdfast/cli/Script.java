package io.holdfast.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The process for which a lease is kept: the script that has called {@code holdfast acquire}.
 *
 * @param pid its number
 * @param birth what tells it from a later process of the same number
 */
record Script(long pid, String birth) {
    private static final Path PROC = Path.of("/proc");
    /** Programs that run another and wait for it: not they are meant. */
    private static final Set<String> WRAPPERS =
            Set.of("sudo", "doas", "timeout", "time", "chronic", "strace", "setsid", "nice", "env", "holdfast");

    private static final int MOST_GENERATIONS = 20;
    /** Linux's mark of a process that has not become another program since it was forked: a subshell. */
    private static final long FORKED_ONLY = 0x40;

    /** What Linux tells of a process. */
    private record Stat(String name, char state, long parent, long flags, String start) {
        static @Nullable Stat of(long pid) {
            try {
                String text = Files.readString(PROC.resolve(pid + "/stat"), StandardCharsets.ISO_8859_1);
                // "pid (name) state ppid pgrp session tty tpgid flags …", where the name may hold anything.
                int end = text.lastIndexOf(')');
                String[] fields = text.substring(end + 2).split(" ", 21);
                return new Stat(
                        text.substring(text.indexOf('(') + 1, end),
                        fields[0].charAt(0),
                        Long.parseLong(fields[1]),
                        Long.parseLong(fields[6]),
                        fields[19]);
            } catch (IOException e) {
                return null;
            }
        }
    }

    /** The process with this number; null if there is none. */
    static @Nullable Script of(long pid) {
        String birth = birth(pid);
        return birth.isEmpty() ? null : new Script(pid, birth);
    }

    /**
     * The script that has called this process. Not a subshell that is there for {@code $(…)} or for a pipe, and ends with
     * this process: such a one was forked from a shell, and has a pipe of its own for its output.
     */
    static @Nullable Script caller() {
        ProcessHandle parent = ProcessHandle.current().parent().orElse(null);
        if (parent == null) {
            return null;
        }
        long pid = parent.pid();
        for (int i = 0; i < MOST_GENERATIONS; i++) {
            Long above = Files.isDirectory(PROC.resolve("self")) ? aboveByProc(pid) : aboveByWords(pid);
            if (above == null || above <= 1) {
                break;
            }
            pid = above;
        }
        return of(pid);
    }

    /** The parent of a process that is none itself; null if it is the script. */
    private static @Nullable Long aboveByProc(long pid) {
        Stat stat = Stat.of(pid);
        if (stat == null) {
            return null;
        }
        if (WRAPPERS.contains(stat.name())) {
            return stat.parent();
        }
        if ((stat.flags() & FORKED_ONLY) == 0) {
            return null;
        }
        String own = pipe(pid);
        return own == null || own.equals(pipe(stat.parent())) ? null : (Long) stat.parent();
    }

    /** Which pipe is a process's standard output; null if it is none, or if that cannot be seen. */
    private static @Nullable String pipe(long pid) {
        String file = file(Long.toString(pid), 1);
        return file != null && file.startsWith("pipe:") ? file : null;
    }

    /** What a process has open under a number; null if nothing, or if that cannot be seen. */
    private static @Nullable String file(String process, int descriptor) {
        try {
            return Files.readSymbolicLink(PROC.resolve(process + "/fd/" + descriptor))
                    .toString();
        } catch (IOException e) {
            return null;
        }
    }

    /** Whether it has the same open under a number as this process. */
    boolean shares(int descriptor) {
        String ours = file("self", descriptor);
        return ours != null && ours.equals(file(Long.toString(pid), descriptor));
    }

    /** Elsewhere than on Linux: a subshell has the words of its shell. */
    private static @Nullable Long aboveByWords(long pid) {
        Optional<ProcessHandle> handle = ProcessHandle.of(pid);
        Optional<ProcessHandle> parent = handle.flatMap(ProcessHandle::parent);
        Optional<String> words = handle.flatMap(each -> each.info().commandLine());
        return words.isPresent()
                        && words.equals(parent.flatMap(each -> each.info().commandLine()))
                ? (Long) parent.orElseThrow().pid()
                : null;
    }

    /** Its name, as that of a command that is run. */
    String name() {
        try {
            byte[] line = Files.readAllBytes(PROC.resolve(pid + "/cmdline"));
            String text = new String(line, StandardCharsets.UTF_8);
            if (!text.isEmpty()) {
                List<String> words = List.of(text.split("\0", -1));
                String name = CommandName.of(
                        words.get(0).startsWith("-")
                                ? List.of(words.get(0).substring(1)) // a login shell
                                : words.size() > 1 ? words.subList(0, words.size() - 1) : words);
                return name.indexOf('\uFFFD') >= 0 ? "script" : name;
            }
        } catch (IOException e) {
            // not Linux, or gone
        }
        return ProcessHandle.of(pid)
                .flatMap(each -> each.info().command())
                .map(command -> CommandName.of(List.of(command)))
                .orElse("script");
    }

    /** Whether it still runs. One that has ended, and whose end its parent has not noticed, does not. */
    boolean isAlive() {
        return birth(pid).equals(birth);
    }

    private static String birth(long pid) {
        if (Files.isDirectory(PROC.resolve("self"))) {
            Stat stat = Stat.of(pid);
            return stat == null || stat.state() == 'Z' || stat.state() == 'X' ? "" : stat.start();
        }
        return ProcessHandle.of(pid)
                .filter(ProcessHandle::isAlive)
                .map(each -> each.info()
                        .startInstant()
                        .map(start -> Long.toString(start.toEpochMilli()))
                        .orElse("unknown"))
                .orElse("");
    }

    /** Sends it a signal. */
    void send(String signal) throws IOException {
        if (!isAlive()) {
            return;
        }
        new ProcessBuilder("/bin/sh", "-c", "kill -" + signal + " " + pid)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start()
                .onExit();
    }
}
