package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast queue}: who waits for one lock. */
final class Queue implements Subcommand {
    private static final int MOST = 10_000;

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "queue",
                        "holdfast queue NAME [--kind KIND] [--json] [--url URL] [-v]",
                        "Lists the waiters of a lock in the order of the server, at most 10,000. Among requests of one"
                                + " priority, those of order lifo come first, the newest of them first; then fifo, the oldest"
                                + " first; then random. A request that is away keeps its position, and others pass it.",
                        Pages.statuses("0", "the queue was listed, or was empty"))
                .addPositional(Specs.nameOfAKind(true))
                .addOption(Kinds.ofName());
        Specs.examples(
                spec,
                "  How long the next waiter has waited:",
                "    holdfast queue deploy --json | jq '.queue[0].waitedMillis'");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String name = LockName.of(given);
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            LockInfo lock = Kinds.inspector(client, Kinds.of(given)).lock(name, MOST);
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.text("lock", lock.name())
                        .flag("exists", exists(lock))
                        .number("waiters", lock.waiters())
                        .waiters(lock));
            } else {
                System.out.print(page(server, lock));
                if (!lock.isLocked() && !lock.isQueued()) {
                    System.out.print(
                            Kinds.elsewhere(client, given, name, "queue " + Say.printable(FlockHabits.quoted(name))));
                }
            }
            return 0;
        }
    }

    /** Whether the server keeps a queue, if only for the one who was handed the lock and has not confirmed yet. */
    private static boolean exists(LockInfo lock) {
        return lock.isQueued() || lock.shares().stream().anyMatch(each -> !each.confirmed());
    }

    private static String page(Server server, LockInfo lock) {
        String name = "'" + Say.printable(lock.name()) + "'";
        if (!exists(lock)) {
            return "There is no queue for " + name + server.where() + ": "
                    + (lock.isLocked()
                            ? Say.printable(Words.held(lock)) + (lock.callers() > 0 ? "" : ", and nobody waits")
                            : "nobody wants it")
                    + ".\n" + Words.calls(lock);
        }
        if (!lock.isQueued()) {
            return "The queue for " + name + " is empty: the last waiter is just acquiring the lock.\n";
        }
        boolean shared = Kinds.isShared(lock.kind());
        List<String> titles = new ArrayList<>(List.of("", "WAITING", "PID", "SINCE"));
        titles.addAll(shared ? List.of("WANTS") : List.of());
        titles.addAll(List.of("PRIORITY", "ORDER", "STATE"));
        Table table = new Table(titles.toArray(String[]::new)).cutting(1, titles.size() - 1);
        int place = 1;
        for (Waiter each : lock.queue()) {
            List<String> cells = new ArrayList<>(List.of(
                    Integer.toString(place++),
                    Words.who(each.application(), each.host()),
                    each.pid(),
                    Words.ago(each.since())));
            if (shared) {
                cells.add(Words.how(lock.kind(), each.mode(), each.permits(), each.limit()));
            }
            cells.addAll(List.of(
                    Integer.toString(each.priority()),
                    each.order().name().toLowerCase(Locale.ROOT),
                    Words.state(each.state())));
            table.add(cells.toArray(String[]::new));
        }
        return table.text() + Words.more(lock) + Words.calls(lock);
    }
}
