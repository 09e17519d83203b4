package io.holdfast.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.benchmarks.Target.Comparison;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The table of targets, and how it is read. */
final class TargetTest {
    private static final String HEAD = "| row | measure | goal | reason |\n|---|---|---|---|\n";

    @Test
    void all_names_areOfScenariosContestantsAndMetrics() {
        assertFalse(Target.ALL.isEmpty());
        for (Target target : Target.ALL) {
            assertKnown(target, target.scenario(), target.size(), List.of(target.contestant()));
            assertKnown(target, target.referenceScenario(), target.referenceSize(), target.references());
        }
    }

    private static void assertKnown(Target target, String id, int size, List<String> contestants) {
        Scenario scenario = Scenarios.of(id);
        assertTrue(scenario.sizes(Scale.full()).contains(size), () -> "no such size: " + target);
        assertTrue(
                scenario.metrics().stream().anyMatch(metric -> metric.key().equals(target.metric())),
                () -> "no such metric: " + target);
        assertTrue(scenario.contestants(size).containsAll(contestants), () -> "no such contestant: " + target);
    }

    @Test
    void all_goals_goTheWayOfTheirMetric() {
        for (Target target : Target.ALL) {
            Scenario.Metric metric = Scenarios.of(target.scenario()).metrics().stream()
                    .filter(each -> each.key().equals(target.metric()))
                    .findFirst()
                    .orElseThrow();
            assertEquals(metric.higherIsBetter(), target.comparison().wantsMore(), target::toString);
        }
    }

    @Test
    void all_rows_haveNamesOfTheirOwn() {
        Set<String> words = new HashSet<>();
        Target.ALL.forEach(target -> assertTrue(words.add(target.words()), target::toString));
    }

    @Test
    void parse_severalContestants_areATargetEach() {
        List<Target> targets = Target.parse(
                HEAD + "| fast | free p50: holdfast-lettuce, holdfast-jedis / floor-jedis, hop | ≤ 1.25 | so |\n");
        assertEquals(2, targets.size());
        assertEquals("holdfast-jedis", targets.get(1).contestant());
        assertEquals(List.of("floor-jedis", "hop"), targets.get(1).references());
        assertEquals("free", targets.get(1).referenceScenario());
        assertEquals(1.25, targets.get(1).bound());
        assertEquals(Comparison.AT_MOST, targets.get(1).comparison());
    }

    @Test
    void parse_referencesOfAnotherScenario_areThose() {
        Target target = Target.parse(HEAD + "| flat | growth@10000 handoff: hop / growth@10 hop | < 2 | so |\n")
                .get(0);
        assertEquals(10_000, target.size());
        assertEquals("growth", target.referenceScenario());
        assertEquals(10, target.referenceSize());
        assertEquals(List.of("hop"), target.references());
    }

    @Test
    void parse_whatIsNoMeasureOrGoal_isRefused() {
        assertThrows(IllegalArgumentException.class, () -> Target.parse(HEAD + "| a | free: hop | ≤ 1 | so |\n"));
        assertThrows(IllegalArgumentException.class, () -> Target.parse(HEAD + "| a | free p50: hop | 1 | so |\n"));
        assertThrows(IllegalArgumentException.class, () -> Target.parse(HEAD + "| a | free p50: hop | ≤ 1 | |\n"));
    }

    @Test
    void measured_severalReferences_isOfTheBestOne() {
        Results results = new Results(List.of(of("hop", 10, 30), of("a", 20, 20), of("b", 40, 10)));
        String rows =
                HEAD + "| less | free p50: hop / a, b | < 1 | so |\n| more | free rate: hop / a, b | > 1 | so |\n";
        Target less = Target.parse(rows).get(0);
        Target more = Target.parse(rows).get(1);
        assertEquals(OptionalDouble.of(0.5), less.measured(results));
        assertEquals(OptionalDouble.of(1.5), more.measured(results));
        assertTrue(less.isReached(0.99) && !less.isReached(1));
        assertTrue(more.isReached(1.01) && !more.isReached(1));
    }

    private static Result of(String contestant, double p50, double rate) {
        return new Result("free", 0, contestant, 1, Map.of("p50", p50, "rate", rate), null, null);
    }
}
