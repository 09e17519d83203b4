package io.holdfast.cli;

import io.holdfast.Holdfast;
import java.time.Duration;
import java.time.Instant;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast extend}: makes a hold last longer. */
final class Extend implements Subcommand {
    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "extend",
                        "holdfast extend NAME DURATION [--kind KIND] [--json] [--url URL] [-v]",
                        "Makes the present hold of a lock last at least this long from now, for any holder; never shortens"
                                + " it. If several hold it, all their holds last so long. What its holder believes does not change: this keeps others out, also if the"
                                + " holder is dead or cut off.",
                        Pages.statuses(
                                "0", "the lock is held at least so long",
                                "1", "nobody holds it: nothing was done"))
                .addPositional(Specs.nameOfAKind(true))
                .addOption(Kinds.ofName())
                .addPositional(Specs.word(1, "DURATION", "How long: 1ms to 365d, as in 300ms, 30s, 5m, 1h, 2d."));
        Specs.examples(
                spec, "  Keep others out for as long as it takes to look into it:", "    holdfast extend deploy 30m");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String name = LockName.of(given);
        String length = given.matchedPositionalValue(1, null);
        if (length == null) {
            throw new UsageException("for how long? DURATION is missing, as in: holdfast extend NAME 30m");
        }
        Duration atLeast = Span.parse("DURATION", length, Duration.ofMillis(1), Span.YEAR, "");
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            Duration remaining =
                    client.admin().of(Kinds.of(given)).extend(name, atLeast).orElse(null);
            Instant end = remaining == null ? null : Words.in(remaining);
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.text("lock", name)
                        .flag("held", remaining != null)
                        .millis("remaining", remaining)
                        .time("endsAt", end));
            } else if (remaining == null || end == null) {
                System.out.println("Nobody holds '" + Say.printable(name) + "'" + server.where() + ".");
                System.out.print(Kinds.elsewhere(
                        client, given, name, "extend " + Say.printable(FlockHabits.quoted(name)) + " " + length));
            } else {
                System.out.println("'" + Say.printable(name) + "' stays held until " + Words.time(end) + " (for "
                        + Span.inWords(remaining) + "), unless it is released or renewed further.");
            }
            return remaining == null ? ExitStatus.NO : 0;
        }
    }
}
