package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The checker, on a counter that goes up by one or doubles. */
final class CheckerTest {
    /** A number is bad, and from another one there is no way on. */
    private record Counter(int most, int bad, int stuck) implements Model<Integer> {
        @Override
        public Integer initial() {
            return 1;
        }

        @Override
        public void next(Integer state, BiConsumer<Action, Integer> to) {
            if (state == stuck) {
                return;
            }
            if (state + 1 <= most) {
                to.accept(Action.of(() -> "one more than " + state), state + 1);
            }
            if (state * 2 <= most) {
                to.accept(Action.of(() -> "twice " + state), state * 2);
            }
        }

        @Override
        public @Nullable String violation(Integer state) {
            return state == bad ? "it is " + bad : null;
        }

        @Override
        public boolean isGoal(Integer state) {
            return state == most;
        }

        @Override
        public long fingerprint(Integer state) {
            return new Fingerprint().add(state).get();
        }
    }

    @Test
    void violations_none_visitsAll() {
        Checker.Result result = new Checker<>(new Counter(1_000, -1, -1), 100_000).violations();
        assertTrue(result.isSound() && result.complete());
        assertEquals(1_000, result.states());
    }

    @Test
    void violations_one_hasAShortestTrace() {
        Checker.Result result = new Checker<>(new Counter(1_000, 10, -1), 100_000).violations();
        assertEquals("it is 10", result.violation());
        assertEquals(List.of("one more than 1", "twice 2", "one more than 4", "twice 5", "Now: 10"), result.trace());
    }

    @Test
    void violations_moreStatesThanAllowed_isNotComplete() {
        Checker.Result result = new Checker<>(new Counter(1_000, -1, -1), 100).violations();
        assertTrue(result.isSound() && !result.complete());
    }

    @Test
    void canReach_stateWithoutAWayToTheGoal_isFound() {
        assertTrue(new Checker<>(new Counter(64, -1, -1), 1_000).canReach().isSound());
        Checker.Result result = new Checker<>(new Counter(64, -1, 33), 1_000).canReach();
        assertTrue(!result.isSound());
        assertEquals("Now: 33", result.trace().get(result.trace().size() - 1));
    }
}
