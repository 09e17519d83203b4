package io.holdfast.cli;

import static io.holdfast.contracts.Outcomes.isRefused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import io.holdfast.Attempt.Reason;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code holdfast release}, {@code extend} and {@code clear}. */
final class ReleaseTest {
    private final RedisServer server = RedisServer.start();
    private Holdfast client;

    @BeforeEach
    void connect() {
        Logs.mute(); // this client stands for another process, whose log is not what the command says
        client = Holdfast.connect(server.url(), EachQueued.OPTIONS.withApplication("billing"));
    }

    @AfterEach
    void stop() {
        client.close();
        server.close();
    }

    private boolean isHeld(Lease lease) {
        return client.inspect()
                .lock(lease.name(), 0)
                .holder()
                .filter(holder -> holder.token() == lease.token())
                .isPresent();
    }

    @Test
    void release_ofAPause_leavesItToResume() {
        client.admin().pause("deploy", Duration.ofMinutes(10), "incident");
        String leaves = "Nothing to release.\nIt is paused: holdfast resume deploy ends that.\n";
        for (Said said : List.of(asked("y\n", "deploy"), Said.by(server, "release", "deploy", "--yes"))) {
            assertEquals(leaves, said.out());
            assertEquals("", said.err());
            assertTrue(client.inspect().lock("deploy", 0).pause().isPresent());
        }
    }

    @Test
    void release_ofThePausedLocksWaiters_leavesThePauseAndAHoldThatBeginsDuringTheQuestionAlone() throws Exception {
        client.admin().pause("deploy", Duration.ofMinutes(10), "incident");
        var dropped = client.lock("deploy").attemptAsync(Wait.forever());
        Launched.await("a waiter", () -> client.inspect().isQueued("deploy"));
        Said sure = Said.by(server, "release", "deploy", "--drop-waiters", "--yes");
        assertEquals("Left 'deploy' alone, dropped 1 waiter: it is paused; holdfast resume ends that.\n", sure.out());
        assertEquals(1, sure.status());
        assertTrue(isRefused(Reason.DROPPED, dropped.get(Launched.PATIENCE_SECONDS, TimeUnit.SECONDS)));

        var next = client.lock("deploy").acquireAsync(Wait.forever());
        Launched.await("a waiter", () -> client.inspect().isQueued("deploy"));
        Said said = answered(() -> client.admin().resume("deploy"), "deploy", "--drop-waiters");
        assertEquals(1, said.status());
        assertTrue(said.out().startsWith("Left 'deploy' alone: it is held by billing@"), said.out());
        assertTrue(isHeld(next.get(Launched.PATIENCE_SECONDS, TimeUnit.SECONDS)));
    }

    /** The command with somebody who agrees, but only after something else has happened. */
    private Said answered(Runnable meanwhile, String... words) {
        StringReader slow = new StringReader("y\n") {
            @Override
            public int read(char[] buffer, int from, int length) throws java.io.IOException {
                meanwhile.run();
                return super.read(buffer, from, length);
            }
        };
        Release release = new Release(new Prompt(slow, new PrintStream(new ByteArrayOutputStream())));
        List<String> line = new ArrayList<>(List.of(words));
        line.addAll(List.of("--url", server.url()));
        return Said.during(() -> release.run(Specs.parse(release.spec(), line.toArray(String[]::new))));
    }

    private Lease acquire(String lock) throws InterruptedException {
        return client.lock(lock).acquire();
    }

    /** The command with somebody who answers; the question is on standard error. */
    private Said asked(String answer, String... words) {
        ByteArrayOutputStream question = new ByteArrayOutputStream();
        PrintStream out = new PrintStream(question, true, StandardCharsets.UTF_8);
        Release release = new Release(new Prompt(new StringReader(answer), out));
        List<String> line = new ArrayList<>(List.of(words));
        line.addAll(List.of("--url", server.url()));
        Said said = Said.during(() -> release.run(Specs.parse(release.spec(), line.toArray(String[]::new))));
        // The holders are clients of this process, and say at once what they have lost: that is not the command's.
        String err = (question.toString(StandardCharsets.UTF_8) + said.err())
                .replaceAll("holdfast: lease of lock '[^']*' with token \\d+ was lost: NOT_ON_SERVER\n", "");
        return new Said(said.status(), said.out(), err);
    }

    @ParameterizedTest
    @ValueSource(strings = {"release deploy", "release --all", "release --host h", "release deploy --json"})
    void release_withoutATerminalAndWithoutYes_is64AndDoesNothing(String line) throws Exception {
        Lease lease = acquire("deploy");
        Said said = Said.by(server, line.split(" "));
        assertEquals(64, said.status());
        assertEquals("", said.out());
        assertEquals(
                "holdfast: release asks before it acts, and there is no terminal to ask at: give --yes; nothing was done;"
                        + " see holdfast help release\n",
                said.err());
        assertTrue(isHeld(lease));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "release --yes|one of NAME, --all, --client and --host",
                "release x --all --yes|one of NAME",
                "release --client a --host b --yes|one of NAME",
                "release --actor a --yes|one of NAME",
                "release x --actor a --yes|--actor needs --client",
                "release --all --drop-waiters --yes|--drop-waiters needs NAME",
                "release --host h --token 5 --yes|--token needs NAME",
                "release x --token five --yes|--token is 'five', must be a whole number from 1 to 9007199254740991",
                "release x y --yes|y",
                "extend x|DURATION",
                "extend x soon|DURATION is 'soon', must be a whole number with a unit",
                "extend x 400d|DURATION is '400d', must be from 1ms to 365d",
                "clear|which waiters? Give NAME or --all",
                "clear x --all|which waiters?"
            })
    void steer_withWrongWords_is64(String line, String expected) {
        Said said = Said.by(server, line.split(" "));
        assertEquals(64, said.status());
        assertTrue(said.err().contains(expected), said.err());
        assertEquals(1, said.err().lines().count());
    }

    @Test
    void release_answeredYes_showsTheHolderAndReleases() throws Exception {
        Lease lease = acquire("deploy");
        Said said = asked("yes\n", "deploy");
        assertEquals(0, said.status());
        assertTrue(
                said.err()
                        .matches("holdfast: 'deploy': held by billing@\\S+, pid \\d+, since \\S+ \\(\\w+ ago\\)\n"
                                + "holdfast: Release this lock\\? \\[y/N\\] "),
                said.err());
        assertTrue(said.out().matches("Released 'deploy' of billing@\\S+, pid \\d+; now it is free\\.\n"), said.out());
        assertFalse(isHeld(lease));
    }

    @ParameterizedTest
    @ValueSource(strings = {"n\n", "\n", "", "yess\n", "no\n"})
    void release_answeredOtherwise_is1AndDoesNothing(String answer) throws Exception {
        Lease lease = acquire("deploy");
        Said said = asked(answer, "deploy");
        assertEquals(1, said.status());
        assertEquals("", said.out());
        assertTrue(said.err().endsWith("holdfast: nothing was released\n"), said.err());
        assertTrue(isHeld(lease));
    }

    @Test
    void release_ofAHoldThatEndedDuringTheQuestion_leavesTheNextAlone() throws Exception {
        Lease shown = acquire("deploy");
        var next = client.lock("deploy").acquireAsync(Wait.forever());
        Launched.await("a waiter", () -> client.inspect().isQueued("deploy"));
        Said said = answered(shown::release, "deploy");
        assertEquals(1, said.status());
        assertTrue(said.out().startsWith("Left 'deploy' alone: it is held by billing@"), said.out());
        Lease second = next.get(Launched.PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertTrue(isHeld(second));
    }

    @Test
    void release_ofNothing_asksNothing_andIs0() {
        Said said = asked("", "deploy");
        assertEquals(0, said.status());
        assertEquals("", said.err());
        assertEquals("Nothing to release.\n", said.out());
        Said sure = Said.by(server, "release", "deploy", "--yes", "--json");
        assertEquals(0, sure.status());
        JsonObject one = sure.json().getAsJsonArray("locks").get(0).getAsJsonObject();
        assertEquals("nothingToRelease", one.get("outcome").getAsString());
        assertTrue(one.get("holder").isJsonNull());
    }

    @Test
    void release_withTheTokenOfAnother_is1AndLeavesTheHoldAlone() throws Exception {
        Lease lease = acquire("deploy");
        Said said = Said.by(server, "release", "deploy", "--token", "5", "--yes");
        assertEquals(1, said.status());
        assertTrue(
                said.out().contains("with token " + lease.token() + ", which is not the hold that was meant"),
                said.out());
        assertTrue(isHeld(lease));
        Said right = Said.by(server, "release", "deploy", "--token", Long.toString(lease.token()), "--yes", "--json");
        assertEquals(0, right.status());
        assertEquals(1, right.json().get("released").getAsInt());
        assertEquals(
                lease.token(),
                right.json()
                        .getAsJsonArray("locks")
                        .get(0)
                        .getAsJsonObject()
                        .getAsJsonObject("holder")
                        .get("token")
                        .getAsLong());
        assertFalse(isHeld(lease));
    }

    @Test
    void release_withWaiters_handsOver_orDropsThem() throws Exception {
        acquire("deploy");
        var next = client.lock("deploy").acquireAsync(Wait.forever());
        Launched.await("a waiter", () -> client.inspect().isQueued("deploy"));
        Said handed = Said.by(server, "release", "deploy", "--yes");
        assertTrue(handed.out().matches("Released 'deploy' of .*; now held by billing@.*\n"), handed.out());
        assertTrue(isHeld(next.get(Launched.PATIENCE_SECONDS, TimeUnit.SECONDS)));
        var dropped = client.lock("deploy").attemptAsync(Wait.forever());
        Launched.await("another waiter", () -> client.inspect().isQueued("deploy"));
        Said said = asked("y\n", "deploy", "--drop-waiters");
        assertTrue(said.err().contains("; 1 waiter, dropped too\n"), said.err());
        assertTrue(said.out().matches("Released 'deploy' of .*, dropped 1 waiter; now it is free\\.\n"), said.out());
        assertTrue(
                isRefused(Reason.DROPPED, dropped.get(Launched.PATIENCE_SECONDS, TimeUnit.SECONDS)), "the call ends");
    }

    @Test
    void release_ofAClientOrActorOrHost_takesThoseAndNoOthers() throws Exception {
        try (Holdfast other = Holdfast.connect(server.url(), EachQueued.OPTIONS)) {
            Lease mine = client.lock("mine").acquire();
            Lease actors = client.lock("actors").withActor("job-7").acquire();
            Lease others = other.lock("others").acquire();
            Said actor = Said.by(server, "release", "--client", client.id(), "--actor", "job-7", "--yes", "--json");
            assertEquals(1, actor.json().get("released").getAsInt(), actor.out());
            assertFalse(isHeld(actors));
            assertTrue(isHeld(mine) && isHeld(others));
            Said asked = asked("y\n", "--client", client.id());
            assertTrue(asked.err().startsWith("holdfast: 'mine': held by "), asked.err());
            assertEquals(0, asked.status());
            assertFalse(isHeld(mine));
            assertTrue(isHeld(others));
            String host = client.inspect().lock("others").holder().orElseThrow().host();
            assertEquals(
                    "Nothing to release.\n",
                    Said.by(server, "release", "--host", "no-" + host, "--yes").out());
            Said all = Said.by(server, "release", "--host", host, "--yes");
            assertTrue(all.out().startsWith("Released 'others' of "), all.out());
            assertFalse(isHeld(others));
        }
    }

    @Test
    void release_ofAll_showsTwentyAndTakesAllWithTheirWaiters() throws Exception {
        for (int i = 0; i < 22; i++) {
            acquire("lock-" + i);
        }
        var waiter = client.lock("lock-0").attemptAsync(Wait.forever());
        Launched.await("a waiter", () -> client.inspect().isQueued("lock-0"));
        Said said = asked("y\n", "--all");
        assertEquals(0, said.status());
        assertEquals(22, said.err().lines().count(), said.err());
        assertTrue(said.err().contains("holdfast: 'lock-0': held by "), said.err());
        assertTrue(said.err().contains("and 2 more\nholdfast: Release these 22 locks? [y/N] "), said.err());
        assertEquals("Released 22 locks, dropped 1 waiter.\n", said.out());
        assertEquals(0, client.inspect().locks().count());
        assertTrue(isRefused(Reason.DROPPED, waiter.get(Launched.PATIENCE_SECONDS, TimeUnit.SECONDS)));
        Said nothing = Said.by(server, "release", "--all", "--yes", "--json");
        assertEquals(0, nothing.json().get("released").getAsInt());
        assertTrue(nothing.json().get("locks").isJsonNull());
    }

    @Test
    void prompt_withNamesOfOthers_keepsTheTerminalSafe() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Prompt prompt = new Prompt(new StringReader("Y\n"), new PrintStream(out, true, StandardCharsets.UTF_8));
        List<String> what =
                IntStream.range(0, 2).mapToObj(i -> "a\u001b[2J" + i).toList();
        assertTrue(prompt.agrees(what, "Go?"));
        assertEquals(
                "holdfast: a\\u001b[2J0\nholdfast: a\\u001b[2J1\nholdfast: Go? [y/N] ",
                out.toString(StandardCharsets.UTF_8));
    }

    @Test
    void extend_ofAHold_makesItLonger_neverShorter_andOfNothingIs1() throws Exception {
        client.lock("deploy", LockOptions.defaults().withRenewal(false)).acquire();
        Said said = Said.by(server, "extend", "deploy", "2h");
        assertEquals(0, said.status());
        assertTrue(said.out().matches("'deploy' stays held until \\S+ \\(for 2h\\), unless .*\n"), said.out());
        JsonObject again = Said.by(server, "extend", "deploy", "1s", "--json").json();
        assertTrue(again.get("remainingMillis").getAsLong()
                > Duration.ofMinutes(119).toMillis());
        assertTrue(again.get("held").getAsBoolean());
        Said nobody = Said.by(server, "extend", "nobody", "2h", "--json");
        assertEquals(1, nobody.status());
        assertFalse(nobody.json().get("held").getAsBoolean());
        assertTrue(nobody.json().get("endsAt").isJsonNull());
    }

    @Test
    void clear_removesTheDeadAndNobodyElse() throws Exception {
        acquire("deploy");
        var waiter = client.lock("deploy").acquireAsync(Wait.forever());
        Launched.await("a waiter", () -> client.inspect().isQueued("deploy"));
        assertEquals("No dead waiter.\n", Said.by(server, "clear", "deploy").out());
        // One whose deadline has passed.
        server.command("ZADD", "hf:{deploy}:q", "99", "dead.1-1~s");
        server.command("HSET", "hf:{deploy}:d", "dead.1-1~s", "0 1 0 T 1000 0 30000 a/b/1/main", "@n:dead", "1");
        assertEquals(2, client.inspect().lock("deploy").waiters());
        assertTrue(Said.by(server, "queue", "deploy").out().contains("gone, is removed when its turn comes"));
        assertEquals(
                "Removed 1 dead waiter.\n", Said.by(server, "clear", "--all").out());
        assertEquals(1, client.inspect().lock("deploy").waiters());
        assertEquals(
                0,
                Said.by(server, "clear", "deploy", "--json")
                        .json()
                        .get("removed")
                        .getAsInt());
        waiter.cancel(false);
    }
}
