package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.dashboard.Dashboard;
import io.holdfast.dashboard.DashboardServer;
import io.holdfast.dashboard.DashboardServer.Options;
import io.holdfast.spi.Tls;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast dashboard}: a page that shows locks live. */
final class ShowDashboard implements Subcommand {
    private static final String LISTEN = "--listen";
    private static final String CHANGES = "--allow-changes";
    private static final String PASSWORD = "--page-password-file";
    private static final String CERTIFICATE = "--page-cert";
    private static final String KEY = "--page-key";
    private static final String PROXY = "--behind-proxy";
    private static final String ENVIRONMENT = "--environment";
    private static final String COLOUR = "--colour";
    private static final int GREATEST_PORT = 65_535;
    /** Of the JDK's web server. */
    private static final String LONGEST_REQUEST = "sun.net.httpserver.maxReqTime";

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "dashboard",
                        "holdfast dashboard [--listen [HOST:]PORT] [--allow-changes] [--url URL] [-v]",
                        "Serves a page that shows locks, queues, clients and deadlocks live, until Ctrl-C. Prints an"
                                + " address that works once, and from this machine only; when it was used, the next one is"
                                + " printed. The page is read-only unless --allow-changes is given. Its history begins when it is"
                                + " started.",
                        Pages.statuses(
                                "0",
                                "ended by Ctrl-C",
                                "69",
                                "the server cannot be reached, or the page's port is taken",
                                "128+n",
                                "signal n ended it"))
                .addOption(Specs.value(
                        LISTEN,
                        "[HOST:]PORT",
                        "Address of the page; by default on this machine, on any free port. An address that other"
                                + " machines can reach needs a password, and TLS or a proxy that provides it."))
                .addOption(Specs.flag(
                        "Let users of the page make changes: release and extend holds, drop requests, remove results,"
                                + " pause locks. The page asks for confirmation each time.",
                        CHANGES))
                .addOption(Specs.value(
                        PASSWORD,
                        "FILE",
                        "Ask users for the password in the first line of this file; the printed address then does not"
                                + " work without it."))
                .addOption(Specs.value(CERTIFICATE, "FILE", "Use HTTPS with this certificate (PEM, with its chain)."))
                .addOption(Specs.value(KEY, "FILE", "Key of the certificate (PEM, PKCS#8, not encrypted)."))
                .addOption(
                        Specs.flag("A proxy in front of the page provides HTTPS and forwards requests to it.", PROXY))
                .addOption(Specs.value(
                        ENVIRONMENT,
                        "NAME",
                        "Name of the environment, such as production, which the page shows next to the server."))
                .addOption(Specs.value(
                        COLOUR,
                        "COLOUR",
                        "With --environment: colour of the bar above the page: grey (the default), red, orange, green or"
                                + " blue."));
        Specs.examples(
                spec,
                "  On this machine:",
                "    holdfast dashboard --url redis://locks",
                "  On a machine that is reached by ssh; then open the address that it prints:",
                "    ssh -t -L 7400:127.0.0.1:7400 web-1 holdfast dashboard --listen 7400",
                "  For a team:",
                "    holdfast dashboard --listen locks.example.com:7400 --page-cert cert.pem --page-key key.pem"
                        + " --page-password-file password --environment production --colour red");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        Options options = options(given);
        boolean json = given.hasMatchedOption("--json");
        Server server = Server.of(given);
        if (System.getProperty(LONGEST_REQUEST) == null) {
            System.setProperty(LONGEST_REQUEST, "10"); // s; without a limit, requests that never end keep others out
        }
        try (Holdfast client = server.open();
                DashboardServer page = DashboardServer.start(
                        client, options.withShown(server.inWords()).withOnUsed(next -> print(next, json)))) {
            CompletableFuture<Integer> end = Signals.end();
            Logs.mute(); // the page tells it
            Say.line("the dashboard of " + server.inWords() + " is at the address below; Ctrl-C ends it");
            print(page.address(), json);
            return end.join();
        } catch (IOException e) {
            Say.line("cannot serve the dashboard at " + options.listen().getHostString() + ":"
                    + options.listen().getPort() + ": " + e.getMessage() + "; give another address with " + LISTEN);
            return ExitStatus.UNREACHABLE;
        }
    }

    private static void print(String address, boolean json) {
        if (json) {
            Json.print(document -> document.text("address", address));
        } else {
            System.out.println(address);
            System.out.flush();
        }
    }

    private static Options options(ParseResult given) {
        String certificate = given.matchedOptionValue(CERTIFICATE, null);
        String key = given.matchedOptionValue(KEY, null);
        if ((certificate == null) != (key == null)) {
            throw new UsageException(CERTIFICATE + " and " + KEY + " belong together: one of them is missing");
        }
        Options options = Options.defaults()
                .withChanges(given.hasMatchedOption(CHANGES))
                .withBehindProxy(given.hasMatchedOption(PROXY))
                .withEnvironment(environment(given), colour(given));
        try {
            if (certificate != null && key != null) {
                options = options.withTls(Tls.defaults()
                        .withCertificate(Path.of(certificate), Path.of(key))
                        .context());
            }
            String password = password(given.matchedOptionValue(PASSWORD, null));
            if (password != null) {
                options = options.withPassword(password);
            }
            return options.withListen(address(given.matchedOptionValue(LISTEN, "0")));
        } catch (IllegalArgumentException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    private static String environment(ParseResult given) {
        String name = given.matchedOptionValue(ENVIRONMENT, "");
        if (name.isBlank() && given.hasMatchedOption(COLOUR)) {
            throw new UsageException(COLOUR + " needs " + ENVIRONMENT + ", the name that the colour stands for");
        }
        return name.strip();
    }

    private static Dashboard.Colour colour(ParseResult given) {
        String word = given.matchedOptionValue(COLOUR, "grey");
        return Arrays.stream(Dashboard.Colour.values())
                .filter(each -> each.name().equalsIgnoreCase(word))
                .findFirst()
                .orElseThrow(() ->
                        new UsageException(COLOUR + " is '" + word + "', must be grey, red, orange, green or blue"));
    }

    private static @Nullable String password(@Nullable String file) {
        if (file == null) {
            return null;
        }
        try {
            return new PasswordFile(PASSWORD, Path.of(file)).read().password();
        } catch (IOException e) {
            throw new UsageException(String.valueOf(e.getMessage()));
        }
    }

    /** {@code 7400}, {@code locks.example.com:7400} or {@code [::1]:7400}. */
    static InetSocketAddress address(String text) {
        int colon = text.lastIndexOf(':');
        String host = text.substring(0, Math.max(0, colon));
        if (host.startsWith("[") && host.endsWith("]")) {
            host = host.substring(1, host.length() - 1);
        }
        int port = WholeNumber.parse(LISTEN, text.substring(colon + 1), 0, GREATEST_PORT);
        try {
            // Of an empty text that is this machine.
            return new InetSocketAddress(
                    host.isEmpty() ? InetAddress.getLoopbackAddress() : InetAddress.getByName(host), port);
        } catch (UnknownHostException e) {
            throw new UsageException(LISTEN + " is '" + text + "': the host '" + host + "' is not known here");
        }
    }
}
