package io.holdfast.cli;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import java.time.Duration;
import java.time.Instant;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast limit}: limits a semaphore for a time. */
final class Limit implements Subcommand {
    private static final String FOR = "--for";

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "limit",
                        "holdfast limit NAME N --for TIME [--json] [--url URL] [-v]",
                        "Limits for a time how many permits of a semaphore may be held, whatever limit the requests"
                                + " name; 0 stops all grants. Holders keep their permits. The limit ends by itself or by holdfast"
                                + " unlimit, and waiters are then served. A limit replaces the previous one.",
                        Pages.statuses("0", "the semaphore is limited"))
                .addPositional(Specs.semaphoreName())
                .addPositional(Specs.word(1, "N", "How many permits may be held: 0 to 1000000."))
                .addOption(Specs.value(FOR, "TIME", "Required: how long, 1ms to 365d, as in 300ms, 30s, 5m, 1h, 2d."));
        Specs.examples(
                spec,
                "  No further conversion begins while the disk is checked:",
                "    holdfast limit convert 0 --for 10m",
                "  One at a time tonight, whatever limit the programs name:",
                "    holdfast limit convert 1 --for 8h");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String name = LockName.of(given);
        String number = given.matchedPositionalValue(1, null);
        if (number == null) {
            throw new UsageException("to how many permits? N is missing, as in: holdfast limit NAME 0 --for 10m");
        }
        int permits = WholeNumber.parse("N", number, 0, DistributedSemaphore.MAX_PERMITS);
        String length = given.matchedOptionValue(FOR, null);
        if (length == null) {
            throw new UsageException("for how long? --for is missing, as in: holdfast limit NAME 0 --for 10m");
        }
        Duration time = Span.parse(FOR, length, Duration.ofMillis(1), Span.YEAR, "");
        try (Holdfast client = Server.of(given).open()) {
            client.admin().of(LockInfo.Kind.SEMAPHORE).limit(name, permits, time);
            Instant end = Words.in(time);
            LockInfo now = client.inspect().of(LockInfo.Kind.SEMAPHORE).lock(name);
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.text("lock", name)
                        .number("permits", permits)
                        .millis("remaining", time)
                        .time("endsAt", end)
                        .number("used", now.used()));
            } else {
                System.out.println("Semaphore '" + Say.printable(name) + "' is limited to "
                        + Words.count(permits, "permit") + " until " + Words.time(end) + " (for " + Span.inWords(time)
                        + "), unless holdfast unlimit ends that before."
                        + (now.used() > permits
                                ? " " + now.used() + (now.used() == 1 ? " is" : " are")
                                        + " out, and stay so until they are given back."
                                : ""));
            }
            return 0;
        }
    }
}
