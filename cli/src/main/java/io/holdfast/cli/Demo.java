package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.dashboard.DashboardServer;
import java.io.IOException;
import java.time.Duration;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast demo}: programs that use locks of all kinds, to be looked at. */
final class Demo implements Subcommand {
    private static final String FOR = "--for";

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "demo",
                        "holdfast demo [--for TIME] [--url URL] [-v]",
                        "Runs five sample programs that use locks of all kinds, and a process that is killed while it"
                                + " holds a lock, until Ctrl-C. Prints what happens, the address of a page that shows"
                                + " it, and commands to try meanwhile in another terminal. The demo has a prefix of"
                                + " its own: it touches none of your locks, and leaves nothing behind.",
                        Pages.statuses(
                                "0",
                                "ended by Ctrl-C, or after the time",
                                "69",
                                "the server cannot be reached",
                                "128+n",
                                "signal n ended it"))
                .addOption(Specs.value(FOR, "TIME", "End after this time: 1s to 1d; by default at Ctrl-C."));
        Specs.examples(spec, "  On this machine, without a server of your own:", "    holdfast demo");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String length = given.matchedOptionValue(FOR, null);
        Duration time = length == null ? null : Span.parse(FOR, length, Duration.ofSeconds(1), Duration.ofDays(1), "");
        if (given.hasMatchedOption(Server.PREFIX)) {
            throw new UsageException("the demo has a prefix of its own: do not give " + Server.PREFIX);
        }
        Server server = Server.of(given).under("demo-" + ProcessHandle.current().pid());
        boolean json = given.hasMatchedOption("--json");
        CompletableFuture<Integer> end = Signals.end();
        if (time != null) {
            end.completeOnTimeout(0, time.toMillis(), TimeUnit.MILLISECONDS);
        }
        try (Holdfast looking = server.open();
                DashboardServer page = DashboardServer.start(
                        looking,
                        DashboardServer.Options.defaults()
                                .withChanges(true)
                                .withShown(server.inWords())
                                .withOnUsed(next -> tell(json, "another page: " + next)))) {
            Logs.mute(); // what is to be seen is told
            if (json) {
                Json.print(document -> document.text("address", page.address()).text("prefix", server.prefix()));
            } else {
                System.out.print(introduction(server, page.address()));
                System.out.flush();
            }
            try (DemoCast cast = new DemoCast(server, what -> tell(json, what))) {
                cast.begin();
                return end.join();
            }
        } catch (IOException e) {
            Say.failure("the page cannot be shown: " + e.getMessage(), e);
            return ExitStatus.UNREACHABLE;
        }
    }

    private static String introduction(Server server, String address) {
        String at = " --prefix " + server.prefix() + (server.machineLocal() ? "" : " --url …");
        return """
                Five programs use locks, under the prefix '%s': no lock of yours is touched. Ctrl-C ends them.

                In a browser:
                    %s
                In another terminal:
                    holdfast ls%s
                    holdfast why invoice/42%s
                    holdfast top%s

                What happens:
                """.formatted(server.prefix(), address, at, at, at);
    }

    private static void tell(boolean json, String what) {
        if (!json) {
            System.out.println(LocalTime.now().truncatedTo(ChronoUnit.SECONDS) + "  " + what);
            System.out.flush();
        }
    }
}
