package io.holdfast.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.model.exclusive.AnyCalls;
import io.holdfast.model.exclusive.Call;
import io.holdfast.model.exclusive.LockState;
import io.holdfast.model.exclusive.Outcome;
import io.holdfast.model.exclusive.Rule;
import io.holdfast.model.exclusive.Settings;
import io.holdfast.model.queue.QueueState;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a pause promises, in each state that clients and an operator may cause, as far as a look goes. */
final class PauseTest {
    private static final int STATES = 60_000;

    @Test
    void grants_whileItPauses_areNone() {
        AnyCalls model = Settings.calls("paused").model(Rule.all());
        Deque<LockState> open = new ArrayDeque<>();
        Set<Long> seen = new HashSet<>();
        add(model.initial(), open, seen);
        int paused = 0;
        int ended = 0;
        while (!open.isEmpty() && seen.size() < STATES) {
            LockState state = open.poll();
            add(state.later(), open, seen);
            boolean before = pauses(state);
            for (Call call : model.calls(state)) {
                Outcome outcome = model.server().run(state, call);
                LockState after = outcome.state();
                add(after, open, seen);
                if (call instanceof Call.Pause asked) {
                    if (asked.ticks() > 0) {
                        assertTrue(pauses(after), () -> state + "\n" + call + "\n" + after);
                        assertArrayEquals(state.order, after.order, () -> state + "\n" + call + "\n" + after);
                        assertEquals(LockState.NOBODY, outcome.granted(), () -> state + "\n" + call);
                    }
                    ended += before && asked.ticks() == 0 ? 1 : 0;
                } else if (before) {
                    paused++;
                    assertEquals(LockState.NOBODY, outcome.granted(), () -> state + "\n" + call);
                    assertTrue(pauses(after), () -> state + "\n" + call + "\n" + after);
                }
            }
        }
        assertTrue(paused > 10_000, "calls of a paused lock: " + paused);
        assertTrue(ended > 1_000, "ends of a pause: " + ended);
    }

    private static boolean pauses(LockState state) {
        return state.holder == QueueState.PAUSED || state.pause > 0;
    }

    private static void add(LockState state, Deque<LockState> open, Set<Long> seen) {
        Fingerprint print = new Fingerprint();
        state.addTo(print);
        if (seen.add(print.get())) {
            open.add(state);
        }
    }
}
