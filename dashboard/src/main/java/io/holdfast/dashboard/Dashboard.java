package io.holdfast.dashboard;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.sun.net.httpserver.HttpHandler;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.ServerRefusedException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A page that shows the locks of a server live: holders, waiters and their reasons, the wait graph, clients, and past events.
 * In the JDK's web server one line mounts it, {@code http.createContext("/locks", dashboard.handler())}; another web server needs
 * a {@link DashboardExchange}. {@link DashboardServer} is a server for the page alone. A mounted page asks no user for a password:
 * the application's own security must protect it. The page is read-only unless
 * {@linkplain #of(Holdfast, boolean) changes are allowed}.
 *
 * <p>One thread queries the server, however many pages are open: at most once a second while a page is open, and at most every
 * ten seconds otherwise. Pages are answered from what it has read; only an operation asks the server itself. The page's history
 * is what this dashboard has seen since it was created: an hour of figures, the last thousand rare events, and the last
 * thousand others. The page shows at most 10,000 locks.
 *
 * <p>Thread-safe. Closing it does not close the client.
 */
public final class Dashboard implements AutoCloseable {
    static final String ACT_HEADER = "X-Holdfast-Act";
    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final int MOST_STREAMS = 64;
    private static final int LONGEST_BODY = 64 * 1024;
    /** How long a stream is silent at most: a page that is gone is noticed by writing, and the page notices when we are. */
    private static final Duration SILENCE = Duration.ofSeconds(5);
    /** How long a stream lasts. Browsers open it again, and are asked again then whether they may. */
    private static final Duration STREAM = Duration.ofMinutes(10);

    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    private static final Map<String, String> PLAIN_HEADERS = Map.of(
            "Content-Security-Policy", POLICY,
            "X-Content-Type-Options", "nosniff",
            "Referrer-Policy", "no-referrer",
            "Cross-Origin-Resource-Policy", "same-origin",
            "Cache-Control", "no-store");
    /** HTML in a text is escaped in the JSON too, so that nothing that is sent can be taken for a page. */
    private static final Gson GSON = new GsonBuilder().serializeNulls().create();

    private final Holdfast holdfast;
    private final boolean changes;
    private final boolean mounted;
    private final String server;
    private final String environment;
    private final Colour colour;
    private final String actToken;
    private final Watch watch;
    private final Acts acts;

    /** A colour of the bar above the page, which distinguishes environments. */
    public enum Colour {
        GREY,
        RED,
        ORANGE,
        GREEN,
        BLUE
    }

    private Dashboard(
            Holdfast holdfast, boolean changes, boolean mounted, String server, String environment, Colour colour) {
        this.holdfast = holdfast;
        this.changes = changes;
        this.mounted = mounted;
        this.server = server;
        this.environment = environment;
        this.colour = colour;
        this.actToken = random();
        this.watch = new Watch(holdfast);
        this.acts = new Acts(holdfast);
    }

    /** Returns a read-only page for the locks with this client's prefix on its server. */
    public static Dashboard of(Holdfast holdfast) {
        return of(holdfast, false);
    }

    /**
     * Returns a page that may be allowed to make changes.
     *
     * @param changes whether the page may release, extend, drop and pause
     */
    public static Dashboard of(Holdfast holdfast, boolean changes) {
        return of(holdfast, changes, "", Colour.GREY);
    }

    /**
     * Returns a page that shows a name of the environment next to the server.
     *
     * @param changes whether the page may release, extend, drop and pause
     * @param environment the name, such as {@code production}; empty for none
     * @param colour the colour of the bar above the page; has no effect without a name
     */
    public static Dashboard of(Holdfast holdfast, boolean changes, String environment, Colour colour) {
        return started(new Dashboard(holdfast, changes, true, holdfast.server(), environment, colour));
    }

    /** For a server of its own, which knows how it was configured to connect. */
    static Dashboard alone(Holdfast holdfast, DashboardServer.Options options) {
        return started(new Dashboard(
                holdfast, options.changes(), false, options.shown(), options.environment(), options.colour()));
    }

    private static Dashboard started(Dashboard dashboard) {
        dashboard.watch.start();
        return dashboard;
    }

    static String random() {
        byte[] bytes = new byte[24];
        new SecureRandom().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    /** Returns a handler for {@link com.sun.net.httpserver.HttpServer#createContext(String, HttpHandler)}. */
    public HttpHandler handler() {
        return exchange -> handle(new JdkExchange(exchange, false));
    }

    /**
     * Answers a request. At most 64 streams are answered at the same time.
     *
     * @throws IOException if the answer could not be sent
     */
    public void handle(DashboardExchange exchange) throws IOException {
        try {
            answer(exchange);
        } catch (HoldfastException e) {
            problem(exchange, 503, String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            problem(exchange, 400, String.valueOf(e.getMessage()));
        }
    }

    private void answer(DashboardExchange exchange) throws IOException {
        String path = exchange.path();
        if (path.isEmpty()) {
            // Else the page's own addresses, which are relative, would be those of its neighbours.
            exchange.send(302, with(Map.of("Location", "./" + lastPart(exchange) + "/")), new byte[0]);
        } else if (path.equals("/api/act")) {
            act(exchange);
        } else if (!isRead(exchange)
                || (path.equals("/api/stream") && !exchange.method().equals("GET"))) {
            problem(exchange, 405, "this resource is read-only");
        } else if (path.startsWith("/api/")) {
            api(exchange, path.substring("/api/".length()));
        } else {
            page(exchange, path.equals("/") ? "index.html" : path.substring(1));
        }
    }

    static boolean isRead(DashboardExchange exchange) {
        return exchange.method().equals("GET") || exchange.method().equals("HEAD");
    }

    private static String lastPart(DashboardExchange exchange) {
        String mount = exchange.mount();
        return mount.substring(mount.lastIndexOf('/') + 1);
    }

    private void page(DashboardExchange exchange, String name) throws IOException {
        byte[] file = Pages.read(name);
        if (file == null) {
            problem(exchange, 404, "there is no such page");
        } else {
            exchange.send(200, with(Map.of("Content-Type", Pages.type(name))), file);
        }
    }

    private void api(DashboardExchange exchange, String what) throws IOException {
        Map<String, String> query = Query.parse(exchange.query());
        switch (what) {
            case "session" -> document(exchange, 200, session(exchange));
            case "stream" -> stream(exchange);
            case "lock" -> {
                LockId id = LockId.of(query.get("kind"), query.get("name"));
                if (id == null) {
                    throw new IllegalArgumentException("kind and name say which lock");
                }
                document(exchange, 200, Detail.of(watch.lookAt(id), watch.history, id));
            }
            case "trends" -> document(exchange, 200, watch.history.trends(System.currentTimeMillis()));
            case "waits" -> document(exchange, 200, watch.waits());
            case "clients" -> document(exchange, 200, ClientList.of(watch.look(), mounted ? "" : holdfast.id()));
            case "events" -> {
                watch.look();
                document(exchange, 200, watch.history.events(Query.number(query.get("after"))));
            }
            default -> problem(exchange, 404, "there is no such document");
        }
    }

    private Documents.Session session(DashboardExchange exchange) {
        Map<String, String> headers = new LinkedHashMap<>(exchange.actHeaders());
        if (changes) {
            headers.put(ACT_HEADER, actToken);
        }
        return new Documents.Session(
                Pages.version(),
                server,
                holdfast.options().prefix(),
                mounted,
                changes,
                changes ? headers : Map.of(),
                watch.history.since,
                environment,
                colour.name().toLowerCase(Locale.ROOT));
    }

    // ---- the stream

    private void stream(DashboardExchange exchange) throws IOException {
        if (!watch.streamBegins(MOST_STREAMS)) {
            problem(exchange, 503, MOST_STREAMS + " pages are open already; close one of them");
            return;
        }
        boolean begun = false;
        try {
            OutputStream out = exchange.open(with(Map.of(
                    "Content-Type", "text/event-stream; charset=utf-8",
                    "X-Accel-Buffering", "no"))); // else nginx keeps events back until there are enough of them
            // A thread of its own: the server's would be missing for as long as the page is open, and may be the only
            // one it has.
            Thread thread = new Thread(() -> stream(out), "holdfast-dashboard-stream");
            thread.setDaemon(true);
            thread.start();
            begun = true;
        } finally {
            if (!begun) {
                watch.streamEnded();
            }
        }
    }

    int streams() {
        return watch.streams();
    }

    private void stream(OutputStream to) {
        try (OutputStream out = to) {
            send(out);
        } catch (IOException | InterruptedException e) {
            // The page is gone, or the server.
        } finally {
            watch.streamEnded();
        }
    }

    /**
     * What has changed, picture after picture. A page that is slow, or asleep, gets fewer of them: the change is counted from the last that was
     * sent, so nothing has to be kept for it.
     */
    private void send(OutputStream out) throws IOException, InterruptedException {
        line(out, "retry: 500\n\n");
        Picture last = null;
        long end = System.nanoTime() + STREAM.toNanos();
        while (!watch.isClosed() && System.nanoTime() - end < 0) {
            Picture next = watch.lookAfter(last == null ? 0 : last.number(), SILENCE);
            if (next.number() == 0) {
                line(out, ":\n\n"); // the first look is not over, and nothing is known
                continue;
            }
            if (last == null) {
                event(
                        out,
                        "all",
                        new Documents.Everything(
                                next.number(),
                                next.at(),
                                next.server(),
                                next.totals(),
                                List.copyOf(next.rows().values())));
            } else {
                event(out, "change", change(last, next)); // also if nothing has: the page hears that somebody is there
            }
            last = next;
        }
    }

    static Documents.Change change(Picture last, Picture next) {
        List<Documents.Row> put = new ArrayList<>();
        next.rows().forEach((id, row) -> {
            if (!row.equals(last.rows().get(id))) {
                put.add(row);
            }
        });
        List<String> gone = new ArrayList<>();
        for (String id : last.rows().keySet()) {
            if (!next.rows().containsKey(id)) {
                gone.add(id);
            }
        }
        return new Documents.Change(next.number(), next.at(), next.server(), next.totals(), put, gone);
    }

    private static void event(OutputStream out, String name, Object document) throws IOException {
        // A document is one line: a line break in a text is escaped.
        line(out, "event: " + name + "\ndata: " + GSON.toJson(document) + "\n\n");
    }

    private static void line(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    // ---- acts

    private void act(DashboardExchange exchange) throws IOException {
        if (!exchange.method().equals("POST")) {
            problem(exchange, 405, "an operation must be sent with POST");
            return;
        }
        if (!changes) {
            problem(exchange, 403, "this dashboard is read-only; changes were not allowed when it was started");
            return;
        }
        if (!isFromThePage(exchange)) {
            problem(exchange, 403, "this operation did not come from the dashboard's own page; reload the page");
            return;
        }
        Documents.Act wanted = read(exchange);
        LockId id = LockId.of(wanted.kind(), wanted.name());
        Documents.Done done;
        try {
            done = acts.carryOut(wanted);
        } catch (ServerRefusedException e) {
            problem(exchange, 409, String.valueOf(e.getMessage())); // an answer: nothing was done
            return;
        } catch (Acts.NothingDoneException e) {
            document(exchange, 503, new Documents.Problem(String.valueOf(e.getMessage()), false));
            return;
        }
        String who = exchange.principal().replaceAll("[\\p{Cc}\\p{Cf}]", "?");
        String words = who.isEmpty() ? done.words() : done.words() + " By " + who + ".";
        LOG.log(System.Logger.Level.INFO, () -> "dashboard: " + wanted.act() + ": " + words);
        if (done.done() && id != null) {
            watch.history.noteAct(System.currentTimeMillis(), id, words);
            watch.named.opened(id); // a pause of a free lock is seen by name only
        }
        watch.hurry();
        document(exchange, 200, done);
    }

    /** Whether it was sent by the page: by the token that only that can have read, and from nowhere else. */
    private boolean isFromThePage(DashboardExchange exchange) {
        String token = exchange.header(ACT_HEADER);
        String type = exchange.header("Content-Type");
        return token != null
                && isSame(token, actToken)
                && type != null
                && type.startsWith("application/json")
                && isSameOrigin(exchange);
    }

    /** By what browsers say of it; all of today's say the first. */
    static boolean isSameOrigin(DashboardExchange exchange) {
        String site = exchange.header("Sec-Fetch-Site");
        if (site != null) {
            return site.equals("same-origin");
        }
        String origin = exchange.header("Origin");
        return origin == null || origin.replaceFirst("^https?://", "").equals(exchange.header("Host"));
    }

    /** Takes as long for each, whatever of it is right. */
    static boolean isSame(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    private static Documents.Act read(DashboardExchange exchange) throws IOException {
        try (InputStream in = exchange.body()) {
            byte[] bytes = in.readNBytes(LONGEST_BODY + 1);
            if (bytes.length > LONGEST_BODY) {
                throw new IllegalArgumentException(
                        "the operation is too long, must have " + LONGEST_BODY + " bytes at most");
            }
            Documents.Act act = GSON.fromJson(new String(bytes, StandardCharsets.UTF_8), Documents.Act.class);
            if (act == null) {
                throw new IllegalArgumentException("the operation must be a JSON object");
            }
            return act;
        } catch (JsonParseException e) {
            throw new IllegalArgumentException("the operation must be a JSON object", e);
        }
    }

    // ---- answers

    static void document(DashboardExchange exchange, int status, Object document) throws IOException {
        exchange.send(
                status,
                with(Map.of("Content-Type", "application/json; charset=utf-8")),
                GSON.toJson(document).getBytes(StandardCharsets.UTF_8));
    }

    static void problem(DashboardExchange exchange, int status, String words) throws IOException {
        document(exchange, status, new Documents.Problem(words, null));
    }

    /** Headers, and those that every answer has. */
    static Map<String, String> with(Map<String, String> headers) {
        Map<String, String> all = new LinkedHashMap<>(PLAIN_HEADERS);
        all.putAll(headers);
        return all;
    }

    /** Ends the dashboard's thread and all streams. */
    @Override
    public void close() {
        watch.close();
    }
}
