package io.holdfast.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Lease;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code holdfast run} with several locks. */
class RunSetTest extends ObservedServer {
    private static Launched run(String... words) {
        return Launched.run(server, words);
    }

    private static boolean isFree(String lock) {
        return !observer.lock(lock).isLocked();
    }

    private static long token(String lock) {
        return observer.inspect().lock(lock).holder().orElseThrow().token();
    }

    @Test
    void environment_ofTheCommand_hasAllLocksAndTokensInTheOrderTyped() throws Exception {
        String told = "echo \"$HOLDFAST_LOCK $HOLDFAST_TOKEN $HOLDFAST_LOCK_2 $HOLDFAST_TOKEN_2 $HOLDFAST_LOCK_3"
                + " $HOLDFAST_TOKEN_3 $HOLDFAST_TOKENS|\"; read line; exit 3";
        try (Launched command = run("a", "--also", "b", "--also=c", "--", "sh", "-c", told)) {
            command.awaitOut("|\n");
            String tokens = token("a") + " " + token("b") + " " + token("c");
            assertEquals(
                    "a " + token("a") + " b " + token("b") + " c " + token("c") + " " + tokens + "|\n", command.out());
            command.line("");
            assertEquals(3, command.status());
            assertTrue(isFree("a") && isFree("b") && isFree("c"));
        }
    }

    @Test
    void environment_belowARunOfMoreLocks_hasNoneOfThem() throws Exception {
        Map<String, String> outer = Map.of("HOLDFAST_LOCK_2", "outer", "HOLDFAST_TOKEN_2", "1");
        try (Launched command = Launched.holdfast(
                outer,
                "run",
                "inner",
                "--url",
                server.url(),
                "--",
                "sh",
                "-c",
                "echo $HOLDFAST_LOCK_2.$HOLDFAST_TOKEN_2.")) {
            assertEquals(0, command.status());
            assertEquals("..\n", command.out());
        }
    }

    @Test
    void try_whereOneIsTaken_is75AndNamesItAndHoldsNone() throws Exception {
        try (Lease theirs = observer.lock("taken").acquire();
                Launched command = run("free", "--also", "taken", "--try", "--", "echo", "ran")) {
            assertEquals(75, command.status());
            assertEquals("", command.out());
            assertTrue(command.err().startsWith("holdfast: 'taken' is taken: held by "), command.err());
            assertTrue(theirs.isValid() && isFree("free"));
        }
    }

    @Test
    void wait_thatIsOver_is75AndNamesWhatItWaitedFor() throws Exception {
        try (Lease theirs = observer.lock("busy").acquire();
                Launched command = run("idle", "--also", "busy", "--wait", "3s", "--", "echo", "ran")) {
            assertEquals(75, command.status());
            assertTrue(command.err().contains("'busy' was not free within 3s: held by "), command.err());
            assertTrue(theirs.isValid() && isFree("idle"));
        }
    }

    @Test
    void loss_ofOne_is76AndNamesIt() throws Exception {
        try (Launched command =
                run("x", "--also", "y", "--lease", "1s", "--", "sh", "-c", "echo runs; exec sleep 100")) {
            command.awaitOut("runs");
            observer.admin().release("y", Admin.Waiters.HAND_OFF);
            assertEquals(76, command.status());
            assertTrue(
                    command.err().startsWith("holdfast: lost lock 'y' while the command ran: an operator"),
                    command.err());
            assertTrue(isFree("x") && isFree("y"));
        }
    }

    @Test
    void locks_namedTwiceOrBelowTheirOwnRun_areRefused() throws Exception {
        try (Launched twice = run("a", "--also", "b", "--also", "a", "--", "true")) {
            assertEquals(64, twice.status());
            assertTrue(twice.err().contains("the lock 'a' is named twice"), twice.err());
        }
        String inner = "echo runs; read line; exit 0";
        try (Launched holder = run("p", "--also", "q", "--", "sh", "-c", inner)) {
            holder.awaitOut("runs");
            Map<String, String> below = Map.of("HOLDFAST_TOKENS", token("p") + " " + token("q"));
            try (Launched nested =
                    Launched.holdfast(below, "run", "r", "--also", "q", "--url", server.url(), "--", "true")) {
                assertEquals(64, nested.status());
                assertTrue(nested.err().contains("'q' is held by an outer holdfast process ("), nested.err());
                assertFalse(observer.lock("r").isLocked());
            }
            holder.line("");
            assertEquals(0, holder.status());
        }
    }
}
