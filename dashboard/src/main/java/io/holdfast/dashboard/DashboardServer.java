package io.holdfast.dashboard;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.holdfast.Holdfast;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A web server for the dashboard alone, which is secure by itself. By default it listens on this machine only, and a user opens
 * the page by an address that works once. The page then has a session, which ends with that of its browser, or after twelve hours.
 * With a {@linkplain Options#withPassword password}, the page asks for that instead. On an address that other machines can reach,
 * the server starts only with a password, and with its own TLS or behind a proxy that has TLS.
 *
 * <p>Thread-safe. Its threads are daemons. Closing it closes the dashboard, and not the client.
 */
public final class DashboardServer implements AutoCloseable {
    /** Each reads one request: those that do not come to an end have many to fill before a page is kept out. */
    static final int THREADS = 256;

    private static final int LONGEST_FORM = 4 * 1024;
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    private final Dashboard dashboard;
    private final HttpServer server;
    private final ExecutorService threads;
    private final Options options;
    private final Sessions sessions;

    /**
     * Options of the server.
     *
     * @param listen the address and the port; port 0 for any free one. An address that other machines can reach needs a password,
     *     and TLS or a proxy
     * @param password the password that the page asks for; null for addresses that work once
     * @param tls the context for HTTPS; null for HTTP
     * @param behindProxy whether a proxy in front of the server speaks HTTPS
     * @param changes whether the page may release, extend, drop and pause
     * @param shown the name under which the page shows the Redis or Valkey server
     * @param environment the name of the environment, such as {@code production}; empty for none
     * @param colour the colour of the bar above the page, if the environment has a name
     * @param onUsed a listener that is called, on a thread of the server, with the next address when an address was used
     */
    public record Options(
            InetSocketAddress listen,
            @Nullable String password,
            @Nullable SSLContext tls,
            boolean behindProxy,
            boolean changes,
            String shown,
            String environment,
            Dashboard.Colour colour,
            Consumer<String> onUsed) {
        /** Checks the options, and refuses those that would not be secure. */
        public Options {
            InetAddress address = listen.getAddress();
            if (address == null) {
                throw new IllegalArgumentException(
                        "the address to listen on, " + listen.getHostString() + ", is not known");
            }
            if (password != null && password.isEmpty()) {
                throw new IllegalArgumentException("the page's password is empty");
            }
            if (!address.isLoopbackAddress() && (password == null || (tls == null && !behindProxy))) {
                throw new IllegalArgumentException(
                        "on " + listen.getHostString() + ", which others can reach, the dashboard needs "
                                + (password == null ? "a password" : "")
                                + (password == null && tls == null && !behindProxy ? ", and " : "")
                                + (tls == null && !behindProxy ? "TLS, its own or that of a proxy" : ""));
            }
        }

        /** Returns the defaults: this machine only, any free port, addresses that work once, no changes. */
        public static Options defaults() {
            return new Options(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    null,
                    null,
                    false,
                    false,
                    "",
                    "",
                    Dashboard.Colour.GREY,
                    next -> {});
        }

        /** Returns a copy with the given address and port. Set the password and TLS first. */
        public Options withListen(InetSocketAddress value) {
            return new Options(value, password, tls, behindProxy, changes, shown, environment, colour, onUsed);
        }

        /** Returns a copy with the given password, which the page asks for. */
        public Options withPassword(String value) {
            return new Options(listen, value, tls, behindProxy, changes, shown, environment, colour, onUsed);
        }

        /** Returns a copy that speaks HTTPS with the given context. */
        public Options withTls(SSLContext value) {
            return new Options(listen, password, value, behindProxy, changes, shown, environment, colour, onUsed);
        }

        /** Returns a copy for a server with or without a proxy in front of it that speaks HTTPS. */
        public Options withBehindProxy(boolean value) {
            return new Options(listen, password, tls, value, changes, shown, environment, colour, onUsed);
        }

        /** Returns a copy whose page may or may not release, extend, drop and pause. */
        public Options withChanges(boolean value) {
            return new Options(listen, password, tls, behindProxy, value, shown, environment, colour, onUsed);
        }

        /**
         * Returns a copy with the given name of the Redis or Valkey server, as the page shows it. It must not contain a password.
         */
        public Options withShown(String value) {
            return new Options(listen, password, tls, behindProxy, changes, value, environment, colour, onUsed);
        }

        /**
         * Returns a copy with the given name of the environment, such as {@code production}, and the colour of the bar above the
         * page.
         */
        public Options withEnvironment(String name, Dashboard.Colour bar) {
            return new Options(listen, password, tls, behindProxy, changes, shown, name, bar, onUsed);
        }

        /** Returns a copy with the given listener, which is called with the next address when an address was used. */
        public Options withOnUsed(Consumer<String> value) {
            return new Options(listen, password, tls, behindProxy, changes, shown, environment, colour, value);
        }
    }

    private DashboardServer(Dashboard dashboard, HttpServer server, ExecutorService threads, Options options) {
        this.dashboard = dashboard;
        this.server = server;
        this.threads = threads;
        this.options = options;
        this.sessions = new Sessions(server.getAddress().getPort(), options.tls() != null || options.behindProxy());
    }

    /**
     * Starts a server for the dashboard of a client.
     *
     * @throws IOException if the address does not belong to this machine, or the port is taken
     */
    public static DashboardServer start(Holdfast holdfast, Options options) throws IOException {
        HttpServer server = create(options);
        ExecutorService threads = new ThreadPoolExecutor(
                0,
                THREADS,
                10,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                task -> {
                    Thread thread = new Thread(task, "holdfast-dashboard-http");
                    thread.setDaemon(true);
                    return thread;
                },
                // Whoever comes while all are busy is sent away, by the end of the connection. Run by the caller, a
                // request that never ends would keep the thread that accepts connections from all others.
                new ThreadPoolExecutor.AbortPolicy());
        Dashboard dashboard = Dashboard.alone(holdfast, options);
        DashboardServer started = new DashboardServer(dashboard, server, threads, options);
        server.setExecutor(threads);
        server.createContext("/", started::handle);
        server.start();
        return started;
    }

    private static HttpServer create(Options options) throws IOException {
        SSLContext tls = options.tls();
        if (tls == null) {
            return HttpServer.create(options.listen(), 0);
        }
        HttpsServer server = HttpsServer.create(options.listen(), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(tls));
        return server;
    }

    /** Returns the address of the page: with a token that works once, or without one if the page asks for a password. */
    public String address() {
        String plain = plainAddress();
        return options.password() == null ? plain + "?token=" + sessions.newToken() : plain;
    }

    private String plainAddress() {
        InetSocketAddress bound = server.getAddress();
        String host = bound.getAddress().isLoopbackAddress()
                ? bound.getAddress().getHostAddress()
                : options.listen().getHostString();
        return (options.tls() == null ? "http://" : "https://") + literal(host) + ":" + bound.getPort() + "/";
    }

    /** How many pages are open. */
    int streams() {
        return dashboard.streams();
    }

    // ---- who may

    private void handle(HttpExchange request) throws IOException {
        JdkExchange exchange = new JdkExchange(request, options.behindProxy());
        try {
            if (!isForHere(exchange)) {
                Dashboard.problem(
                        exchange, 421, "the dashboard is not served under this name; open it as " + plainAddress());
            } else if (isEntry(exchange) || !(sessions.isKnown(exchange.header("Cookie")) || isForAll(exchange))) {
                enter(exchange);
            } else {
                dashboard.handle(exchange);
            }
        } catch (IllegalArgumentException e) {
            Dashboard.problem(exchange, 400, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            // Else the connection would be closed without a word.
            Dashboard.problem(exchange, 500, "something is wrong with the dashboard itself: " + e);
        }
    }

    /** Whether the browser meant this machine: a foreign name that leads here would make its pages neighbours of this one. */
    private boolean isForHere(JdkExchange exchange) {
        String host = exchange.header("Host");
        if (!server.getAddress().getAddress().isLoopbackAddress() || options.behindProxy()) {
            return true; // by whatever name it is called there
        }
        if (host == null) {
            return false;
        }
        // Without the port, which may be that of a tunnel, or missing.
        String name = host.replaceFirst(":[0-9]+$", "").toLowerCase(Locale.ROOT);
        return LOOPBACK.contains(name)
                || name.equals(literal(server.getAddress().getAddress().getHostAddress()))
                || name.equals(literal(options.listen().getHostString().toLowerCase(Locale.ROOT)));
    }

    /** As it stands in an address. */
    private static String literal(String host) {
        return host.contains(":") ? "[" + host + "]" : host;
    }

    /** An address that works once: a client that has a session uses it up too, and its token is not left in the page's address. */
    private boolean isEntry(JdkExchange exchange) {
        return options.password() == null && exchange.path().equals("/") && exchange.query() != null;
    }

    /** What the page that asks for the password is made of. */
    private static boolean isForAll(JdkExchange exchange) {
        String path = exchange.path();
        return Dashboard.isRead(exchange) && (path.equals("/app.css") || path.equals("/icon.svg"));
    }

    private void enter(JdkExchange exchange) throws IOException {
        String path = exchange.path();
        if (path.startsWith("/api/")) {
            Dashboard.problem(exchange, 401, "this page's session has ended");
        } else if (options.password() != null) {
            askForPassword(exchange, options.password());
        } else if (path.equals("/")) {
            String token = Query.parse(exchange.query()).get("token");
            if (token != null && sessions.use(token)) {
                try {
                    welcome(exchange);
                } finally {
                    options.onUsed().accept(address()); // it is used up, also if the browser is gone
                }
            } else if (sessions.isKnown(exchange.header("Cookie"))) {
                redirect(exchange, Map.of());
            } else {
                page(exchange, 401, "used.html");
            }
        } else {
            page(exchange, 401, "used.html");
        }
    }

    private void askForPassword(JdkExchange exchange, String password) throws IOException {
        if (!exchange.path().equals("/login") || !exchange.method().equals("POST")) {
            page(exchange, 401, "login.html");
            return;
        }
        if (!Dashboard.isSameOrigin(exchange)) {
            Dashboard.problem(exchange, 403, "the password did not come from the dashboard's own page");
            return;
        }
        String form;
        try (InputStream in = exchange.body()) {
            form = new String(in.readNBytes(LONGEST_FORM), StandardCharsets.UTF_8);
        }
        String given = Query.parse(form).getOrDefault("password", "");
        if (sessions.mayTry(exchange.principal()) && Dashboard.isSame(given, password)) {
            welcome(exchange);
        } else {
            page(exchange, 401, "wrong.html");
        }
    }

    private void welcome(JdkExchange exchange) throws IOException {
        redirect(exchange, Map.of("Set-Cookie", sessions.begin()));
    }

    /** To the address without its token, which stays in no history. */
    private static void redirect(JdkExchange exchange, Map<String, String> headers) throws IOException {
        Map<String, String> all = Dashboard.with(headers);
        all.put("Location", "/");
        exchange.send(303, all, new byte[0]);
    }

    private static void page(JdkExchange exchange, int status, String name) throws IOException {
        byte[] file = Pages.read(name);
        exchange.send(
                status, Dashboard.with(Map.of("Content-Type", Pages.type(name))), file == null ? new byte[0] : file);
    }

    @Override
    public void close() {
        dashboard.close();
        server.stop(0);
        threads.shutdownNow();
    }
}
