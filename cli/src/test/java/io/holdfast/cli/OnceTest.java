package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.contracts.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is run once, or once in each slot of time. */
final class OnceTest {
    private final RedisServer server = RedisServer.start();
    private final Holdfast client = Holdfast.connect(server.url());

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private Launched run(String... arguments) throws Exception {
        return Launched.run(server, arguments);
    }

    private Said said(String line) {
        return Said.by(server, line.split(" ", -1));
    }

    @Test
    void once_afterARun_runsNothingAndSaysBy() throws Exception {
        try (Launched first = run("migrate", "--once", "--", "echo", "ran")) {
            assertEquals(0, first.status());
            assertEquals("ran\n", first.out());
        }
        try (Launched second = run("migrate", "--once", "--", "echo", "ran");
                Launched quiet = run("migrate", "--once", "-q", "--", "echo", "ran")) {
            assertEquals(0, second.status());
            assertEquals("", second.out());
            assertTrue(second.err().contains("'migrate' was done by echo@"), second.err());
            assertEquals(0, quiet.status());
            assertEquals("", quiet.out() + quiet.err());
        }
        assertTrue(said("info migrate --kind once").out().contains("done by echo@"));
        assertEquals(0, said("release migrate --kind once --yes").status());
        assertTrue(client.once("migrate").result().isEmpty());
    }

    @Test
    void once_commandFails_isRunAgain() throws Exception {
        try (Launched failing = run("migrate", "--once", "--", "sh", "-c", "exit 3")) {
            assertEquals(3, failing.status());
        }
        assertTrue(client.once("migrate").result().isEmpty());
        try (Launched again = run("migrate", "--once", "--keep", "30d", "--", "echo", "ran")) {
            assertEquals(0, again.status());
            assertEquals("ran\n", again.out());
        }
        assertEquals("status 0", client.once("migrate").result().orElseThrow().text());
    }

    @Test
    void once_failsAsOftenAsItMay_isGivenUp() throws Exception {
        for (int i = 0; i < 2; i++) {
            try (Launched failing = run("migrate", "--once", "--tries", "2", "--", "sh", "-c", "exit 3")) {
                assertEquals(3, failing.status());
            }
        }
        try (Launched third = run("migrate", "--once", "--tries", "2", "--", "echo", "ran")) {
            assertEquals(77, third.status());
            assertEquals("", third.out());
            assertTrue(third.err().contains("'migrate' was given up after 2 tries: status 3 (sh@"), third.err());
        }
        assertTrue(said("info migrate --kind once").out().contains("given up after 2 tries: status 3"));
        assertEquals(0, said("release migrate --kind once --yes").status());
        try (Launched again = run("migrate", "--once", "--tries", "2", "--", "echo", "ran")) {
            assertEquals(0, again.status());
            assertEquals("ran\n", again.out());
        }
    }

    @Test
    void once_waitsForAnother_endsWithIt() throws Exception {
        try (Launched first = run("migrate", "--once", "--", "sh", "-c", "echo begun; read line")) {
            first.awaitOut("begun");
            try (Launched second = run("migrate", "--once", "--", "echo", "ran");
                    Launched impatient = run("migrate", "--once", "--try", "--", "echo", "ran")) {
                assertEquals(75, impatient.status());
                Launched.await(
                        "one waits",
                        () -> client.inspect().of(LockInfo.Kind.ONCE).isQueued("migrate"));
                first.line("");
                assertEquals(0, first.status());
                assertEquals(0, second.status());
                assertEquals("", second.out());
            }
        }
    }

    @Test
    void oncePer_ofThreeRuns_runsOneAndTheOthersEndWith0() throws Exception {
        int ran = 0;
        for (int i = 0; i < 3; i++) {
            try (Launched job = run("report", "--once-per", "365d", "--try", "--", "echo", "ran")) {
                assertEquals(0, job.status());
                ran += job.out().equals("ran\n") ? 1 : 0;
            }
        }
        assertEquals(1, ran);
        try (Launched daily = run("report", "--once-per", "day", "--", "echo", "ran")) {
            assertEquals(0, daily.status());
            assertEquals("ran\n", daily.out());
        }
        assertTrue(said("ls --kind once --scan").out().contains("report@"));
    }

    @Test
    void once_optionsThatContradict_areRefused() throws Exception {
        for (String[] wrong : new String[][] {
            {"a", "--once", "--once-per", "1h"},
            {"a", "--once", "--read"},
            {"a", "--once", "--also", "b"},
            {"a", "--once-per", "1h", "--min-hold", "1s"},
            {"a", "--once-per", "1ms"},
            {"a", "--keep", "1h"},
            {"a", "--tries", "2"},
            {"a", "--once", "--tries", "0"}
        }) {
            List<String> words = new ArrayList<>(List.of(wrong));
            words.addAll(List.of("--", "true"));
            try (Launched refused = run(words.toArray(String[]::new))) {
                assertEquals(64, refused.status(), String.join(" ", wrong));
            }
        }
    }
}
