package io.holdfast.faults.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.holdfast.LockOptions;
import io.holdfast.faults.simulation.Checks.Check;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is wrong with the leases of one hold is found. */
class SharedChecksTest extends ChecksFixture {
    private Shared shared(Held held, LockOptions options, boolean kept) {
        Shared shared = new Shared(checks, ask(-1, options));
        shared.grantedByServer(held.token, kept, calm.now());
        shared.obtained(held);
        return shared;
    }

    private static final LockOptions TURNS = LockOptions.defaults().withLocalHandoffs(2, Duration.ofMillis(50));

    /** A further lease of the same hold, of a request that came just now. */
    private Held next(Held held, Shared shared) {
        return new Held(ask(0, TURNS), shared, held.machine, held.lease, calm.now());
    }

    @Test
    void fair_moreSectionsOfATurnThanAllowed_isFound() {
        Held held = hold(server);
        Shared shared = shared(held, TURNS, false);
        shared.obtained(held);
        assertNull(checks.finding());
        shared.obtained(held);
        assertEquals(Check.FAIR, found());
    }

    @Test
    void fair_whoCameAfterTheLineWasClosedIsServed_isFound() {
        Held held = hold(server);
        Shared shared = shared(held, TURNS, true);
        shared.recalled(calm.now());
        time.advance(Duration.ofMillis(1));
        shared.obtained(next(held, shared));
        assertEquals(Check.FAIR, found());
    }

    @Test
    void fair_turnLastsLongerThanAllowed_isFound() {
        Held held = hold(server);
        Shared shared = shared(held, TURNS, true);
        shared.recalled(calm.now());
        time.advance(Duration.ofMillis(51));
        shared.obtained(new Held(held.asked, shared, held.machine, held.lease, calm.now()));
        assertEquals(Check.FAIR, found());
    }

    /** Two intervals and the closed line are the bound of overtaking, whatever is lost. */
    @Test
    void fair_othersAreOvertakenForLongerThanTwoIntervals_isFound() {
        Held held = hold(server);
        Shared shared = shared(held, TURNS, true);
        long queued = calm.now();
        time.advance(Duration.ofMillis(190));
        shared.othersWaitSince(queued, calm.now());
        shared.obtained(next(held, shared));
        assertNull(checks.finding());
        time.advance(Duration.ofMillis(20));
        shared.othersWaitSince(queued, calm.now());
        shared.obtained(next(held, shared));
        assertEquals(Check.FAIR, found());
    }

    @Test
    void fair_grantedAgainAfterTheRecall_isFound() {
        Held held = hold(server);
        Shared shared = shared(held, Plan.STRICT.withKeepFor(Duration.ofSeconds(1)), true);
        shared.obtained(held);
        assertNull(checks.finding());
        shared.recalled(calm.now());
        shared.obtained(held);
        assertEquals(Check.FAIR, found());
    }
}
