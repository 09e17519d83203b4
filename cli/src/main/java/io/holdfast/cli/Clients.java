package io.holdfast.cli;

import io.holdfast.ClientInfo;
import io.holdfast.Holdfast;
import io.holdfast.Inspector;
import io.holdfast.LockInfo;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
                "Lists the clients that hold a lock, wait for one, or listen for their turn. A client that holds and does"
                        + " not listen may be dead: its locks are free with their terms. Of one that only listens the"
                        + " server knows no more than its id.",
                Pages.statuses("0", "the clients are listed, also if there are none"));
        spec.addOption(Scan.option());
        Specs.examples(
                spec,
                "  Those that hold something and may be dead:",
                "    holdfast clients --json | jq '.clients[] | select((.listening | not) and .holds + .holdsElse != [])'");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            List<One> clients = all(given, client).stream()
                    .filter(each -> !each.id().equals(client.id())) // which is there only to ask
                    .sorted(Comparator.comparing(One::application)
                            .thenComparing(One::host)
                            .thenComparing(One::id))
                    .toList();
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.list("clients", clients, Clients::document));
            } else if (clients.isEmpty()) {
                System.out.println("No client is there" + server.where() + ".");
            } else {
                Table table = new Table("CLIENT", "WHO", "PID", "LISTENING", "HOLDS", "WAITS FOR").cutting(1, 4, 5);
                clients.forEach(each -> table.add(
                        each.id(),
                        each.application().isEmpty() ? "" : Words.who(each.application(), each.host()),
                        each.pid(),
                        each.listening() ? "yes" : "no",
                        some(each.holds(), each.holdsElse()),
                        some(each.waits(), each.waitsElse())));
                System.out.print(table.text());
            }
            return 0;
        }
    }

    /** A lock of another kind. */
    private record Other(LockInfo.Kind kind, String name) {}

    /** A client, with names of locks, and of what is not just a lock. */
    private record One(
            String id,
            String application,
            String host,
            String pid,
            boolean listening,
            List<String> holds,
            List<String> waits,
            List<Other> holdsElse,
            List<Other> waitsElse) {
        static One of(ClientInfo client, LockInfo.Kind kind) {
            boolean plain = kind == LockInfo.Kind.LOCK;
            return new One(
                    client.id(),
                    client.application(),
                    client.host(),
                    client.pid(),
                    client.listening(),
                    plain ? client.holds() : List.of(),
                    plain ? client.waits() : List.of(),
                    plain ? List.of() : of(client.holds(), kind),
                    plain ? List.of() : of(client.waits(), kind));
        }

        private static List<Other> of(List<String> names, LockInfo.Kind kind) {
            return names.stream().map(name -> new Other(kind, name)).toList();
        }

        One and(One more) {
            boolean known = !application.isEmpty();
            return new One(
                    id,
                    known ? application : more.application,
                    known ? host : more.host,
                    known ? pid : more.pid,
                    listening || more.listening,
                    both(holds, more.holds),
                    both(waits, more.waits),
                    both(holdsElse, more.holdsElse),
                    both(waitsElse, more.waitsElse));
        }

        private static <T> List<T> both(List<T> one, List<T> other) {
            return Stream.concat(one.stream(), other.stream()).toList();
        }
    }

    /** All clients, whatever they hold or wait for. */
    private static Collection<One> all(ParseResult given, Holdfast client) {
        Map<String, One> found = new LinkedHashMap<>();
        Inspector inspector = Scan.inspector(Scan.isAskedFor(given), client, null);
        for (LockInfo.Kind kind : Kinds.allOr(null)) {
            inspector.of(kind).clients().forEach(each -> found.merge(each.id(), One.of(each, kind), One::and));
        }
        return found.values();
    }

    private static void document(Json json, One client) {
        boolean known = !client.application().isEmpty();
        json.text("client", client.id())
                .text("application", known ? client.application() : null)
                .text("host", known ? client.host() : null)
                .text("pid", known ? client.pid() : null)
                .flag("listening", client.listening())
                .texts("holds", client.holds())
                .texts("waits", client.waits())
                .list("holdsElse", client.holdsElse(), Clients::document)
                .list("waitsElse", client.waitsElse(), Clients::document);
    }

    private static void document(Json json, Other other) {
        json.text("lock", other.name()).text("kind", other.kind().word());
    }

    /** A few names, and how many more there are. */
    private static String some(List<String> names, List<Other> others) {
        List<String> sorted = Stream.concat(
                        names.stream().sorted(),
                        others.stream()
                                .map(other -> other.name() + " (" + other.kind().word() + ")")
                                .sorted())
                .toList();
        String first = String.join(", ", sorted.subList(0, Math.min(NAMES_SHOWN, sorted.size())));
        return sorted.size() > NAMES_SHOWN ? first + " and " + (sorted.size() - NAMES_SHOWN) + " more" : first;
    }
}
