package io.holdfast.faults.simulation;

import io.holdfast.Attempt;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.faults.simulation.Plan.Ending;
import io.holdfast.faults.simulation.Plan.Kind;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One client in a calm world, what it holds, and the checks that look at it. */
abstract class ChecksFixture {
    static final String HOLD = "hf:{lock0}";

    final VirtualTime time = new VirtualTime();
    final MemoryServer server = MemoryServer.start(time);
    final MemoryServer otherServer = MemoryServer.start(time);
    final Plan plan = new Plan(
            Kind.INSIDE,
            1,
            1,
            1,
            1_000,
            HoldfastOptions.defaults().withExecutor(Runnable::run).withCloseTimeout(Duration.ZERO),
            List.of());
    Silences.@Nullable Silence silence;
    final Checks.Surroundings calm = new Checks.Surroundings() {
        @Override
        public long now() {
            return time.elapsed().toNanos();
        }

        @Override
        public boolean undisturbed(Machine machine, int lock, long since) {
            return silence == null;
        }

        @Override
        public boolean undisturbedBut(Troubled.How how, Machine machine, int lock, long since) {
            return true;
        }

        @Override
        public Silences.@Nullable Silence onlySilence(Machine machine, int lock, long since) {
            return silence;
        }

        @Override
        public long runsSince(Machine machine) {
            return 0;
        }

        @Override
        public boolean nodeIsCalm(int node) {
            return true;
        }

        @Override
        public boolean copiesSince(Machine machine, long since) {
            return false;
        }

        @Override
        public boolean wasCalmUntilItsDeath(Machine machine, long since) {
            return true;
        }

        @Override
        public long closedAt(Machine machine) {
            return Asked.NEVER;
        }

        @Override
        public boolean couldBeKept(Held held) {
            return true;
        }

        @Override
        public boolean freeSince(int lock, long since) {
            return ofServer.freeSince(lock, since);
        }
    };
    final Checks checks = new Checks(plan, calm);
    final ServerChecks ofServer = new ServerChecks(plan, checks, calm, new Node(0, server), 1);
    final Machine machine = new Machine(0, 0, time, time.timers(), 0, new Draw(1));

    ChecksFixture() {
        var unused = otherServer.driver(); // so that its clients have other ids
    }

    Asked ask(long waitMillis, LockOptions options) {
        Asked asked =
                new Asked(new Plan.Ask(1, 0, 0, 0, "a", waitMillis, options, 100, Ending.RELEASE), machine, calm.now());
        checks.asked(asked);
        return asked;
    }

    Held hold(MemoryServer from, LockOptions options) {
        Holdfast client = from.client(plan.options());
        Attempt<Lease> attempt =
                client.lock("lock0", options).attemptAsync(Wait.none()).join();
        Asked asked = ask(0, options);
        Lease lease = attempt.orElseThrow();
        asked.owner = lease.owner();
        Held held = new Held(asked, null, machine, lease, calm.now());
        ofServer.owns(held.owner, asked);
        checks.answered(asked, attempt, null);
        checks.obtained(held);
        return held;
    }

    Held hold(MemoryServer from) {
        return hold(from, Plan.STRICT);
    }

    @Nullable
    Enum<?> found() {
        Finding finding = checks.finding();
        return finding == null ? null : finding.check();
    }

    void step() {
        checks.afterStep();
        ofServer.ran(null);
        ofServer.afterStep();
    }
}
