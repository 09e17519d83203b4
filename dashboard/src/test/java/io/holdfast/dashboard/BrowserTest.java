package io.holdfast.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Once;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;

/** The page in a real browser: each view, each act, and what must not happen. */
final class BrowserTest extends PageInBrowser {
    // ---- each view

    @Test
    void overview_locksComeAndGo_areShownLive() throws Exception {
        open(false);
        browser.awaitText("[data-total=held]", "0");
        Lease lease = billing.lock("invoice/42").acquire();
        CompletableFuture<Lease> next = shipping.lock("invoice/42").acquireAsync(Wait.forever());
        browser.awaitText("#locks [data-id='lock:invoice/42']", "billing@");
        browser.awaitText("[data-total=held]", "1");
        browser.awaitText("[data-total=waiting]", "1");
        browser.awaitText("#most", "invoice/42");
        lease.release();
        browser.awaitText("#locks [data-id='lock:invoice/42']", "shipping@");
        get(next).release();
        browser.awaitText("[data-total=held]", "0");
        assertNothingIsBlockedOrBroken();
    }

    @Test
    void overview_search_narrowsTheTable() throws Exception {
        List<Lease> leases = new ArrayList<>();
        for (String name : List.of("invoice/1", "invoice/2", "report")) {
            leases.add(billing.lock(name).acquire());
        }
        open(false);
        browser.awaitText("#locks", "report");
        browser.await("#search").sendKeys("INVOICE");
        browser.await("two rows", () -> browser.all("#locks [data-id]").size() == 2);
        assertFalse(browser.text("#locks").contains("report"));
        leases.forEach(Lease::release);
    }

    @Test
    void overview_fiveThousandLocks_areThereAndOnlyTheVisibleOnesAreInTheDocument() throws Exception {
        List<CompletableFuture<Lease>> taken = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            taken.add(billing.lock("order/" + i).acquireAsync());
        }
        List<Lease> leases = new ArrayList<>();
        for (CompletableFuture<Lease> each : taken) {
            leases.add(get(each));
        }
        open(false);
        browser.await(
                "5,000 are counted",
                () -> browser.text("[data-total=held]").replaceAll("\\D", "").equals("5000"));
        int rows = browser.all("#locks [data-id]").size();
        assertTrue(rows > 5 && rows < 200, rows + " rows in the document");
        browser.await("#search").sendKeys("order/4711");
        browser.await("one row", () -> browser.all("#locks [data-id]").size() == 1);
        browser.awaitText("#locks", "order/4711");
        // It goes on being live.
        leases.get(4711).release();
        browser.await("no row", () -> browser.all("#locks [data-id]").isEmpty());
        assertNothingIsBlockedOrBroken();
    }

    @Test
    void lock_heldAndWaitedFor_showsWhyAndItsQueue() throws Exception {
        DistributedLock lock = billing.lock(
                "nightly/report", LockOptions.defaults().withStrictOrder().withMetadata(Map.of("ticket", "OPS-7")));
        Lease lease = lock.acquire();
        CompletableFuture<Lease> next = shipping.lock("nightly/report").acquireAsync(Wait.forever());
        open(false);
        browser.view(lockView("nightly/report"));
        browser.awaitText("#why", "Held by billing@");
        browser.awaitText("#view-lock", "OPS-7");
        browser.awaitText("#view-lock", Long.toString(lease.token()));
        browser.awaitText("#view-lock", "shipping@");
        assertTrue(browser.all("[data-act]").stream().noneMatch(WebElement::isDisplayed), "nobody has allowed changes");
        lease.release();
        browser.awaitText("#why", "Held by shipping@");
        get(next).release();
        browser.awaitText("#why", "No client holds it.");
        assertNothingIsBlockedOrBroken();
    }

    @Test
    void lock_readersAndPermits_areShown() throws Exception {
        Lease one = billing.readWriteLock("ledger").read().acquire();
        Lease other = shipping.readWriteLock("ledger").read().acquire();
        Lease permits = billing.semaphore("convert", 5).withSlots().permits(2).acquire();
        open(false);
        browser.view("#/lock/read-write/ledger");
        browser.awaitText("#view-lock", "billing@");
        browser.awaitText("#view-lock", "shipping@");
        browser.view("#/lock/semaphore/convert");
        browser.awaitText("#view-lock", "2 permits, slots 0 1");
        assertNothingIsBlockedOrBroken();
        one.release();
        other.release();
        permits.release();
    }

    @Test
    void waits_aDeadlock_isShownInWordsAndBrokenByADrop() throws Exception {
        Lease a = billing.lock("account/a").withActor("transfer-1").acquire();
        Lease b = shipping.lock("account/b").withActor("transfer-2").acquire();
        CompletableFuture<Lease> forB =
                billing.lock("account/b").withActor("transfer-1").acquireAsync(Wait.forever());
        CompletableFuture<Lease> forA =
                shipping.lock("account/a").withActor("transfer-2").acquireAsync(Wait.forever());
        open(true);
        browser.view("#/waits");
        browser.awaitText("#view-waits", "Deadlock");
        browser.awaitText("#view-waits .deadlock", "waits for 'account/a'");
        browser.picture("dashboard-waits");
        browser.act("#view-waits .deadlock [data-act=drop]", "Dropped the request of");
        browser.await("no deadlock", () -> browser.all("#view-waits .deadlock").isEmpty());
        assertNothingIsBlockedOrBroken();
        a.release();
        b.release();
        get(forA.handle((lease, failure) -> lease == null ? "" : lease.release()));
        get(forB.handle((lease, failure) -> lease == null ? "" : lease.release()));
    }

    @Test
    void clientsAndEvents_whatHappens_isListed() throws Exception {
        open(false);
        Lease lease = billing.lock("invoice/42").acquire();
        browser.view("#/clients");
        browser.awaitText("#view-clients", "billing@");
        browser.awaitText("#view-clients", "invoice/42");
        browser.view("#/events");
        browser.awaitText("#view-events", "acquired 'invoice/42'");
        lease.release();
        browser.awaitText("#view-events", "no longer holds 'invoice/42'");
        assertNothingIsBlockedOrBroken();
    }

    // ---- each act

    @Test
    void release_askedOnceMoreAndConfirmed_endsTheHoldThatWasShown() throws Exception {
        Lease lease = billing.lock("deploy").acquire();
        open(true);
        browser.view(lockView("deploy"));
        browser.click("[data-act=release]");
        browser.await("#confirm");
        assertTrue(browser.text("#confirm").contains("billing@"), browser.text("#confirm"));
        browser.click("#confirm-cancel");
        assertTrue(lease.isHeldOnServer(), "it was cancelled");
        browser.act("[data-act=release]", "Released 'deploy' of billing@");
        lease.whenLost().toCompletableFuture().get(20, TimeUnit.SECONDS);
        browser.awaitText("#why", "No client holds it.");
        assertNothingIsBlockedOrBroken();
    }

    @Test
    void dropAndExtend_confirmed_areDone() throws Exception {
        Lease lease = billing.lock("deploy").acquire();
        CompletableFuture<Lease> waiting = shipping.lock("deploy").acquireAsync(Wait.forever());
        open(true);
        browser.view(lockView("deploy"));
        browser.act("[data-act=extend]", "now lasts at least");
        browser.act("[data-act=drop]", "Dropped the request of shipping@");
        assertEquals(true, get(waiting.handle((some, failure) -> failure != null)));
        assertTrue(lease.isHeldOnServer());
        lease.release();
    }

    @Test
    void pauseAndResume_askedOnceMoreAndConfirmed_areDoneAndShown() throws Exception {
        Lease lease = billing.lock("deploy").acquire();
        CompletableFuture<Lease> waiting = shipping.lock("deploy").acquireAsync(Wait.forever());
        open(true);
        browser.view(lockView("deploy"));
        browser.click("[data-act=pause]");
        browser.await("#confirm");
        assertTrue(browser.text("#confirm-words").contains("Nobody is granted the lock 'deploy'"));
        browser.await("#pause-reason").sendKeys("incident <b>4711</b>");
        browser.click("#confirm-cancel");
        assertTrue(billing.inspect().lock("deploy").pause().isEmpty(), "it was cancelled");
        browser.click("[data-act=pause]");
        assertEquals("", browser.await("#pause-reason").getAttribute("value"), "what was cancelled");
        browser.await("#pause-reason").sendKeys("incident <b>4711</b>");
        browser.click("#confirm-do");
        browser.awaitText("#told", "Paused 'deploy' for 60 min: incident <b>4711</b>. It is held");
        browser.awaitText("#pause", "Paused until ");
        browser.awaitText("#pause", " by holdfast@");
        browser.awaitText("#pause", ": incident <b>4711</b>.");
        browser.awaitText("#why", "Held by billing@");
        browser.view("#/");
        browser.awaitText("#locks [data-id='lock:deploy']", "billing@");
        browser.awaitText("#locks [data-id='lock:deploy']", "; paused until ");
        lease.release();
        browser.await(
                "nobody has it",
                () -> browser.text("#locks [data-id='lock:deploy'] .c-holder").startsWith("paused until "));
        browser.awaitText("#locks [data-id='lock:deploy']", "incident <b>4711</b>");
        browser.view(lockView("deploy"));
        browser.act("[data-act=resume]", "Ended the pause of 'deploy'.");
        browser.awaitText("#why", "Held by shipping@");
        browser.await(
                "no pause", () -> !browser.driver.findElement(By.id("pause")).isDisplayed());
        get(waiting).release();
        assertNothingIsBlockedOrBroken();
    }

    @Test
    void pauseAndResume_byTheKeyboardAlone_areDoneAndTheFocusStaysAtTheLock() throws Exception {
        open(true);
        browser.view(lockView("deploy"));
        browser.await("[data-act=pause]");
        browser.script("document.querySelector('h1').focus()");
        tabTo("document.activeElement.dataset.act === 'pause'");
        press(Keys.ENTER);
        browser.await("#confirm");
        assertEquals("pause-millis", browser.script("return document.activeElement.id"));
        press("5"); // as in 5 minutes
        tabTo("document.activeElement.id === 'pause-reason'");
        press("maintenance");
        tabTo("document.activeElement.id === 'confirm-do'");
        press(Keys.ENTER);
        browser.awaitText("#told", "Paused 'deploy' for 300 s: maintenance.");
        browser.awaitText("#why", "Paused by holdfast@");
        assertEquals("pause", browser.script("return document.activeElement.dataset.act"));
        tabTo("document.activeElement.dataset.act === 'resume'");
        press(Keys.ENTER);
        browser.await("#confirm");
        tabTo("document.activeElement.id === 'confirm-do'");
        press(Keys.ENTER);
        browser.awaitText("#told", "Ended the pause of 'deploy'.");
        browser.awaitText("#why", "No client holds it.");
        assertEquals("pause", browser.script("return document.activeElement.dataset.act"), "the other one has gone");
        assertNothingIsBlockedOrBroken();
    }

    private static void tabTo(String condition) {
        for (int i = 0; i < 20 && !Boolean.TRUE.equals(browser.script("return " + condition)); i++) {
            press(Keys.TAB);
        }
        assertEquals(true, browser.script("return " + condition), condition);
    }

    @Test
    void once_underWayAndDone_isToldAsWork() throws Exception {
        Once once = billing.once("invoice/4711");
        Lease lease = ((Attempt.Obtained<Lease>) once.attempt(Wait.none())).lease();
        open(true);
        browser.view("#/lock/once/invoice%2F4711");
        browser.awaitText("#why", "Being done by billing@");
        browser.awaitText("#shares-title", "Being done by");
        once.finish(lease, "sent as 17");
        browser.awaitText("#shares-title", "Done by");
        browser.awaitText("#view-lock", "sent as 17");
        // Clients report no records: one is listed as long as its page is open somewhere.
        browser.script("setInterval(() => fetch('api/lock?kind=once&name=invoice/4711').catch(() => {}), 500)");
        browser.view("#/");
        browser.awaitText("#locks [data-id='once:invoice/4711'] .c-holder", "done by");
        browser.awaitText("#locks [data-id='once:invoice/4711'] .c-holder", "billing@");
        browser.view("#/lock/once/invoice%2F4711");
        browser.awaitText("#shares-title", "Done by");
        browser.click("[data-act=release]");
        browser.await("#confirm");
        assertTrue(browser.text("#confirm-words").contains("has recorded for the work done once 'invoice/4711'"));
        browser.click("#confirm-do");
        browser.awaitText("#told", "Removed the result of work 'invoice/4711'.");
        browser.awaitText("#why", "No client works on it, and no result is recorded.");
        assertNothingIsBlockedOrBroken();
    }

    // ---- what must not happen

    @Test
    void names_thatAreHostile_areShownAsTheyAreAndDoNothing() throws Exception {
        String name = "<img src=x onerror=\"document.title='owned'\">'\u202egnp.exe";
        Lease lease = billing.lock(
                        name,
                        LockOptions.defaults()
                                .withMetadata(
                                        Map.of("<b onclick=x>", "</script><script>document.title='owned'</script>")))
                .acquire();
        CompletableFuture<Lease> waiting =
                shipping.lock(name).withActor("<svg onload=x>").acquireAsync(Wait.forever());
        open(true);
        browser.awaitText("#locks", "'\\u202egnp.exe");
        browser.view(lockView(name));
        browser.awaitText("#view-lock", "<b onclick=x>");
        browser.awaitText("#view-lock", "<svg onload=x>");
        browser.view("#/waits");
        browser.awaitText("#view-waits", "onerror");
        browser.view("#/events");
        browser.await("#view-events");
        assertEquals(
                0L,
                browser.script(
                        "return document.querySelectorAll('main img, main script, main b, main svg[onload]').length"));
        assertFalse(String.valueOf(browser.driver.getTitle()).contains("owned"));
        assertNothingIsBlockedOrBroken();
        lease.release();
        get(waiting).release();
    }

    @Test
    void server_goneAndBack_isSaidAndThePageGoesOn() throws Exception {
        Lease lease = billing.lock("deploy").acquire();
        open(false);
        browser.awaitText("#locks", "deploy");
        stage.server.kill();
        browser.awaitText("#banner", "has not been reachable since");
        browser.awaitText("#locks", "deploy");
        stage.server.restart();
        browser.await(
                "the banner goes",
                () -> !browser.driver.findElement(By.id("banner")).isDisplayed());
        browser.awaitText("[data-total=held]", "0");
        assertFalse(lease.isHeldOnServer());
    }

    /** A browser has six connections for a server: pages that nobody sees must leave them to those that are seen. */
    @Test
    void page_thatNobodySees_endsItsStream_andGoesOnWhenItIsSeenAgain() throws Exception {
        DashboardServer server = open(false);
        assertEquals(1, server.streams());
        String page = browser.driver.getWindowHandle();
        browser.driver.switchTo().newWindow(WindowType.TAB);
        try {
            browser.await("the end of the stream", () -> server.streams() == 0);
        } finally {
            browser.driver.close();
            browser.driver.switchTo().window(page);
        }
        try (Lease lease = billing.lock("meanwhile").acquire()) {
            browser.awaitText("#locks", "meanwhile");
            assertFalse(browser.driver.findElement(By.id("banner")).isDisplayed(), "nothing was wrong");
            assertTrue(lease.isValid());
        }
        assertNothingIsBlockedOrBroken();
    }

    @Test
    void dashboard_gone_isSaid() throws Exception {
        DashboardServer server = open(false);
        server.close();
        browser.awaitText("#banner", "has not answered since");
    }

    @Test
    void narrowAndWide_lightAndDark_everythingFits() throws Exception {
        Lease lease = billing.lock("a/rather/long/name/of/a/lock/that/does/not/fit/on/a/phone/at/all")
                .acquire();
        CompletableFuture<Lease> waiting = shipping.lock(lease.name()).acquireAsync(Wait.forever());
        billing.admin().pause(lease.name(), Duration.ofHours(1), "a-reason-without-a-space-".repeat(10));
        open(true);
        for (int width : List.of(360, 1280, 2560)) {
            browser.resize(width, 900);
            browser.dark(width == 1280);
            for (String view : List.of("#/", lockView(lease.name()), "#/waits", "#/clients", "#/events")) {
                browser.view(view);
                browser.await("main h1");
                browser.await(
                        view + " fits into " + width,
                        () -> Boolean.TRUE.equals(
                                browser.script("return document.documentElement.scrollWidth <= window.innerWidth")));
            }
        }
        billing.admin().resume(lease.name());
        lease.release();
        get(waiting).release();
    }

    @Test
    void keyboard_alone_leadsFromTheOverviewToALock() throws Exception {
        Lease lease = billing.lock("deploy").acquire();
        open(false);
        browser.awaitText("#locks", "deploy");
        WebElement search = browser.await("#search");
        search.sendKeys("dep");
        for (int i = 0; i < 40 && !onALock(); i++) {
            browser.driver.switchTo().activeElement().sendKeys(Keys.TAB);
        }
        assertTrue(onALock(), "the lock's link comes after the search");
        browser.driver.switchTo().activeElement().sendKeys(Keys.ENTER);
        browser.awaitText("#why", "Held by billing@");
        lease.release();
    }

    private static boolean onALock() {
        return Boolean.TRUE.equals(
                browser.script("return document.activeElement.getAttribute('href') === '#/lock/lock/deploy'"));
    }

    @Test
    void password_askedFor_opensThePage() throws Exception {
        DashboardServer server =
                stage.dashboard(DashboardServer.Options.defaults().withPassword("correct horse"));
        browser.open(server.address());
        browser.await("#password").sendKeys("correct horse", Keys.ENTER);
        browser.await("#view-overview");
        assertNothingIsBlockedOrBroken();
    }

    // ---- pictures for the documents, and that a full page can be made at all

    @Test
    void pictures_ofABusyServer_areMade() throws Exception {
        List<Lease> leases = new ArrayList<>();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        DashboardServer server = stage.dashboard(true);
        Page watching = Page.open(server);
        try (Page.Stream stream = watching.new Stream()) { // so that it sees what follows
            stream.next();
            Holdfast reports = stage.application("reports");
            leases.add(billing.lock(
                            "invoice/42",
                            LockOptions.defaults().withStrictOrder().withMetadata(Map.of("ticket", "OPS-7")))
                    .withActor("worker-3")
                    .acquire());
            leases.add(billing.lock("invoice/43").withActor("worker-4").acquire());
            leases.add(reports.lock("nightly/report").withActor("main").acquire());
            leases.add(reports.readWriteLock("ledger").read().withActor("main").acquire());
            leases.add(
                    shipping.readWriteLock("ledger").read().withActor("label-1").acquire());
            leases.add(shipping.semaphore("printer", 3)
                    .permits(2)
                    .withActor("label-2")
                    .acquire());
            for (int i = 1; i <= 4; i++) {
                waiting.add(shipping.lock("invoice/42").withActor("label-" + i).acquireAsync(Wait.forever()));
            }
            waiting.add(
                    billing.readWriteLock("ledger").write().withActor("closing").acquireAsync(Wait.forever()));
            stream.next(event -> event.getAsJsonObject("totals").get("waiting").getAsInt() == 5);
        }
        browser.open(server.address());
        browser.awaitText("[data-total=waiting]", "5");
        browser.picture("dashboard-overview");
        browser.dark(true);
        browser.view(lockView("invoice/42"));
        browser.awaitText("#why", "Held by billing@");
        browser.awaitText("#view-lock", "label-4");
        browser.picture("dashboard-lock");
        leases.forEach(Lease::release);
        for (CompletableFuture<Lease> each : waiting) {
            get(each).release();
        }
    }
}
