package io.holdfast.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A run that adds to what an earlier one left. */
final class ResultsTest {
    private static Result result(String scenario, int round) {
        return new Result(scenario, 0, "floor-lettuce", round, Map.of("rate", 1.0), null, null);
    }

    @Test
    void without_scenariosThatAreMeasuredAgain_keepsTheOthersInTheirOrder() {
        Results results =
                new Results(List.of(result("free", 1), result("leases", 1), result("own", 1), result("own", 2)));
        assertEquals(
                List.of(result("free", 1), result("own", 1), result("own", 2)),
                results.without(Set.of("leases", "start")));
    }

    @Test
    void with_laterRun_saysWhatWasMeasuredThenAndHow() {
        Machine first = new Machine(new LinkedHashMap<>(Map.of("run", "full, 3 rounds")));
        Machine both = first.with(new Machine(Map.of("run", "full, 5 rounds")), Set.of("leases"));
        assertEquals(Map.of("run", "full, 3 rounds", "by itself: leases", "full, 5 rounds"), both.facts());
    }
}
