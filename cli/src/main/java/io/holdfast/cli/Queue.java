package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.Waiter;
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
                        "holdfast queue NAME [--json] [--url URL] [-v]",
                        "Lists who waits for a lock, in the server's order, 10,000 at most. Among requests of one priority"
                                + " first those of order lifo are served, the newest first, then fifo, the oldest first,"
                                + " then random. Those that are away keep their places, and others pass.",
                        Pages.statuses("0", "the queue is listed, also if there is none"))
                .addPositional(Specs.lockName(true));
        Specs.examples(
                spec,
                "  How long the next in line has waited:",
                "    holdfast queue deploy --json | jq '.queue[0].waitedMillis'");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String name = LockName.of(given);
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            LockInfo lock = client.inspect().lock(name, MOST);
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.text("lock", lock.name())
                        .flag("exists", exists(lock))
                        .number("waiters", lock.waiters())
                        .waiters(lock));
            } else {
                System.out.print(page(server, lock));
            }
            return 0;
        }
    }

    /** Whether the server keeps a queue, if only for the one who was handed the lock and has not confirmed yet. */
    private static boolean exists(LockInfo lock) {
        return lock.isQueued() || (lock.isLocked() && !lock.confirmed());
    }

    private static String page(Server server, LockInfo lock) {
        String name = "'" + Say.printable(lock.name()) + "'";
        if (!exists(lock)) {
            return "There is no queue for " + name + server.where() + ": "
                    + (lock.isLocked() ? Say.printable(Words.held(lock)) + ", and nobody waits" : "nobody wants it")
                    + ".\n";
        }
        if (!lock.isQueued()) {
            return "The queue for " + name + " is empty: the last who waited is just taking up the lock.\n";
        }
        Table table = new Table("", "WAITING", "PID", "SINCE", "PRIORITY", "ORDER", "STATE").cutting(1, 6);
        int place = 1;
        for (Waiter each : lock.queue()) {
            table.add(
                    Integer.toString(place++),
                    Words.who(each.application(), each.host()),
                    each.pid(),
                    Words.ago(each.since()),
                    Integer.toString(each.priority()),
                    each.order().name().toLowerCase(Locale.ROOT),
                    Words.state(each.state()));
        }
        return table.text() + Words.more(lock);
    }
}
