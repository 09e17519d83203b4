package io.holdfast.internal.lease;

import io.holdfast.LossReason;
import io.holdfast.internal.lease.LeaseState.End;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** The state of a lease on real processors. Times are small numbers: it begins at 0 and lasts until 2. */
public final class LeaseStateStress {
    private LeaseStateStress() {}

    private static LeaseState lease() {
        return new LeaseState(2, 0, true, null);
    }

    /** What was done before a lease ended is seen by whoever sees that it has. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "seen active")
    @Outcome(id = "0, 1", expect = Expect.ACCEPTABLE, desc = "seen active, a moment ago")
    @Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "seen ended, and the work")
    @Outcome(id = "1, 0", expect = Expect.FORBIDDEN, desc = "seen ended without the work")
    @State
    public static class WorkBeforeTheEnd {
        private final LeaseState state = lease();
        private int work;

        @Actor
        public void holder() {
            work = 1;
            state.release();
        }

        @Actor
        public void other(II_Result r) {
            r.r1 = state.active() ? 0 : 1;
            r.r2 = work;
        }
    }

    /** A release, a loss and a renewal at once: one end, and no later deadline once it was seen to be over. */
    @JCStressTest
    @Outcome(
            id = {"1, 0, 0", "0, 1, 0"},
            expect = Expect.ACCEPTABLE,
            desc = "ended once")
    @Outcome(
            id = {"1, 0, 1", "0, 1, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "renewed before")
    @Outcome(expect = Expect.FORBIDDEN, desc = "ended twice, or never")
    @State
    public static class OneEnd {
        private final LeaseState state = lease();

        @Actor
        public void holder(III_Result r) {
            r.r1 = state.release() ? 1 : 0;
        }

        @Actor
        public void server(III_Result r) {
            r.r2 = state.endAs(End.lost(LossReason.NOT_ON_SERVER)) ? 1 : 0;
        }

        @Actor
        public void renewal(III_Result r) {
            r.r3 = state.raise(4, 1) ? 1 : 0;
        }
    }

    /** Two renewals and one that lowers the deadline: none is lost between two others. */
    @JCStressTest
    @Outcome(id = "5, 0", expect = Expect.ACCEPTABLE, desc = "raised to the latest last")
    @Outcome(id = "4, 0", expect = Expect.ACCEPTABLE, desc = "raised, lowered, and raised by the other")
    @Outcome(id = "3, 0", expect = Expect.ACCEPTABLE, desc = "lowered last")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a deadline that nobody has set")
    @State
    public static class Deadlines {
        private final LeaseState state = lease();

        @Actor
        public void one() {
            state.raise(4, 1);
        }

        @Actor
        public void other() {
            state.raise(5, 1);
        }

        @Actor
        public void clock() {
            state.lower(present -> Math.min(present, 3));
        }

        @Arbiter
        public void end(II_Result r) {
            r.r1 = (int) state.deadline();
            r.r2 = state.active() ? 0 : 1;
        }
    }

    /** Enter against the last leave: one that has entered is in, or it has left for good. */
    @JCStressTest
    @Outcome(id = "1, 0, 1", expect = Expect.ACCEPTABLE, desc = "entered before")
    @Outcome(id = "0, 1, 0", expect = Expect.ACCEPTABLE, desc = "left for good before")
    @Outcome(expect = Expect.FORBIDDEN, desc = "entered what was left, or left what was entered")
    @State
    public static class Entries {
        private final LeaseState state = lease();

        @Actor
        public void enters(III_Result r) {
            r.r1 = state.enter() ? 1 : 0;
        }

        @Actor
        public void leaves(III_Result r) {
            r.r2 = state.leave() ? 1 : 0;
        }

        @Arbiter
        public void end(III_Result r) {
            r.r3 = state.entries();
        }
    }
}
