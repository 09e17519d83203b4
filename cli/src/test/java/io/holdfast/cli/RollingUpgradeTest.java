package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin.Waiters;
import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.LockInfo.Kind;
import io.holdfast.Revocation;
import io.holdfast.contracts.servers.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Clients of the last version and of this one, on one server, as while hosts are upgraded one after the other. The last version is
 * the command that {@code LAST_HOLDFAST} names, which compatibility/rolling builds; without it, this version stands for it.
 */
final class RollingUpgradeTest {
    private static final String LAST = "LAST_HOLDFAST";

    /** How each kind is asked for, alone. */
    private static final Map<Kind, List<String>> KINDS = Map.of(
            Kind.LOCK, List.of("run", "a"),
            Kind.READ_WRITE, List.of("run", "a", "--write"),
            Kind.SEMAPHORE, List.of("run", "a", "--permits", "1/1"),
            Kind.ELECTION, List.of("lead", "a"),
            Kind.ONCE, List.of("run", "a", "--once"));

    /** A status of failure: what is done once is handed on only if it was not done. */
    private static final int FAILED = 3;

    private static RedisServer server;
    private static Holdfast looking;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        looking = Holdfast.connect(server.url(), EachQueued.OPTIONS);
    }

    @AfterAll
    static void stop() {
        looking.close();
        server.close();
    }

    static Stream<Arguments> kindsBothWays() {
        return KINDS.keySet().stream().flatMap(kind -> Stream.of(Arguments.of(kind, true), Arguments.of(kind, false)));
    }

    private static List<String> words(Kind kind) {
        return KINDS.getOrDefault(kind, List.of());
    }

    private static Launched launch(boolean last, List<String> words, String script) {
        String program = System.getenv(LAST);
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of("--url", server.url(), "--", "sh", "-c", script));
        if (!last || program == null) {
            return Launched.holdfast(all.toArray(String[]::new));
        }
        List<String> line = new ArrayList<>(List.of(program));
        line.addAll(all);
        return Launched.start(Map.of(), line);
    }

    private static LockInfo lock(Kind kind) {
        return Kinds.inspector(looking, kind).lock("a");
    }

    @ParameterizedTest
    @MethodSource("kindsBothWays")
    void handoff_betweenVersions_goesToWhoeverWaits(Kind kind, boolean lastFirst) throws Exception {
        try (Launched first = launch(lastFirst, words(kind), "echo $HOLDFAST_TOKEN; cat; exit " + FAILED)) {
            first.awaitOut("\n");
            try (Launched second = launch(!lastFirst, words(kind), "echo $HOLDFAST_TOKEN; exit " + FAILED)) {
                Launched.await("it waits", () -> lock(kind).waiters() == 1);
                LockInfo seen = lock(kind);
                assertEquals(1, seen.shares().size());
                assertEquals(
                        first.out().strip(),
                        Long.toString(seen.holder().orElseThrow().token()));
                first.in(new byte[0]);
                assertEquals(FAILED, first.status());
                assertEquals(FAILED, second.status());
                long later = Long.parseLong(second.out().strip());
                assertTrue(later > Long.parseLong(first.out().strip()), "tokens grow from one version to the other");
            }
        }
        Launched.await("nothing is held", () -> !lock(kind).isLocked());
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void release_byName_endsTheHoldOfTheLastVersion(Kind kind) throws Exception {
        try (Launched holding = launch(true, words(kind), "echo $HOLDFAST_TOKEN; exec sleep 600")) {
            holding.awaitOut("\n");
            Revocation done = looking.admin()
                    .of(kind)
                    .release("a", Long.parseLong(holding.out().strip()), Waiters.HAND_OFF);
            assertEquals(Revocation.Outcome.RELEASED, done.outcome());
            if (kind == Kind.ELECTION) {
                holding.awaitErr("lost the leadership of 'a'");
            } else {
                assertEquals(ExitStatus.LOST, holding.status());
            }
        }
        Launched.await("nothing is held", () -> !lock(kind).isLocked());
    }
}
