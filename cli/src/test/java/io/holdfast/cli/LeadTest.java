package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.ConnectOptions;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code holdfast lead}: when its command runs, when it is ended, and what it ends with. */
final class LeadTest {
    private static final String WAITS = "trap 'echo got TERM; exit 5' TERM; echo leads $HOLDFAST_ELECTION"
            + " ${HOLDFAST_LOCK-none} $HOLDFAST_TOKEN; while :; do sleep 0.05; done";

    private static Launched lead(RedisServer server, String script, String... options) {
        return Launched.holdfast(Stream.of(
                        Stream.of("lead", "job", "--url", server.url()),
                        Stream.of(options),
                        Stream.of("--", "sh", "-c", script))
                .flatMap(words -> words)
                .toArray(String[]::new));
    }

    private static Holdfast client(RedisServer server) {
        return Holdfast.over(new JedisDriverProvider().connect(server.address(), ConnectOptions.defaults()));
    }

    private static int led(Launched command) {
        return command.out().split("leads job none ", -1).length - 1;
    }

    private static void awaitLed(Launched command, int times) throws InterruptedException {
        Launched.await("it leads " + times + " times" + command.err(), () -> led(command) == times);
    }

    @Test
    void command_thatEndsByItself_endsItWithItsStatusAndTheNextLeads() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched first = lead(server, "echo leads; read x; exit 7");
                Holdfast client = client(server)) {
            first.awaitOut("leads");
            Holder leader = client.election("job").leader().orElseThrow();
            try (Launched second = lead(server, "echo $HOLDFAST_TOKEN", "--as", "other")) {
                Launched.await(
                        "it waits",
                        () -> client.inspect().of(LockInfo.Kind.ELECTION).isQueued("job"));
                first.line("");
                assertEquals(7, first.status());
                assertEquals(0, second.status());
                assertTrue(Long.parseLong(second.out().strip()) > leader.token());
                assertEquals("", second.err());
            }
            assertFalse(client.election("job").leader().isPresent());
        }
    }

    @Test
    void leadership_endedByAnOperator_endsTheCommandAndRunsItAgain() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched command = lead(server, WAITS);
                Holdfast client = client(server)) {
            awaitLed(command, 1);
            client.admin().of(LockInfo.Kind.ELECTION).release("job", Admin.Waiters.HAND_OFF);
            awaitLed(command, 2);
            assertTrue(command.out().contains("got TERM"), command.out());
            assertTrue(command.err().contains("lost the leadership of 'job'; ending the command"), command.err());
            command.signal("TERM");
            assertEquals(5, command.status());
        }
    }

    @Test
    void server_frozen_endsTheCommandBeforeAnotherCouldLead() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched command = lead(server, WAITS, "--lease", "6s")) {
            awaitLed(command, 1);
            server.freeze();
            command.awaitErr("about to lose the leadership of 'job'");
            command.awaitOut("got TERM");
            server.thaw();
            awaitLed(command, 2);
            command.signal("TERM");
            assertEquals(5, command.status());
        }
    }

    @Test
    void command_thatIgnoresTerm_isKilledWhenItsLeadershipEnds() throws Exception {
        String script = "trap '' TERM; echo leads job none $HOLDFAST_TOKEN; while :; do sleep 0.05; done";
        try (RedisServer server = RedisServer.start();
                Launched command = lead(server, script, "--lease", "3s", "--kill-after", "1h")) {
            awaitLed(command, 1);
            server.freeze();
            command.awaitErr("KILL to ");
            server.thaw();
            awaitLed(command, 2);
        }
    }

    @Test
    void signal_whileItWaits_is128PlusItsNumber() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched leading = lead(server, WAITS);
                Holdfast client = client(server)) {
            awaitLed(leading, 1);
            try (Launched waiting = lead(server, "echo never")) {
                Launched.await(
                        "it waits",
                        () -> client.inspect().of(LockInfo.Kind.ELECTION).isQueued("job"));
                waiting.signal("TERM");
                assertEquals(143, waiting.status());
                assertEquals("", waiting.out());
            }
            Launched.await(
                    "nobody waits",
                    () -> !client.inspect().of(LockInfo.Kind.ELECTION).isQueued("job"));
        }
    }

    @Test
    void kill_ofHoldfastItself_endsTheCommandAndAnotherLeads() throws Exception {
        String script = "echo leads $$; exec sleep 1000";
        try (RedisServer server = RedisServer.start();
                Launched doomed = lead(server, script, "--lease", "3s")) {
            doomed.awaitOut("\n");
            long pid = Long.parseLong(doomed.out().strip().substring("leads ".length()));
            doomed.signal("KILL");
            Launched.await(
                    "the command is ended",
                    () -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
            try (Launched next = lead(server, "echo leads")) {
                assertEquals(0, next.status());
            }
        }
    }

    @Test
    void command_notFound_is127() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched command = Launched.holdfast("lead", "job", "--url", server.url(), "--", "/no/such/command")) {
            assertEquals(127, command.status());
            assertTrue(command.err().contains("not found"), command.err());
        }
    }

    @Test
    void metadata_ofTheLeader_isSeenByOthers() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched command = lead(server, WAITS, "--meta", "url=http://a:80", "--as", "api", "--priority", "3");
                Holdfast client = client(server)) {
            awaitLed(command, 1);
            Holder leader = client.election("job").leader().orElseThrow();
            assertEquals(Map.of("url", "http://a:80"), leader.metadata());
            assertEquals("api", leader.application());
        }
    }

    @Test
    void words_thatAreWrong_are64() {
        assertEquals(64, Said.by("lead", "job").status());
        assertEquals(64, Said.by("lead", "job", "--").status());
        assertEquals(64, Said.by("lead", "job", "--try", "--", "true").status());
        assertTrue(Said.by("lead", "job").err().contains("holdfast lead NAME -- COMMAND"));
        Said page = Said.by("lead", "--help");
        assertEquals(0, page.status());
        assertTrue(page.out().contains("Examples:"), page.out());
        assertEquals(page.out(), Said.by("help", "lead").out());
    }
}
