package io.holdfast.dashboard;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.Holdfast;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;

/** The page in a real browser, of a server with two applications. */
abstract class PageInBrowser {
    @SuppressWarnings("NullAway.Init") // before all tests
    static Browser browser;

    Stage stage;
    Holdfast billing;
    Holdfast shipping;

    @BeforeAll
    static void startBrowser() {
        browser = Browser.start();
    }

    @AfterAll
    static void stopBrowser() {
        if (browser != null) {
            browser.close();
        }
    }

    @BeforeEach
    void start() {
        stage = new Stage();
        billing = stage.application("billing");
        shipping = stage.application("shipping");
        browser.resize(1280, 900);
        browser.dark(false);
    }

    @AfterEach
    void stop() throws Exception {
        stage.close();
    }

    DashboardServer open(boolean changes) throws Exception {
        DashboardServer server = stage.dashboard(changes);
        browser.open(server.address());
        browser.await("#view-overview");
        browser.await("a picture", () -> browser.script("return document.body.dataset.picture") != null);
        return server;
    }

    static String lockView(String name) {
        return "#/lock/lock/" + URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
    }

    static void assertNothingIsBlockedOrBroken() {
        List<LogEntry> entries = new ArrayList<>();
        for (LogEntry each : browser.driver.manage().logs().get(LogType.BROWSER)) {
            // Requests that fail while the dashboard or its server is away are logged by the browser itself.
            boolean serious = each.getLevel().intValue() >= Level.WARNING.intValue();
            if (serious
                    && !each.getMessage().contains("net::ERR_")
                    && !each.getMessage().contains("status of 401")) {
                entries.add(each);
            }
        }
        assertEquals(List.of(), entries);
    }

    static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(20, TimeUnit.SECONDS);
    }

    static void press(CharSequence keys) {
        browser.driver.switchTo().activeElement().sendKeys(keys);
    }
}
