package io.holdfast.jedis;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** The role of the reader on real processors: nobody is left unread for, and what one reader did the next one sees. */
public final class ReadingRoleStress {
    private ReadingRoleStress() {}

    /** What the tests have in common: requests as the connection keeps them, and a keeper that is woken. */
    public abstract static class Role {
        final Queue<Integer> unanswered = new ConcurrentLinkedQueue<>();
        volatile boolean woken;
        final ReadingRole role = new ReadingRole(() -> !unanswered.isEmpty(), () -> woken = true);

        int owner() {
            if (unanswered.isEmpty()) {
                return 1;
            }
            return role.holder == ReadingRole.KEEPER && woken ? 1 : 0;
        }
    }

    /** One sends, and a caller that has read what is there gives the role up. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "nothing is owed, or the keeper reads and was woken")
    @Outcome(id = "0", expect = Expect.FORBIDDEN, desc = "something is owed, and nobody reads")
    @State
    public static class SentWhileGivenUp extends Role {
        /** A caller has the role, and has read all. */
        public SentWhileGivenUp() {
            role.holder = ReadingRole.CALLER;
        }

        @Actor
        public void sender() {
            unanswered.add(1);
            role.summon();
        }

        @Actor
        public void caller() {
            int next = unanswered.isEmpty() ? ReadingRole.NOBODY : ReadingRole.KEEPER;
            role.holder = next;
            role.left(next);
        }

        @Arbiter
        public void end(I_Result r) {
            r.r1 = owner();
        }
    }

    /** The keeper steps back while somebody sends. */
    @JCStressTest
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "nothing is owed, or the keeper reads and was woken")
    @Outcome(id = "0", expect = Expect.FORBIDDEN, desc = "something is owed, and nobody reads")
    @State
    public static class SentWhileSteppingBack extends Role {
        @Actor
        public void sender() {
            unanswered.add(1);
            role.summon();
        }

        @Actor
        public void keeper() {
            role.stepBack();
        }

        @Arbiter
        public void end(I_Result r) {
            // A keeper that has just summoned itself does not sleep, and need not be woken.
            r.r1 = unanswered.isEmpty() || role.holder == ReadingRole.KEEPER ? 1 : 0;
        }
    }

    /** A caller takes the role from one that gives it up, and sees what that one has read into plain fields. */
    @JCStressTest
    @Outcome(id = "0", expect = Expect.ACCEPTABLE, desc = "the role was not free yet")
    @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "it has the role, and sees the state")
    @Outcome(id = "2", expect = Expect.FORBIDDEN, desc = "it reads over an older state")
    @State
    public static class Passed extends Role {
        private int octets;

        public Passed() {
            role.holder = ReadingRole.CALLER;
        }

        @Actor
        public void reader() {
            octets = 1;
            role.holder = ReadingRole.NOBODY;
            role.left(ReadingRole.NOBODY);
        }

        @Actor
        public void next(I_Result r) {
            r.r1 = !role.take() ? 0 : octets == 1 ? 1 : 2;
        }
    }
}
