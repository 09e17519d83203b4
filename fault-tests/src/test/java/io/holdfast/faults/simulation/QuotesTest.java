package io.holdfast.faults.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.faults.simulation.Breaks.Edit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Breaks quote the sources. A second tells here which of them a change has made stale; their own tests take minutes. */
class QuotesTest {
    @Test
    void edits_allBreaks_standInTheSourcesOnce() {
        Stream<List<Edit>> ofPlans = Stream.of(
                        Breaks.all(), LineBreaks.all(), ElectionBreaks.all(), OnceBreaksTest.breaks())
                .flatMap(List::stream)
                .map(Breaks.Break::edits);
        Stream<List<Edit>> ofSets = SetBreaksTest.breaks().stream().map(SetBreaksTest.Break::edits);
        List<String> stale = new ArrayList<>();
        Stream.concat(ofPlans, ofSets).forEach(edits -> {
            try {
                BrokenProduct.changed(edits);
            } catch (AssertionError e) {
                stale.add(e.getMessage());
            }
        });
        assertEquals(List.of(), stale);
    }
}
