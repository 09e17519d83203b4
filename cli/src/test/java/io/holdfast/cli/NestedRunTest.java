package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A {@code holdfast run} below another one: whether it would wait for itself. */
final class NestedRunTest extends ObservedServer {
    private static Launched run(String lock, List<String> words) {
        List<String> all = new ArrayList<>(List.of(lock));
        all.addAll(words);
        return Launched.run(server, all.toArray(String[]::new));
    }

    /** {@code holdfast run} as a command of {@code holdfast run}. */
    private static Launched nested(String outer, String... inner) {
        List<String> words = new ArrayList<>(List.of("run"));
        words.addAll(List.of(inner));
        List<String> line = new ArrayList<>(List.of("--"));
        line.addAll(Launched.line(words.toArray(String[]::new)));
        return run(outer, line);
    }

    @Test
    void run_belowARunOfTheSameLock_isRefusedAtOnce() throws Exception {
        String url = server.url();
        String inner = "java@";
        try (Launched command = nested("self", "self", "--url", url, "-q", "--", "echo", "ran")) {
            assertEquals(64, command.status());
            assertEquals("", command.out());
            assertTrue(
                    command.err()
                            .matches("holdfast: 'self' is held by an outer holdfast process \\(" + inner + "\\S+, pid "
                                    + command.pid() + "\\), which waits for this one: neither would ever end\\. .*\n"),
                    command.err());
            assertFalse(observer.inspect().isLocked("self"));
        }
    }

    @ParameterizedTest
    @CsvSource({"2/2, 64", "1/2, 0"})
    void run_belowARunOfTheSameSemaphore_tooFewPermits_isRefused(String outer, int status) throws Exception {
        List<String> line = new ArrayList<>(List.of("--permits", outer, "--"));
        line.addAll(Launched.line("run", "room", "--permits", "1/2", "--url", server.url(), "-q", "--", "echo", "ran"));
        try (Launched command = run("room", line)) {
            assertEquals(status, command.status());
            assertEquals(status == 0 ? "ran\n" : "", command.out());
            assertEquals(status != 0, command.err().contains("neither would ever end"), command.err());
        }
    }

    @Test
    void run_belowARunOfTheSameLock_withAWaitThatEnds_isWarnedOf_alsoTwoLevelsBelow() throws Exception {
        String url = server.url();
        List<String> innermost = Launched.line("run", "top", "--url", url, "--wait", "50ms", "--", "echo", "ran");
        List<String> line = new ArrayList<>(List.of("middle", "--url", url, "--"));
        line.addAll(innermost);
        try (Launched command = nested("top", line.toArray(String[]::new))) {
            assertEquals(75, command.status());
            assertEquals("", command.out());
            assertTrue(command.err().contains("'top' is held by an outer holdfast process ("), command.err());
            assertTrue(command.err().contains("the lock will not become free meanwhile"), command.err());
            assertTrue(command.err().contains("'top' was not free within 50ms"), command.err());
        }
    }

    @Test
    void run_belowARunOfAnotherLock_orOfOneThatHasEnded_isNoProblem() throws Exception {
        String url = server.url();
        try (Launched command = nested("outer", "inner", "--url", url, "--", "sh", "-c", "echo $HOLDFAST_TOKENS")) {
            assertEquals(0, command.status());
            assertEquals("", command.err());
            assertTrue(command.out().matches("\\d+ \\d+\n"), command.out());
            Map<String, String> stale = Map.of("HOLDFAST_TOKENS", command.out().strip());
            try (Lease holder = observer.lock("outer").acquire();
                    Launched later = Launched.holdfast(
                            stale, "run", "outer", "--url", url, "--wait", "50ms", "--", "echo", "ran")) {
                assertEquals(75, later.status());
                assertFalse(later.err().contains("above"), later.err());
                assertTrue(holder.isValid());
            }
        }
    }
}
