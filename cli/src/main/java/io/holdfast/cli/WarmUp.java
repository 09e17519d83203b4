package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.Optional;

/**
 * Does once what the command can do, for the launcher, which has the JVM write down the classes that are used by it.
 * Needs a machine-local server of its own: {@code HOLDFAST_HOME} names a folder for it.
 */
final class WarmUp {
    static final String COMMAND = "warm-up";
    private static final String LOCK = "warm-up";

    private WarmUp() {}

    static int run(String[] arguments) {
        if (arguments.length > 0 || System.getenv("HOLDFAST_HOME") == null) {
            throw new UsageException("unknown command '" + COMMAND + "'");
        }
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        String[] quick = {LOCK, "--lease", "5s", "--", "true"};
        int status = Run.run(quick);
        try (Holdfast client = new Server(null, null).connect(COMMAND)) {
            Optional<Lease> lease = client.lock(LOCK).tryAcquire();
            status += Run.run(new String[] {LOCK, "--wait", "50ms", "--busy-exit", "0", "--", "true"});
            lease.ifPresent(Lease::release);
        } catch (InterruptedException e) {
            return ExitStatus.INTERNAL;
        }
        status += Main.status(new String[] {"ls"});
        status += Main.status(new String[] {"info", LOCK});
        return status == 0 ? 0 : ExitStatus.INTERNAL;
    }
}
