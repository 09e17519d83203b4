package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
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
        HoldfastOptions options = EachQueued.OPTIONS.withApplication("bill\u001b[2J\u202eing");
        try (RedisServer server = RedisServer.start();
                Holdfast client = Holdfast.connect(server.url(), options)) {
            Lease long1 = client.lock("zoo").acquire();
            Lease short1 = client.lock("a rather long name\n").acquire();
            client.lock("cron", LockOptions.defaults().withMinHold(Duration.ofHours(2)))
                    .acquire()
                    .release();
            var unused = client.lock("zoo").acquireAsync(Wait.forever());
            Launched.await("a waiter", () -> client.inspect().lock("zoo").waiters() == 1);
            try (Launched ls = command(server, "ls")) {
                assertEquals(0, ls.status());
                List<String> lines = ls.out().lines().toList();
                assertEquals(4, lines.size(), ls.out());
                assertTrue(lines.get(0).matches("LOCK +HELD BY +PID +SINCE +AGE +LEFT +TOKEN +WAITING"), ls.out());
                String who = "bill\\\\u001b\\[2J\\\\u202eing@\\S+ +"
                        + ProcessHandle.current().pid();
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
    void prefix_ofAnApplication_isThatOfItsLocks_forEveryCommand() throws Exception {
        try (RedisServer server = RedisServer.start();
                Holdfast shop = Holdfast.connect(
                        server.url(), EachQueued.OPTIONS.withPrefix("shop").withApplication("checkout"))) {
            shop.lock("deploy").acquire();
            assertEquals("No lock is held.\n", Said.by(server, "ls").out());
            assertTrue(Said.by(server, "ls", "--prefix", "shop").out().contains("\ndeploy  checkout@"));
            assertEquals(1, Said.by(server, "why", "deploy", "--prefix=shop").status());
            assertTrue(Said.by(server, "info", "deploy", "--prefix=shop").out().contains("checkout@"));
            assertTrue(Said.by(server, "top", "--once", "--prefix=shop").out().contains("deploy"));
            assertTrue(Said.by(server, "clients", "--prefix=shop").out().contains("checkout@"));
            assertEquals(0, Said.by(server, "doctor", "--prefix=shop").status());
            assertEquals(
                    0,
                    Said.by(server, "extend", "deploy", "30m", "--prefix=shop").status());
            Map<String, String> variables = Map.of("HOLDFAST_URL", server.url(), "HOLDFAST_PREFIX", "shop");
            try (Launched run = Launched.holdfast(variables, "run", "deploy", "--try", "--", "echo", "ran");
                    Launched other = Launched.holdfast(variables, "ls", "--prefix", "hf");
                    Launched empty = Launched.holdfast(Map.of("HOLDFAST_PREFIX", ""), "ls")) {
                assertEquals(75, run.status());
                assertTrue(run.err().contains("held by checkout@"), run.err());
                assertEquals(0, other.status());
                assertEquals("No lock is held under the prefix 'hf'.\n", other.out());
                assertEquals(64, empty.status());
                assertTrue(empty.err().startsWith("holdfast: HOLDFAST_PREFIX: prefix has 0 characters"), empty.err());
            }
            assertTrue(Said.by(server, "release", "deploy", "--yes", "--prefix=shop")
                    .out()
                    .startsWith("Released 'deploy' of checkout@"));
            assertEquals(
                    "No dead waiter.\n",
                    Said.by(server, "clear", "--all", "--prefix", "shop").out());
        }
    }

    @Test
    void tables_fitTheTerminal_andArePipedWhole() throws Exception {
        String name = "n".repeat(300);
        try (RedisServer server = RedisServer.start();
                Holdfast client = Holdfast.connect(server.url(), EachQueued.OPTIONS)) {
            client.lock(name).acquire();
            client.lock("deploy").acquire();
            List<String> line = new ArrayList<>(Launched.line("ls", "--url", server.url()));
            Map<String, String> columns = Map.of("COLUMNS", "100");
            try (Launched piped = Launched.start(columns, line)) {
                assertEquals(0, piped.status());
                assertTrue(piped.out().contains(name), piped.out());
            }
            line.add(1, "-Dholdfast.terminal.output=true"); // as the launcher says it
            try (Launched ls = Launched.start(columns, line)) {
                assertEquals(0, ls.status());
                assertTrue(ls.out().lines().allMatch(each -> each.length() <= 100), ls.out());
                assertTrue(ls.out().lines().findFirst().orElseThrow().endsWith("  WAITING"), ls.out());
                assertTrue(ls.out().contains("\ndeploy  "), ls.out());
                assertTrue(ls.out().contains("n…  "), ls.out());
            }
        }
    }

    @Test
    void output_thatCannotBeWritten_is74_butNotForAReaderThatHasGone() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            List<String> shell = new ArrayList<>(List.of("sh", "-c", "exec \"$@\" >/dev/full", "sh"));
            shell.addAll(Launched.line("ls", "--json", "--url", server.url()));
            for (String command : List.of(
                    "exec \"$@\" >/dev/full", "exec \"$@\" >&-", "{ \"$@\"; echo $? >&2; } | true", "exec \"$@\"")) {
                shell.set(2, command);
                try (Launched ls = Launched.start(Map.of(), shell)) {
                    int status = ls.status();
                    if (command.contains("full")) {
                        assertEquals(74, status);
                        assertEquals(
                                "holdfast: standard output cannot be written: No space left on device\n", ls.err());
                    } else if (command.contains("-")) {
                        assertEquals(74, status);
                        assertTrue(ls.err().startsWith("holdfast: standard output cannot be written: "), ls.err());
                    } else if (command.contains("true")) {
                        assertEquals("0\n", ls.err());
                    } else {
                        assertEquals(0, status);
                        assertEquals("", ls.err());
                    }
                }
            }
        }
    }

    @Test
    void info_showsHolderAndQueue() throws Exception {
        HoldfastOptions options = EachQueued.OPTIONS.withApplication("billing");
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
                                        + "lease    30s, \\d+s left unless renewed\n"
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
    void ls_asADocument_hasTimesInUtc_lengthsInMillis_andAllThatOthersWrote() throws Exception {
        HoldfastOptions options = EachQueued.OPTIONS.withApplication("bill\u001b\"ing\u2028");
        try (RedisServer server = RedisServer.start();
                Holdfast client = Holdfast.connect(server.url(), options)) {
            String name = "größe\n\u0000\"\\😀";
            Lease lease = client.lock(name, LockOptions.defaults().withMetadata(Map.of("b", "2", "a", "1")))
                    .acquire();
            Said said = Said.by(server, "ls", "--json");
            assertEquals(0, said.status());
            assertEquals("", said.err());
            assertEquals(1, said.json().getAsJsonArray("locks").size());
            JsonObject lock = said.json().getAsJsonArray("locks").get(0).getAsJsonObject();
            assertEquals(
                    List.of(
                            "lock",
                            "state",
                            "holder",
                            "leaseDurationMillis",
                            "remainingMillis",
                            "endsAt",
                            "waiters",
                            "callers",
                            "kind",
                            "mode",
                            "used",
                            "limit",
                            "operatorLimit",
                            "pause",
                            "holders"),
                    List.copyOf(lock.keySet()));
            assertEquals(name, lock.get("lock").getAsString());
            assertEquals("held", lock.get("state").getAsString());
            assertEquals(30_000, lock.get("leaseDurationMillis").getAsLong());
            assertTrue(lock.get("endsAt").getAsString().endsWith("Z"), said.out());
            JsonObject holder = lock.getAsJsonObject("holder");
            assertEquals(
                    List.of(
                            "application",
                            "host",
                            "pid",
                            "actor",
                            "client",
                            "token",
                            "since",
                            "heldMillis",
                            "metadata"),
                    List.copyOf(holder.keySet()));
            assertEquals(options.application(), holder.get("application").getAsString());
            assertEquals(lease.token(), holder.get("token").getAsLong());
            assertEquals(client.id(), holder.get("client").getAsString());
            assertEquals(
                    client.inspect().lock(name).holder().orElseThrow().since(),
                    Instant.parse(holder.get("since").getAsString()));
            assertEquals("{\"a\":\"1\",\"b\":\"2\"}", holder.get("metadata").toString());
            assertEquals(
                    0,
                    Said.by(server, "info", name, "--json")
                            .json()
                            .getAsJsonArray("queue")
                            .size());
            assertTrue(Said.by(server, "info", name).out().endsWith("\nwith     a=1, b=2\n"));
            // In a locale that has no such characters, too: a document is UTF-8.
            try (Launched ls = Launched.holdfast(Map.of("LC_ALL", "C"), "ls", "--json", "--url", server.url())) {
                assertEquals(0, ls.status());
                assertEquals(
                        name,
                        Said.json(ls.out())
                                .getAsJsonArray("locks")
                                .get(0)
                                .getAsJsonObject()
                                .get("lock")
                                .getAsString());
            }
        }
    }

    @Test
    void ls_ofSeveralPages_tellsEachLockOnce_andThoseOnlyWaitedForWhereWanted() throws Exception {
        try (RedisServer server = RedisServer.start();
                Holdfast client = Holdfast.connect(server.url(), EachQueued.OPTIONS)) {
            for (int i = 0; i < 20; i++) {
                client.lock("lock-" + i).acquire();
            }
            // Somebody who cannot be told of his turn: nobody holds the lock, and yet it is waited for.
            server.command("ZADD", "hf:{orphan}:q", "1", "dead.1-1~s");
            server.command("HSET", "hf:{orphan}:d", "dead.1-1~s", "0 1 0 T 1000 0 30000 a/b/1/main", "@n:dead", "1");
            assertEquals(
                    21,
                    Said.by(server, "ls", "--scan", "--page", "1").out().lines().count());
            String queued =
                    Said.by(server, "ls", "--scan", "--page", "3", "--queued").out();
            assertEquals(22, queued.lines().count(), queued);
            assertTrue(queued.matches("(?s).*\norphan   nobody +1\n"), queued);
            JsonObject document =
                    Said.by(server, "ls", "--queued", "--scan", "--json").json();
            assertEquals(21, document.getAsJsonArray("locks").size());
            Said why = Said.by(server, "why", "orphan");
            assertEquals(0, why.status(), why.err());
            assertTrue(why.out().contains("all waiters are gone"), why.out());
            assertEquals(64, Said.by(server, "ls", "--scan", "--page", "0").status());
            assertEquals(64, Said.by(server, "ls", "--page", "1").status(), "nothing is searched");
        }
    }

    @Test
    void clients_areThoseThatHoldOrWaitOrListen_withoutTheOneThatAsks() throws Exception {
        HoldfastOptions options = EachQueued.OPTIONS.withApplication("billing");
        try (RedisServer server = RedisServer.start()) {
            assertEquals("No client was found.\n", Said.by(server, "clients").out());
            try (Holdfast client = Holdfast.connect(server.url(), options);
                    Holdfast idle = Holdfast.connect(server.url(), EachQueued.OPTIONS)) {
                for (int i = 1; i <= 5; i++) {
                    client.lock("lock-" + i).acquire();
                }
                var waiter = client.lock("lock-5").acquireAsync(Wait.forever());
                Launched.await("a waiter", () -> client.inspect().isQueued("lock-5"));
                String pid = Long.toString(ProcessHandle.current().pid());
                Said said = Said.by(server, "clients");
                assertEquals(0, said.status());
                assertTrue(
                        said.out()
                                .matches("CLIENT +WHO +PID +LISTENING +HOLDS +WAITS FOR\n" + idle.id() + " +yes\n"
                                        + client.id() + " +billing@\\S+ +" + pid
                                        + " +yes +lock-1, lock-2, lock-3 and 2 more +lock-5\n"),
                        said.out());
                JsonObject document = Said.by(server, "clients", "--json").json();
                JsonObject listens = client(document, idle.id());
                assertTrue(listens.get("application").isJsonNull());
                assertTrue(listens.get("listening").getAsBoolean());
                JsonObject holds = client(document, client.id());
                assertEquals(5, holds.getAsJsonArray("holds").size());
                assertEquals("[\"lock-5\"]", holds.get("waits").toString());
                waiter.cancel(false);
            }
        }
    }

    private static JsonObject client(JsonObject document, String id) {
        for (JsonElement each : document.getAsJsonArray("clients")) {
            if (each.getAsJsonObject().get("client").getAsString().equals(id)) {
                return each.getAsJsonObject();
            }
        }
        throw new AssertionError("no " + id + " in " + document);
    }

    private static void fields(JsonElement element, Set<String> found) {
        if (element.isJsonArray()) {
            element.getAsJsonArray().forEach(each -> fields(each, found));
        } else if (element.isJsonObject()) {
            element.getAsJsonObject().entrySet().forEach(entry -> {
                found.add(entry.getKey());
                if (!entry.getKey().equals("metadata")) {
                    fields(entry.getValue(), found);
                }
            });
        }
    }

    @Test
    void documents_ofAllCommands_haveFieldsThatTheGuideLists_andOnlySuch() throws Exception {
        String guide = Files.readString(Path.of("../docs/guide/command-line.md"));
        Set<String> found = new TreeSet<>();
        try (RedisServer server = RedisServer.start();
                Holdfast client = Holdfast.connect(server.url(), EachQueued.OPTIONS)) {
            client.lock("a").acquire();
            client.semaphore("a", 3).permits(2).acquire();
            var waiter = client.lock("a").acquireAsync(Wait.forever());
            var another = client.semaphore("a", 3).permits(2).acquireAsync(Wait.forever());
            Launched.await("a waiter", () -> client.inspect().isQueued("a"));
            Launched.await(
                    "another",
                    () -> client.inspect().of(LockInfo.Kind.SEMAPHORE).isQueued("a"));
            for (String line : List.of(
                    "ls",
                    "info a",
                    "why a",
                    "queue a",
                    "top",
                    "clients",
                    "doctor",
                    "clear a",
                    "extend a 1m",
                    "info a --kind semaphore",
                    "why a --kind semaphore",
                    "queue a --kind semaphore",
                    "release a --yes")) {
                Said said = Said.by(server, (line + " --json").split(" ", -1));
                fields(said.json(), found);
            }
            waiter.cancel(false);
            another.cancel(false);
        }
        assertTrue(found.size() > 50, found.toString());
        assertEquals(
                List.of(),
                found.stream()
                        .filter(field -> !guide.contains("`" + field + "`"))
                        .toList());
    }

    @Test
    void look_atAServerThatRefuses_printsNoHalfDocument() {
        try (RedisServer server = RedisServer.start()) {
            server.command("ACL", "SETUSER", "blind", "on", ">password", "~*", "&*", "+@all", "-scan");
            Said said = Said.by("ls", "--scan", "--json", "--url", "redis://blind:password@127.0.0.1:" + server.port());
            assertEquals(69, said.status());
            assertEquals("", said.out());
            assertTrue(said.err().contains("lacks a permission"), said.err());
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
