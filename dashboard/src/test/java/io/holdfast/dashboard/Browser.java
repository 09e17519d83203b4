package io.holdfast.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** A real Chromium, where there is one. */
final class Browser implements AutoCloseable {
    /** Set to {@code required} where a missing browser is a fault of the machine and not a reason to leave tests out. */
    private static final String WANTED = "HOLDFAST_BROWSER";

    /** A folder for pictures of the pages; without it none are made. */
    private static final String PICTURES = "holdfast.screenshots";

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    /** Starts one; the test is left out, with the reason, where there is none. */
    static Browser start() {
        Path browser = found("chromium", "google-chrome", "chromium-browser");
        Path operator = found("chromedriver");
        if (browser == null || operator == null) {
            String reason =
                    "there is no Chromium with its chromedriver on this machine (Debian: apt-get install chromium"
                            + " chromium-driver)";
            if ("required".equals(System.getenv(WANTED))) {
                Assertions.fail(reason);
            }
            Assumptions.abort(reason);
            throw new IllegalStateException(reason);
        }
        ChromeOptions options = new ChromeOptions();
        options.setBinary(browser.toFile());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--lang=en",
                "--window-size=1280,900");
        options.setCapability("goog:loggingPrefs", Map.of("browser", "ALL"));
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(operator.toFile())
                .build();
        return new Browser(new ChromeDriver(service, options));
    }

    private static @Nullable Path found(String... names) {
        for (String folder : String.valueOf(System.getenv("PATH")).split(":", -1)) {
            for (String name : names) {
                Path file = Path.of(folder, name);
                if (Files.isExecutable(file)) {
                    return file;
                }
            }
        }
        return null;
    }

    void open(String address) {
        driver.get(address);
    }

    /** A view of the page that is open. */
    void view(String hash) {
        script("location.hash = arguments[0]", hash);
    }

    @Nullable
    Object script(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Waits until something is true of the page, which changes under our hands. */
    void await(String what, Supplier<Boolean> condition) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!isTrue(condition)) {
            if (System.nanoTime() > end) {
                Assertions.fail(what + " in vain; the page says:\n" + text("body"));
            }
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** What it looked at may be gone by now, since the page goes on. */
    private static boolean isTrue(Supplier<Boolean> condition) {
        try {
            return condition.get();
        } catch (StaleElementReferenceException e) {
            return false;
        }
    }

    WebElement await(String selector) {
        await(selector + " is shown", () -> all(selector).stream().anyMatch(WebElement::isDisplayed));
        return driver.findElement(By.cssSelector(selector));
    }

    List<WebElement> all(String selector) {
        return driver.findElements(By.cssSelector(selector));
    }

    /** What a part of the page says; empty if it is not there. */
    String text(String selector) {
        Object text = script(
                "const node = document.querySelector(arguments[0]); return node ? node.innerText : ''", selector);
        return String.valueOf(text);
    }

    void awaitText(String selector, String words) {
        await("'" + words + "' in " + selector, () -> text(selector).contains(words));
    }

    void click(String selector) {
        await(selector).click();
    }

    /** Does what a button is for: it asks once more first. */
    void act(String selector, String told) {
        click(selector);
        await("#confirm");
        Assertions.assertEquals("confirm-cancel", script("return document.activeElement.id"), "what Enter would do");
        click("#confirm-do");
        awaitText("#told", told);
    }

    void resize(int width, int height) {
        // Not the window, which has a least width of its own.
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
        await("a width of " + width, () -> Long.valueOf(width).equals(script("return window.innerWidth")));
    }

    void dark(boolean dark) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", dark ? "dark" : "light"))));
    }

    /** A picture for the documents. */
    void picture(String name) {
        String folder = System.getProperty(PICTURES);
        if (folder != null) {
            try {
                Files.createDirectories(Path.of(folder));
                Files.write(Path.of(folder, name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    @Override
    public void close() {
        driver.quit();
    }
}
