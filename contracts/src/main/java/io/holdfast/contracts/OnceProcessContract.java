package io.holdfast.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Work that is done once by one of four processes, of which those that are at it die, freeze, or are done. */
public class OnceProcessContract extends TakerSuite {
    /** For the classes of the drivers. */
    protected OnceProcessContract() {}

    /** Ends within a test, without renewal. */
    private static final String BRIEF_TERM = "term=6000";

    private long token; // of the newest run

    private static long tokenOf(List<String> begun) {
        return Long.parseLong(begun.get(3));
    }

    private static String textOf(TakerProcess taker, String beginning) {
        return taker.awaitLine(beginning).get(3);
    }

    /** The first has begun, and the others wait in this order. */
    private List<TakerProcess> waiting() {
        List<TakerProcess> all = takers(4, BRIEF_TERM);
        for (int i = 0; i < 4; i++) {
            all.get(i).send("once a " + i);
            if (i == 0) {
                token = tokenOf(all.get(0).awaitLine("begun a 0"));
            } else {
                awaitQueue("%once:a", i);
            }
        }
        return all;
    }

    /** Of several keys at a time, one process is at each step of the life of a run when it is killed; others wait for each of them. */
    @Test
    void runner_isKilledAtEachStep_nextTakesOverWithItsNoteUnlessThereIsARecord() {
        List<TakerProcess> all = takers(3, BRIEF_TERM);
        TakerProcess runner = all.get(0);
        TakerProcess next = all.get(1);
        TakerProcess last = all.get(2);
        for (String key : List.of("begun", "noted", "finishing", "recorded")) {
            runner.send("once " + key + " 0");
            runner.awaitLine("begun " + key + " 0");
            next.send("once " + key + " 1");
            awaitQueue("%once:" + key, 1);
        }
        last.send("once waiting 2");
        last.awaitLine("begun waiting 2");
        runner.send("once waiting 0");
        awaitQueue("%once:waiting", 1);
        next.send("once waiting 1");
        awaitQueue("%once:waiting", 2);
        runner.send("note noted 0 half");
        runner.awaitLine("noted noted 0");
        runner.send("finish recorded 0 first");
        assertEquals("first", textOf(runner, "ran recorded 0"));
        assertEquals("first", textOf(next, "done recorded 1"));

        runner.send("finish finishing 0 first");
        runner.kill();

        assertEquals("-", next.awaitLine("begun begun 1").get(4));
        assertEquals("half", next.awaitLine("begun noted 1").get(4));
        await("it is done, or done again", () -> next.hasSaid("done finishing 1") || next.hasSaid("begun finishing 1"));
        boolean again = next.hasSaid("begun finishing 1");
        next.send("finish begun 1 second");
        next.send("finish noted 1 second");
        if (again) {
            next.send("finish finishing 1 second");
        }
        last.send("finish waiting 2 second");
        assertEquals("second", textOf(next, "done waiting 1"));
        for (String key : List.of("begun", "noted", "finishing", "recorded", "waiting")) {
            last.send("once " + key + " 3");
            boolean first = key.equals("recorded") || (key.equals("finishing") && !again);
            assertEquals(first ? "first" : "second", textOf(last, "done " + key + " 3"));
        }
    }

    /** One is killed at work, the next one frozen, and the third is done. */
    @Test
    void work_ofThoseThatDieOrFreeze_isDoneByTheNextAndRecordedOnce() {
        List<TakerProcess> all = waiting();
        all.get(0).kill();
        long second = tokenOf(all.get(1).awaitLine("begun a 1"));
        assertTrue(second > token);
        all.get(1).freeze();
        long third = tokenOf(all.get(2).awaitLine("begun a 2"));
        assertTrue(third > second);
        all.get(2).send("finish a 2 two");
        assertEquals("two", textOf(all.get(2), "ran a 2"));
        assertEquals("two", textOf(all.get(3), "done a 3"));
        assertFalse(all.get(3).hasSaid("begun a"));
        all.get(1).thaw();
        all.get(1).send("finish a 1 one");
        assertEquals("LeaseLostException", textOf(all.get(1), "ended a 1"));
        all.get(1).send("once a 4");
        assertEquals("two", textOf(all.get(1), "done a 4"));
    }
}
