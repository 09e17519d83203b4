package io.holdfast.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the page is told of the past, against a real server: what clients have counted, and what was seen. */
final class DashboardHistoryTest extends TwoApplications {
    @Test
    void history_aHolderThatIsNotRenewed_isLost_andOneThatReleasesIsNot() throws Exception {
        Page page = Page.openSeen(stage.dashboard(false));
        LockOptions once = LockOptions.defaults().withRenewal(false).withLeaseDuration(Duration.ofSeconds(6));
        Lease lease = billing.lock("once", once).acquire();
        Lease other = shipping.lock("kept", LockOptions.defaults().withLeaseDuration(Duration.ofSeconds(6)))
                .acquire();
        page.await(
                Page.lockPath("once"), found -> !found.getAsJsonArray("shares").isEmpty());
        page.await(
                Page.lockPath("kept"), found -> !found.getAsJsonArray("shares").isEmpty());
        JsonObject events =
                page.await("api/events", found -> Page.find(found.getAsJsonArray("events"), "type", "expired") != null);
        JsonObject expired = Objects.requireNonNull(Page.find(events.getAsJsonArray("events"), "type", "expired"));
        assertEquals("once", expired.get("name").getAsString());
        other.release();
        JsonObject after = page.await(
                "api/events", found -> Page.find(found.getAsJsonArray("events"), "type", "released") != null);
        JsonObject released = Objects.requireNonNull(Page.find(after.getAsJsonArray("events"), "type", "released"));
        assertEquals("kept", released.get("name").getAsString());
        try (Page.Stream stream = page.new Stream()) {
            JsonObject totals = stream.next().getAsJsonObject("totals");
            assertEquals(1, totals.get("lost").getAsInt());
            assertEquals(2, totals.get("acquired").getAsInt());
        }
        assertFalse(lease.isHeldOnServer());
    }

    @Test
    void figures_manyShortHoldsOfSeveralClients_areCountedExactly() throws Exception {
        Page page = Page.openSeen(stage.dashboard(false));
        page.await(Page.lockPath("busy"), found -> true);
        int turns = 30;
        List<FutureTask<Void>> workers = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Holdfast client = i % 2 == 0 ? billing : shipping;
            FutureTask<Void> worker = new FutureTask<>(() -> {
                for (int turn = 0; turn < turns; turn++) {
                    client.lock("busy").acquire(Wait.forever()).release();
                }
                return null;
            });
            workers.add(worker);
            new Thread(worker).start();
        }
        for (FutureTask<Void> worker : workers) {
            worker.get(60, TimeUnit.SECONDS);
        }
        assertTrue(shipping.lock("busy").tryAcquire().isPresent(), "it is free, and held from now on");
        assertTrue(billing.lock("busy").tryAcquire().isEmpty());
        int all = workers.size() * turns;
        JsonObject lock = page.await(Page.lockPath("busy"), found -> count(found, "waits") == all + 1);
        JsonObject figures = lock.getAsJsonObject("figures");
        assertEquals(all, count(lock, "holds"));
        assertEquals(1, figures.get("refused").getAsInt());
        long handoffs = figures.get("handoffs").getAsLong();
        assertTrue(handoffs > 0 && handoffs < all, figures.toString());
        JsonObject history = lock.getAsJsonObject("history");
        long ended = 0;
        for (JsonElement hold : history.getAsJsonArray("holds")) {
            ended += hold.getAsJsonObject().get("count").getAsLong();
        }
        assertEquals(all, ended);
        long handed = 0;
        for (JsonElement bin : history.getAsJsonArray("handoffs")) {
            handed += bin.isJsonNull() ? 0 : bin.getAsLong();
        }
        assertEquals(handoffs, handed);
        try (Page.Stream stream = page.new Stream()) {
            JsonObject totals = stream.next().getAsJsonObject("totals");
            assertEquals(all + 1, totals.get("acquired").getAsInt());
            assertEquals(1, totals.get("refused").getAsInt());
        }
    }

    private static int count(JsonObject lock, String what) {
        return lock.getAsJsonObject("figures")
                .getAsJsonObject(what)
                .get("count")
                .getAsInt();
    }
}
