package io.holdfast.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast acquire}: takes a lock for the script that calls it. A {@link LeaseKeeper} in the background keeps it. */
final class Acquire implements Subcommand {
    /** What may be sent to a script. */
    static final List<String> SIGNALS = List.of("TERM", "INT", "HUP", "USR1", "USR2", "KILL");

    private static final String FOR = "--for";
    private static final String ON_LOSS = "--on-loss";

    private int signal; // these two guarded by this
    private @Nullable Process keeper;

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "acquire",
                        "holdfast acquire NAME [--try|--wait TIME] [--lease TIME] [--token] [OPTIONS]",
                        "Acquires a lock for the calling script, and prints a ticket; 'holdfast release --ticket' with"
                                + " this ticket releases the lock. Meanwhile a process in the background renews the lock, and"
                                + " releases it when the script has ended for any reason. Prefer holdfast run where a single"
                                + " command needs the lock: holdfast run ends the command if the lock is lost. A script has to"
                                + " ask, with holdfast check, or to request a signal, with --on-loss.",
                        Pages.statuses(
                                "0", "the lock is held, and the ticket was printed",
                                "75",
                                        "the lock was not obtained: it is taken, was not free in time, too many wait,"
                                                + " or an operator dropped the request (see --busy-exit)",
                                "128+n", "signal n ended the wait"))
                .addPositional(Specs.lockName())
                .addOption(Specs.flag("Print the fencing token as well, after the ticket and a space.", "--token"))
                .addOption(Specs.value(
                        FOR,
                        "PID",
                        "Keep the lock for this process instead of the calling script. Use --for $PPID in a script that"
                                + " returns the ticket to its caller."))
                .addOption(Specs.value(
                        ON_LOSS,
                        "SIGNAL",
                        "Send this signal to the script if the lock is lost: TERM, INT, HUP, USR1, USR2 or KILL."));
        for (String option : List.of(
                "--wait",
                "--try",
                "--lease",
                LockRequest.LOCK_DELAY,
                "--order",
                "--priority",
                "--group",
                "--group-weight",
                "--queue-limit",
                "--meta")) {
            spec.addOption(Specs.ofRun(option));
        }
        spec.addOption(Specs.ofRun("--busy-exit")).addOption(Specs.ofRun(LockRequest.AS));
        spec.addOption(Specs.ofRun("--quiet"));
        Specs.examples(
                spec,
                "  A lock for a part of a script:",
                "    ticket=$(holdfast acquire deploy --wait 5m) || exit",
                "    ./deploy.sh production",
                "    holdfast release --ticket \"$ticket\" || echo 'the lock was lost meanwhile' >&2",
                "  With the token, for a store that refuses smaller ones:",
                "    held=$(holdfast acquire ledger --token --on-loss TERM) || exit",
                "    ticket=${held% *} token=${held##* }");
        return Specs.withCommon(spec);
    }

    /** The signal that the script wants; null if none. */
    static @Nullable String onLoss(ParseResult given) {
        String text = given.matchedOptionValue(ON_LOSS, null);
        if (text == null) {
            return null;
        }
        String name = text.toUpperCase(Locale.ROOT);
        name = name.startsWith("SIG") ? name.substring(3) : name;
        if (!SIGNALS.contains(name)) {
            throw new UsageException(ON_LOSS + " is '" + text + "', must be TERM, INT, HUP, USR1, USR2 or KILL");
        }
        return name;
    }

    private static Script script(ParseResult given) {
        String text = given.matchedOptionValue(FOR, null);
        Script script =
                text == null ? Script.caller() : Script.of(WholeNumber.parse(FOR, text, 1L, (long) Integer.MAX_VALUE));
        if (script == null) {
            throw new UsageException(
                    text == null
                            ? "the calling script has ended, or cannot be found: name it with " + FOR + " $$"
                            : FOR + " is '" + text + "', and there is no such process");
        }
        return script;
    }

    @Override
    public int run(ParseResult given) {
        LockRequest request = LockRequest.of(given);
        onLoss(given);
        Script script = script(given);
        request.server().announceLock(request.quiet());
        Signals.receive((name, number) -> onSignal(number));
        try {
            Process started = start(script, given.originalArgs());
            synchronized (this) {
                keeper = started;
                if (signal != 0) {
                    started.getOutputStream().close();
                }
            }
            return await(started, request, given);
        } catch (IOException e) {
            Say.failure("the process that keeps the lock cannot be started: " + e.getMessage(), e);
            return ExitStatus.INTERNAL;
        }
    }

    /** Ends the wait: the keeper withdraws when nobody talks to it any more. */
    private synchronized void onSignal(int number) {
        if (signal == 0) {
            signal = number;
            Process started = keeper;
            if (started != null) {
                close(started.getOutputStream());
            }
        }
    }

    private synchronized int signal() {
        return signal;
    }

    private int await(Process started, LockRequest request, ParseResult given) throws IOException {
        BufferedReader reader =
                new BufferedReader(new InputStreamReader(started.getInputStream(), StandardCharsets.UTF_8));
        String line = reader.readLine();
        if (line == null || !line.startsWith(LeaseKeeper.OFFER)) {
            int status = end(started);
            return signal() == 0 ? status : ExitStatus.SIGNALLED + signal();
        }
        String[] words = line.split(" ", 3);
        if (given.hasMatchedOption("--json")) {
            Json.print(json -> json.text("lock", request.name())
                    .text("ticket", words[2])
                    .number("token", Long.parseLong(words[1]))
                    .millis("leaseDuration", request.term()));
        } else {
            System.out.println(words[2] + (given.hasMatchedOption("--token") ? " " + words[1] : ""));
        }
        boolean printed = !System.out.checkError();
        synchronized (this) {
            if (printed && signal == 0) {
                OutputStream out = started.getOutputStream();
                out.write((LeaseKeeper.TAKEN + "\n").getBytes(StandardCharsets.UTF_8));
                out.close();
                return 0;
            }
        }
        close(started.getOutputStream());
        end(started); // it releases: nobody has the ticket
        return printed ? ExitStatus.SIGNALLED + signal() : ExitStatus.NOT_WRITTEN;
    }

    private static void close(OutputStream out) {
        try {
            out.close();
        } catch (IOException e) {
            // it has ended
        }
    }

    private static int end(Process started) {
        while (true) {
            try {
                return started.waitFor();
            } catch (InterruptedException e) {
                // It withdraws, which takes a moment.
            }
        }
    }

    // ---- starting the keeper

    private static Process start(Script script, List<String> arguments) throws IOException {
        List<String> line = java();
        line.add(LeaseKeeper.COMMAND);
        line.add(Long.toString(script.pid()));
        line.add(script.birth());
        line.addAll(arguments);
        // It outlives this process. Where standard error is not the script's own, somebody may wait for its end: the
        // script itself, in $(… 2>&1), or a program that has called us and reads all that we say.
        boolean inherit = script.shares(2);
        ProcessBuilder builder = new ProcessBuilder(line)
                .redirectError(inherit ? ProcessBuilder.Redirect.INHERIT : ProcessBuilder.Redirect.PIPE);
        Process started = builder.start();
        if (!inherit) {
            Thread relay = new Thread(() -> relay(started.getErrorStream()), "holdfast-relay");
            relay.setDaemon(true);
            relay.start();
        }
        return started;
    }

    private static void relay(InputStream in) {
        try {
            in.transferTo(System.err);
        } catch (IOException e) {
            // it has ended
        }
    }

    /** This virtual machine's own line, up to the main class: so that it starts as quickly, and needs as little. */
    private static List<String> java() throws IOException {
        Path own = Path.of("/proc/self/cmdline");
        if (Files.exists(own)) {
            List<String> words = List.of(new String(Files.readAllBytes(own), StandardCharsets.UTF_8).split("\0", -1));
            int main = words.indexOf(Main.class.getName());
            if (main > 0) {
                List<String> line = new ArrayList<>(words.subList(0, main + 1));
                line.set(0, executable());
                return line;
            }
        }
        return new ArrayList<>(List.of(
                executable(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:-UsePerfData",
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    }

    private static String executable() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }
}
