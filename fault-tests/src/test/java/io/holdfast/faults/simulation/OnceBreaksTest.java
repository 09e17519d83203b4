package io.holdfast.faults.simulation;

import static io.holdfast.faults.simulation.Breaks.java;
import static io.holdfast.faults.simulation.Breaks.lua;
import static io.holdfast.faults.simulation.OnceRuns.Check.AFTER;
import static io.holdfast.faults.simulation.OnceRuns.Check.DELAY;
import static io.holdfast.faults.simulation.OnceRuns.Check.EXCLUSION;
import static io.holdfast.faults.simulation.OnceRuns.Check.LIVENESS;
import static io.holdfast.faults.simulation.OnceRuns.Check.PAUSED;
import static io.holdfast.faults.simulation.OnceRuns.Check.RECORD;
import static io.holdfast.faults.simulation.OnceRuns.Check.TRIES;

import io.holdfast.faults.simulation.Breaks.Break;
import io.holdfast.faults.simulation.Breaks.Edit;
import io.holdfast.faults.simulation.OnceRuns.Check;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs of work that is done once find nothing, and find what is broken on purpose. */
class OnceBreaksTest {
    private static final int SEEDS = 80;

    @Test
    void run_knownSeeds_findNothing() {
        SimulationTest.findNothing(OncePlan::draw, SEEDS);
    }

    @Test
    void run_freshSeed_findsNothing() {
        SimulationTest.findNothingNew(OncePlan::draw);
    }

    @Test
    void run_sameSeed_isTheSameRun() {
        SimulationTest.assertSameRuns(OncePlan::draw, 3);
    }

    @ParameterizedTest
    @MethodSource("breaks")
    void firstFinding_brokenProduct_isOfACheckThatIsMeantForIt(Break broken) {
        BrokenProduct.assertFoundBy(broken.by(), broken, broken.firstFinding());
    }

    static List<Break> breaks() {
        return List.of(
                of(
                        "a result is not recorded",
                        1,
                        EnumSet.of(AFTER, RECORD),
                        java(
                                "Once",
                                "hold.rest.ask(keep, hold.kit.nanoTime(), hold.origin.shown.labelWith(Holder.RESULT, result));",
                                "hold.isAttended();")),
                of(
                        "a try is not counted before it begins",
                        4,
                        EnumSet.of(TRIES),
                        java(
                                "Once",
                                "return lease.noteAsync(note).thenApply(noted -> true);",
                                "return CompletableFuture.completedFuture(note != null);")),
                of(
                        "the limit of tries is ignored",
                        7,
                        EnumSet.of(TRIES),
                        java("Once", "if (done < tries) {", "if (done < 1_000) {")),
                of(
                        "failed work leaves a record",
                        1,
                        EnumSet.of(RECORD),
                        java(
                                "Once",
                                "            String result = text;\n",
                                "            String result = text == null ? \"\" : text;\n")),
                of(
                        "an unacknowledged record is reported as recorded",
                        43,
                        EnumSet.of(RECORD, AFTER),
                        java("Once", "lease.token(), how == ReleaseResult.RELEASED);", "lease.token(), true);")),
                of(
                        "a request waits behind a record instead of returning it",
                        1,
                        EnumSet.of(LIVENESS),
                        lua(
                                "acquire",
                                "if lock.public == '=' then\n  return 'DONE",
                                "if lock.public == '==' then\n  return 'DONE"),
                        java(
                                "internal/queue/WaitingRoom",
                                "                onDone(done);\n",
                                "                done.hashCode();\n")),
                of(
                        "a pause does not block requests",
                        4,
                        EnumSet.of(PAUSED),
                        lua(
                                "settle",
                                "    if left > 0 then\n      know(lock, pause)",
                                "    if left > 1e9 then\n      know(lock, pause)")),
                of(
                        "the server's hold does not include the lock-delay",
                        2,
                        EnumSet.of(DELAY),
                        java("internal/wire/LockScripts", "return lease.plus(lock.lockDelay());", "return lease;")),
                of(
                        "a lost lease is taken back without its lock-delay",
                        15,
                        EnumSet.of(DELAY),
                        java(
                                "internal/lease/Rest",
                                "return gone || users <= 0 ? NONE :",
                                "return gone || users != 0 ? NONE :")),
                of(
                        "the deadline of a renewal is half a second late",
                        2,
                        EnumSet.of(EXCLUSION, AFTER, DELAY),
                        java(
                                "internal/queue/QueueGrant",
                                "return queue.server.deadline(keys, sentNanos, termNanos);",
                                "return queue.server.deadline(keys, sentNanos + 500_000_000L, termNanos);")));
    }

    private static Break of(String name, long seed, Set<Check> by, Edit... edits) {
        return new Break(name, OncePlan.NAME, SEEDS, seed, by, List.of(edits));
    }
}
