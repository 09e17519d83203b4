package io.holdfast.cli;

import io.holdfast.Holdfast;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast resume}: ends what {@code holdfast pause} began. */
final class Resume implements Subcommand {
    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "resume",
                        "holdfast resume NAME [--kind KIND] [--json] [--url URL] [-v]",
                        "Ends the pause of a lock that holdfast pause has started; the next waiter is served at once. A pause"
                                + " of a semaphore is a limit of 0, so any limit of a semaphore ends.",
                        Pages.statuses("0", "the pause has ended", "1", "there was no pause: nothing was done"))
                .addPositional(Specs.nameOfAKind(true))
                .addOption(Kinds.ofName());
        Specs.examples(spec, "  Deployments go on:", "    holdfast resume deploy");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String name = LockName.of(given);
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            boolean ended = client.admin().of(Kinds.of(given)).resume(name);
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> json.text("lock", name).flag("ended", ended));
            } else {
                System.out.println(
                        "'" + Say.printable(name) + "' " + (ended ? "is no longer paused." : "was not paused."));
                if (!ended) {
                    System.out.print(
                            Kinds.elsewhere(client, given, name, "resume " + Say.printable(FlockHabits.quoted(name))));
                }
            }
            return ended ? 0 : ExitStatus.NO;
        }
    }
}
