package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockInfo;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spi.Reply;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code holdfast demo}. */
final class DemoTest {
    private static final Pattern PREFIX = Pattern.compile("under the prefix '(demo-\\d+)'");

    @Test
    void demo_untilCtrlC_playsAllPartsAndLeavesNothing() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched demo = Launched.holdfast("demo", "--url", server.url())) {
            demo.awaitOut("What happens:");
            Matcher prefix = PREFIX.matcher(demo.out());
            assertTrue(prefix.find(), demo.out());
            assertTrue(demo.out().contains("http://127.0.0.1:"), demo.out());
            try (Holdfast looking =
                    Holdfast.connect(server.url(), HoldfastOptions.defaults().withPrefix(prefix.group(1)))) {
                for (String held : new String[] {"invoice/42", "order/7"}) {
                    Launched.await(held, () -> looking.inspect().isLocked(held));
                }
                demo.awaitOut("reports leads the election");
                demo.awaitOut("has made the report of this slot");
                demo.awaitOut("the process that held 'order/7' was killed");
                demo.awaitOut("orders has 'order/7' now");
                demo.awaitOut("a deadlock was broken");
                assertTrue(Said.by("ls", "--url", server.url(), "--prefix", prefix.group(1))
                        .out()
                        .contains("invoice/42"));
                demo.signal("INT");
                assertEquals(0, demo.status());
                for (LockInfo.Kind kind : LockInfo.Kind.values()) {
                    Launched.await(
                            "all " + kind + " are free",
                            () -> looking.inspect()
                                    .of(kind)
                                    .scanning()
                                    .locks()
                                    .allMatch(lock -> lock.shares().stream()
                                            .allMatch(share -> share.holder().resting())));
                }
            }
            for (Reply key : server.command("KEYS", "*").asList()) {
                assertTrue(server.command("PTTL", key.asString()).asLong() > 0, key + " expires");
            }
        }
    }

    @Test
    void demo_forATime_endsByItself() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched demo = Launched.holdfast("demo", "--url", server.url(), "--for", "1s", "--json")) {
            assertEquals(0, demo.status());
            assertTrue(demo.out().contains("\"prefix\": \"demo-"), demo.out());
            assertFalse(demo.out().contains("What happens"), demo.out());
        }
        assertEquals(ExitStatus.USAGE, Said.by("demo", "--prefix", "mine").status());
    }
}
