package io.holdfast.cli;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.Waiter;
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
                        "holdfast info NAME [--json] [--url URL] [-v]",
                        "Shows who holds a lock and who waits for it, a hundred at most.",
                        Pages.statuses("0", "the lock is shown, also if nobody holds it (see holdfast why)"))
                .addPositional(Specs.lockName(true));
        Specs.examples(
                spec, "  The token of the present hold:", "    holdfast info deploy --json | jq '.holder.token'");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String name = LockName.of(given);
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            LockInfo lock = client.inspect().lock(name);
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.lock(lock).waiters(lock));
            } else {
                System.out.print(page(server, lock));
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
        } else {
            Table facts = new Table();
            facts.add("lock", lock.name());
            facts.add("held by", Words.holder(holder) + ", pid " + holder.pid());
            facts.add("since", Words.ago(holder.since()));
            facts.add(
                    "term",
                    Span.inWords(lock.term()) + ", " + Span.inWords(lock.remaining()) + " left"
                            + (holder.resting() ? "" : " unless renewed"));
            facts.add("token", Long.toString(holder.token()));
            if (!holder.metadata().isEmpty()) {
                facts.add("with", inWords(holder.metadata()));
            }
            page.append(facts.text());
        }
        if (lock.waiters() > 0) {
            Table queue = new Table("", "WAITING", "PID", "SINCE").cutting(1);
            int place = 1;
            for (Waiter each : lock.queue()) {
                queue.add(
                        Integer.toString(place++),
                        Words.who(each.application(), each.host()),
                        each.pid(),
                        Words.ago(each.since()));
            }
            page.append('\n').append(queue.text());
            page.append(Words.more(lock));
        }
        return page.toString();
    }

    private static String inWords(Map<String, String> metadata) {
        return new TreeMap<>(metadata)
                .entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining(", "));
    }
}
