package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.testkit.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code holdfast ls} and {@code holdfast info}. */
final class LookTest {
    private static Launched command(RedisServer server, String... words) {
        return Launched.holdfast(Map.of("HOLDFAST_URL", server.url(), "TZ", "UTC"), words);
    }

    @Test
    void ls_withoutLocks_saysSo() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched ls = command(server, "ls")) {
            assertEquals(0, ls.status());
            assertEquals("No lock is held.\n", ls.out());
            assertEquals("", ls.err());
        }
    }

    @Test
    void ls_alignsColumns_sortsByName_andKeepsTerminalsSafe() throws Exception {
        HoldfastOptions options = HoldfastOptions.defaults().withApplication("bill\u001b[2Jing");
        try (RedisServer server = RedisServer.start();
                Holdfast client = Holdfast.connect(server.url(), options)) {
            Lease long1 = client.lock("zoo").acquire();
            Lease short1 = client.lock("a rather long name\n").acquire();
            client.lock("cron", LockOptions.defaults().withShortestHold(Duration.ofHours(2)))
                    .acquire()
                    .release();
            var unused = client.lock("zoo").acquireAsync(Wait.forever());
            Launched.await("a waiter", () -> client.inspect().lock("zoo").waiters() == 1);
            try (Launched ls = command(server, "ls")) {
                assertEquals(0, ls.status());
                List<String> lines = ls.out().lines().toList();
                assertEquals(4, lines.size(), ls.out());
                assertTrue(lines.get(0).matches("LOCK +HELD BY +PID +SINCE +AGE +LEFT +TOKEN +WAITING"), ls.out());
                String who =
                        "bill\\\\u001b\\[2Jing@\\S+ +" + ProcessHandle.current().pid();
                String when = " +\\d\\d:\\d\\d:\\d\\d +\\d+m?s +";
                assertTrue(
                        lines.get(1)
                                .matches("a rather long name\\\\u000a  " + who + when + "\\d+s +" + short1.token()
                                        + " +0"),
                        ls.out());
                assertTrue(
                        lines.get(2).matches("cron +nobody, rests after " + who + when + "1h 59m +\\d+ +0"), ls.out());
                assertTrue(lines.get(3).matches("zoo +" + who + when + "\\d+s +" + long1.token() + " +1"), ls.out());
                int column = lines.get(0).indexOf("PID");
                for (String line : lines.subList(1, 4)) {
                    assertTrue(Character.isDigit(line.charAt(column)) && line.charAt(column - 1) == ' ', ls.out());
                }
            }
        }
    }

    @Test
    void info_showsHolderAndQueue() throws Exception {
        HoldfastOptions options = HoldfastOptions.defaults().withApplication("billing");
        try (RedisServer server = RedisServer.start();
                Holdfast client = Holdfast.connect(server.url(), options)) {
            Lease lease = client.lock("zoo").acquire();
            var first = client.lock("zoo").acquireAsync(Wait.forever());
            Launched.await("a waiter", () -> client.inspect().lock("zoo").waiters() == 1);
            var second = client.lock("zoo").acquireAsync(Wait.forever());
            Launched.await("another", () -> client.inspect().lock("zoo").waiters() == 2);
            try (Launched info = command(server, "info", "zoo")) {
                assertEquals(0, info.status());
                String pid = Long.toString(ProcessHandle.current().pid());
                String since = "\\d\\d:\\d\\d:\\d\\d \\(\\d+m?s ago\\)";
                assertTrue(
                        info.out()
                                .matches("lock     zoo\n"
                                        + "held by  billing@\\S+, pid " + pid + "\n"
                                        + "since    " + since + "\n"
                                        + "term     30s, \\d+s left unless renewed\n"
                                        + "token    " + lease.token() + "\n"
                                        + "\n"
                                        + "   WAITING +PID +SINCE\n"
                                        + "1  billing@\\S+ +" + pid + " +" + since + "\n"
                                        + "2  billing@\\S+ +" + pid + " +" + since + "\n"),
                        info.out());
            }
            first.cancel(false);
            second.cancel(false);
        }
    }

    @Test
    void info_ofAFreeLock_saysSo() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched info = command(server, "info", "nobody's")) {
            assertEquals(0, info.status());
            assertEquals("Nobody holds 'nobody's'.\n", info.out());
        }
    }

    @Test
    void look_withoutAServer_is69() throws Exception {
        try (Launched ls = Launched.holdfast("ls", "--url", "redis://127.0.0.1:1");
                Launched info = Launched.holdfast("info", "x", "--url", "redis://127.0.0.1:1")) {
            assertEquals(69, ls.status());
            assertEquals(69, info.status());
            assertEquals(1, ls.err().lines().count());
        }
    }
}
