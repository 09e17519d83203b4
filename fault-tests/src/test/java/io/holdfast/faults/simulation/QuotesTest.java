package io.holdfast.faults.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.faults.simulation.Breaks.Edit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Breaks quote the sources. A second tells here which of them a change has made stale; their own tests take minutes. */
class QuotesTest {
    @Test
    void edits_allBreaks_standInTheSourcesOnce() {
        Stream<List<Edit>> ofPlans = ofPlans().map(Breaks.Break::edits);
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

    @Test
    void evidence_eachBreak_isListedWithACheckThatMayFindItAndTheSeedThatIsTriedFirst() throws IOException {
        Map<String, String[]> rows = new HashMap<>();
        for (String line : Files.readAllLines(Path.of("..", "docs", "evidence.md"))) {
            String[] cells = line.split(" *\\| *", -1);
            if (cells.length > 4 && cells[3].matches("[\\d,]+")) {
                rows.put(cells[1], cells);
            }
        }
        List<String> wrong = new ArrayList<>();
        ofPlans().forEach(each -> {
            String[] row = Stream.of(
                            each.plan() + ": " + each.name(), each.name() + " (" + each.plan() + ")", each.name())
                    .map(rows::get)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
            if (row == null) {
                wrong.add(
                        "no row: " + each.plan() + ": " + each.name() + ", by " + each.by() + ", seed " + each.seed());
            } else if (Long.parseLong(row[3].replace(",", "")) != each.seed()
                    || each.by().stream().noneMatch(by -> by.name().equals(row[2]))) {
                wrong.add(each.name() + ": " + row[2] + ", seed " + row[3] + ", in the sources " + each.by() + ", seed "
                        + each.seed());
            }
        });
        assertEquals(List.of(), wrong);
    }

    private static Stream<Breaks.Break> ofPlans() {
        return Stream.of(Breaks.all(), LineBreaks.all(), ElectionBreaks.all(), OnceBreaksTest.breaks())
                .flatMap(List::stream);
    }
}
