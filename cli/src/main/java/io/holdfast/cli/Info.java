package io.holdfast.cli;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast info}: one lock. */
final class Info implements Subcommand {
    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "info",
                        "holdfast info NAME [--kind KIND] [--json] [--url URL] [-v]",
                        "Shows the holder of a lock and its waiters, at most a hundred. --kind selects another kind than"
                                + " a lock.",
                        Pages.statuses("0", "the lock was shown, even if it is free (see holdfast why)"))
                .addPositional(Specs.nameOfAKind(true))
                .addOption(Kinds.ofName());
        Specs.examples(
                spec, "  The token of the current hold:", "    holdfast info deploy --json | jq '.holder.token'");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String name = LockName.of(given);
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            LockInfo lock = Kinds.inspector(client, Kinds.of(given)).lock(name);
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.lock(lock).waiters(lock));
            } else {
                System.out.print(page(server, lock));
                if (!lock.isLocked() && !lock.isQueued()) {
                    System.out.print(
                            Kinds.elsewhere(client, given, name, "info " + Say.printable(FlockHabits.quoted(name))));
                }
            }
            return 0;
        }
    }

    private static String page(Server server, LockInfo lock) {
        Holder holder = lock.holder().orElse(null);
        StringBuilder page = new StringBuilder();
        if (holder == null) {
            page.append("Nobody holds '")
                    .append(Say.printable(lock.name()))
                    .append("'")
                    .append(server.where())
                    .append(".\n");
        } else if (Kinds.isShared(lock.kind())) {
            page.append(several(lock));
        } else {
            Table facts = new Table();
            facts.add(lock.kind().noun(), lock.name());
            facts.add("held by", Words.holder(holder) + ", pid " + holder.pid());
            facts.add("since", Words.ago(holder.since()));
            facts.add(
                    "lease",
                    Span.inWords(lock.leaseDuration()) + ", " + Span.inWords(lock.remaining()) + " left"
                            + (holder.resting() ? "" : " unless renewed"));
            facts.add("token", Long.toString(holder.token()));
            if (!holder.metadata().isEmpty()) {
                facts.add("with", inWords(holder.metadata()));
            }
            page.append(facts.text());
        }
        String byOperator = Words.byOperator(lock);
        if (byOperator != null) {
            page.append(holder == null ? "" : "\n").append(Words.sentence(byOperator));
        }
        if (lock.waiters() > 0) {
            boolean shared = Kinds.isShared(lock.kind());
            Table queue = (shared
                            ? new Table("", "WAITING", "PID", "SINCE", "WANTS")
                            : new Table("", "WAITING", "PID", "SINCE"))
                    .cutting(1);
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
                queue.add(cells.toArray(String[]::new));
            }
            page.append('\n').append(queue.text());
            page.append(Words.more(lock));
        }
        String calls = Words.calls(lock);
        return page.append(calls.isEmpty() ? "" : "\n").append(calls).toString();
    }

    /** Of what several may hold: all that do. */
    private static String several(LockInfo lock) {
        Table facts = new Table();
        facts.add(lock.kind().noun(), lock.name());
        facts.add("held by", Words.holders(lock) + ", " + Words.how(lock));
        Table holders = new Table("HELD BY", "PID", "SINCE", "LEFT", "TOKEN", "HELD", "WITH").cutting(0, 6);
        for (LockInfo.Share each : lock.shares()) {
            Holder holder = each.holder();
            holders.add(
                    Words.holder(holder),
                    holder.pid(),
                    Words.ago(holder.since()),
                    Span.inWords(each.remaining()),
                    Long.toString(holder.token()),
                    Words.how(lock.kind(), each),
                    inWords(holder.metadata()));
        }
        return facts.text() + "\n" + holders.text();
    }

    private static String inWords(Map<String, String> metadata) {
        return new TreeMap<>(metadata)
                .entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining(", "));
    }
}
