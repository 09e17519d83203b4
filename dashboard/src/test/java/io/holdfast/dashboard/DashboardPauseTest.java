package io.holdfast.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.Wait;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A pause, as the page is told of it, and as it begins and ends one. */
final class DashboardPauseTest extends TwoApplications {
    private static final long LONG = Duration.ofMinutes(10).toMillis();

    private Page open(boolean changes) throws Exception {
        return Page.openSeen(stage.dashboard(changes));
    }

    private static JsonObject act(String act, LockInfo.Kind kind, String name) {
        JsonObject document = new JsonObject();
        document.addProperty("act", act);
        document.addProperty("kind", kind.word());
        document.addProperty("name", name);
        return document;
    }

    private static JsonObject pause(String name, long millis, String reason) {
        JsonObject document = act("pause", LockInfo.Kind.LOCK, name);
        document.addProperty("millis", millis);
        document.addProperty("reason", reason);
        return document;
    }

    private static String done(HttpResponse<String> answer) {
        assertEquals(200, answer.statusCode(), answer.body());
        JsonObject done = JsonParser.parseString(answer.body()).getAsJsonObject();
        assertTrue(done.get("done").getAsBoolean(), answer.body());
        return done.get("words").getAsString();
    }

    private static boolean pauses(JsonObject lock) {
        return !lock.getAsJsonObject("row").get("pause").isJsonNull();
    }

    private static String why(JsonObject lock) {
        return lock.getAsJsonObject("why").get("sentence").getAsString();
    }

    private static JsonArray events(Page page) {
        return page.document("api/events").getAsJsonArray("events");
    }

    @Test
    void pause_ofALockThatNobodyHas_isShownUntilItIsResumed() throws Exception {
        Page page = open(true);
        assertEquals(
                "Paused 'deploy' for 10 min: incident 4711.", done(page.act(pause("deploy", LONG, "incident 4711"))));
        assertTrue(shipping.lock("deploy").tryAcquire().isEmpty());
        JsonObject lock = page.await(Page.lockPath("deploy"), DashboardPauseTest::pauses);
        assertTrue(why(lock).startsWith("Paused by holdfast@"), why(lock));
        String ways = lock.getAsJsonObject("why").getAsJsonArray("ways").toString();
        assertTrue(ways.contains("an operator ends the pause"), ways);
        assertTrue(lock.getAsJsonArray("shares").isEmpty(), "a pause is no holder");
        try (Page.Stream stream = page.new Stream()) {
            JsonObject all = stream.next();
            JsonObject row = Objects.requireNonNull(Page.find(all.getAsJsonArray("rows"), "name", "deploy"));
            assertTrue(row.get("holder").isJsonNull(), row.toString());
            JsonObject pause = row.getAsJsonObject("pause");
            assertTrue(pause.get("who").getAsString().startsWith("holdfast@"), row.toString());
            assertEquals("incident 4711", pause.get("reason").getAsString());
            long left = pause.get("until").getAsLong() - all.get("at").getAsLong();
            assertTrue(left > LONG - Page.PATIENCE.toMillis() && left <= LONG, "left " + left);
            assertEquals(0, all.getAsJsonObject("totals").get("held").getAsInt());
        }
        assertEquals("Ended the pause of 'deploy'.", done(page.act(act("resume", LockInfo.Kind.LOCK, "deploy"))));
        page.await(Page.lockPath("deploy"), found -> !pauses(found));
        assertEquals(
                "There is no pause of 'deploy' any more. Nothing was done.",
                JsonParser.parseString(page.act(act("resume", LockInfo.Kind.LOCK, "deploy"))
                                .body())
                        .getAsJsonObject()
                        .get("words")
                        .getAsString());
        JsonArray events = events(page);
        assertNotNull(
                Page.find(events, "words", "Paused 'deploy' for 10 min: incident 4711. By 127.0.0.1."),
                events.toString());
        assertNotNull(Page.find(events, "type", "paused"), events.toString());
        assertNotNull(Page.find(events, "type", "resumed"), events.toString());
    }

    @Test
    void pause_behindAProxy_isToldAsThatOfTheSenderWhichTheProxyNames() throws Exception {
        Page page = Page.openSeen(stage.dashboard(
                DashboardServer.Options.defaults().withChanges(true).withBehindProxy(true)));
        String forwarded = "10.0.0.1, 10.0.0.2"; // the proxy's own word is the last
        done(page.act(pause("deploy", LONG, "incident"), "X-Forwarded-For", forwarded));
        JsonArray events = events(page);
        assertNotNull(
                Page.find(events, "words", "Paused 'deploy' for 10 min: incident. By 10.0.0.2."), events.toString());
    }

    @Test
    void pause_ofALockThatIsHeld_leavesItsHolderAndItsQueueAlone() throws Exception {
        Page page = open(true);
        Lease lease = billing.lock("a").acquire();
        CompletableFuture<Lease> next = shipping.lock("a").acquireAsync(Wait.forever());
        page.await(
                Page.lockPath("a"),
                found -> found.getAsJsonObject("row").get("waiters").getAsInt() == 1);
        assertEquals(
                "Paused 'a' for 10 min. It is held, and stays so until it is released.",
                done(page.act(pause("a", LONG, ""))));
        JsonObject lock = page.await(Page.lockPath("a"), DashboardPauseTest::pauses);
        assertTrue(why(lock).startsWith("Held by billing@"), why(lock));
        assertTrue(why(lock).contains(" Paused by holdfast@"), why(lock));
        assertEquals(1, lock.getAsJsonArray("shares").size());
        assertTrue(lease.isHeldOnServer());
        lease.release();
        JsonObject free = page.await(
                Page.lockPath("a"), found -> found.getAsJsonArray("shares").isEmpty());
        assertTrue(pauses(free));
        assertTrue(why(free).startsWith("No client holds it, and 1 request waits for it. Paused by"), why(free));
        assertFalse(next.isDone());
        done(page.act(act("resume", LockInfo.Kind.LOCK, "a")));
        next.get(20, TimeUnit.SECONDS).release();
    }

    /** Its holder does not report it, and nobody reports one of a lock that is free. */
    @Test
    void pause_byAnotherOperator_isSeenWhereThePageOfTheLockIsOpen() throws Exception {
        Page page = open(false);
        Lease lease = billing.lock("held").acquire();
        page.await(
                Page.lockPath("held"), found -> !found.getAsJsonArray("shares").isEmpty());
        shipping.admin().pause("held", Duration.ofMillis(LONG), "");
        shipping.admin().pause("free", Duration.ofMillis(LONG), "");
        page.await(Page.lockPath("held"), DashboardPauseTest::pauses);
        JsonObject free = page.await(Page.lockPath("free"), DashboardPauseTest::pauses);
        assertTrue(why(free).startsWith("Paused by shipping@"), why(free));
        shipping.admin().resume("held");
        page.await(Page.lockPath("held"), found -> !pauses(found));
        lease.release();
    }

    @Test
    void pause_itsTimeIsOver_isShownNoMore() throws Exception {
        Page page = open(true);
        done(page.act(pause("a", 3_000, "")));
        page.await(Page.lockPath("a"), DashboardPauseTest::pauses);
        JsonObject lock = page.await(Page.lockPath("a"), found -> !pauses(found));
        assertEquals("No client holds it.", why(lock));
    }

    @ParameterizedTest
    @EnumSource
    void pause_ofEachKind_isDoneAndShown(LockInfo.Kind kind) throws Exception {
        Page page = open(true);
        JsonObject wanted = act("pause", kind, "a");
        wanted.addProperty("millis", LONG);
        wanted.addProperty("reason", "why");
        done(page.act(wanted));
        JsonObject lock = page.await("api/lock?kind=" + kind.word() + "&name=a", DashboardPauseTest::pauses);
        assertTrue(why(lock).startsWith("Paused by holdfast@"), why(lock));
        assertEquals(
                "why",
                lock.getAsJsonObject("row")
                        .getAsJsonObject("pause")
                        .get("reason")
                        .getAsString());
        assertTrue(lock.get("limit").isJsonNull(), "of a semaphore it is one, and is told once");
        done(page.act(act("resume", kind, "a")));
        page.await("api/lock?kind=" + kind.word() + "&name=a", found -> !pauses(found));
    }

    @Test
    void pause_ofNoTimeOrTooMuchOfItOrOfAReason_isRefused() throws Exception {
        Page page = open(true);
        long year = Duration.ofDays(365).toMillis();
        assertEquals(400, page.act(pause("a", 0, "")).statusCode());
        assertEquals(400, page.act(pause("a", year + 1, "")).statusCode());
        assertEquals(400, page.act(pause("a", LONG, "x".repeat(1_001))).statusCode());
        assertEquals(400, page.act(pause("", LONG, "")).statusCode());
        assertEquals(400, page.act(act("pause", LockInfo.Kind.LOCK, "a")).statusCode());
        assertTrue(billing.inspect().lock("a").pause().isEmpty());
        done(page.act(pause("a", year, "x".repeat(1_000))));
        done(page.act(pause("a", 1, "")));
    }

    @Test
    void pause_whereChangesAreNotAllowed_isRefused() throws Exception {
        Page page = open(false);
        HttpResponse<String> answer = page.ask(
                "POST", page.root + "api/act", pause("a", LONG, "").toString(), "Content-Type", "application/json");
        assertEquals(403, answer.statusCode());
        assertTrue(billing.inspect().lock("a").pause().isEmpty());
    }

    @Test
    void pause_ofAKeyOfAnotherProgram_isRefusedAndNothingIsDone() throws Exception {
        Page page = open(true);
        stage.server.command("SET", "hf:{a}", "of another program");
        HttpResponse<String> answer = page.act(pause("a", LONG, ""));
        assertEquals(409, answer.statusCode(), answer.body()); // of which the page says that nothing was done
        assertEquals("of another program", stage.server.command("GET", "hf:{a}").asString());
    }

    /** What cannot be looked at must not keep the dashboard from looking at the others. */
    @Test
    void page_ofANameThatNoLockCanHave_leavesTheOthersAlone() throws Exception {
        Page page = open(false);
        try (Page.Stream stream = page.new Stream();
                Lease lease = billing.lock("a").acquire()) {
            for (int round = 0; round < 3; round++) {
                page.lock("lock", "x".repeat(10_000)); // its page stays open
                JsonObject server = stream.next().getAsJsonObject("server");
                assertTrue(server.get("reachable").getAsBoolean(), server.toString());
            }
            page.await(
                    Page.lockPath("a"), found -> !found.getAsJsonArray("shares").isEmpty());
            assertTrue(lease.isValid());
        }
    }
}
