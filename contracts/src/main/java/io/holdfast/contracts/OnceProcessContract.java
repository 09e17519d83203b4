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

    /** Ends in the time of a test if nobody renews it. */
    private static final String BRIEF_TERM = "term=2000";

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

    @Test
    void finish_firstOfFour_allHaveItsResultAndNoOtherBegins() {
        List<TakerProcess> all = waiting();
        all.get(0).send("finish a 0 zero");
        assertEquals("zero", textOf(all.get(0), "ran a 0"));
        for (int i = 1; i < 4; i++) {
            assertEquals("zero", textOf(all.get(i), "done a " + i));
            assertFalse(all.get(i).hasSaid("begun a"));
        }
        assertEquals(List.of("hf:{%once:a}"), keysButTokens(server));
    }

    @Test
    void kill_thoseThatAreAtIt_eachIsFollowedByTheNextUntilOneIsDone() {
        List<TakerProcess> all = waiting();
        for (int i = 0; i < 2; i++) {
            all.get(i).kill();
            long next = tokenOf(all.get(i + 1).awaitLine("begun a " + (i + 1)));
            assertTrue(next > token);
            token = next;
        }
        all.get(2).send("finish a 2 two");
        assertEquals("two", textOf(all.get(2), "ran a 2"));
        assertEquals("two", textOf(all.get(3), "done a 3"));
        TakerProcess later = taker();
        later.send("once a 4");
        assertEquals("two", textOf(later, "done a 4"));
    }

    @Test
    void freeze_theOneThatIsAtIt_itRecordsNothingAndIsToldWhenItWakes() {
        List<TakerProcess> all = waiting();
        all.get(0).freeze();
        all.get(1).awaitLine("begun a 1");
        all.get(1).send("finish a 1 one");
        assertEquals("one", textOf(all.get(1), "ran a 1"));
        all.get(0).thaw();
        all.get(0).send("finish a 0 zero");
        assertEquals("LeaseLostException", textOf(all.get(0), "ended a 0"));
        for (int i = 2; i < 4; i++) {
            assertEquals("one", textOf(all.get(i), "done a " + i));
        }
        all.get(0).send("once a 5");
        assertEquals("one", textOf(all.get(0), "done a 5"));
    }
}
