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
