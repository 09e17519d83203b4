package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.contracts.servers.RedisServer;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What becomes of a command whose lock is lost. */
final class LossTest {
    private static Launched run(RedisServer server, String script, String... options) throws InterruptedException {
        String[] line = new String[options.length + 8];
        System.arraycopy(new String[] {"run", "lost", "--url", server.url()}, 0, line, 0, 4);
        System.arraycopy(options, 0, line, 4, options.length);
        System.arraycopy(new String[] {"--", "sh", "-c", script}, 0, line, 4 + options.length, 4);
        Launched command = Launched.holdfast(line);
        command.awaitOut("runs");
        return command;
    }

    @Test
    void frozenServer_endsTheCommandAfterTheTerm_with76() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched command = run(
                        server,
                        "trap 'echo got TERM; exit 5' TERM; echo runs; while :; do sleep 0.05; done",
                        "--lease",
                        "1s")) {
            server.freeze();
            assertEquals(76, command.status());
            assertEquals("runs\ngot TERM\n", command.out());
            assertTrue(
                    command.err()
                            .startsWith("holdfast: lost lock 'lost' while the command ran: it could not be renewed"),
                    command.err());
            server.thaw();
        }
    }

    @Test
    void killedServer_thatComesBackEmpty_endsTheCommandWith76() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched command = run(server, "echo runs; exec sleep 1000", "--lease", "3s")) {
            server.kill();
            server.restart();
            assertEquals(76, command.status());
            assertTrue(command.err().contains("lost lock 'lost'"), command.err());
        }
    }

    @Test
    void holdThatIsTakenAway_endsTheCommandWith76() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched command = run(server, "echo runs; exec sleep 1000", "--lease", "6s")) {
            server.command("FLUSHALL");
            assertEquals(76, command.status());
            assertTrue(command.err().contains("the server has forgotten it or has given it to another"), command.err());
        }
    }

    @Test
    void hold_thatAnOperatorReleases_isNamedAsSuch() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched command = run(server, "echo runs; exec sleep 1000", "--lease", "1h")) {
            assertEquals(0, Said.by(server, "release", "lost", "--yes").status());
            assertEquals(76, command.status());
            assertTrue(
                    command.err()
                            .startsWith("holdfast: lost lock 'lost' while the command ran: an operator released it"),
                    command.err());
        }
    }

    @Test
    void holdThatIsTakenAway_justBeforeTheCommandEnds_is76() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched command = run(server, "echo runs; read line", "--lease", "1h")) {
            server.command("FLUSHALL");
            command.line("");
            assertEquals(76, command.status());
            assertTrue(command.err().contains("was lost before the command had ended"), command.err());
        }
    }

    @Test
    void commandThatIgnoresTerm_isKilledWithWhatItHasStarted() throws Exception {
        // The shell and its child ignore TERM; the child says its number.
        String script = "trap '' TERM; sleep 1000 & echo runs $!; wait";
        try (RedisServer server = RedisServer.start();
                Launched command = run(server, script, "--lease", "500ms", "--kill-after", "300ms")) {
            command.awaitOut("\n");
            long below = Long.parseLong(command.out().strip().substring("runs ".length()));
            assertTrue(ProcessHandle.of(below).isPresent());
            server.command("FLUSHALL");
            assertEquals(76, command.status());
            assertTrue(command.err().contains("KILL to 2 processes that TERM did not end within 300ms"), command.err());
            assertFalse(ProcessHandle.of(below).map(ProcessHandle::isAlive).orElse(false));
        }
    }

    @Test
    void trapOfTheCommand_cleansUpWithCommandsOfItsOwn_whichGetNoTerm() throws Exception {
        String script = "trap 'sleep 0.3 && echo cleaned up; exit 5' TERM; echo runs; while :; do sleep 0.05; done";
        try (RedisServer server = RedisServer.start();
                Launched command = run(server, script, "--lease", "500ms")) {
            server.command("FLUSHALL");
            assertEquals(76, command.status());
            assertEquals("runs\ncleaned up\n", command.out());
        }
    }

    @Test
    void commandThatGoesOnAfterTerm_hasItsNextStepsEndedToo() throws Exception {
        String script = "trap 'echo got TERM' TERM; echo runs; sleep 1000; echo next; sleep 1001; exit 0";
        try (RedisServer server = RedisServer.start();
                Launched command = run(server, script, "--lease", "500ms", "--kill-after", "4s")) {
            server.command("FLUSHALL");
            assertEquals(76, command.status());
            // Its shell and what that waits for get TERM at one moment: either may be first.
            assertEquals(
                    Set.of("runs", "got TERM", "next"), command.out().lines().collect(Collectors.toSet()));
            assertFalse(command.err().contains("KILL"), command.err());
        }
    }

    @Test
    void processesBelowTheCommand_areEndedToo() throws Exception {
        // A shell that is ended by TERM leaves its children running.
        try (RedisServer server = RedisServer.start();
                Launched command = run(server, "sleep 1000 & echo runs $!; wait", "--lease", "500ms")) {
            command.awaitOut("\n");
            long below = Long.parseLong(command.out().strip().substring("runs ".length()));
            server.command("FLUSHALL");
            assertEquals(76, command.status());
            assertFalse(ProcessHandle.of(below).map(ProcessHandle::isAlive).orElse(false));
        }
    }

    @Test
    void serverThatIsAwayForLessThanTheTerm_losesNothing() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched command = run(server, "echo runs; read line; exit 3", "--lease", "1m")) {
            server.freeze();
            server.thaw();
            command.line("");
            assertEquals(3, command.status());
            assertEquals("", command.err());
        }
    }

    @Test
    void serverThatIsGoneAtTheEnd_isSaid_andTheStatusIsTheCommands() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched command = run(server, "echo runs; read line; exit 3", "--lease", "1m")) {
            server.kill();
            long begin = System.nanoTime();
            command.line("");
            assertEquals(3, command.status());
            assertTrue(
                    command.err().contains("did not confirm that 'lost' is free again; it will be within 1m"),
                    command.err());
            assertTrue(System.nanoTime() - begin < TimeUnit.SECONDS.toNanos(30));
        }
    }
}
