package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast clear}: removes dead waiters. Asks nobody: they would be removed anyway as soon as they are met. */
final class Clear implements Subcommand {
    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "clear",
                        "holdfast clear NAME|--all [--kind KIND] [--scan] [--json] [--url URL] [-v]",
                        "Removes waiters whose clients have not reported for 30 seconds. Without this command they are"
                                + " removed when their turn comes; it only makes the queue tidy earlier.",
                        Pages.statuses("0", "the dead waiters were removed, or there were none"))
                .addPositional(Specs.nameOfAKind(false))
                .addOption(Specs.flag("Of all locks, or of all locks of one kind.", "--all"))
                .addOption(Scan.option())
                .addOption(Kinds.ofName());
        Specs.examples(spec, "  Every queue of the server:", "    holdfast clear --all");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        boolean all = given.hasMatchedOption("--all");
        String name = LockName.orNull(given);
        if (all == (name != null)) {
            throw new UsageException("which waiters? Give NAME or --all");
        }
        boolean scan = Scan.isAskedFor(given);
        if (scan && !all) {
            throw new UsageException("--scan needs --all: the queue of one lock needs no search");
        }
        LockInfo.Kind kind = Kinds.orNull(given);
        try (Holdfast client = Server.of(given).open()) {
            int removed = 0;
            if (name == null) {
                if (scan) {
                    Scan.warn(client.inspect());
                }
                for (LockInfo.Kind each : Kinds.allOr(kind)) {
                    removed += Scan.admin(scan, client, each).cleanAll();
                }
            } else {
                removed = client.admin().of(Kinds.of(given)).clean(name);
            }
            int total = removed;
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.number("removed", total));
            } else {
                System.out.println(
                        removed == 0 ? "No dead waiter." : "Removed " + Words.count(removed, "dead waiter") + ".");
            }
            return 0;
        }
    }
}
