package io.holdfast.embedded;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The systemd service in which this process runs, if it does. When the service ends, systemd ends all that it has started,
 * whatever session or process group that is in: only systemd itself can let a process out, into a scope of its own.
 *
 * <p>Not for login sessions: their processes stay when the user logs out, unless the system is set up otherwise, and in a
 * scope of the user's manager they might not, since that ends with the last session.
 */
final class SystemdUnit {
    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final String SERVICE = ".service";
    /** A manager that takes longer to make a scope is of no help. */
    private static final long PATIENCE_MILLIS = 3_000;

    private final Path cgroup;
    private final Path runtimeFolders;
    private final int user;
    private final @Nullable Path program;

    /**
     * @param cgroup what the system says of the control groups of this process
     * @param runtimeFolders where the folders of users' managers are
     * @param user this user's number
     * @param program {@code systemd-run}; null if there is none
     */
    SystemdUnit(Path cgroup, Path runtimeFolders, int user, @Nullable Path program) {
        this.cgroup = cgroup;
        this.runtimeFolders = runtimeFolders;
        this.user = user;
        this.program = program;
    }

    /**
     * What to put before a command so that it does not end with the service; empty if this process is in none, or if the
     * service cannot be left.
     */
    List<String> wayOut() throws InterruptedException {
        String path = pathOfService();
        if (path == null) {
            return List.of();
        }
        List<String> words = words(path);
        if (words.isEmpty() || !works(words)) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "the embedded server cannot leave the systemd service that starts it, " + path
                            + ": the server will end with this service, and so will the locks of other processes");
            return List.of();
        }
        return words;
    }

    private @Nullable String pathOfService() {
        List<String> lines;
        try {
            lines = Files.readAllLines(cgroup, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return null; // not Linux
        }
        for (String line : lines) {
            // "0::/path", or in the older layout "1:name=systemd:/path"
            String[] parts = line.split(":", 3);
            if (parts.length == 3 && (parts[0].equals("0") || parts[1].equals("name=systemd"))) {
                String path = parts[2];
                for (String part = path; !part.isEmpty(); part = part.substring(0, part.lastIndexOf('/'))) {
                    if (part.endsWith(SERVICE)) {
                        return path;
                    } else if (part.endsWith(".scope") || part.lastIndexOf('/') < 0) {
                        break;
                    }
                }
            }
        }
        return null;
    }

    private List<String> words(String path) {
        if (program == null) {
            return List.of();
        }
        List<String> words = new ArrayList<>();
        words.add("env");
        Path runtime = runtimeFolders.resolve(Integer.toString(user));
        boolean ofUser = user != 0 || path.contains("/user@");
        if (ofUser) {
            if (!Files.isDirectory(runtime)) {
                return List.of(); // no manager of this user runs
            }
            words.add("XDG_RUNTIME_DIR=" + runtime);
        }
        words.add(program.toString());
        if (ofUser) {
            words.add("--user");
        }
        words.addAll(List.of("--scope", "--quiet", "--collect", "--description=Holdfast embedded server", "--"));
        return words;
    }

    private static boolean works(List<String> words) throws InterruptedException {
        List<String> command = new ArrayList<>(words);
        command.add("true");
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            process.getOutputStream().close();
        } catch (IOException e) {
            return false;
        }
        try {
            return process.waitFor(PATIENCE_MILLIS, TimeUnit.MILLISECONDS) && process.exitValue() == 0;
        } finally {
            process.destroyForcibly();
        }
    }
}
