package io.holdfast.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.holdfast.Attempt;
import io.holdfast.Lease;
import io.holdfast.Once;
import io.holdfast.Wait;
import org.junit.jupiter.api.Test;

/** Work that is done once, as the page is told of it. */
final class DashboardOnceTest extends TwoApplications {
    private static final String PATH = "api/lock?kind=once&name=invoice/4711";

    private static JsonObject share(JsonObject lock) {
        return lock.getAsJsonArray("shares").get(0).getAsJsonObject();
    }

    private static String why(JsonObject lock) {
        return lock.getAsJsonObject("why").get("sentence").getAsString();
    }

    /** What the page says when its record was released. */
    private static String released(Page page, JsonObject lock) throws Exception {
        JsonObject act = new JsonObject();
        act.addProperty("act", "release");
        act.addProperty("kind", "once");
        act.addProperty("name", "invoice/4711");
        act.addProperty("owner", share(lock).get("owner").getAsString());
        act.addProperty("token", share(lock).get("token").getAsString());
        JsonObject told = JsonParser.parseString(page.act(act).body()).getAsJsonObject();
        return told.get("words").getAsString();
    }

    private static boolean isDone(JsonObject lock) {
        return lock.getAsJsonObject("row").get("done").getAsBoolean();
    }

    private static boolean isFree(JsonObject lock) {
        return lock.getAsJsonArray("shares").isEmpty();
    }

    @Test
    void once_underWayAndDone_isToldAsWorkAndAsItsResult() throws Exception {
        Page page = Page.openSeen(stage.dashboard(true));
        assertEquals("No client reports it. The dashboard looks it up now.", why(page.document(PATH)));
        page.await(PATH, found -> why(found).equals("No client works on it, and no result is recorded."));
        Once once = billing.once("invoice/4711");
        Lease lease = ((Attempt.Obtained<Lease>) once.attempt(Wait.none())).lease();
        JsonObject begun = page.await(PATH, found -> !isFree(found));
        assertTrue(why(begun).startsWith("Being done by billing@"), why(begun));
        assertFalse(share(begun).get("done").getAsBoolean());

        once.finish(lease, "sent as 17");
        JsonObject done = page.await(PATH, DashboardOnceTest::isDone);
        assertTrue(why(done).startsWith("Done by billing@"), why(done));
        assertTrue(done.getAsJsonObject("why").getAsJsonArray("ways").isEmpty(), "a record need not go");
        assertTrue(share(done).get("done").getAsBoolean());
        assertEquals(
                "sent as 17",
                share(done).getAsJsonObject("metadata").get("result").getAsString());
        try (Page.Stream stream = page.new Stream()) {
            assertEquals(0, stream.next().getAsJsonObject("totals").get("held").getAsInt());
        }
        JsonArray events = page.document("api/events").getAsJsonArray("events");
        JsonObject ended = Page.find(events, "type", "released");
        assertNotNull(ended, events.toString());
        assertTrue(ended.get("words").getAsString().contains(" no longer does work 'invoice/4711'"), ended.toString());
    }

    @Test
    void once_givenUp_restsWithTheReasonAndIsTriedAgainByAnAct() throws Exception {
        Once once = billing.once("invoice/4711").withTries(1);
        once.fail(once.attempt(Wait.none()).orElseThrow(), "no paper");
        Page page = Page.openSeen(stage.dashboard(true));
        JsonObject given = page.await(PATH, found -> !isFree(found));
        assertTrue(
                why(given).startsWith("Given up after 1 try: no paper. The last that tried was billing@"), why(given));
        assertFalse(isDone(given));
        assertEquals("Allowed new tries of work 'invoice/4711'.", released(page, given));
        assertEquals("sent", once.run(lease -> "sent").orElseThrow());
    }

    /** Clients report no records: it is seen by its name. */
    @Test
    void record_ofBefore_isShownOnItsPageAndRemovedByAnAct() throws Exception {
        billing.once("invoice/4711").run(lease -> "sent as 17");
        Page page = Page.openSeen(stage.dashboard(true));
        JsonObject done = page.await(PATH, DashboardOnceTest::isDone);
        assertEquals("Removed the result of work 'invoice/4711'.", released(page, done));
        assertTrue(billing.once("invoice/4711").result().isEmpty());
        page.await(PATH, found -> isFree(found) && why(found).startsWith("No client works on it, and no result"));
    }
}
