package io.holdfast.benchmarks;

import java.util.List;
import java.util.Map;

/** One whose contestants are not libraries, but ways of one: each by itself, and mostly without another that it is compared with. */
interface OwnScenario extends Scenario {
    /** How contestants are called in tables; by their ids otherwise. */
    Map<String, String> labels();

    @Override
    default String label(String contestant) {
        return labels().getOrDefault(contestant, contestant);
    }

    @Override
    default List<String> references() {
        return List.of();
    }

    @Override
    default boolean isInTurn() {
        return false;
    }
}
