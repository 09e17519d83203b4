package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast unlimit}: ends what {@code holdfast limit} began. */
final class Unlimit implements Subcommand {
    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "unlimit",
                        "holdfast unlimit NAME [--json] [--url URL] [-v]",
                        "Ends the limit of a semaphore that holdfast limit has set; waiters that now fit are served at"
                                + " once. The limit that the requests name applies again.",
                        Pages.statuses("0", "the limit has ended", "1", "there was no limit: nothing was done"))
                .addPositional(Specs.semaphoreName());
        Specs.examples(spec, "  Conversions go on:", "    holdfast unlimit convert");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String name = LockName.of(given);
        try (Holdfast client = Server.of(given).open()) {
            boolean ended = client.admin().of(LockInfo.Kind.SEMAPHORE).unlimit(name);
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.text("lock", name).flag("ended", ended));
            } else {
                System.out.println("Semaphore '" + Say.printable(name) + "' "
                        + (ended ? "is no longer limited." : "was not limited."));
            }
            return ended ? 0 : ExitStatus.NO;
        }
    }
}
