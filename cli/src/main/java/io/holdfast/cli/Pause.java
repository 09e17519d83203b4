package io.holdfast.cli;

import io.holdfast.Admin;
import io.holdfast.Holdfast;
import java.time.Duration;
import java.time.Instant;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast pause}: keeps a lock from being granted for a time. */
final class Pause implements Subcommand {
    private static final String FOR = "--for";
    private static final String REASON = "--reason";

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "pause",
                        "holdfast pause NAME --for TIME [--reason TEXT] [--kind KIND] [--json] [--url URL] [-v]",
                        "Stops granting a lock for a time. Holders keep it, and requests keep their positions. When the"
                                + " pause ends, by itself or by holdfast resume, the next request is served. A pause replaces the"
                                + " previous one.",
                        Pages.statuses("0", "the lock is paused"))
                .addPositional(Specs.nameOfAKind(true))
                .addOption(Kinds.ofName())
                .addOption(Specs.value(FOR, "TIME", "Required: how long, 1ms to 365d, as in 300ms, 30s, 5m, 1h, 2d."))
                .addOption(Specs.value(
                        REASON, "TEXT", "Reason of the pause, which info and why show: up to 1000 characters."));
        Specs.examples(
                spec,
                "  No further deployment begins while the incident lasts:",
                "    holdfast pause deploy --for 2h --reason 'incident 4711'",
                "  It is over:",
                "    holdfast resume deploy");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String name = LockName.of(given);
        String length = given.matchedOptionValue(FOR, null);
        if (length == null) {
            throw new UsageException("for how long? --for is missing, as in: holdfast pause NAME --for 30m");
        }
        Duration time = Span.parse(FOR, length, Duration.ofMillis(1), Span.YEAR, "");
        String reason = given.matchedOptionValue(REASON, "");
        if (reason.length() > Admin.LONGEST_REASON) {
            throw new UsageException(
                    "--reason has " + reason.length() + " characters, must have at most " + Admin.LONGEST_REASON);
        }
        try (Holdfast client = Server.of(given).open()) {
            boolean free = client.admin().of(Kinds.of(given)).pause(name, time, reason);
            Instant end = Words.in(time);
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.text("lock", name)
                        .flag("held", !free)
                        .text("reason", reason)
                        .millis("remaining", time)
                        .time("endsAt", end));
            } else {
                System.out.println("'" + Say.printable(name) + "' is paused until " + Words.time(end) + " (for "
                        + Span.inWords(time) + "), unless holdfast resume ends that before."
                        + (free ? "" : " It is held, and stays so until it is released."));
            }
            return 0;
        }
    }
}
