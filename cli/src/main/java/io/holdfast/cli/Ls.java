package io.holdfast.cli;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Inspector;
import io.holdfast.LockInfo;
import java.util.Collection;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast ls}: all locks. */
final class Ls implements Subcommand {
    private static final int LARGEST_PAGE = 10_000;

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "ls",
                        "holdfast ls [--queued] [--page N] [--json] [--url URL] [-v]",
                        "Lists the locks that are held: by whom, since when, and how many wait.",
                        Pages.statuses("0", "the locks are listed, also if there are none"))
                .addOption(Specs.flag("List also locks that nobody holds, but that are waited for.", "--queued"))
                .addOption(Specs.value(
                        "--page",
                        "N",
                        "Have the server look at so many keys at a time, 1 to 10000; 500 by default. Fewer spare a busy"
                                + " server, more save round trips."));
        Specs.examples(
                spec,
                "  The names of all locks that are waited for:",
                "    holdfast ls --queued --json | jq -r '.locks[] | select(.waiters > 0) | .lock'");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String page = given.matchedOptionValue("--page", null);
        int keys = page == null ? Inspector.PAGE : WholeNumber.parse("--page", page, 1, LARGEST_PAGE);
        boolean queued = given.hasMatchedOption("--queued");
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            Collection<LockInfo> locks = all(client.inspect(), keys, queued);
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.list("locks", locks, Json::lock));
            } else if (locks.isEmpty()) {
                System.out.println("No lock is held" + (queued ? " or waited for" : "") + server.where() + ".");
            } else {
                System.out.print(table(locks));
            }
            return 0;
        }
    }

    /** All locks that are held, and those that are only waited for where they are wanted, by name. */
    static Collection<LockInfo> all(Inspector inspector, int page, boolean queued) {
        Map<String, LockInfo> locks = new TreeMap<>(Comparator.naturalOrder());
        // What is held was looked at last, and so is newer.
        Stream.concat(queued ? inspector.queues(page) : Stream.empty(), inspector.locks(page))
                .forEach(lock -> locks.put(lock.name(), lock));
        return locks.values();
    }

    private static String table(Collection<LockInfo> locks) {
        Table table = new Table("LOCK", "HELD BY", "PID", "SINCE", "AGE", "LEFT", "TOKEN", "WAITING").cutting(0, 1);
        for (LockInfo lock : locks) {
            Holder holder = lock.holder().orElse(null);
            String waiting = Integer.toString(lock.waiters());
            if (holder == null) {
                table.add(lock.name(), "nobody", "", "", "", "", "", waiting);
                continue;
            }
            table.add(
                    lock.name(),
                    Words.holder(holder),
                    holder.pid(),
                    Words.time(holder.since()),
                    Span.inWords(Words.age(holder.since())),
                    Span.inWords(lock.remaining()),
                    Long.toString(holder.token()),
                    waiting);
        }
        return table.text();
    }
}
