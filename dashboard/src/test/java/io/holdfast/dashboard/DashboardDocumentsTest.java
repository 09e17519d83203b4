package io.holdfast.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.sun.net.httpserver.HttpServer;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the page is told, and what it may do, against a real server. */
final class DashboardDocumentsTest extends TwoApplications {
    private Page open(boolean changes) throws Exception {
        return Page.openSeen(stage.dashboard(changes));
    }

    private static JsonObject act(
            String act, String kind, String name, @Nullable String owner, @Nullable String token) {
        JsonObject document = new JsonObject();
        document.addProperty("act", act);
        document.addProperty("kind", kind);
        document.addProperty("name", name);
        document.addProperty("owner", owner);
        if (token != null) {
            document.addProperty("token", token);
        }
        return document;
    }

    private static JsonObject done(HttpResponse<String> answer) {
        assertEquals(200, answer.statusCode(), answer.body());
        return JsonParser.parseString(answer.body()).getAsJsonObject();
    }

    private static int waiters(JsonObject lock) {
        return lock.getAsJsonObject("row").get("waiters").getAsInt();
    }

    // ---- what it shows

    @Test
    void lock_heldAndWaitedFor_tellsHolderQueueAndWhatFreesIt() throws Exception {
        Page page = open(false);
        Lease lease = billing.lock(
                        "invoice/42", LockOptions.defaults().withStrictOrder().withMetadata(Map.of("ticket", "OPS-7")))
                .acquire();
        CompletableFuture<Lease> next = shipping.lock("invoice/42").acquireAsync(Wait.forever());
        JsonObject lock = page.await(Page.lockPath("invoice/42"), found -> waiters(found) == 1);
        JsonObject row = lock.getAsJsonObject("row");
        assertTrue(row.get("holder").getAsString().startsWith("billing@"), row.toString());
        assertTrue(row.get("alive").getAsBoolean());
        long left = row.get("until").getAsLong() - lock.get("at").getAsLong();
        assertTrue(left > 0 && left <= LockOptions.defaults().leaseDuration().toMillis(), "left " + left);
        JsonObject share = lock.getAsJsonArray("shares").get(0).getAsJsonObject();
        assertEquals(Long.toString(lease.token()), share.get("token").getAsString());
        assertEquals(lease.owner(), share.get("owner").getAsString());
        assertEquals("OPS-7", share.getAsJsonObject("metadata").get("ticket").getAsString());
        JsonObject waiter = lock.getAsJsonArray("queue").get(0).getAsJsonObject();
        assertEquals("shipping", waiter.get("application").getAsString());
        assertEquals("here", waiter.get("state").getAsString());
        JsonObject why = lock.getAsJsonObject("why");
        assertTrue(why.get("sentence").getAsString().startsWith("Held by billing@"), why.toString());
        assertEquals("What frees it", why.get("title").getAsString());
        assertTrue(why.getAsJsonArray("ways").toString().contains("its holder releases it"), why.toString());
        lease.release();
        next.get(20, TimeUnit.SECONDS).release();
        JsonObject free = page.await(
                Page.lockPath("invoice/42"),
                found -> found.getAsJsonArray("shares").isEmpty());
        assertEquals(
                "No client holds it.",
                free.getAsJsonObject("why").get("sentence").getAsString());
        JsonObject history = free.getAsJsonObject("history");
        assertEquals(Hour.BINS, history.getAsJsonArray("waiters").size());
        assertFalse(history.getAsJsonArray("holds").isEmpty(), "the hold was seen to end");
        JsonArray events = page.document("api/events").getAsJsonArray("events");
        assertNotNull(Page.find(events, "type", "acquired"), events.toString());
        assertNotNull(Page.find(events, "type", "released"), events.toString());
        int last = events.get(events.size() - 1).getAsJsonObject().get("n").getAsInt();
        assertTrue(page.document("api/events?after=" + last)
                .getAsJsonArray("events")
                .isEmpty());
    }

    @Test
    void lock_ofEachKind_tellsModesAndPermits() throws Exception {
        Page page = open(false);
        Lease one = billing.readWriteLock("ledger").read().acquire();
        Lease other = shipping.readWriteLock("ledger").read().acquire();
        CompletableFuture<Lease> writer =
                shipping.readWriteLock("ledger").write().acquireAsync(Wait.forever());
        Lease permits = billing.semaphore("convert", 5).withSlots().permits(2).acquire();
        JsonObject ledger = page.await("api/lock?kind=read-write&name=ledger", found -> waiters(found) == 1);
        assertEquals(2, ledger.getAsJsonArray("shares").size());
        assertEquals(
                "read",
                ledger.getAsJsonArray("shares")
                        .get(0)
                        .getAsJsonObject()
                        .get("mode")
                        .getAsString());
        assertEquals(
                "write",
                ledger.getAsJsonArray("queue")
                        .get(0)
                        .getAsJsonObject()
                        .get("mode")
                        .getAsString());
        JsonObject convert = page.await(
                "api/lock?kind=semaphore&name=convert",
                found -> found.getAsJsonObject("row").get("used").getAsInt() == 2);
        JsonObject share = convert.getAsJsonArray("shares").get(0).getAsJsonObject();
        assertEquals(2, share.get("permits").getAsInt());
        assertEquals("[0,1]", share.get("slots").toString());
        one.release();
        other.release();
        writer.get(20, TimeUnit.SECONDS).release();
        permits.release();
        assertEquals(400, page.get("api/lock?kind=unknown&name=a").statusCode());
    }

    @Test
    void stream_changes_areToldOnceAndTheRestIsNot() throws Exception {
        Lease first = billing.lock("first").acquire();
        Page page = open(false);
        page.await(
                Page.lockPath("first"), found -> !found.getAsJsonArray("shares").isEmpty());
        try (Page.Stream stream = page.new Stream()) {
            JsonObject all = stream.next();
            assertEquals("all", all.get("event").getAsString());
            assertNotNull(Page.find(all.getAsJsonArray("rows"), "name", "first"));
            Lease second = billing.lock("second").acquire();
            JsonObject came = stream.next(event -> !event.getAsJsonArray("put").isEmpty());
            assertEquals("change", came.get("event").getAsString());
            assertNotNull(Page.find(came.getAsJsonArray("put"), "name", "second"));
            assertNull(Page.find(came.getAsJsonArray("put"), "name", "first"), "it has not changed");
            second.release();
            JsonObject went = stream.next(event -> !event.getAsJsonArray("gone").isEmpty());
            assertEquals("lock:second", went.getAsJsonArray("gone").get(0).getAsString());
            assertEquals(1, went.getAsJsonObject("totals").get("held").getAsInt());
        }
        first.release();
    }

    @Test
    void requests_howeverManyPages_costTheServerNoMore() throws Exception {
        DashboardServer server = stage.dashboard(false);
        Page page = Page.open(server);
        Lease lease = billing.lock("a").acquire();
        page.await(Page.lockPath("a"), found -> !found.getAsJsonArray("shares").isEmpty());
        long before = pictures(page);
        long scans = scans();
        List<Page.Stream> streams = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            streams.add(Page.open(server).new Stream());
        }
        for (int i = 0; i < 200; i++) {
            page.lock("lock", "a");
            page.document("api/clients");
            page.document("api/waits");
        }
        long rounds = pictures(page) - before + 2; // one was under way before, one is now
        long walks = scans() - scans;
        // Two walks of a small keyspace, of a command each.
        assertTrue(walks <= 2 * rounds, walks + " walks in " + rounds + " rounds");
        for (Page.Stream each : streams) {
            each.close();
        }
        lease.release();
    }

    private static long pictures(Page page) throws Exception {
        try (Page.Stream stream = page.new Stream()) {
            return stream.next().get("picture").getAsLong();
        }
    }

    private long scans() {
        for (String line :
                stage.server.command("INFO", "commandstats").asString().split("\r\n", -1)) {
            if (line.startsWith("cmdstat_scan:")) {
                return Long.parseLong(line.substring(line.indexOf("calls=") + 6, line.indexOf(',')));
            }
        }
        return 0;
    }

    @Test
    void names_thatAreHostile_areTextAndNothingElse() throws Exception {
        String name = "<script>alert(1)</script>\"'&\u202e\u2028 ö";
        Page page = open(false);
        Lease lease = billing.lock(name, LockOptions.defaults().withMetadata(Map.of("<b>", "</script>")))
                .acquire();
        try (Page.Stream stream = page.new Stream()) {
            JsonObject all = stream.next(
                    event -> Page.find(event.getAsJsonArray(event.has("rows") ? "rows" : "put"), "name", name) != null);
            assertNotNull(all);
        }
        HttpResponse<String> answer =
                page.get("api/lock?kind=lock&name=" + URLEncoder.encode(name, StandardCharsets.UTF_8));
        assertFalse(answer.body().contains("<"), answer.body());
        assertEquals(
                "application/json; charset=utf-8",
                answer.headers().firstValue("Content-Type").orElseThrow());
        assertEquals(
                "nosniff", answer.headers().firstValue("X-Content-Type-Options").orElseThrow());
        lease.release();
    }

    @Test
    void pages_policy_allowsNothingFromElsewhereAndNothingInline() throws Exception {
        Page page = open(false);
        HttpResponse<String> index = page.get("");
        assertEquals(200, index.statusCode());
        String policy = index.headers().firstValue("Content-Security-Policy").orElseThrow();
        assertTrue(policy.startsWith("default-src 'none'") && !policy.contains("unsafe"), policy);
        assertFalse(index.body().contains("style="), "inline styles are not let through");
        assertFalse(
                index.body().contains("http:") || index.body().contains("https:"), "nothing is loaded from elsewhere");
        assertEquals(404, page.get("nothing.js").statusCode());
        assertEquals(404, page.get("Documents.class").statusCode());
        assertEquals(404, page.get("..%2fDocuments.class").statusCode());
    }

    // ---- who waits for whom

    @Test
    void waits_twoThatWaitForEachOther_areADeadlockUntilOneIsDropped() throws Exception {
        Page page = open(true);
        Lease billingsA = billing.lock("a").withActor("worker-1").acquire();
        Lease shippingsB = shipping.lock("b").withActor("worker-2").acquire();
        CompletableFuture<Lease> forB = billing.lock("b").withActor("worker-1").acquireAsync(Wait.forever());
        CompletableFuture<Lease> forA = shipping.lock("a").withActor("worker-2").acquireAsync(Wait.forever());
        JsonObject waits = page.await(
                "api/waits", found -> !found.getAsJsonArray("deadlocks").isEmpty());
        JsonObject deadlock = waits.getAsJsonArray("deadlocks").get(0).getAsJsonObject();
        String words = deadlock.get("words").getAsString();
        assertTrue(words.contains("waits for 'a'") && words.contains("waits for 'b'"), words);
        JsonObject lock = page.document(Page.lockPath("a"));
        assertTrue(lock.getAsJsonObject("row").get("deadlock").getAsBoolean());
        JsonObject breaking = deadlock.getAsJsonArray("breaks").get(0).getAsJsonObject();
        JsonObject told = done(page.act(breaking.getAsJsonObject("act")));
        assertTrue(told.get("done").getAsBoolean(), told.toString());
        page.await("api/waits", found -> found.getAsJsonArray("deadlocks").isEmpty());
        JsonArray events = page.document("api/events").getAsJsonArray("events");
        assertNotNull(Page.find(events, "type", "deadlock"), events.toString());
        JsonObject act = Page.find(events, "type", "act");
        assertNotNull(act, events.toString());
        assertTrue(act.get("words").getAsString().endsWith(". By 127.0.0.1."), act.toString());
        billingsA.release();
        shippingsB.release();
        forA.handle((lease, failure) -> lease == null ? "" : lease.release()).get(20, TimeUnit.SECONDS);
        forB.handle((lease, failure) -> lease == null ? "" : lease.release()).get(20, TimeUnit.SECONDS);
    }

    @Test
    void waits_aChainOfThree_isNoDeadlock() throws Exception {
        Page page = open(false);
        Lease a = billing.lock("a").withActor("one").acquire();
        Lease b = shipping.lock("b").withActor("two").acquire();
        CompletableFuture<Lease> twoForA = shipping.lock("a").withActor("two").acquireAsync(Wait.forever());
        CompletableFuture<Lease> threeForB =
                shipping.lock("b").withActor("three").acquireAsync(Wait.forever());
        JsonObject waits =
                page.await("api/waits", found -> found.getAsJsonArray("edges").size() == 4);
        assertEquals(5, waits.getAsJsonArray("nodes").size(), waits.toString());
        assertTrue(waits.getAsJsonArray("deadlocks").isEmpty());
        a.release();
        twoForA.get(20, TimeUnit.SECONDS).release();
        b.release();
        threeForB.get(20, TimeUnit.SECONDS).release();
    }

    @Test
    void clients_thatHoldAndWait_areListedWithoutTheDashboardItself() throws Exception {
        Page page = open(false);
        Lease lease = billing.lock("a").acquire();
        CompletableFuture<Lease> next = shipping.lock("a").acquireAsync(Wait.forever());
        page.await(Page.lockPath("a"), found -> waiters(found) == 1);
        JsonArray clients = page.document("api/clients").getAsJsonArray("clients");
        assertEquals(2, clients.size(), clients.toString());
        JsonObject holding = Objects.requireNonNull(Page.find(clients, "application", "billing"));
        assertEquals("alive", holding.get("state").getAsString());
        assertEquals(
                "a",
                holding.getAsJsonArray("holds")
                        .get(0)
                        .getAsJsonObject()
                        .get("name")
                        .getAsString());
        JsonObject waiting = Objects.requireNonNull(Page.find(clients, "application", "shipping"));
        assertEquals(
                "a",
                waiting.getAsJsonArray("waits")
                        .get(0)
                        .getAsJsonObject()
                        .get("name")
                        .getAsString());
        lease.release();
        next.get(20, TimeUnit.SECONDS).release();
    }

    // ---- acts

    @Test
    void release_byTheTokenThatWasShown_endsThatHoldAndNoLaterOne() throws Exception {
        Page page = open(true);
        Lease lease = billing.lock("a").acquire();
        String token = Long.toString(lease.token());
        JsonObject done = done(page.act(act("release", "lock", "a", lease.owner(), token)));
        assertTrue(done.get("done").getAsBoolean(), done.toString());
        assertTrue(done.get("words").getAsString().startsWith("Released 'a' of billing@"), done.toString());
        lease.whenLost().toCompletableFuture().get(20, TimeUnit.SECONDS);
        Lease later = shipping.lock("a").acquire();
        JsonObject late = done(page.act(act("release", "lock", "a", lease.owner(), token)));
        assertFalse(late.get("done").getAsBoolean(), late.toString());
        assertTrue(late.get("words").getAsString().contains("it is held by shipping@"), late.toString());
        assertTrue(later.isHeldOnServer());
        later.release();
    }

    @Test
    void extend_whatWasShown_lastsAtLeastSoLong() throws Exception {
        Page page = open(true);
        Lease lease = billing.lock("a").acquire();
        JsonObject wanted = act("extend", "lock", "a", lease.owner(), Long.toString(lease.token()));
        wanted.addProperty("millis", 600_000);
        assertTrue(done(page.act(wanted)).get("done").getAsBoolean());
        assertTrue(billing.inspect().lock("a").remaining().compareTo(Duration.ofMinutes(9)) > 0);
        wanted.addProperty("millis", -1);
        assertEquals(400, page.act(wanted).statusCode());
        lease.release();
    }

    @Test
    void drop_aWaiterThatWasShown_endsItsCall() throws Exception {
        Page page = open(true);
        Lease lease = billing.lock("a").acquire();
        CompletableFuture<Lease> waiting = shipping.lock("a").acquireAsync(Wait.forever());
        JsonObject lock = page.await(Page.lockPath("a"), found -> waiters(found) == 1);
        String owner = lock.getAsJsonArray("queue")
                .get(0)
                .getAsJsonObject()
                .get("owner")
                .getAsString();
        assertTrue(done(page.act(act("drop", "lock", "a", owner, null)))
                .get("done")
                .getAsBoolean());
        assertEquals(true, waiting.handle((some, failure) -> failure != null).get(20, TimeUnit.SECONDS));
        assertFalse(done(page.act(act("drop", "lock", "a", owner, null)))
                .get("done")
                .getAsBoolean());
        assertTrue(lease.isHeldOnServer());
        lease.release();
    }

    @Test
    void act_byNameAlone_isRefused() throws Exception {
        Page page = open(true);
        Lease lease = billing.lock("a").acquire();
        assertEquals(
                400, page.act(act("release", "lock", "a", lease.owner(), null)).statusCode());
        assertEquals(400, page.act(act("release", "lock", "a", null, "1")).statusCode());
        assertEquals(400, page.act(act("wipe", "lock", "a", lease.owner(), "1")).statusCode());
        assertTrue(lease.isHeldOnServer());
        lease.release();
    }

    @Test
    void session_ofThisBuild_saysItsVersion() throws Exception {
        String version = open(false).document("api/session").get("version").getAsString();
        assertTrue(version.matches("\\d+\\.\\d+\\.\\d+(-.+)?"), version);
    }

    @Test
    void act_whereChangesAreNotAllowed_isRefused() throws Exception {
        Page page = open(false);
        Lease lease = billing.lock("a").acquire();
        HttpResponse<String> answer = page.ask(
                "POST",
                page.root + "api/act",
                act("release", "lock", "a", lease.owner(), Long.toString(lease.token()))
                        .toString(),
                "Content-Type",
                "application/json");
        assertEquals(403, answer.statusCode());
        assertTrue(page.document("api/session").getAsJsonObject("headers").isEmpty());
        assertTrue(lease.isHeldOnServer());
        lease.release();
    }

    @Test
    void act_fromAnotherPage_isRefused() throws Exception {
        Page page = open(true);
        Lease lease = billing.lock("a").acquire();
        String body = act("release", "lock", "a", lease.owner(), Long.toString(lease.token()))
                .toString();
        String token = page.document("api/session")
                .getAsJsonObject("headers")
                .get(Dashboard.ACT_HEADER)
                .getAsString();
        String address = page.root + "api/act";
        String[][] wrong = {
            {"Content-Type", "application/json"},
            {"Content-Type", "application/json", Dashboard.ACT_HEADER, "guessed"},
            {"Content-Type", "text/plain", Dashboard.ACT_HEADER, token},
            {"Content-Type", "application/json", Dashboard.ACT_HEADER, token, "Sec-Fetch-Site", "cross-site"},
            {"Content-Type", "application/json", Dashboard.ACT_HEADER, token, "Origin", "https://evil.example.com"},
        };
        for (String[] headers : wrong) {
            assertEquals(403, page.ask("POST", address, body, headers).statusCode(), String.join(" ", headers));
        }
        assertTrue(lease.isHeldOnServer());
        lease.release();
    }

    // ---- loss of the server

    @Test
    void server_goneAndBack_isToldAndThePageGoesOn() throws Exception {
        Page page = open(true);
        Lease lease = billing.lock("a").acquire();
        page.await(Page.lockPath("a"), found -> !found.getAsJsonArray("shares").isEmpty());
        try (Page.Stream stream = page.new Stream()) {
            stage.server.kill();
            JsonObject lost = stream.next(
                    event -> !event.getAsJsonObject("server").get("reachable").getAsBoolean());
            HttpResponse<String> act =
                    page.act(act("release", "lock", "a", lease.owner(), Long.toString(lease.token())));
            assertEquals(503, act.statusCode(), act.body());
            assertTrue(act.body().contains("\"done\":false"), act.body());
            assertFalse(
                    lost.getAsJsonObject("server").get("message").getAsString().isEmpty());
            assertEquals(1, lost.getAsJsonObject("totals").get("held").getAsInt(), "what was known last");
            stage.server.restart();
            JsonObject back = stream.next(
                    event -> event.getAsJsonObject("server").get("reachable").getAsBoolean());
            assertEquals("", back.getAsJsonObject("server").get("message").getAsString());
        }
        JsonArray events = page.document("api/events").getAsJsonArray("events");
        assertNotNull(Page.find(events, "type", "server-lost"), events.toString());
        assertNotNull(Page.find(events, "type", "server-back"), events.toString());
        assertFalse(lease.isHeldOnServer());
    }

    // ---- in another server

    @Test
    void stream_pagesThatAreGoneBeforeItBegins_takeNoPlaceOfOthers() throws Exception {
        try (Dashboard dashboard = Dashboard.of(billing)) {
            for (int i = 0; i < 200; i++) {
                assertThrows(IOException.class, () -> dashboard.handle(new GoneExchange()));
            }
        }
    }

    /** Asks for a stream, and is gone when it is to begin. */
    private static final class GoneExchange implements DashboardExchange {
        @Override
        public String method() {
            return "GET";
        }

        @Override
        public String mount() {
            return "";
        }

        @Override
        public String path() {
            return "/api/stream";
        }

        @Override
        public @Nullable String query() {
            return null;
        }

        @Override
        public @Nullable String header(String name) {
            return null;
        }

        @Override
        public InputStream body() {
            return InputStream.nullInputStream();
        }

        @Override
        public void send(int status, Map<String, String> headers, byte[] body) {
            throw new AssertionError(status + " " + new String(body, StandardCharsets.UTF_8));
        }

        @Override
        public OutputStream open(Map<String, String> headers) throws IOException {
            throw new IOException("the page is gone");
        }
    }

    @Test
    void handler_mountedByOneLine_servesThePageBelowItsPlace() throws Exception {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        Dashboard dashboard = stage.later(Dashboard.of(billing));
        http.createContext("/locks", dashboard.handler());
        http.start();
        stage.later(() -> http.stop(0));
        String root = "http://127.0.0.1:" + http.getAddress().getPort() + "/locks";
        Page page = Page.at(root + "/");
        HttpResponse<String> bare = page.ask("GET", root, "");
        assertEquals("./locks/", bare.headers().firstValue("Location").orElseThrow());
        assertEquals(200, page.get("").statusCode());
        assertEquals(200, page.get("app.js").statusCode());
        assertTrue(page.document("api/session").get("mounted").getAsBoolean());
        Lease lease = shipping.lock("a").acquire();
        // A stream must not take the server's only thread.
        try (Page.Stream stream = page.new Stream()) {
            assertEquals("all", stream.next().get("event").getAsString());
            page.await(
                    "api/lock?kind=lock&name=a",
                    found -> !found.getAsJsonArray("shares").isEmpty());
        }
        lease.release();
    }
}
