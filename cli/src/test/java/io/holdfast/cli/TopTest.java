package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.LockFigures;
import io.holdfast.LockFigures.Times;
import io.holdfast.LockInfo;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code holdfast top}. */
final class TopTest {
    private static LockInfo lock(String name, int waiters, int heldSeconds) {
        Holder holder = new Holder(
                "c.1", 1, "app", "host", "1", "main", Map.of(), Instant.now().minusSeconds(heldSeconds));
        return new LockInfo(
                name,
                LockInfo.Kind.LOCK,
                heldSeconds < 0 ? Optional.empty() : Optional.of(holder),
                true,
                Duration.ofSeconds(30),
                Duration.ofSeconds(20),
                waiters,
                List.of());
    }

    @Test
    void sorted_hasThoseFirstThatMostWaitFor_thenThoseHeldLongest() {
        List<LockInfo> sorted = Top.sorted(List.of(
                lock("young", 0, 5),
                lock("old", 0, 500),
                lock("wanted", 3, 1),
                lock("free", 1, -1),
                lock("also wanted", 3, 10),
                lock("one", 1, 1)));
        assertEquals(
                List.of("also wanted", "wanted", "one", "free", "old", "young"),
                sorted.stream().map(LockInfo::name).toList());
        Times holds = new Times(3, Duration.ofMillis(900), Duration.ofMillis(400), List.of());
        LockFigures counted = new LockFigures(Times.NONE, holds, 0, 0, 0, 0, 0, 0);
        String page = Top.page(sorted, Map.of(new LockInfo.Named("free", LockInfo.Kind.LOCK), counted), Instant.now());
        assertTrue(page.lines().findFirst().orElseThrow().endsWith("  5 locks held, 8 requests waiting"), page);
        assertTrue(page.lines().anyMatch(line -> line.matches("1 +free +nobody +3 +300ms +400ms")), page);
    }

    @Test
    void frame_fitsTheTerminal_andSwitchesNothing() {
        String frame = Screen.frame("first\n" + "wide".repeat(5) + "\nthird\nfourth\n", new Screen.Size(4, 10));
        assertEquals("\u001b[Hfirst\u001b[K\nwidewidewi\u001b[K\nthird\u001b[K\n\u001b[J", frame);
        assertEquals("\u001b[H日本\u001b[K\n\u001b[J", Screen.frame("日本語\n", new Screen.Size(4, 5)));
    }

    @ParameterizedTest
    @CsvSource({"50 132,50,132", "'50 132\n',50,132", "0 0,24,80", "'',24,80", "no tty,24,80"})
    void size_isWhatSttySays_orTheUsualOne(String text, int rows, int columns) {
        assertEquals(new Screen.Size(rows, columns), Screen.Size.parse(text));
    }

    @Test
    void screen_onATerminal_writesOverThePageBefore_elsewhereBelowIt() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Screen plain = new Screen(new PrintStream(out, true, StandardCharsets.UTF_8), false);
        assertTrue(plain.show("a\n"));
        assertTrue(plain.show("b\n"));
        plain.end();
        assertEquals("a\n\nb\n", out.toString(StandardCharsets.UTF_8));
        out.reset();
        Screen terminal = new Screen(new PrintStream(out, true, StandardCharsets.UTF_8), true);
        assertTrue(terminal.show("a\n"));
        terminal.end();
        assertEquals("\u001b[Ha\u001b[K\n\u001b[J\n", out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void top_withoutATerminal_repeatsPlainPages_untilCtrlC_whichIs0() throws Exception {
        try (RedisServer server = RedisServer.start();
                Holdfast client = Holdfast.connect(server.url(), EachQueued.OPTIONS)) {
            client.lock("deploy").acquire();
            var waiter = client.lock("deploy").acquireAsync(Wait.forever());
            Launched.await("a waiter", () -> client.inspect().isQueued("deploy"));
            try (Launched top = Launched.holdfast("top", "--interval", "100ms", "--url", server.url())) {
                top.awaitOut("1 lock held, 1 request waiting\nWAITING  LOCK ");
                waiter.cancel(false);
                top.awaitOut("1 lock held, 0 requests waiting\n");
                top.signal("INT");
                assertEquals(0, top.status());
                assertFalse(top.out().contains("\u001b"), top.out());
                assertEquals("", top.err());
            }
            try (Launched top = Launched.holdfast("top", "--interval", "1h", "--url", server.url())) {
                top.awaitOut("held");
                top.signal("TERM");
                assertEquals(143, top.status(), "also in the midst of a pause");
            }
        }
    }

    @Test
    void top_withAServerThatGoesAndComesBack_goesOn() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched top = Launched.holdfast("top", "--interval", "100ms", "--url", server.url())) {
            top.awaitOut("0 locks held");
            server.kill();
            top.awaitOut("127.0.0.1:" + server.port());
            int told = top.out().length();
            server.restart();
            Launched.await("it to be back", () -> top.out().indexOf("0 locks held", told) > 0);
            top.signal("INT");
            assertEquals(0, top.status());
            assertEquals("", top.err());
        }
    }

    @Test
    void top_whoseReaderHasGone_ends() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched top = Launched.start(
                        Map.of(),
                        List.of(
                                "sh",
                                "-c",
                                "\"$0\" -cp \"$1\" io.holdfast.cli.Main top --interval 100ms --url \"$2\" | head -n 1",
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                Launched.classPath(),
                                server.url()))) {
            assertEquals(0, top.status());
            assertEquals(1, top.out().lines().count());
        }
    }

    @Test
    void top_once_isOnePage_orOneDocument() {
        try (RedisServer server = RedisServer.start()) {
            assertTrue(Said.by(server, "top", "--once").out().endsWith("  0 locks held, 0 requests waiting\n"));
            assertEquals(
                    0,
                    Said.by(server, "top", "--json")
                            .json()
                            .getAsJsonArray("locks")
                            .size());
            assertEquals(
                    64, Said.by(server, "top", "--once", "--interval", "1s").status());
            assertEquals(64, Said.by(server, "top", "--interval", "1ms").status());
        }
    }
}
