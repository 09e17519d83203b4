package io.holdfast.cli;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Inspector;
import io.holdfast.LockFigures;
import io.holdfast.LockInfo;
import io.holdfast.Overview;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast top}: the locks with the most waiters, again and again. */
final class Top implements Subcommand {
    private static final Duration USUAL_INTERVAL = Duration.ofSeconds(1);
    private static final Duration SHORTEST_INTERVAL = Duration.ofMillis(100);
    private static final Duration LONGEST_INTERVAL = Duration.ofHours(1);

    private static final int MOST_LOCKS = 10_000;

    private final Thread main = Thread.currentThread();
    private int status; // these two guarded by this
    private boolean ended;

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "top",
                        "holdfast top [--kind KIND] [--interval TIME] [--once] [--scan] [--json] [--url URL] [-v]",
                        "Shows all locks that are held or have waiters, and refreshes the list every second, until"
                                + " Ctrl-C. Locks with the most waiters come first; of locks with equally many"
                                + " waiters, the one held longest comes first. On a terminal each list replaces the"
                                + " previous one; elsewhere the lists follow each other. HOLDS is the number of ended"
                                + " leases that the clients of the lock have counted since they started. MEAN and"
                                + " LONGEST are the mean and the longest time that these were held.",
                        Pages.statuses(
                                "0", "ended by Ctrl-C, or the list was shown once", "128+n", "signal n ended it"))
                .addOption(Kinds.option("Show only this kind: lock, read-write, semaphore, election or once."))
                .addOption(Specs.value("--interval", "TIME", "Time between two lists, 100ms to 1h; 1s by default."))
                .addOption(Specs.flag("Show it once.", "--once"))
                .addOption(Scan.option());
        Specs.examples(
                spec,
                "  A record of the next hour, for a later look:",
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
        LockInfo.Kind kind = Kinds.orNull(given);
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            Inspector inspector = Scan.inspector(Scan.isAskedFor(given), client, kind);
            if (json) {
                Overview overview = inspector.overview(MOST_LOCKS);
                Json.print(document -> document.list("locks", sorted(overview.locks()), Json::lock)
                        .list("figures", counted(overview).entrySet(), Json::figures));
                return 0;
            }
            if (once) {
                System.out.print(page(inspector.overview(MOST_LOCKS)));
                return 0;
            }
            Signals.receive(this::onSignal);
            Logs.mute(); // the page tells it, and a line would stand in its midst
            return watch(inspector, interval, new Screen(System.out, Terminal.isOutput()));
        }
    }

    private int watch(Inspector inspector, Duration interval, Screen screen) {
        Overview seen = Overview.none();
        while (!isEnded()) {
            String page;
            try {
                seen = inspector.overview(MOST_LOCKS, seen);
                page = page(seen);
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

    private static String page(Overview overview) {
        return page(sorted(overview.locks()), counted(overview), Instant.now());
    }

    /** What all clients have counted of each lock, by name. */
    private static Map<LockInfo.Named, LockFigures> counted(Overview overview) {
        Map<LockInfo.Named, LockFigures> counted = new TreeMap<>();
        overview.figures()
                .forEach(client -> client.locks()
                        .forEach(each -> counted.merge(
                                new LockInfo.Named(each.name(), each.kind()), each.figures(), LockFigures::plus)));
        return counted;
    }

    /** Those with the most waiters first, then those held longest, then by name. */
    static List<LockInfo> sorted(Collection<LockInfo> locks) {
        return locks.stream()
                .sorted(Comparator.comparingInt(LockInfo::callers)
                        .reversed()
                        .thenComparing(lock -> lock.holder().map(Holder::since).orElse(Instant.MAX))
                        .thenComparing(LockInfo::name))
                .toList();
    }

    /** One page. */
    static String page(List<LockInfo> locks, Map<LockInfo.Named, LockFigures> counted, Instant now) {
        int held = (int) locks.stream().filter(LockInfo::isLocked).count();
        int waiting = locks.stream().mapToInt(LockInfo::callers).sum();
        boolean kinds = Ls.areOfSeveralKinds(locks);
        List<String> titles = new ArrayList<>(List.of("WAITING", "LOCK"));
        titles.addAll(kinds ? List.of("KIND", "HELD", "BY") : List.of("HELD BY"));
        titles.addAll(List.of("PID", "AGE", "LEFT", "HOLDS", "MEAN", "LONGEST"));
        Table table = new Table(titles.toArray(String[]::new)).cutting(1, kinds ? 4 : 2);
        for (LockInfo lock : locks) {
            Holder holder = lock.holder().orElse(null);
            List<String> cells = new ArrayList<>(List.of(Integer.toString(lock.callers()), lock.name()));
            if (kinds) {
                cells.addAll(List.of(lock.kind().word(), Words.how(lock)));
            }
            cells.add(Words.heldBy(lock));
            cells.addAll(
                    holder == null
                            ? List.of("", "", "")
                            : List.of(
                                    holder.pid(),
                                    Span.inWords(Words.age(holder.since())),
                                    Span.inWords(lock.remaining())));
            LockFigures.Times holds =
                    counted.getOrDefault(lock.named(), LockFigures.NONE).holds();
            cells.addAll(
                    holds.count() == 0
                            ? List.of("", "", "")
                            : List.of(
                                    Long.toString(holds.count()),
                                    Span.inWords(holds.mean()),
                                    Span.inWords(holds.longest())));
            table.add(cells.toArray(String[]::new));
        }
        return Words.time(now) + "  " + Words.count(held, "lock") + " held, " + Words.count(waiting, "request")
                + " waiting\n" + (locks.isEmpty() ? "" : table.text());
    }
}
