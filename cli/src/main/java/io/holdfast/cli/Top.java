package io.holdfast.cli;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Inspector;
import io.holdfast.LockInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast top}: the locks that most wait for, again and again. */
final class Top implements Subcommand {
    private static final Duration USUAL_INTERVAL = Duration.ofSeconds(1);
    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(100);
    private static final Duration LONGEST_INTERVAL = Duration.ofHours(1);

    private final Thread main = Thread.currentThread();
    private int status; // these two guarded by this
    private boolean ended;

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "top",
                        "holdfast top [--interval TIME] [--once] [--json] [--url URL] [-v]",
                        "Shows all locks that are held or waited for, those first that most wait for, among these those"
                                + " held longest; again every second, until Ctrl-C. On a terminal each time in the same"
                                + " place, elsewhere one below the other.",
                        Pages.statuses("0", "ended by Ctrl-C, or shown once", "128+n", "signal n ended it"))
                .addOption(Specs.value("--interval", "TIME", "Show it this often, 100ms to 1h; 1s by default."))
                .addOption(Specs.flag("Show it once.", "--once"));
        Specs.examples(
                spec,
                "  A record of the next hour, as far as it is of interest afterwards:",
                "    timeout -s INT 1h holdfast top --interval 10s >locks.txt");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String text = given.matchedOptionValue("--interval", null);
        boolean json = given.hasMatchedOption("--json");
        boolean once = json || given.hasMatchedOption("--once"); // a document is one
        if (text != null && once) {
            throw new UsageException(
                    "--interval contradicts " + (json ? "--json, which prints one document" : "--once"));
        }
        Duration interval =
                text == null ? USUAL_INTERVAL : Span.parse("--interval", text, SHORTEST_INTERVAL, LONGEST_INTERVAL, "");
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            if (json) {
                List<LockInfo> locks = sorted(Ls.all(client.inspect(), Inspector.PAGE, true));
                Json.print(document -> document.list("locks", locks, Json::lock));
                return 0;
            }
            if (once) {
                System.out.print(page(client));
                return 0;
            }
            Signals.receive(this::onSignal);
            Logs.mute(); // the page tells it, and a line would stand in its midst
            return watch(client, interval, new Screen(System.out, Terminal.isOutput()));
        }
    }

    private int watch(Holdfast client, Duration interval, Screen screen) {
        while (!isEnded()) {
            String page;
            try {
                page = page(client);
            } catch (HoldfastException e) {
                page = Words.time(Instant.now()) + "  " + Say.printable(String.valueOf(e.getMessage())) + "\n";
            }
            if (isEnded() || !screen.show(page)) {
                break;
            }
            try {
                Thread.sleep(interval.toMillis());
            } catch (InterruptedException e) {
                // by a signal
            }
        }
        screen.end();
        Thread.interrupted(); // or closing would not be done in peace
        synchronized (this) {
            return status;
        }
    }

    private synchronized boolean isEnded() {
        return ended;
    }

    private synchronized void onSignal(String name, int number) {
        if (!name.equals("USR1") && !ended) {
            ended = true;
            status = name.equals("INT") ? 0 : ExitStatus.SIGNALLED + number;
            main.interrupt();
        }
    }

    private static String page(Holdfast client) {
        return page(sorted(Ls.all(client.inspect(), Inspector.PAGE, true)), Instant.now());
    }

    /** Those first that most wait for, then those held longest, then by name. */
    static List<LockInfo> sorted(Collection<LockInfo> locks) {
        return locks.stream()
                .sorted(Comparator.comparingInt(LockInfo::waiters)
                        .reversed()
                        .thenComparing(lock -> lock.holder().map(Holder::since).orElse(Instant.MAX))
                        .thenComparing(LockInfo::name))
                .toList();
    }

    /** One page. */
    static String page(List<LockInfo> locks, Instant now) {
        int held = (int) locks.stream().filter(LockInfo::isLocked).count();
        int waiting = locks.stream().mapToInt(LockInfo::waiters).sum();
        Table table = new Table("WAITING", "LOCK", "HELD BY", "PID", "AGE", "LEFT").cutting(1, 2);
        for (LockInfo lock : locks) {
            Holder holder = lock.holder().orElse(null);
            table.add(
                    Integer.toString(lock.waiters()),
                    lock.name(),
                    holder == null ? "nobody" : Words.holder(holder),
                    holder == null ? "" : holder.pid(),
                    holder == null ? "" : Span.inWords(Words.age(holder.since())),
                    holder == null ? "" : Span.inWords(lock.remaining()));
        }
        return Words.time(now) + "  " + Words.count(held, "lock") + " held, " + Words.count(waiting, "request")
                + " waiting\n" + (locks.isEmpty() ? "" : table.text());
    }
}
