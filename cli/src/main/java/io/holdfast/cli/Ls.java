package io.holdfast.cli;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Inspector;
import io.holdfast.LockInfo;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast ls}: all locks. */
final class Ls implements Subcommand {
    private static final int LARGEST_PAGE = 10_000;
    private static final String NAMES = "--names";

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "ls",
                        "holdfast ls [--kind KIND] [--queued] [--scan [--page N]] [--json] [--url URL] [-v]",
                        "Lists held locks: the holder, since when, and the number of waiters. Read/write locks,"
                                + " semaphores and elections are included. If several clients hold one, the list shows the holder"
                                + " whose lease ends last.",
                        Pages.statuses("0", "the locks were listed, or there were none"))
                .addOption(Kinds.option("Show only this kind: lock, read-write, semaphore, election or once."))
                .addOption(Specs.flag("Also list locks that are free but have waiters.", "--queued"))
                .addOption(Specs.flag("Print only the names, each once, for scripts.", NAMES))
                .addOption(Scan.option())
                .addOption(Specs.value(
                        "--page",
                        "N",
                        "With --scan: how many keys the server examines at a time, 1 to 10000; 500 by default. Smaller"
                                + " pages spare a busy server, larger ones save round trips."));
        Specs.examples(
                spec,
                "  The names of all locks that are held or have waiters:",
                "    holdfast ls --queued --names",
                "  The names of all locks that have waiters:",
                "    holdfast ls --queued --json | jq -r '.locks[] | select(.waiters > 0) | .lock'");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String page = given.matchedOptionValue("--page", null);
        int keys = page == null ? Inspector.PAGE : WholeNumber.parse("--page", page, 1, LARGEST_PAGE);
        boolean scan = Scan.isAskedFor(given);
        if (page != null && !scan) {
            throw new UsageException("--page needs --scan: without it no keys are searched");
        }
        boolean queued = given.hasMatchedOption("--queued");
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            Collection<LockInfo> locks = all(Scan.inspector(scan, client, Kinds.orNull(given)), scan, keys, queued);
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.list("locks", locks, Json::lock));
            } else if (given.hasMatchedOption(NAMES)) {
                locks.stream()
                        .map(LockInfo::name)
                        .distinct()
                        .map(Say::printable)
                        .forEach(System.out::println);
            } else if (locks.isEmpty()) {
                System.out.println("No lock is held" + (queued ? " or waited for" : "") + server.where() + ".");
            } else {
                System.out.print(table(locks));
            }
            return 0;
        }
    }

    /** All locks that are held, and those that are only waited for where they are wanted, by name. */
    static Collection<LockInfo> all(Inspector inspector, boolean scan, int page, boolean queued) {
        Map<LockInfo.Named, LockInfo> locks = new TreeMap<>();
        Stream<LockInfo> found = inspector.locks(page);
        if (queued) {
            found = scan
                    ? Stream.concat(inspector.queues(page), found) // what is held is looked at last, and so is newer
                    : inspector.overview(Integer.MAX_VALUE).locks().stream();
        }
        found.forEach(lock -> locks.put(lock.named(), lock));
        return locks.values();
    }

    private static String table(Collection<LockInfo> locks) {
        boolean kinds = areOfSeveralKinds(locks);
        List<String> titles = new ArrayList<>(List.of("LOCK"));
        titles.addAll(kinds ? List.of("KIND", "HELD") : List.of());
        titles.addAll(List.of(kinds ? "BY" : "HELD BY", "PID", "SINCE", "AGE", "LEFT", "TOKEN", "WAITING"));
        Table table = new Table(titles.toArray(String[]::new)).cutting(0, kinds ? 3 : 1);
        for (LockInfo lock : locks) {
            Holder holder = lock.holder().orElse(null);
            List<String> cells = new ArrayList<>(List.of(lock.name()));
            if (kinds) {
                cells.addAll(List.of(lock.kind().word(), Words.how(lock)));
            }
            cells.add(Words.heldBy(lock));
            cells.addAll(
                    holder == null
                            ? List.of("", "", "", "", "")
                            : List.of(
                                    holder.pid(),
                                    Words.time(holder.since()),
                                    Span.inWords(Words.age(holder.since())),
                                    Span.inWords(lock.remaining()),
                                    Long.toString(holder.token())));
            cells.add(Integer.toString(lock.callers()));
            table.add(cells.toArray(String[]::new));
        }
        return table.text();
    }

    /** Whether there is anything but locks, so that it has to be told what is what. */
    static boolean areOfSeveralKinds(Collection<LockInfo> locks) {
        return locks.stream().anyMatch(lock -> lock.kind() != LockInfo.Kind.LOCK);
    }
}
