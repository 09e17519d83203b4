package io.holdfast.internal.lease;

import io.holdfast.Attempt;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.internal.wire.Asked;
import io.holdfast.internal.wire.Keys;
import io.holdfast.spi.Environment;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** How a request ends, on real processors. */
public final class OutcomeStress {
    private static final Kit KIT = new Kit(HoldfastOptions.defaults(), Environment.system(), Duration.ofSeconds(1));

    private OutcomeStress() {}

    private static Outcome outcome() {
        LockOptions options = LockOptions.defaults();
        Demand demand = Demand.of(KEYS, Asked.ALONE, options, Wait.none(), false, "actor", false);
        return new Outcome(KIT, demand, "", true);
    }

    private static final Keys KEYS = Keys.of("hf", "a");

    /** A reply, a withdrawal and a time limit at once: one of them ends it. */
    @JCStressTest
    @org.openjdk.jcstress.annotations.Outcome(
            id = {"1, 0, 0", "0, 1, 0", "0, 0, 1"},
            expect = Expect.ACCEPTABLE,
            desc = "one has ended it")
    @org.openjdk.jcstress.annotations.Outcome(expect = Expect.FORBIDDEN, desc = "none or several have")
    @State
    public static class OneEnd {
        private final Outcome outcome = outcome();

        @Actor
        public void reply(III_Result r) {
            r.r1 = outcome.endAs(new Object()) ? 1 : 0;
        }

        @Actor
        public void withdrawal(III_Result r) {
            r.r2 = outcome.endWithoutHold() ? 1 : 0;
        }

        @Actor
        public void limit(III_Result r) {
            r.r3 = outcome.endWithoutHold() ? 1 : 0;
        }
    }

    /** Whoever sees that it is answered sees what was done before. */
    @JCStressTest
    @org.openjdk.jcstress.annotations.Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "not answered yet")
    @org.openjdk.jcstress.annotations.Outcome(
            id = "0, 1",
            expect = Expect.ACCEPTABLE,
            desc = "not answered a moment ago")
    @org.openjdk.jcstress.annotations.Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "answered")
    @org.openjdk.jcstress.annotations.Outcome(
            id = "1, 0",
            expect = Expect.FORBIDDEN,
            desc = "answered without the work")
    @State
    public static class WorkBeforeTheAnswer {
        private final Outcome outcome = outcome();
        private int work;

        @Actor
        public void answers() {
            work = 1;
            outcome.fail(new CancellationException());
        }

        @Actor
        public void looks(II_Result r) {
            r.r1 = outcome.isAnswered() ? 1 : 0;
            r.r2 = work;
        }
    }

    /** Two answers at once, and one who waits: the future is completed once, and is completed. */
    @JCStressTest
    @org.openjdk.jcstress.annotations.Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "answered once, and told")
    @org.openjdk.jcstress.annotations.Outcome(expect = Expect.FORBIDDEN, desc = "not told")
    @State
    public static class OneAnswer {
        private final Outcome outcome = outcome();
        private final CompletableFuture<Attempt<Handle>> stage = outcome.stage();

        @Actor
        public void one() {
            outcome.fail(new CancellationException());
        }

        @Actor
        public void other() {
            outcome.fail(new IllegalStateException());
        }

        @Arbiter
        public void end(II_Result r) {
            r.r1 = stage.isCompletedExceptionally() ? 1 : 0;
            r.r2 = outcome.isAnswered() ? 1 : 0;
        }
    }
}
