package io.holdfast.faults.campaign;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.faults.history.EdnOperations;
import io.holdfast.faults.subjects.Subjects;
import io.holdfast.faults.subjects.Way;
import io.holdfast.internal.wire.Script;
import io.holdfast.model.following.Followed;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A few episodes of the campaign, with both drivers: always the same seeds, and a fresh one. Two episodes run side by side. */
@Execution(ExecutionMode.CONCURRENT)
final class ShortCampaignTest {
    private static final Duration TERM = Duration.ofSeconds(2);

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    static Stream<Episode> chosen() {
        return Stream.of(
                new Episode("holdfast-lettuce", Topology.SINGLE, Mishap.of(Fault.KILL_PROCESS), TERM, 1, 1),
                new Episode("holdfast-jedis", Topology.SINGLE, Mishap.of(Fault.FREEZE_PROCESS), TERM, 1, 2),
                new Episode("holdfast-lettuce", Topology.SINGLE, Mishap.of(Fault.REPLIES_LOST), TERM, 1, 3, true),
                new Episode("holdfast-jedis", Topology.SINGLE, Mishap.of(Fault.PARTITION_ONE), TERM, 1, 4),
                new Episode("holdfast-lettuce", Topology.SINGLE, Mishap.of(Fault.RESTART_EMPTY), TERM, 1, 5),
                new Episode("holdfast-shared", Topology.SINGLE, Mishap.of(Fault.KILL_MESSAGES), TERM, 1, 8),
                new Episode("holdfast-shared", Topology.SINGLE, Mishap.of(Fault.FREEZE_PROCESS), TERM, 1, 9),
                new Episode("holdfast-jedis", Topology.CLUSTER, Mishap.of(Fault.SLOT_MOVE), TERM, 1, 6),
                new Episode("holdfast-quarantine", Topology.SINGLE, Mishap.of(Fault.RESTART_OLDER), TERM, 1, 10),
                new Episode("holdfast-quarantine", Topology.SINGLE, Mishap.of(Fault.FLUSHALL), TERM, 1, 11),
                new Episode("holdfast-rw-lettuce", Topology.SINGLE, Mishap.of(Fault.KILL_PROCESS), TERM, 1, 13),
                new Episode(
                        "holdfast-permits-jedis", Topology.SINGLE, Mishap.of(Fault.FREEZE_PROCESS), TERM, 1, 14, true),
                new Episode(
                        "holdfast-shares-lettuce", Topology.SINGLE, Mishap.of(Fault.KILL_PROCESS), TERM, 1, 20, true),
                new Episode("holdfast-once-lettuce", Topology.SINGLE, Mishap.of(Fault.KILL_PROCESS), TERM, 1, 18, true),
                new Episode("holdfast-once-jedis", Topology.SINGLE, Mishap.of(Fault.FREEZE_PROCESS), TERM, 1, 19),
                new Episode("holdfast-jedis", Topology.QUORUM, Mishap.of(Fault.RESTART_OLDER), TERM, 1, 12),
                new Episode("holdfast-lettuce", Topology.QUORUM, Mishap.of(Fault.KILL_MINORITY), TERM, 1, 7),
                new Episode("holdfast-lettuce", Topology.CLUSTER, Mishap.of(Fault.REPLIES_LOST), TERM, 1, 15),
                new Episode("holdfast-jedis", Topology.SENTINELS, Mishap.of(Fault.PARTITION_ONE), TERM, 1, 16),
                new Episode("holdfast-jedis", Topology.SINGLE, Mishap.of("kill-process+messages-dead"), TERM, 1, 17));
    }

    @ParameterizedTest
    @MethodSource("chosen")
    void episode_always_keepsThePromises(Episode episode) throws IOException {
        assertClean(episode);
    }

    @Test
    void episode_fresh_keepsThePromises() throws IOException {
        long seed = ThreadLocalRandom.current().nextInt(1_000, 1_000_000);
        List<Fault> possible = Arrays.stream(Fault.values())
                .filter(fault -> fault.concerns(Topology.SINGLE))
                .filter(fault -> !fault.needsClock() && !fault.needsNetwork())
                .toList();
        Fault fault = possible.get((int) (seed % possible.size()));
        String subject = seed % 2 == 0 ? "holdfast-lettuce" : "holdfast-jedis";
        assertClean(new Episode(subject, Topology.SINGLE, Mishap.of(fault), TERM, 1, seed));
    }

    private void assertClean(Episode episode) throws IOException {
        EpisodeResult result = episode.run(folder, ServerClock.none(), WorkerClocks.right());
        Way way = Subjects.way(episode.subject());
        assertTrue(result.obtained() > 20, () -> "hardly anything happened: " + result);
        assertEquals(
                List.of(),
                result.violations(),
                () -> "again: fault-tests/run --subjects " + episode.subject() + " --topologies " + result.topology()
                        + " --faults " + result.fault() + " --term " + TERM.toMillis() + " --seed " + episode.seed());
        if (episode.follow()) {
            Followed calls = Objects.requireNonNull(result.followed());
            Script asking = way.isShared() ? Script.LINE_ACQUIRE : Script.ACQUIRE;
            assertTrue(calls.followed(asking) > 20, calls::toString);
        }
        if (way.guards() && way != Way.ONCE) { // what is kept for other checkers can be read
            for (String lock : List.of("a", "b", "c")) {
                assertFalse(EdnOperations.read(folder.resolve("sections-" + lock + ".edn"))
                        .isEmpty());
            }
        }
        System.getLogger("io.holdfast").log(System.Logger.Level.INFO, () -> result.toString());
    }
}
