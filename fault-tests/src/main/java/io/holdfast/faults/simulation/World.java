package io.holdfast.faults.simulation;

import io.holdfast.faults.simulation.Checks.Check;
import io.holdfast.spi.Timers;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a plan: servers in memory, clients with the real engine, the network between them, and the checks. All of it
 * happens in one thread and in virtual time, so the same plan gives the same run.
 */
final class World implements Checks.Surroundings {
    private static final long MILLI = Checks.MILLI;
    private static final long HEARTBEAT = 250 * MILLI;
    /** No trouble lasts longer. */
    private static final long HEALED_AFTER_MILLIS = 10_000;
    /** Longer than the latest copy is under way, and than the longest term, and the life of a queue, after it. */
    private static final long SETTLED_AFTER = 45_000 * MILLI;

    private static final Duration LIVES_OVER = Duration.ofHours(2);


    final Plan plan;
    final VirtualTime time = new VirtualTime();
    final Timers timers = time.timers();
    final Trace trace = new Trace(time::elapsed);
    final Checks checks;
    final @Nullable ServerChecks checksOfServer;
    final @Nullable QuorumChecks checksOfQuorum;
    final List<Node> servers = new ArrayList<>();
    final List<Slot> slots = new ArrayList<>();
    private final EngineLog log = EngineLog.listen();
    /** With the time until which they were disturbed before that. */
    final Map<Machine, Long> killed = new HashMap<>();
    /** Those that were closed while nothing was wrong, and when. */
    final Map<Machine, Long> closed = new HashMap<>();

    final Clients clients = new Clients(this);
    final Troubles troubles = new Troubles(this);

    long allDisturbedUntil = -1;
    private long steps;
    private boolean ending;
    int obtained;

    World(Plan plan) {
        this.plan = plan;
        this.checks = new Checks(plan, this);
        Draw draw = new Draw(plan.seed(), 4);
        int count = plan.kind() == Plan.Kind.QUORUM ? draw.percent(70) ? 3 : 5 : 1;
        for (int i = 0; i < count; i++) {
            Node server = new Node(MemoryServer.start(time));
            if (count > 1) {
                server.memory.stepClock(Plan.millis(draw.between(-3_000, 3_000)));
                // It has its memory since long ago.
                server.memory.command("SET", "hf:node", "1780000000000000", "EX", "2000000");
            }
            servers.add(server);
        }
        this.checksOfServer = count == 1 ? new ServerChecks(plan, checks, this, servers.get(0).memory) : null;
        this.checksOfQuorum = count == 1
                ? null
                : new QuorumChecks(
                        plan,
                        checks,
                        this,
                        servers.stream().map(server -> server.memory).toList(),
                        node -> now() < servers.get(node).forgetfulUntil);
        for (int i = 0; i < plan.clients(); i++) {
            slots.add(new Slot(plan, i));
        }
    }

    // ---- the run

    /** Runs it to the end, or to the first finding. */
    Outcome run() {
        beat();
        slots.forEach(clients::start);
        for (Plan.Item item : plan.items()) {
            timers.schedule(item.atMillis() * MILLI, () -> clients.begin(item));
        }
        long healed = (plan.lengthMillis() + HEALED_AFTER_MILLIS) * MILLI;
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
        long settled = now() + SETTLED_AFTER;
        go("settled", settled, () -> now() >= settled);
        if (checks.finding() == null && checksOfServer != null) {
            checksOfServer.nothingLeft();
        }
        if (checks.finding() == null && checksOfQuorum != null) {
            checksOfQuorum.nothingLeft();
        }
        end();
        return new Outcome(plan, checks.finding(), steps, obtained, checks.overlaps, checks.lostUpdates, trace);
    }

    private void end() {
        if (checks.finding() == null) {
            clients.keepAll();
            boolean known = servers.stream().allMatch(server -> server.knowsRelease);
            for (Slot slot : slots) {
                Slot.Client client = slot.client;
                if (client != null) {
                    Objects.requireNonNull(slot.machine).run(client::close);
                }
            }
            if (checksOfServer != null && known) {
                time.advance(Duration.ofSeconds(1));
                checksOfServer.allReleased();
            }
            ending = true;
            time.advance(LIVES_OVER);
            if (checksOfServer != null) {
                checksOfServer.empty();
            }
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
            if (checksOfServer != null) {
                checksOfServer.nobodyStaysAside();
            }
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
        steps++;
        checks.afterStep();
        if (checksOfServer != null) {
            checksOfServer.afterStep();
        }
        if (checksOfQuorum != null) {
            checksOfQuorum.afterStep();
        }
        String defect = log.firstDefect();
        if (defect != null) {
            checks.found(Check.LOG, defect);
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

    @Override
    public long now() {
        return time.elapsed().toNanos();
    }

    @Override
    public boolean undisturbed(Machine machine, long since) {
        return Math.max(allDisturbedUntil, slots.get(machine.slot).disturbedUntil) < since
                || (allDisturbedUntil < 0 && slots.get(machine.slot).disturbedUntil < 0);
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
        return disturbed != null && disturbed < since && (allDisturbedUntil < since || allDisturbedUntil < 0);
    }

    @Override
    public long closedAt(Machine machine) {
        Long at = closed.get(machine);
        return at != null && allDisturbedUntil < at ? at : Asked.NEVER;
    }

    @Override
    public boolean freeSince(int lock, long since) {
        return checksOfServer != null && checksOfServer.freeSince(lock, since);
    }

}
