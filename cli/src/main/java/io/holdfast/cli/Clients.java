package io.holdfast.cli;

import io.holdfast.ClientInfo;
import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast clients}: who uses the server. */
final class Clients implements Subcommand {
    private static final int NAMES_SHOWN = 3;

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                "clients",
                "holdfast clients [--scan] [--json] [--url URL] [-v]",
                "Lists the clients that hold a lock, wait for one, or listen for messages. A client that holds a"
                        + " lock and does not listen may be dead; its locks become free when its leases end. Of a client"
                        + " that only listens, the server knows only the id.",
                Pages.statuses("0", "the clients were listed, or there were none"));
        spec.addOption(Scan.option());
        Specs.examples(
                spec,
                "  Clients that hold a lock and may be dead:",
                "    holdfast clients --json | jq '.clients[] | select((.listening | not) and .holds + .holdsElse != [])'");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            List<ClientInfo> clients = Scan.inspector(Scan.isAskedFor(given), client, null).clients().stream()
                    .filter(each -> !each.id().equals(client.id())) // which is there only to ask
                    .sorted(Comparator.comparing(ClientInfo::application)
                            .thenComparing(ClientInfo::host)
                            .thenComparing(ClientInfo::id))
                    .toList();
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.list("clients", clients, Clients::document));
            } else if (clients.isEmpty()) {
                System.out.println("No client was found" + server.where() + ".");
            } else {
                Table table = new Table("CLIENT", "WHO", "PID", "LISTENING", "HOLDS", "WAITS FOR").cutting(1, 4, 5);
                clients.forEach(each -> table.add(
                        each.id(),
                        each.application().isEmpty() ? "" : Words.who(each.application(), each.host()),
                        each.pid(),
                        each.listening() ? "yes" : "no",
                        some(each.holds()),
                        some(each.waits())));
                System.out.print(table.text());
            }
            return 0;
        }
    }

    private static void document(Json json, ClientInfo client) {
        boolean known = !client.application().isEmpty();
        json.text("client", client.id())
                .text("application", known ? client.application() : null)
                .text("host", known ? client.host() : null)
                .text("pid", known ? client.pid() : null)
                .flag("listening", client.listening())
                .texts("holds", names(client.holds()))
                .texts("waits", names(client.waits()))
                .list("holdsElse", others(client.holds()), Clients::document)
                .list("waitsElse", others(client.waits()), Clients::document);
    }

    private static void document(Json json, LockInfo.Named other) {
        json.text("lock", other.name()).text("kind", other.kind().word());
    }

    private static List<String> names(List<LockInfo.Named> locks) {
        return locks.stream()
                .filter(lock -> lock.kind() == LockInfo.Kind.LOCK)
                .map(LockInfo.Named::name)
                .toList();
    }

    private static List<LockInfo.Named> others(List<LockInfo.Named> locks) {
        return locks.stream().filter(lock -> lock.kind() != LockInfo.Kind.LOCK).toList();
    }

    /** A few names, and how many more there are. */
    private static String some(List<LockInfo.Named> locks) {
        List<String> sorted = Stream.concat(
                        names(locks).stream().sorted(),
                        others(locks).stream()
                                .map(other -> other.name() + " (" + other.kind().word() + ")")
                                .sorted())
                .toList();
        String first = String.join(", ", sorted.subList(0, Math.min(NAMES_SHOWN, sorted.size())));
        return sorted.size() > NAMES_SHOWN ? first + " and " + (sorted.size() - NAMES_SHOWN) + " more" : first;
    }
}
