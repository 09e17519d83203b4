package io.holdfast.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** What the page is as a tool: addresses to keep, keys, files, a name for the environment, values under the pointer. */
final class BrowserToolTest extends PageInBrowser {
    @Test
    void overview_whatIsLookedFor_standsInTheAddress() throws Exception {
        Lease held = billing.lock("deploy").acquire();
        Lease other = billing.semaphore("convert", 2).acquire();
        open(false);
        browser.awaitText("#locks", "convert");
        browser.view("#/?name=dep&sort=since&down=yes");
        browser.await("one row", () -> browser.all("#locks [data-id]").size() == 1);
        assertEquals("dep", browser.script("return document.getElementById('search').value"));
        assertEquals(
                "descending", browser.script("return document.querySelector('.c-since').getAttribute('aria-sort')"));
        browser.driver.findElement(By.id("search")).sendKeys("loy");
        browser.await(
                "the address follows", () -> browser.driver.getCurrentUrl().contains("name=deploy&"));
        browser.view("#/");
        browser.await(
                "it stays when one comes back",
                () -> browser.driver.getCurrentUrl().endsWith("#/?name=deploy&sort=since&down=yes"));
        browser.click("[data-total=held] a");
        browser.await(
                "a figure is a link", () -> browser.all("#locks [data-id]").size() == 2);
        assertNothingIsBlockedOrBroken();
        held.release();
        other.release();
    }

    @Test
    void slash_anywhere_leadsToTheSearch() throws Exception {
        Lease held = billing.lock("deploy").acquire();
        open(false);
        browser.view(lockView("deploy"));
        browser.awaitText("#view-lock", "Held by");
        press("/");
        browser.await("the search", () -> "search".equals(browser.script("return document.activeElement.id")));
        assertEquals("", browser.script("return document.activeElement.value"), "the key itself is not typed");
        held.release();
    }

    @Test
    void saved_namesOfOthers_areNoFormulas() throws Exception {
        Lease held = billing.lock("=1+1,\"x\"").acquire();
        open(false);
        browser.awaitText("#locks", "=1+1");
        browser.script(
                "URL.createObjectURL = blob => { blob.text().then(words => { window.saved = words; }); return '#'; };");
        browser.click(".export");
        browser.await("the file", () -> browser.script("return window.saved ?? null") != null);
        String saved = String.valueOf(browser.script("return window.saved"));
        assertTrue(saved.contains("\"'=1+1,\"\"x\"\"\",\"lock\",\"billing@"), saved);
        assertNothingIsBlockedOrBroken();
        held.release();
    }

    @Test
    void environment_thatHasAName_isShownAboveThePage() throws Exception {
        browser.open(
                stage.dashboard(DashboardServer.Options.defaults().withEnvironment("production", Dashboard.Colour.RED))
                        .address());
        browser.awaitText("#environment", "production");
        assertEquals("red", browser.script("return document.body.dataset.colour"));
    }

    @Test
    void plot_valuesUnderThePointer_areTold() throws Exception {
        Lease held = billing.lock("deploy").acquire();
        open(false);
        browser.view(lockView("deploy"));
        browser.await("the strip", () -> !browser.all(".plot .plot-even").isEmpty());
        browser.script("const box = document.querySelector('.plot').getBoundingClientRect();"
                + " document.querySelector('.plot').dispatchEvent(new PointerEvent('pointermove',"
                + " {clientX: box.right - 10, clientY: box.top + 20, bubbles: true}));");
        browser.awaitText(".plot-at", "0 waiting at most; 0 handoffs; held by billing@");
        held.release();
    }

    @Test
    void waits_aRingOfThree_isSeenAsAWhole() throws Exception {
        List<Holdfast> clients = List.of(billing, shipping, stage.application("reports"));
        List<Lease> held = new ArrayList<>();
        List<CompletableFuture<Lease>> waiting = new ArrayList<>();
        for (int i = 0; i < clients.size(); i++) {
            held.add(clients.get(i).lock("account/" + i).withActor("transfer").acquire());
        }
        for (int i = 0; i < clients.size(); i++) {
            waiting.add(clients.get(i)
                    .lock("account/" + (i + 1) % clients.size())
                    .withActor("transfer")
                    .acquireAsync(Wait.forever()));
        }
        browser.resize(1280, 900);
        open(true);
        browser.view("#/waits");
        browser.awaitText("#view-waits .deadlock", "recommended");
        browser.picture("ring");
        assertEquals(1, browser.all("#view-waits .deadlock strong + button").size());
        assertEquals(
                true,
                browser.script("const image = document.querySelector('#view-waits svg');"
                        + " return image.getBoundingClientRect().width <= image.parentNode.clientWidth;"));
        waiting.forEach(each -> each.cancel(false));
        held.forEach(Lease::release);
    }
}
