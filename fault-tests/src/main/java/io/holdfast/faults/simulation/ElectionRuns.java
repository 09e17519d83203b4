package io.holdfast.faults.simulation;

import io.holdfast.Admin.Waiters;
import io.holdfast.Candidacy;
import io.holdfast.Election;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Leadership;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.faults.simulation.ElectionChecks.Check;
import io.holdfast.model.following.Follower;
import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One run of a plan of elections: a server in memory, or a quorum of them, clients with the real engine and their candidates, the network between them,
 * and the checks. All of it happens one after the other and in virtual time, leaders in their own threads included, so the same plan
 * gives the same run.
 */
final class ElectionRuns extends Runs implements ElectionChecks.Surroundings, Candidate.Surroundings {
    private static final long MILLI = Checks.MILLI;
    private static final long HEARTBEAT = 100 * MILLI;
    /** Longer than the latest copy is under way, than a leader works that does not heed its end, and than a term after it. */
    private static final long SETTLED_AFTER = 45_000 * MILLI;

    /** Heartbeats. */
    private static final int SAVED_EVERY = 10;

    private static final Duration LIVES_OVER = Duration.ofHours(2);

    private final ElectionPlan plan;
    private final ElectionChecks checks;
    private final List<@Nullable Client> clients = new ArrayList<>(); // of the slots
    private final List<ElectionPlan.Join> joined = new ArrayList<>();
    private final List<Candidate> candidates = new ArrayList<>(); // whose processes may go on
    private final List<WorkThread> threads = new ArrayList<>();
    private final EngineLog log = EngineLog.listen(thrown -> thrown instanceof Candidate.OnPurpose);
    private final Holdfast operator;
    private final Works works = new Works(new OfWorks(), timers, trace);
    private final boolean quorum;
    private boolean leaving;
    private long beats;
    private boolean healed;
    private boolean over;

    /** A client of one server, or of several. */
    private interface Client {
        Election election(String name, LockOptions options);

        void close();
    }

    ElectionRuns(ElectionPlan plan, @Nullable Follower follower) {
        super(plan.seed(), plan.clients(), plan.servers(), HEARTBEAT, follower);
        this.plan = plan;
        this.quorum = plan.kind() == ElectionPlan.Kind.QUORUM;
        this.checks = new ElectionChecks(
                this,
                found -> quorum ? new ElectionQuorum(nodes) : new ElectionServer(server.memory, found),
                plan.options().commandTimeout().toNanos(),
                plan.options().refreshInterval().toNanos());
        for (int i = 0; i < plan.clients(); i++) {
            clients.add(null);
        }
        this.operator = Holdfast.over(server.memory.driver(), plan.options(), time.environment(plan.seed()));
    }

    // ---- the run

    /** Runs it to the end, or to the first finding. */
    Outcome run() {
        try {
            if (quorum) {
                nodes.remember(plan.options());
            }
            start();
            for (Drawn.Item item : plan.items()) {
                timers.schedule(item.atMillis() * MILLI, () -> begin(item));
            }
            long end = now() + (plan.lengthMillis() + Plan.LONGEST_TROUBLE_MILLIS) * MILLI;
            go("the plan", end, () -> now() >= end);
            everybodyLeads();
            everybodyLeaves();
            return new Outcome(plan, checks.finding(), steps, checks.elected, checks.overlaps, 0, trace);
        } finally {
            over = true;
            works.abandon();
            log.close();
            slots.forEach(slot -> slot.drivers.forEach(NetworkDriver::gone));
            threads.forEach(WorkThread::abandon);
        }
    }

    /** Nothing goes wrong any more, and leaders return soon: each candidate has its turn. */
    private void everybodyLeads() {
        healed = true;
        thawAll();
        candidates.forEach(candidate -> candidate.ledSinceHealed = false);
        long most = now() + (60_000 + 5_000L * joined.size()) * MILLI;
        go("everybody leads", most + HEARTBEAT, () -> now() >= most || waiting().isEmpty());
        if (checks.finding() == null && !waiting().isEmpty()) {
            checks.found(Check.LIVENESS, "nothing is wrong any more, and never led: " + waiting());
        }
    }

    private List<Candidate> waiting() {
        return candidates.stream()
                .filter(candidate -> !candidate.closed && !candidate.ledSinceHealed)
                .toList();
    }

    private void everybodyLeaves() {
        if (checks.finding() != null) {
            return;
        }
        leaving = true;
        candidates.forEach(candidate -> close(candidate, false));
        long settled = now() + SETTLED_AFTER;
        go("settled", settled, () -> now() >= settled);
        if (checks.finding() == null) {
            checks.nothingHeld(candidates);
        }
        ending = true;
        slots.forEach(this::closeClient);
        operator.close();
        time.advance(LIVES_OVER);
        if (checks.finding() == null) {
            checks.nothingLeft();
        }
    }

    @Override
    void differs(String how) {
        checks.found(Check.MODEL, how);
    }

    @Override
    void afterStep() {
        checks.afterStep(candidates);
        works.afterStep();
        String defect = log.firstDefect();
        if (defect != null) {
            checks.found(Check.LOG, defect);
        }
    }

    @Override
    void onBeat() {
        checks.somebodyLeads(candidates);
        if (plan.kind() != ElectionPlan.Kind.INSIDE && ++beats % SAVED_EVERY == 0) {
            nodes.servers.forEach(Node::save);
        }
    }

    @Override
    @Nullable
    Finding finding() {
        return checks.finding();
    }

    // ---- clients

    @Override
    void connect(Slot slot, Machine machine) {
        clients.set(slot.number, client(slot.drivers, machine));
    }

    private Client client(List<NetworkDriver> drivers, Machine machine) {
        HoldfastOptions options = plan.options().withListener(event -> {});
        if (quorum) {
            Quorum voting = Quorum.connect(
                    drivers.stream().map(QuorumNode::over).toList(), Clients.options(options), machine.environment());
            return new Client() {
                @Override
                public Election election(String name, LockOptions of) {
                    return voting.election(name, of);
                }

                @Override
                public void close() {
                    voting.close();
                }
            };
        }
        Holdfast single = Holdfast.over(drivers.get(0), options, machine.environment());
        return new Client() {
            @Override
            public Election election(String name, LockOptions of) {
                return single.election(name, of);
            }

            @Override
            public void close() {
                single.close();
            }
        };
    }

    @Override
    void started(Slot slot, Machine machine) {
        Client client = clients.get(slot.number);
        if (slot.number == 0 && client != null) {
            watch(machine, client);
        }
        joined.stream().filter(join -> join.client() == slot.number).forEach(join -> campaign(join, machine));
    }

    @Override
    void killed(Machine machine) {
        candidates.removeIf(candidate -> candidate.machine == machine);
    }

    @Override
    void answered(Slot slot, Command command, Reply reply) {
        checks.ran();
        super.answered(slot, command, reply);
    }

    /** Who watches is told of leaders in their order. */
    private void watch(Machine machine, Client client) {
        long[] newest = new long[1];
        LockOptions any = LockOptions.defaults().withLeaseDuration(Plan.millis(ElectionPlan.LONGEST_TERM));
        client.election(ElectionPlan.nameOf(0), any).observe(leader -> {
            long token = leader.map(Holder::token).orElse(newest[0]);
            if (!quorum) { // else the token is that of one node, and may differ
                checks.watches(machine, 0, newest[0], token);
            }
            newest[0] = token;
        });
    }

    /** A process that stood still when it was to close its client comes back late, perhaps when all have left for good. */
    private void startAgain(Slot slot) {
        if (!leaving) {
            start(slot);
        }
    }

    private void closeClient(Slot slot) {
        Client client = clients.get(slot.number);
        Machine machine = slot.machine;
        if (client != null && machine != null) {
            machine.run(() -> {
                trace.add(machine, "closes its client");
                candidates.stream()
                        .filter(candidate -> candidate.machine == machine)
                        .forEach(candidate -> candidate.closed = true);
                client.close();
                clients.set(slot.number, null);
            });
        }
    }

    // ---- items

    private void begin(Drawn.Item item) {
        trace.add("world", item.toString());
        if (item instanceof ElectionPlan.Join join) {
            joined.add(join);
            Machine machine = slots.get(join.client()).machine;
            if (machine != null) {
                machine.run(() -> campaign(join, machine));
            }
        } else if (item instanceof ElectionPlan.Leave leave) {
            candidates.stream()
                    .filter(candidate -> candidate.item.number() == leave.candidate() && !candidate.closed)
                    .findFirst()
                    .ifPresent(candidate -> candidate.machine.run(() -> {
                        if (leave.forGood()) {
                            close(candidate, false);
                        } else {
                            resign(candidate, false);
                        }
                    }));
        } else if (item instanceof ElectionPlan.Act act) {
            if (!server.frozen && server.isUp(now())) {
                checks.revokes(act.election());
                operator.admin()
                        .of(LockInfo.Kind.ELECTION)
                        .release(ElectionPlan.nameOf(act.election()), act.drops() ? Waiters.DROP : Waiters.HAND_OFF);
            }
        } else if (item instanceof Plan.Trouble trouble) {
            begin(trouble);
        }
    }

    @Override
    void ofServer(Plan.Trouble trouble, Node at, long until) {
        super.ofServer(trouble, at, until);
        switch (trouble.fault()) {
            case RESTART_EMPTY, RESTART_OLDER, FLUSH -> checks.memoryIsLost();
            default -> {}
        }
    }

    @Override
    void ofClient(Plan.Trouble trouble, Slot slot, Machine machine, long until) {
        if (trouble.fault() == Plan.Fault.CLOSE) {
            machine.run(() -> {
                if (slot.machine == machine) { // which goes on, for its leaders have to return
                    closeClient(slot);
                    slot.machine = null;
                    timers.schedule(trouble.lengthMillis() * MILLI, () -> startAgain(slot));
                }
            });
        } else {
            super.ofClient(trouble, slot, machine, until);
        }
    }

    // ---- candidates

    private void campaign(ElectionPlan.Join join, Machine machine) {
        Client client = clients.get(join.client());
        if (client == null || slots.get(join.client()).machine != machine) {
            return;
        }
        Candidate candidate = new Candidate(join, machine, this, new Draw(plan.seed(), 7, join.number(), machine.life));
        candidate.availableSince = now();
        candidates.add(candidate);
        trace.add(machine, candidate + " campaigns");
        Election election = client.election(ElectionPlan.nameOf(join.election()), join.options())
                .withGrace(Plan.millis(join.graceMillis()))
                .withThreads(task -> thread(candidate, task));
        candidate.candidacy = election.campaign(candidate);
    }

    private WorkThread thread(Candidate candidate, Runnable task) {
        if (candidate.hasNoThread()) {
            trace.add(candidate.machine, candidate + " has no thread");
            throw new Candidate.OnPurpose();
        }
        WorkThread thread =
                new WorkThread(candidate.machine, timers, "leader of " + candidate, task, new LeaderHooks(candidate));
        candidate.thread = thread;
        if (!over) { // else it never starts
            threads.removeIf(each -> !each.isOpen());
            threads.add(thread);
        }
        return thread;
    }

    @Override
    public void resign(Candidate candidate, boolean itself) {
        Candidacy candidacy = Objects.requireNonNull(candidate.candidacy);
        Led led = candidate.led;
        if (led != null && itself && LeaseLook.electedOf(candidacy) == led.leadership) {
            led.endedByItself |= led.isAtWork();
        }
        trace.add(candidate.machine, candidate + " resigns");
        LeaseLook.resign(candidacy);
    }

    @Override
    public void close(Candidate candidate, boolean itself) {
        if (!candidate.closed) {
            resign(candidate, itself); // what is closed afterwards does not wait for an answer
            candidate.closed = true;
            trace.add(candidate.machine, candidate + " is closed");
            Objects.requireNonNull(candidate.candidacy).close();
        }
    }

    @Override
    public boolean isHealed() {
        return healed;
    }

    @Override
    public void begins(Candidate candidate, Leadership leadership, WorkThread thread) {
        trace.add(candidate.machine, candidate + " leads, " + leadership.token());
        checks.begins(candidate, leadership, thread);
        candidate.ledSinceHealed = true;
    }

    @Override
    public void ends(Candidate candidate, Leadership leadership) {
        if (!over) {
            trace.add(candidate.machine, candidate + " has led, " + leadership.token());
        }
        candidate.atWork = null;
    }

    @Override
    public void elected(Led led) {
        works.begin(led, led.candidate.machine, led.lease, led.candidate.item.options(), false);
    }

    private final class OfWorks implements Works.Surroundings {
        @Override
        public long now() {
            return ElectionRuns.this.now();
        }

        @Override
        public boolean isOutside() {
            return plan.kind() == ElectionPlan.Kind.OUTSIDE;
        }

        @Override
        public boolean undisturbed(Work work, long since) {
            return checks.undisturbed((Led) work.of, since);
        }

        @Override
        public long runsSince(Machine machine) {
            return ElectionRuns.this.runsSince(machine);
        }

        @Override
        public void found(Works.Check check, String what) {
            checks.found(Check.valueOf(check.name()), what);
        }
    }

    // ---- leaders' threads

    private final class LeaderHooks implements WorkThread.Hooks {
        private final Candidate candidate;

        LeaderHooks(Candidate candidate) {
            this.candidate = candidate;
        }

        @Override
        public void starts(WorkThread thread) {
            if (!over) {
                timers.schedule(candidate.startNanos(), () -> candidate.machine.run(thread::begin));
            }
        }

        @Override
        public void interrupted(WorkThread thread) {
            if (!over) {
                trace.add(candidate.machine, candidate + " is interrupted");
                checks.interrupted(thread);
            }
        }
    }
}
