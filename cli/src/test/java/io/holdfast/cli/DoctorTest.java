package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.holdfast.Diagnosis;
import io.holdfast.Diagnosis.Ability;
import io.holdfast.Diagnosis.Clock;
import io.holdfast.Diagnosis.Facts;
import io.holdfast.Diagnosis.Probe;
import io.holdfast.cli.Doctor.Finding;
import io.holdfast.cli.Doctor.Level;
import io.holdfast.contracts.servers.RedisCluster;
import io.holdfast.contracts.servers.RedisSentinels;
import io.holdfast.contracts.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code holdfast doctor}. */
final class DoctorTest {
    private static JsonObject check(JsonObject document, String name) {
        for (var each : document.getAsJsonArray("checks")) {
            if (each.getAsJsonObject().get("check").getAsString().equals(name)) {
                return each.getAsJsonObject();
            }
        }
        throw new AssertionError("no " + name + " in " + document);
    }

    /** All checks that are not well, but for what a machine that is busy with other things can spoil. */
    private static List<String> notOk(JsonObject document) {
        List<String> names = new ArrayList<>();
        for (var each : document.getAsJsonArray("checks")) {
            String name = each.getAsJsonObject().get("check").getAsString();
            if (!name.equals("latency") && !level(document, name).equals("ok")) {
                names.add(name);
            }
        }
        return names;
    }

    private static String level(JsonObject document, String name) {
        return check(document, name).get("level").getAsString();
    }

    @Test
    void doctor_ofAGoodServer_is0AndLeavesNothing() throws Exception {
        try (RedisServer server = RedisServer.start()) {
            Said said = Said.by(server, "doctor");
            assertEquals(0, said.status(), said.out());
            assertTrue(said.out().matches("(?s).*\n1[67] ok, \\d warnings?, 0 failed\n"), said.out());
            assertTrue(said.out().contains("ok  version      "), said.out());
            JsonObject document = Said.by(server, "doctor", "--json").json();
            assertEquals(List.of(), notOk(document));
            assertEquals(17, document.getAsJsonArray("checks").size());
            assertEquals("default", document.get("user").getAsString());
            assertTrue(document.get("pingMedianMillis").getAsDouble() > 0);
            assertTrue(Math.abs(document.get("clockAheadMillis").getAsDouble()) < 60_000);
            assertTrue(check(document, "locking").get("advice").isJsonNull());
            Launched.await(
                    "what it left to expire", () -> server.command("DBSIZE").asLong() == 0);
        }
    }

    @Test
    void doctor_ofAServerThatMayForget_warns() {
        try (RedisServer server = RedisServer.start("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")) {
            Said said = Said.by(server, "doctor");
            assertEquals(0, said.status());
            assertTrue(said.out().contains("warn  memory       "), said.out());
            assertTrue(said.out().contains("→ CONFIG SET maxmemory-policy noeviction"), said.out());
            assertEquals(
                    List.of("memory"), notOk(Said.by(server, "doctor", "--json").json()));
        }
    }

    @Test
    void sentinelAndServer_takenForEachOther_areToldApart() {
        try (RedisSentinels sentinels = RedisSentinels.start()) {
            Said server = Said.by("ls", "--url", sentinels.addresses().get(0).toString());
            assertEquals(69, server.status());
            assertTrue(server.err().contains(" is a Sentinel: connect to redis-sentinel://"), server.err());
            Said sentinel = Said.by(
                    "ls",
                    "--url",
                    "redis-sentinel://127.0.0.1:" + sentinels.master().port() + "/hf");
            assertEquals(69, sentinel.status());
            assertTrue(sentinel.err().contains("it is no Sentinel"), sentinel.err());
        }
    }

    @Test
    void doctor_ofAReplica_is1AndSaysWhatToDo() throws Exception {
        try (RedisServer master = RedisServer.start();
                RedisServer replica = RedisServer.start("--replicaof", "127.0.0.1", Integer.toString(master.port()))) {
            Said said = Said.by(replica, "doctor", "--json");
            assertEquals(1, said.status());
            assertEquals("fail", level(said.json(), "role"));
            assertEquals("ok", level(said.json(), "scripts"));
            assertEquals("fail", level(said.json(), "locking"));
            for (String check : List.of("role", "locking")) {
                String advice = check(said.json(), check).get("advice").getAsString();
                assertTrue(advice.contains("address of the master"), advice);
                assertFalse(advice.contains("permissions"), advice);
            }
            Launched.await(
                    "the replica to be known",
                    () -> server(master).contains("a master with 1 replica; a replica that takes over"));
            JsonObject role = check(Said.by(master, "doctor", "--json").json(), "role");
            assertEquals("warn", role.get("level").getAsString());
            assertTrue(role.get("advice").getAsString().contains("withReplicas(1)"), role.toString());
        }
    }

    @Test
    void doctor_ofOneAddressThatDividesItsKeys_saysSoInOneLine() {
        try (RedisCluster cluster = RedisCluster.start(1, 0)) {
            RedisServer node = cluster.nodes().get(0);
            node.command(
                    "ACL", "SETUSER", "app", "on", ">secret", "~*", "&*", "+@all",
                    "-info"); // or it would say what it is
            String url = "redis://app:secret@127.0.0.1:" + node.port();
            Said said = Said.by("doctor", "--url", url);
            assertEquals(0, said.status(), said.out());
            assertTrue(said.out().contains("\nok    batches      it divides its keys among servers "), said.out());
            JsonObject document = Said.by("doctor", "--json", "--url", url).json();
            assertEquals(List.of("info"), notOk(document));
            assertTrue(check(document, "batches").get("advice").isJsonNull());
        }
    }

    private static String server(RedisServer server) {
        return Said.by(server, "doctor").out();
    }

    @Test
    void doctor_ofAUserWithLeastPermissions_warnsOfWhatIsMissing_andOfOneWithFewer_fails() {
        try (RedisServer server = RedisServer.start()) {
            // As docs/operations.md has it.
            String[] least = ("ACL SETUSER locks on >password resetkeys ~hf:* resetchannels &hf:to:* -@all"
                            + " +evalsha +eval +subscribe +unsubscribe +publish +ping +hello +auth +select"
                            + " +client|setname +info +scan +time +mget +get +set +del +exists +pttl +pexpireat"
                            + " +hget +hmget +hset +hdel +hexists +hincrby +zadd +zrem +zrange +zrank +zscore +zcard"
                            + " +zcount +pubsub|numsub +hkeys +hlen +zmscore")
                    .split(" ");
            server.command(least);
            String url = "redis://locks:password@127.0.0.1:" + server.port();
            Said said = Said.by("doctor", "--json", "--url", url);
            assertEquals(0, said.status(), said.out() + said.err());
            assertEquals("warn", level(said.json(), "clients"));
            assertEquals(List.of("clients"), notOk(said.json()));
            assertTrue(said.json().get("user").isJsonNull(), "it may not ask who it is");
            for (String listing : List.of("clients", "top", "ls")) {
                assertEquals(
                        0,
                        Said.by(listing, "--json", "--url", url).status(),
                        "without what it may not ask: " + listing);
            }
            for (String command : List.of("zmscore", "hlen", "hkeys")) {
                server.command("ACL", "SETUSER", "locks", "-" + command);
                Said without = Said.by("doctor", "--json", "--url", url);
                assertEquals(0, without.status(), "locks do not need it: " + command);
                assertEquals(List.of("sharing", "clients"), notOk(without.json()), command);
                String found = check(without.json(), "sharing").get("found").getAsString();
                assertTrue(found.contains(command), found);
                String advice = check(without.json(), "sharing").get("advice").getAsString();
                assertTrue(advice.startsWith("read/write locks and semaphores do not work here: "), advice);
                server.command("ACL", "SETUSER", "locks", "+" + command);
            }
            server.command("ACL", "SETUSER", "locks", "-hincrby", "-set", "-info", "-scan", "-time", "-publish");
            Said fewer = Said.by("doctor", "--json", "--url", url);
            assertEquals(1, fewer.status());
            assertEquals("warn", level(fewer.json(), "info"));
            assertEquals("fail", level(fewer.json(), "locking"));
            assertEquals("ok", level(fewer.json(), "listening"));
            assertEquals("warn", level(fewer.json(), "messages"));
            assertEquals("ok", level(fewer.json(), "searching"), "only --scan needs it");
            assertTrue(fewer.json().get("clockAheadMillis").isJsonNull());
        }
    }

    @Test
    void doctor_ofAServerThatIsNotThereOrRefuses_is69_asADocumentToo() {
        Said said = Said.by("doctor", "--url", "redis://127.0.0.1:1");
        assertEquals(69, said.status());
        assertTrue(said.out().startsWith("fail  connection  "), said.out());
        Said document = Said.by("doctor", "--json", "--url", "redis://127.0.0.1:1");
        assertEquals(69, document.status());
        assertEquals("fail", level(document.json(), "connection"));
        try (RedisServer closed = RedisServer.start("--requirepass", "secret")) {
            Said refused = Said.by("doctor", "--url", "redis://:mistaken@127.0.0.1:" + closed.port());
            assertEquals(69, refused.status());
            assertTrue(refused.out().contains("password is wrong"), refused.out());
            assertFalse(refused.out().contains("mistaken"), refused.out());
            Said anonymous = Said.by("doctor", "--url", "redis://127.0.0.1:" + closed.port());
            assertEquals(69, anonymous.status(), anonymous.out());
            assertTrue(anonymous.out().contains("requires a password"), anonymous.out());
        }
    }

    // ---- judgement, of facts that no server here shows

    private static Facts facts(String version, boolean tooOld, boolean clustered, long used, List<String> failed) {
        return new Facts("valkey", version, tooOld, true, 0, clustered, used, 1_000, "noeviction", failed);
    }

    private static Finding finding(Diagnosis diagnosis, String check) {
        return finding(diagnosis, null, check);
    }

    private static Finding finding(Diagnosis diagnosis, @Nullable ClockDrift drift, String check) {
        return Doctor.findings(diagnosis, drift).stream()
                .filter(each -> each.check().equals(check))
                .findFirst()
                .orElseThrow();
    }

    private static Diagnosis diagnosis(Facts facts, Duration ahead, Duration ping, Ability missing) {
        return new Diagnosis(
                "h:1",
                Optional.of(facts),
                Optional.empty(),
                Optional.of(new Clock(ahead, Duration.ofMillis(2))),
                List.of(Duration.ofMillis(1), ping, ping),
                List.of(new Probe(missing, Optional.of("NOPERM"))));
    }

    private static Diagnosis diagnosis(Facts facts) {
        return diagnosis(facts, Duration.ZERO, Duration.ofMillis(1), Ability.CLIENTS);
    }

    @Test
    void findings_ofTwoReadingsOfAClock_areWhatTheyMakeCertain() {
        var before = new ClockDrift.Reading(0, 2_000_000, 0);
        Diagnosis good = diagnosis(facts("8.1.0", false, false, 900, List.of()));
        Finding right = finding(good, before.until(after(3_000_000)), "drift");
        assertEquals(Level.OK, right.level());
        assertEquals("the server's clock runs +0.000 % (± 0.067 %) against this machine's, over 3s", right.found());
        Finding fast = finding(good, before.until(after(3_250_000)), "drift");
        assertEquals(Level.WARN, fast.level(), fast.found());
        assertTrue(String.valueOf(fast.advice()).contains("maxslewrate"), fast.found());
        Finding uncertain = finding(good, before.until(after(3_030_000)), "drift");
        assertEquals(Level.OK, uncertain.level(), "it may be just within the allowance");
        assertEquals("holdfast doctor --clock-for 1m", uncertain.advice());
        assertEquals(
                Level.OK, finding(good, before.until(after(2_000_000)), "drift").level(), "slow is safe");
    }

    /** A reading 3 s after the other. */
    private static ClockDrift.Reading after(long serverMicros) {
        return new ClockDrift.Reading(3_000_000_000L, 3_002_000_000L, serverMicros);
    }

    @Test
    void doctor_clockNotToBeWatched_saysNothingOfIt() {
        try (RedisServer server = RedisServer.start()) {
            assertFalse(Said.by(server, "doctor", "--clock-for", "0s").out().contains("drift"));
            assertEquals(64, Said.by(server, "doctor", "--clock-for", "11m").status());
        }
    }

    @Test
    void findings_ofFacts_areJudged() {
        Facts good = facts("8.1.0", false, false, 900, List.of());
        assertEquals(Level.OK, finding(diagnosis(good), "version").level());
        assertEquals("Valkey 8.1.0", finding(diagnosis(good), "version").found());
        assertEquals(Level.OK, finding(diagnosis(good), "memory").level());
        assertEquals(
                Level.FAIL,
                finding(diagnosis(facts("6.0.1", true, false, 1, List.of())), "version")
                        .level());
        assertEquals(
                Level.FAIL,
                finding(diagnosis(facts("8", false, true, 1, List.of())), "role")
                        .level());
        assertEquals(
                Level.WARN,
                finding(diagnosis(facts("8", false, false, 901, List.of())), "memory")
                        .level());
        Finding saving =
                finding(diagnosis(facts("8", false, false, 1, List.of("aof_last_write_status"))), "persistence");
        assertEquals(Level.WARN, saving.level());
        assertTrue(saving.found().contains("aof_last_write_status"), saving.found());
    }

    @ParameterizedTest
    @CsvSource({
        "1,OK,the same as this machine's (± 1.00ms)",
        "900,OK,900ms ahead of this machine's (± 1.00ms)",
        "-3000,WARN,3s behind this machine's (± 1.00ms)",
        "90000,WARN,1m 30s ahead of this machine's (± 1.00ms)"
    })
    void clock_thatDiffers_isJudged(long aheadMillis, Level level, String words) {
        Diagnosis diagnosis = diagnosis(
                facts("8", false, false, 1, List.of()),
                Duration.ofMillis(aheadMillis),
                Duration.ofMillis(1),
                Ability.CLIENTS);
        assertEquals(level, finding(diagnosis, "clock").level());
        assertTrue(
                finding(diagnosis, "clock").found().startsWith(words),
                finding(diagnosis, "clock").found());
    }

    @ParameterizedTest
    @CsvSource({
        "SCRIPTS,FAIL",
        "BATCHES,OK",
        "LOCKING,FAIL",
        "SHARING,WARN",
        "LISTENING,FAIL",
        "MESSAGES,WARN",
        "SUBSCRIBERS,WARN",
        "SEARCHING,OK"
    })
    void ability_thatIsMissing_failsOnlyWhereItIsNeeded(Ability missing, Level level) {
        Diagnosis diagnosis =
                diagnosis(facts("8", false, false, 1, List.of()), Duration.ZERO, Duration.ofMillis(60), missing);
        List<Finding> findings = Doctor.findings(diagnosis, null);
        Finding finding = findings.get(findings.size() - 1);
        assertEquals(level, finding.level());
        assertEquals("NOPERM", finding.found());
        assertEquals(Level.WARN, finding(diagnosis, "latency").level());
    }
}
