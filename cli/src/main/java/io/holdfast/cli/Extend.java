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
                        "Extends the current hold of a lock to at least this long from now, regardless of the holder;"
                                + " never shortens it. If several clients hold the lock, all their holds are extended. The"
                                + " holder's own deadline does not change: this command keeps others out, even if the holder is"
                                + " dead or cut off.",
                        Pages.statuses(
                                "0", "the lock is held for at least this long",
                                "1", "the lock is not held: nothing was done"))
                .addPositional(Specs.nameOfAKind(true))
                .addOption(Kinds.ofName())
                .addPositional(Specs.word(1, "DURATION", "How long: 1ms to 365d, as in 300ms, 30s, 5m, 1h, 2d."));
        Specs.examples(spec, "  Keep others out during an investigation:", "    holdfast extend deploy 30m");
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
