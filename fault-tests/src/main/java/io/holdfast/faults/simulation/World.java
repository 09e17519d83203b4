package io.holdfast.faults.simulation;

import io.holdfast.faults.simulation.Checks.Check;
import io.holdfast.model.following.Follower;
import io.holdfast.spi.Timers;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of a plan: servers in memory, clients with the real engine, the network between them, and the checks. All of it
 * happens in one thread and in virtual time, so the same plan gives the same run.
 */
final class World implements Checks.Surroundings {
    private static final long MILLI = Checks.MILLI;
    private static final long HEARTBEAT = 250 * MILLI;
    /** Longer than the latest copy is under way, and than the longest term, and the life of a queue, after it. */
    private static final long SETTLED_AFTER = 45_000 * MILLI;

    /** Heartbeats. */
    private static final int SAVED_EVERY = 8;

    private static final Duration LIVES_OVER = Duration.ofHours(2);

    /** Five times as many as the longest of the known runs, which is of a quorum. */
    private static final long MOST_STEPS = 150_000;

    final Plan plan;
    final VirtualTime time = new VirtualTime();
    final Timers timers = time.timers();
    final Trace trace = new Trace(time::elapsed);
    final Checks checks;
    final @Nullable QuorumChecks checksOfQuorum;
    private final List<ReportChecks> checksOfReports; // of each server
    final Nodes nodes;
    final List<Node> servers;
    final List<Slot> slots = new ArrayList<>();
    private final EngineLog log = EngineLog.listen();
    /** With the time until which they were disturbed before that. */
    final Map<Machine, Long> killed = new HashMap<>();
    /** Those that were closed while nothing was wrong, and when. */
    final Map<Machine, Long> closed = new HashMap<>();

    final Clients clients = new Clients(this);
    final Troubles troubles = new Troubles(this);
    final HandOvers handOvers = new HandOvers(this);
    final Operators operators = new Operators(this);
    final Works works = new Works(new OfWorks(), timers, trace);

    /** All servers, or so many nodes of a quorum that it matters. */
    final Troubled all;

    final Silences silences = new Silences();
    private long steps;
    private boolean ending;
    private long beats;
    int obtained;

    World(Plan plan, @Nullable Follower follower) {
        this.plan = plan;
        this.checks = new Checks(plan, this);
        Draw draw = new Draw(plan.seed(), 4);
        int count = switch (plan.kind()) {
            case QUORUM -> draw.percent(70) ? 3 : 5;
            case CLUSTER -> draw.percent(50) ? 2 : 3;
            default -> 1;
        };
        this.nodes = new Nodes(time, count, plan.kind() == Plan.Kind.QUORUM, draw);
        this.servers = nodes.servers;
        nodes.follow(follower);
        this.all = nodes.all;
        if (plan.kind() != Plan.Kind.QUORUM) {
            servers.forEach(server -> server.checks = new ServerChecks(plan, checks, this, server, count));
        }
        this.checksOfReports = ReportChecks.of(this);
        this.checksOfQuorum = plan.kind() != Plan.Kind.QUORUM
                ? null
                : new QuorumChecks(plan, checks, this, nodes.memories(), nodes::isForgetful);
        for (int i = 0; i < plan.clients(); i++) {
            slots.add(new Slot(plan.seed(), i));
        }
    }

    // ---- the run

    /** Runs it to the end, or to the first finding. */
    Outcome run() {
        if (checksOfQuorum != null) {
            nodes.remember(plan.options());
        }
        beat();
        slots.forEach(clients::start);
        for (Plan.Item item : plan.items()) {
            timers.schedule(item.atMillis() * MILLI, () -> clients.begin(item));
        }
        long healed = now() + (plan.lengthMillis() + Plan.LONGEST_TROUBLE_MILLIS) * MILLI;
        go("the plan", healed, () -> now() >= healed);
        slots.forEach(slot -> {
            if (slot.machine != null) {
                troubles.thaw(slot, slot.machine);
            }
        });
        // Every lease is released in seconds, so each of them is waited for by the others for no longer than this.
        long most = now() + (120_000 + 15_000L * plan.items().size()) * MILLI;
        go("quiet", most + HEARTBEAT, () -> now() >= most || quiet());
        if (checks.finding() == null && !quiet()) {
            checks.found(Check.ENDS, "still open when all is quiet: " + checks.open() + " " + openLeases());
        }
        long settled = now() + SETTLED_AFTER + setBack() * MILLI;
        go("settled", settled, () -> now() >= settled);
        if (checks.finding() == null) {
            ofServers(each -> each.leftovers.nothingLeft());
        }
        if (checks.finding() == null && checksOfQuorum != null) {
            checksOfQuorum.nothingLeft();
        }
        end();
        return new Outcome(plan, checks.finding(), steps, obtained, checks.overlaps, checks.lostUpdates, trace);
    }

    /** A server whose clock is set back keeps everything for so much longer; the sum of all, in milliseconds. */
    private long setBack() {
        long back = 0;
        for (Plan.Item item : plan.items()) {
            if (item instanceof Plan.Trouble trouble && trouble.fault() == Plan.Fault.STEP_CLOCK) {
                back += Math.max(0, -trouble.lengthMillis());
            }
        }
        return back;
    }

    private void end() {
        works.abandon();
        if (checks.finding() == null) {
            clients.keepAll();
            boolean known = servers.stream().allMatch(server -> server.knowsRelease);
            for (Slot slot : slots) {
                Slot.Client client = slot.client;
                if (client != null) {
                    Objects.requireNonNull(slot.machine).run(client::close);
                }
            }
            if (checksOfQuorum == null && known) {
                time.advance(Duration.ofSeconds(1));
                ofServers(each -> each.leftovers.allReleased());
            }
            ending = true;
            time.advance(LIVES_OVER);
            ofServers(each -> each.leftovers.empty());
            if (checks.open().stream().anyMatch(asked -> !diedAsking(asked))) {
                checks.found(Check.ENDS, "still open when all clients are closed: " + checks.open());
            }
        }
        log.close();
    }

    private void beat() {
        if (!ending) {
            timers.schedule(HEARTBEAT, this::beat);
            steps--; // nobody's step
            checks.requestsEnd();
            if (plan.kind() == Plan.Kind.OUTSIDE || plan.kind() == Plan.Kind.QUORUM) {
                save();
            }
            ofServers(ServerChecks::nobodyStaysAside);
            ofServers(ServerChecks::nobodyIsForgotten);
            checksOfReports.forEach(ReportChecks::look);
        }
    }

    private void save() {
        if (++beats % SAVED_EVERY == 0) {
            servers.forEach(Node::save);
        }
    }

    private void go(String phase, long until, BooleanSupplier over) {
        if (checks.finding() == null) {
            time.runUntil(phase, Duration.ofNanos(Math.max(0, until - now() + HEARTBEAT)), () -> {
                afterStep();
                return checks.finding() != null || over.getAsBoolean();
            });
        }
    }

    private void afterStep() {
        if (++steps > MOST_STEPS) {
            checks.found(Check.STORM, "more than " + MOST_STEPS + " steps");
        }
        checks.afterStep();
        works.afterStep();
        ofServers(ServerChecks::afterStep);
        if (checksOfQuorum != null) {
            checksOfQuorum.afterStep();
        }
        String difference = nodes.difference();
        if (difference != null) {
            checks.found(Check.MODEL, difference);
        }
        String defect = log.firstDefect();
        if (defect != null) {
            checks.found(Check.LOG, defect);
        }
    }

    /** The server that has a lock; the first of a quorum's nodes. */
    Node nodeOf(int lock) {
        return servers.get(plan.kind() == Plan.Kind.QUORUM ? 0 : lock % servers.size());
    }

    /** An operator has made a hold last longer. */
    void prolonged(int lock) {
        ServerChecks looking = nodeOf(lock).checks;
        if (looking != null) {
            looking.prolonged(lock);
        }
    }

    private void ofServers(Consumer<ServerChecks> act) {
        for (Node server : servers) {
            ServerChecks looking = server.checks;
            if (looking != null) {
                act.accept(looking);
            }
        }
    }

    private boolean quiet() {
        return checks.open().stream().allMatch(this::diedAsking) && openLeases().isEmpty();
    }

    private boolean diedAsking(Asked asked) {
        return killed.containsKey(asked.machine);
    }

    private List<Held> openLeases() {
        return checks.leases().stream()
                .filter(held -> held.overSince == Asked.NEVER
                        && held.machine.state() != Machine.State.DEAD
                        && !held.given
                        && !held.detached)
                .toList();
    }

    // ---- what the checks ask

    private final class OfWorks implements Works.Surroundings {
        @Override
        public long now() {
            return World.this.now();
        }

        @Override
        public boolean isOutside() {
            return plan.kind() == Plan.Kind.OUTSIDE;
        }

        @Override
        public boolean undisturbed(Work work, long since) {
            Held held = (Held) work.of;
            return !held.revoked && World.this.undisturbed(work.machine, held.lock, since) && couldBeKept(held);
        }

        @Override
        public long runsSince(Machine machine) {
            return World.this.runsSince(machine);
        }

        @Override
        public boolean mayBeEntered(Work work) {
            Plan.Ask held = ((Held) work.of).asked.item;
            return checks.open().stream()
                    .anyMatch(asked -> asked.machine == work.machine && asked.item.wouldEnter(held));
        }

        @Override
        public void found(Works.Check check, String what) {
            checks.found(Check.valueOf(check.name()), what);
        }
    }

    @Override
    public long now() {
        return time.elapsed().toNanos();
    }

    @Override
    public boolean undisturbed(Machine machine, int lock, long since) {
        return troubledOf(lock).calmSince(since)
                && slots.get(machine.slot).troubled.calmSince(since);
    }

    @Override
    public boolean undisturbedBut(Troubled.How how, Machine machine, int lock, long since) {
        return troubledOf(lock).calmSinceBut(how, since)
                && slots.get(machine.slot).troubled.calmSinceBut(how, since);
    }

    private Troubled troubledOf(int lock) {
        return plan.kind() == Plan.Kind.QUORUM ? all : nodeOf(lock).troubled;
    }

    @Override
    public Silences.@Nullable Silence onlySilence(Machine machine, int lock, long since) {
        Silences.Silence only = undisturbedBut(Troubled.How.SILENT, machine, lock, since)
                ? silences.only(machine.slot, nodeOf(lock).number, since)
                : null;
        if (only == null) {
            return null;
        }
        NetworkDriver driver = slots.get(machine.slot).driver(lock);
        double limit = machine.inWorld(
                Silences.GIVEN_UP_AFTER * plan.options().commandTimeout().toNanos());
        return Silences.untilConnected(only, (long) limit, driver.gaveUpAt(), driver.connectedAt());
    }

    @Override
    public boolean couldBeKept(Held held) {
        QuorumChecks looking = checksOfQuorum;
        return looking == null || looking.couldBeKept(held);
    }

    @Override
    public long runsSince(Machine machine) {
        return slots.get(machine.slot).runsSince;
    }

    @Override
    public boolean nodeIsCalm(int node) {
        return servers.get(node).troubledUntil < 0;
    }

    @Override
    public boolean copiesSince(Machine machine, long since) {
        return slots.get(machine.slot).copiesUntil >= since;
    }

    @Override
    public boolean wasCalmUntilItsDeath(Machine machine, long since) {
        Long disturbed = killed.get(machine);
        return disturbed != null && disturbed < since && all.calmSince(since);
    }

    @Override
    public long closedAt(Machine machine) {
        Long at = closed.get(machine);
        return at != null && all.calmSince(at) ? at : Asked.NEVER;
    }

    @Override
    public boolean freeSince(int lock, long since) {
        ServerChecks looking = nodeOf(lock).checks;
        return looking != null && looking.freeSince(lock, since);
    }
}
