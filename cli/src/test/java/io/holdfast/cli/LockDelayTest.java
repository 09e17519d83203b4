package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code --lock-delay}: how much longer the lock stays taken after a loss, and after nothing else. */
final class LockDelayTest {
    private static final String[] RUNS = {"--", "sh", "-c", "echo runs; exec sleep 1000"};

    @TempDir
    Path folder;

    private static Launched runs(RedisServer server, String lock, String... options) throws InterruptedException {
        String[] words = new String[options.length + 5];
        words[0] = lock;
        System.arraycopy(options, 0, words, 1, options.length);
        System.arraycopy(RUNS, 0, words, 1 + options.length, RUNS.length);
        Launched command = Launched.run(server, words);
        command.awaitOut("runs");
        return command;
    }

    @Test
    void holder_killed_nextIsGrantedTheLockAfterTheDelay() throws Exception {
        Duration delay = Duration.ofSeconds(4); // longer than the lease, which is over in that time
        try (RedisServer server = RedisServer.start();
                Holdfast other = Holdfast.connect(server.url());
                Launched holder = runs(server, "delayed", "--lease", "2s", "--lock-delay", "4s")) {
            long begin = System.nanoTime();
            holder.signal("KILL");
            try (Lease lease =
                    other.lock("delayed").acquire(Wait.upTo(Duration.ofSeconds(Launched.PATIENCE_SECONDS)))) {
                Duration waited = Duration.ofNanos(System.nanoTime() - begin);
                assertTrue(waited.compareTo(delay) >= 0, () -> lease + " after " + waited);
            }
        }
    }

    @Test
    void holder_killed_serverKeepsTheLockForLeaseAndDelay() throws Exception {
        try (RedisServer server = RedisServer.start();
                Holdfast observer = Holdfast.connect(server.url());
                Launched holder = runs(server, "delayed", "--lease", "30s", "--lock-delay", "1h");
                Launched usual = runs(server, "usual", "--lease", "30s")) {
            holder.signal("KILL");
            usual.signal("KILL");
            Duration left = observer.inspect().lock("delayed").remaining();
            assertTrue(left.compareTo(Duration.ofMinutes(59)) > 0, left::toString);
            Duration usually = observer.inspect().lock("usual").remaining();
            assertTrue(usually.compareTo(Duration.ofSeconds(30)) <= 0, usually::toString);
        }
    }

    @Test
    void command_ends_nextIsGrantedTheLockAtOnce() throws Exception {
        String[] options = {"--try", "--lock-delay", "1h", "--"};
        try (RedisServer server = RedisServer.start();
                Launched good = run(server, options, "true");
                Launched terminated = runs(server, "terminated", "--lock-delay", "1h")) {
            assertEquals(0, good.status());
            for (String[] end : new String[][] {{"false", "1"}, {"/no/such/command", "127"}, {"true", "0"}}) {
                try (Launched next = run(server, options, end[0])) {
                    assertEquals(Integer.parseInt(end[1]), next.status(), end[0]);
                }
            }
            terminated.signal("TERM");
            assertEquals(143, terminated.status());
            assertEquals(0, Said.by(server, "why", "terminated").status());
        }
    }

    private static Launched run(RedisServer server, String[] options, String command) {
        String[] words = new String[options.length + 2];
        words[0] = "ends";
        System.arraycopy(options, 0, words, 1, options.length);
        words[options.length + 1] = command;
        return Launched.run(server, words);
    }

    @Test
    void ticket_isReleased_nextIsGrantedTheLockAtOnce() throws Exception {
        try (RedisServer server = RedisServer.start();
                Launched script =
                        Launched.start(Map.of("HOLDFAST_URL", server.url()), java.util.List.of("sh", "-c", "cat"))) {
            String pid = Long.toString(script.pid());
            try (Launched acquire = Launched.holdfast(
                    "acquire", "part", "--url", server.url(), "--for", pid, "--lock-delay", "1h", "--try")) {
                assertEquals(0, acquire.status(), acquire.err());
                Duration left;
                try (Holdfast observer = Holdfast.connect(server.url())) {
                    left = observer.inspect().lock("part").remaining();
                }
                assertTrue(left.compareTo(Duration.ofMinutes(59)) > 0, left::toString);
                try (Launched release =
                        Launched.holdfast("release", "--ticket", acquire.out().strip())) {
                    assertEquals(0, release.status(), release.err());
                }
                assertEquals(0, Said.by(server, "why", "part").status());
            }
        }
    }

    @Test
    void holder_killedOnTheServerOfThisMachine_lockStaysTaken() throws Exception {
        try (Launched delayed =
                        local("run", "delayed", "--lock-delay", "1h", "--", "sh", "-c", "echo runs; exec sleep 1000");
                Launched usual = local("run", "usual", "--", "sh", "-c", "echo runs; exec sleep 1000")) {
            delayed.awaitOut("runs");
            usual.awaitOut("runs");
            delayed.signal("KILL");
            delayed.status();
            usual.signal("KILL");
            try (Launched next = local("run", "usual", "--", "true");
                    Launched waits = local("run", "delayed", "--wait", "3s", "--", "true")) {
                assertEquals(0, next.status(), "the one whose processes ended later is free");
                assertEquals(75, waits.status(), waits.err());
            }
            try (Launched release = local("release", "delayed", "--yes")) {
                assertEquals(0, release.status(), release.err());
            }
        }
        Launched.awaitKeeperGone(folder);
    }

    private Launched local(String... words) {
        return Launched.holdfast(Launched.machineLocal(folder), words);
    }
}
