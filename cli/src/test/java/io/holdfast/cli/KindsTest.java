package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the commands say of read/write locks, semaphores and elections, and how they steer them. */
final class KindsTest {
    private final RedisServer server = RedisServer.start();
    private final List<Lease> leases = new ArrayList<>(); // so that none is dropped
    private final List<CompletableFuture<Lease>> waiters = new ArrayList<>();
    private Holdfast one;
    private Holdfast two;

    @BeforeEach
    void connect() {
        Logs.mute(); // these clients stand for other processes
        one = Holdfast.connect(server.url(), EachQueued.OPTIONS.withApplication("one"));
        two = Holdfast.connect(server.url(), EachQueued.OPTIONS.withApplication("two"));
    }

    @AfterEach
    void stop() {
        waiters.forEach(each -> each.cancel(false));
        one.close();
        two.close();
        server.close();
    }

    private Said said(String line) {
        return Said.by(server, line.split(" ", -1));
    }

    private Lease keep(Lease lease) {
        leases.add(lease);
        return lease;
    }

    /** Two read, and one waits to write. */
    private CompletableFuture<Lease> read(String name) throws Exception {
        keep(one.readWriteLock(name).read().acquire());
        keep(two.readWriteLock(name).read().acquire());
        CompletableFuture<Lease> writer = two.readWriteLock(name).write().acquireAsync(Wait.forever());
        waiters.add(writer);
        Launched.await(
                "a writer", () -> one.inspect().of(LockInfo.Kind.READ_WRITE).isQueued(name));
        return writer;
    }

    /** Three and one of five permits are out, and two are wanted. */
    private CompletableFuture<Lease> permits(String name) throws Exception {
        keep(one.semaphore(name, 5).permits(3).acquire());
        keep(two.semaphore(name, 5).permits(1).acquire());
        CompletableFuture<Lease> waiter = two.semaphore(name, 5).permits(2).acquireAsync(Wait.forever());
        waiters.add(waiter);
        Launched.await(
                "a waiter", () -> one.inspect().of(LockInfo.Kind.SEMAPHORE).isQueued(name));
        return waiter;
    }

    @Test
    void ls_ofSeveralKinds_hasAColumnForThem_andOfLocksAloneHasNone() throws Exception {
        keep(one.lock("a").acquire());
        assertTrue(said("ls").out().startsWith("LOCK  HELD BY "), said("ls").out());
        read("a");
        permits("a");
        try (var candidacy = one.election("a")
                .campaign(leadership ->
                        leadership.whenOver().toCompletableFuture().join())) {
            Launched.await(
                    "a leader", () -> one.inspect().of(LockInfo.Kind.ELECTION).isLocked("a"));
            List<String> lines = said("ls").out().lines().toList();
            assertEquals(5, lines.size(), lines.toString());
            assertTrue(
                    lines.get(0).matches("LOCK +KIND +HELD +BY +PID +SINCE +AGE +LEFT +TOKEN +WAITING"), lines.get(0));
            assertTrue(lines.get(1).matches("a +lock +one@.* 0"), lines.get(1));
            assertTrue(lines.get(2).matches("a +election +one@.* 0"), lines.get(2));
            assertTrue(lines.get(3).matches("a +read-write +to read +(one|two)@\\S+ and 1 more .* 1"), lines.get(3));
            assertTrue(
                    lines.get(4).matches("a +semaphore +4 of 5 permits +(one|two)@\\S+ and 1 more .* 1"), lines.get(4));
            assertTrue(
                    said("top --once").out().contains("  a     semaphore   4 of 5 permits  "),
                    said("top --once").out());
            assertEquals(2, said("ls --kind election").out().lines().count());
            JsonArray locks = said("ls --json").json().getAsJsonArray("locks");
            assertEquals(4, locks.size());
            assertEquals("lock", locks.get(0).getAsJsonObject().get("kind").getAsString());
            assertEquals(
                    1, locks.get(0).getAsJsonObject().getAsJsonArray("holders").size());
            assertTrue(candidacy.isLeader());
        }
        Said wrong = said("ls --kind mutex");
        assertEquals(64, wrong.status());
        assertTrue(wrong.err().contains("must be lock, read-write, semaphore, election or once"), wrong.err());
    }

    @Test
    void info_ofASemaphore_listsHoldersWithTheirPermits_andWhatWaitersWant() throws Exception {
        permits("convert");
        String out = said("info convert --kind semaphore").out();
        assertTrue(out.startsWith("semaphore  convert\nheld by    2, 4 of 5 permits\n\nHELD BY "), out);
        assertTrue(out.contains("  3 permits") && out.contains("  1 permit\n"), out);
        assertTrue(out.matches("(?s).*\n1  two@.*  2 of 5 permits\n"), out);
        JsonObject document = said("info convert --kind semaphore --json").json();
        assertEquals("semaphore", document.get("kind").getAsString());
        assertEquals("permits", document.get("mode").getAsString());
        assertEquals(4, document.get("used").getAsInt());
        assertEquals(5, document.get("limit").getAsInt());
        assertEquals(2, document.getAsJsonArray("holders").size());
        JsonObject waiter = document.getAsJsonArray("queue").get(0).getAsJsonObject();
        assertEquals(2, waiter.get("permits").getAsInt());
        assertEquals(5, waiter.get("limit").getAsInt());
    }

    @Test
    void why_ofAReadWriteLock_listsAllThatReadIt_andWhatServesTheWriter() throws Exception {
        read("catalogue");
        Said why = said("why catalogue --kind read-write");
        assertEquals(1, why.status());
        assertTrue(why.out().startsWith("Read/write lock 'catalogue' is held by 2, to read:\n  "), why.out());
        assertTrue(why.out().matches("(?s).*  one@\\S+, pid \\d+  since [^\n]*  to read  listens\n.*"), why.out());
        assertTrue(why.out().contains("  wants to write  here\n"), why.out());
        assertTrue(why.out().contains("  - the expiry of the last of their leases, at "), why.out());
        JsonObject document = said("why catalogue --kind read-write --json").json();
        assertEquals("shared", document.get("mode").getAsString());
        assertEquals(0, document.getAsJsonArray("notListening").size());
        assertEquals("exclusive", document.getAsJsonObject("next").get("mode").getAsString());
        assertTrue(document.get("limit").isJsonNull());
    }

    @Test
    void why_ofASemaphore_tellsWhenEnoughTermsAreOver() throws Exception {
        LockOptions brief = LockOptions.defaults().withRenewal(false);
        keep(one.semaphore("a", 5, brief.withLeaseDuration(Duration.ofHours(9)))
                .permits(3)
                .acquire());
        keep(two.semaphore("a", 5, brief.withLeaseDuration(Duration.ofHours(2)))
                .permits(2)
                .acquire());
        waiters.add(two.semaphore("a", 5).permits(2).acquireAsync(Wait.forever()));
        Launched.await(
                "a waiter", () -> one.inspect().of(LockInfo.Kind.SEMAPHORE).isQueued("a"));
        String out = said("why a --kind semaphore").out();
        assertTrue(out.contains("What serves the next waiter:\n  - its holders give enough permits back\n"), out);
        assertTrue(out.matches("(?s).*the expiry of enough of their leases, at \\S+ \\(in 1h 59m\\).*"), out);
    }

    @Test
    void name_ofAnotherKind_isPointedTo_unlessAKindWasGiven() throws Exception {
        permits("convert");
        for (String command : List.of("info", "why", "queue")) {
            Said said = said(command + " convert");
            assertEquals(0, said.status());
            assertTrue(
                    said.out()
                            .endsWith("\nThere is a semaphore of that name: holdfast " + command
                                    + " convert --kind semaphore\n"),
                    said.out());
            assertFalse(said(command + " convert --kind lock").out().contains("semaphore"));
        }
        Said release = said("release convert --yes");
        assertTrue(release.out().startsWith("Nobody held 'convert'.\nThere is a semaphore"), release.out());
        assertEquals(1, release.status(), "nothing that was meant was released");
        assertEquals(1, said("extend convert 1m").status());
    }

    @Test
    void queue_ofASemaphore_tellsWhatIsWanted() throws Exception {
        permits("convert");
        String out = said("queue convert --kind semaphore").out();
        assertTrue(
                out.matches(" +WAITING +PID +SINCE +WANTS +PRIORITY +ORDER +STATE\n1 .* 2 of 5 permits +0 .*\n"), out);
    }

    @Test
    void resting_permits_areShownAsResting() throws Exception {
        one.semaphore("a", 2, LockOptions.defaults().withMinHold(Duration.ofHours(2)))
                .acquire()
                .release();
        assertTrue(
                said("ls").out().contains("nobody, rests after one@"),
                said("ls").out());
        assertTrue(said("why a --kind semaphore").out().startsWith("Semaphore 'a' is free in 1h 59m, "));
        assertEquals(
                "resting",
                said("info a --kind semaphore --json").json().get("state").getAsString());
        assertFalse(said("clients").out().contains("(semaphore)"));
        JsonObject holder = said("info a --kind semaphore --json").json().getAsJsonObject("holder");
        Said released = said("release a --kind semaphore --yes --token "
                + holder.get("token").getAsString());
        assertEquals(0, released.status());
        assertTrue(released.out().endsWith("; now it is free.\n"), released.out());
    }

    @Test
    void clients_haveWhatIsNoLock_withItsKind() throws Exception {
        permits("convert");
        String out = said("clients").out();
        assertTrue(out.matches("(?s).*one@\\S+ +\\d+ +yes +convert \\(semaphore\\) *\n.*"), out);
        assertTrue(out.matches("(?s).*two@\\S+ .* convert \\(semaphore\\) +convert \\(semaphore\\)\n.*"), out);
        JsonObject first =
                said("clients --json").json().getAsJsonArray("clients").get(0).getAsJsonObject();
        assertEquals(0, first.getAsJsonArray("holds").size());
        assertEquals(
                "{\"lock\":\"convert\",\"kind\":\"semaphore\"}",
                first.getAsJsonArray("holdsElse").get(0).toString());
    }

    @Test
    void release_ofOneClientOfASemaphore_leavesTheOthersAlone() throws Exception {
        CompletableFuture<Lease> waiter = permits("convert");
        Said said = said("release convert --kind semaphore --client " + one.id() + " --yes");
        assertTrue(said.out().startsWith("Released 'convert' of one@"), said.out());
        waiter.get(Launched.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertEquals(
                3, one.inspect().of(LockInfo.Kind.SEMAPHORE).lock("convert").used());
        assertTrue(leases.get(1).isValid());
        assertEquals(64, said("release convert --client a --token 5 --yes").status());
    }

    @Test
    void release_answeredYes_endsThoseThatWereShown() throws Exception {
        keep(one.readWriteLock("a").read().acquire());
        Lease[] later = new Lease[1];
        StringReader slow = new StringReader("y\n") {
            @Override
            public int read(char[] buffer, int from, int length) throws java.io.IOException {
                if (later[0] == null) {
                    try {
                        later[0] = two.readWriteLock("a").read().acquire();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                }
                return super.read(buffer, from, length);
            }
        };
        Release release = new Release(new Prompt(slow, new PrintStream(new ByteArrayOutputStream())));
        String[] words = {"a", "--kind", "read-write", "--url", server.url()};
        Said said = Said.during(() -> release.run(Specs.parse(release.spec(), words)));
        assertEquals(0, said.status(), said.err());
        assertTrue(said.out().startsWith("Released 'a' of one@"), said.out());
        assertEquals(1, two.inspect().of(LockInfo.Kind.READ_WRITE).lock("a").used());
        assertTrue(later[0].isValid());
    }

    @Test
    void release_ofAll_endsEveryKindOfLock_andNoLeadership() throws Exception {
        keep(one.lock("a").acquire());
        read("a");
        permits("a");
        try (var candidacy = one.election("a")
                .campaign(leadership ->
                        leadership.whenOver().toCompletableFuture().join())) {
            Launched.await(
                    "a leader", () -> one.inspect().of(LockInfo.Kind.ELECTION).isLocked("a"));
            Said all = said("release --all --yes --json");
            assertEquals(0, all.status());
            assertEquals(2, all.json().get("dropped").getAsInt());
            assertEquals(
                    List.of("election"),
                    said("ls --json").json().getAsJsonArray("locks").asList().stream()
                            .map(lock -> lock.getAsJsonObject().get("kind").getAsString())
                            .toList());
            assertTrue(candidacy.isLeader());
            Said leader = said("release a --kind election --yes");
            assertTrue(leader.out().startsWith("Released 'a' of one@"), leader.out());
        }
    }

    @Test
    void release_withAnotherToken_leavesReadersAlone_andWithTheirsEndsThem() throws Exception {
        read("a");
        Said other = said("release a --kind read-write --token 5 --yes");
        assertEquals(1, other.status());
        assertTrue(other.out().startsWith("Left 'a' alone: "), other.out());
        Said theirs =
                said("release a --kind read-write --token " + leases.get(0).token() + " --yes");
        assertEquals(0, theirs.status());
        waiters.get(0).get(Launched.PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void extend_ofASemaphore_makesEveryHoldLonger() throws Exception {
        permits("a");
        assertEquals(0, said("extend a 2h --kind semaphore").status());
        one.inspect()
                .of(LockInfo.Kind.SEMAPHORE)
                .lock("a")
                .shares()
                .forEach(each -> assertTrue(each.remaining().compareTo(Duration.ofMinutes(119)) > 0, each.toString()));
        assertEquals("No dead waiter.\n", said("clear a --kind semaphore").out());
    }

    @Test
    void pause_ofALock_isSeenAndEnds() throws Exception {
        assertEquals(1, said("resume deploy").status());
        Said pause = said("pause deploy --for 10m --reason incident");
        assertEquals(0, pause.status(), pause.err());
        assertTrue(
                pause.out()
                        .matches(
                                "'deploy' is paused until \\S+ \\(for 10m\\), unless holdfast resume ends that before\\.\n"),
                pause.out());
        CompletableFuture<Lease> waiter = two.lock("deploy").acquireAsync(Wait.forever());
        waiters.add(waiter);
        Launched.await("a waiter", () -> one.inspect().isQueued("deploy"));
        Said why = said("why deploy");
        assertTrue(
                why.out()
                        .matches(
                                "(?s)'deploy' is paused by \\S+@\\S+, pid \\d+: incident, until \\S+ \\(for 9m 5\\ds\\)\\.\n.*"
                                        + "\nWhat frees it:\n  - the end of the operator's pause, at \\S+ \\(in 9m 5\\ds\\)\n  - holdfast resume\nThen .*"),
                why.out());
        JsonObject document = said("info deploy --json").json();
        assertEquals("incident", document.getAsJsonObject("pause").get("reason").getAsString());
        assertEquals("'deploy' is no longer paused.\n", said("resume deploy").out());
        Lease lease = waiter.get(10, TimeUnit.SECONDS);
        pause = said("pause deploy --for 10m");
        assertTrue(pause.out().endsWith("It is held, and stays so until it is released.\n"), pause.out());
        String info = said("info deploy").out();
        assertTrue(info.matches("(?s).*\nPaused by \\S+@\\S+, pid \\d+, until \\S+ \\(for 9m 5\\ds\\)\\.\n.*"), info);
        lease.release();
        assertEquals(0, said("resume deploy").status());
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock", "read-write", "semaphore"})
    void pause_ofAnyKind_takesTheLockAndSaysWhy(String kind) {
        String name = "convert --kind " + kind;
        assertEquals(0, said("why " + name).status());
        assertEquals(0, said("pause " + name + " --for 10m --reason incident").status());
        Said why = said("why " + name);
        assertEquals(1, why.status());
        assertTrue(why.out().contains(": incident, until "), why.out());
        String info = said("info " + name).out();
        assertTrue(info.contains("incident"), info);
        assertEquals(0, said("resume " + name).status());
        assertEquals(0, said("why " + name).status());
    }

    @Test
    void limit_ofASemaphore_isSeenAndEnds() throws Exception {
        keep(one.semaphore("convert", 5).permits(2).acquire());
        assertEquals(1, said("unlimit convert").status());
        Said limit = said("limit convert 0 --for 10m");
        assertEquals(0, limit.status(), limit.err());
        assertTrue(
                limit.out()
                        .matches("Semaphore 'convert' is limited to 0 permits until \\S+ \\(for 10m\\), unless holdfast"
                                + " unlimit ends that before\\. 2 are out, and stay so until they are given back\\.\n"),
                limit.out());
        CompletableFuture<Lease> waiter = two.semaphore("convert", 5).permits(1).acquireAsync(Wait.forever());
        waiters.add(waiter);
        Launched.await(
                "a waiter", () -> one.inspect().of(LockInfo.Kind.SEMAPHORE).isQueued("convert"));
        String words =
                "(?s).*\nLimited to 0 of 5 permits by an operator \\(\\S+@\\S+, pid \\d+\\), until \\S+ \\(for 9m 5\\ds\\)\\.\n.*";
        String info = said("info convert --kind semaphore").out();
        assertTrue(info.matches(words), info);
        Said why = said("why convert --kind semaphore");
        assertTrue(why.out().matches(words), why.out());
        assertTrue(
                why.out()
                        .matches(
                                "(?s).*\nWhat serves the next waiter:\n  - the end of the operator's limit, at \\S+ \\(in 9m 5\\ds\\)\n  - holdfast unlimit\nThen .*"),
                why.out());
        JsonObject document = said("why convert --kind semaphore --json").json();
        JsonObject seen = document.getAsJsonObject("operatorLimit");
        assertEquals(0, seen.get("permits").getAsInt());
        assertTrue(seen.get("remainingMillis").getAsLong() > 540_000);
        assertEquals(
                "limit",
                document.getAsJsonArray("freedBy")
                        .get(0)
                        .getAsJsonObject()
                        .get("by")
                        .getAsString());
        assertEquals(
                "Semaphore 'convert' is no longer limited.\n",
                said("unlimit convert").out());
        keep(waiter.get(10, TimeUnit.SECONDS));
        assertTrue(said("info convert --kind semaphore --json")
                .json()
                .get("operatorLimit")
                .isJsonNull());
    }

    @Test
    void why_ofALimitThatLeavesSome_tellsOfBoth_andOfOneThatStops_is1() throws Exception {
        keep(one.semaphore("a", 5).permits(2).acquire());
        one.admin().of(LockInfo.Kind.SEMAPHORE).limit("a", 2, Duration.ofHours(1));
        String out = said("why a --kind semaphore").out();
        assertTrue(out.contains("  - its holder releases it\n"), out);
        assertTrue(out.contains("  - the end of the operator's limit, at "), out);
        assertTrue(out.contains("\nLimited to 2 permits by an operator ("), out);
        one.admin().of(LockInfo.Kind.SEMAPHORE).limit("idle", 0, Duration.ofHours(1));
        Said idle = said("why idle --kind semaphore");
        assertEquals(1, idle.status());
        assertTrue(idle.out().startsWith("Nobody holds semaphore 'idle'.\nLimited to 0 permits "), idle.out());
        JsonObject document = said("limit idle 1 --for 1h --json").json();
        assertEquals(3_600_000, document.get("remainingMillis").getAsLong());
        assertEquals(0, said("why idle --kind semaphore").status());
    }

    @Test
    void run_thatCannotStartItsCommand_givesBackItsOwnReadingOnly() throws Exception {
        keep(one.readWriteLock("a").read().acquire());
        try (Launched run = Launched.holdfast(
                "run", "a", "--read", "--min-hold", "1h", "--url", server.url(), "--", "/no/such/command")) {
            assertEquals(127, run.status());
        }
        assertEquals(1, one.inspect().of(LockInfo.Kind.READ_WRITE).lock("a").used());
        assertTrue(leases.get(0).isValid());
    }
}
