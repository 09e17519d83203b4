package io.holdfast.faults.simulation;

import io.holdfast.model.following.Follower;
import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Timers;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A server in memory, or a quorum of them, the processes of their clients, and what goes wrong with them. What the clients do there,
 * and what is to be true of it, is up to the simulation.
 */
abstract class Runs {
    private static final long MILLI = Checks.MILLI;

    final VirtualTime time = new VirtualTime();
    final Timers timers = time.timers();
    final Trace trace = new Trace(time::elapsed);
    final Nodes nodes;
    /** The only one, where there is no quorum. */
    final Node server;

    final List<Slot> slots = new ArrayList<>();
    /** Nobody starts any more. */
    boolean ending;

    long steps;
    private final long seed;
    private final long heartbeat;

    /**
     * @param servers more than one are the nodes of a quorum
     * @param heartbeat the time from one {@link #onBeat} to the next, nanoseconds
     * @param follower compares what the servers do with the models; null if nobody does
     */
    Runs(long seed, int clients, int servers, long heartbeat, @Nullable Follower follower) {
        this.seed = seed;
        this.heartbeat = heartbeat;
        this.nodes = new Nodes(time, servers, servers > 1, new Draw(seed, 4));
        this.server = nodes.servers.get(0);
        nodes.follow(follower);
        for (int i = 0; i < clients; i++) {
            slots.add(new Slot(seed, i));
        }
    }

    /** Connects a client of a process that starts, by the drivers of its slot: one for each server. */
    abstract void connect(Slot slot, Machine machine);

    /** A process has started and has its client. */
    void started(Slot slot, Machine machine) {}

    /** A process is killed. */
    abstract void killed(Machine machine);

    /** The server has answered a client: what it was asked for, by script, is traced. */
    void answered(Slot slot, Command command, Reply reply) {
        String script = LeaseLook.scriptOf(command);
        if (!script.isEmpty()) {
            trace.add(
                    "server",
                    "c" + slot.number + " " + script + " "
                            + command.words().subList(3, command.words().size()) + " -> " + reply);
        }
    }

    abstract void onBeat();

    abstract void afterStep();

    /** A server has done something that its model does not say. */
    abstract void differs(String how);

    /** The first; null as long as there is none. */
    abstract @Nullable Finding finding();

    /** Starts the clients, and the heartbeat. */
    final void start() {
        beat();
        slots.forEach(this::start);
    }

    private void beat() {
        if (!ending) {
            timers.schedule(heartbeat, this::beat);
            steps--; // nobody's step
            onBeat();
        }
    }

    /** Goes on until something is so, at most until a time of the world, and not beyond a finding. */
    final void go(String phase, long until, BooleanSupplier reached) {
        if (finding() == null) {
            time.runUntil(phase, Duration.ofNanos(Math.max(0, until - now() + heartbeat)), () -> {
                steps++;
                afterStep();
                String difference = nodes.difference();
                if (difference != null) {
                    differs(difference);
                }
                return finding() != null || reached.getAsBoolean();
            });
        }
    }

    /** Starts a process of it, as soon as all servers can be reached. Without effect if one runs. */
    final void start(Slot slot) {
        if (ending || slot.machine != null) {
            return;
        }
        if (now() < slot.stalledUntil || !nodes.allAnswer()) {
            timers.schedule(100 * MILLI, () -> start(slot));
            return;
        }
        Machine machine = new Machine(
                slot.number, slot.lives++, time, timers, slot.tooFast, new Draw(seed, 5, slot.number, slot.lives));
        slot.machine = machine;
        slot.runsSince = now();
        slot.drivers =
                nodes.servers.stream().map(to -> driver(slot, machine, to)).toList();
        slot.drivers.forEach(NetworkDriver::beginAtOnce);
        connect(slot, machine);
        slot.drivers.forEach(NetworkDriver::endAtOnce);
        trace.add(machine, "starts");
        started(slot, machine);
    }

    private NetworkDriver driver(Slot slot, Machine machine, Node to) {
        Draw draw = to.number == 0
                ? new Draw(seed, 6, slot.number, slot.lives)
                : new Draw(seed, 6, slot.number, slot.lives, to.number);
        return new NetworkDriver(machine, new Way(slot, machine, to), draw);
    }

    private final class Way extends Link {
        private final Slot slot;

        Way(Slot slot, Machine machine, Node to) {
            super(timers, Runs.this::now, trace, slot, machine, to);
            this.slot = slot;
        }

        @Override
        public void arrived(Command command) {}

        @Override
        public void answered(Command command, @Nullable Object answer) {
            if (answer instanceof Reply reply) {
                Runs.this.answered(slot, command, reply);
            }
        }

        @Override
        public void hears(String message) {}

        @Override
        public void hearsNoMore() {}
    }

    // ---- what goes wrong

    final void begin(Plan.Trouble trouble) {
        long until = now() + trouble.lengthMillis() * MILLI;
        if (trouble.fault().isOfServer()) {
            ofServer(trouble, nodes.servers.get(trouble.node() % nodes.servers.size()), until);
            return;
        }
        Slot slot = slots.get(trouble.client());
        Machine machine = slot.machine;
        if (machine != null) {
            slot.disturb(until + 3_000 * MILLI);
            ofClient(trouble, slot, machine, until);
        }
    }

    void ofServer(Plan.Trouble trouble, Node at, long until) {
        if (nodes.servers.size() > 1 && losesItsVote(trouble.fault()) && !nodes.mayForget(at)) {
            return;
        }
        at.troubledUntil = Math.max(at.troubledUntil, until + 3_000 * MILLI);
        // Before requests fail of it.
        nodes.disturb(trouble.fault() == Plan.Fault.FLUSH ? Troubled.How.EMPTIED : Troubled.How.BROKEN, at);
        switch (trouble.fault()) {
            case FREEZE_SERVER -> {
                at.freeze();
                timers.schedule(trouble.lengthMillis() * MILLI, at::thaw);
            }
            case SLOW_SERVER -> at.slowUntil = Math.max(at.slowUntil, until);
            case RESTART, RESTART_EMPTY, RESTART_OLDER -> {
                at.restart(trouble.fault(), until);
                slots.stream().filter(slot -> slot.machine != null).forEach(slot -> {
                    NetworkDriver driver = slot.drivers.get(at.number);
                    driver.breakCommands(true);
                    driver.breakMessages(true);
                });
            }
            case FORGET_SCRIPTS -> at.forgetScripts();
            case FLUSH -> at.memory.command("FLUSHALL");
            default -> throw new IllegalStateException(trouble.toString());
        }
    }

    /** Whatever a node of a quorum brings back, it votes only after the quarantine. */
    private static boolean losesItsVote(Plan.Fault fault) {
        return switch (fault) {
            case RESTART, RESTART_EMPTY, RESTART_OLDER, FLUSH -> true;
            default -> false;
        };
    }

    void ofClient(Plan.Trouble trouble, Slot slot, Machine machine, long until) {
        switch (trouble.fault()) {
            case FREEZE -> {
                machine.freeze();
                timers.schedule(trouble.lengthMillis() * MILLI, () -> thaw(slot, machine));
            }
            case KILL -> {
                machine.kill();
                killed(machine);
                slot.machine = null;
                slot.drivers.forEach(NetworkDriver::gone);
                timers.schedule(trouble.lengthMillis() * MILLI, () -> start(slot));
            }
            default -> slot.afflict(trouble.fault(), until);
        }
    }

    /** Whatever stands still goes on. */
    final void thawAll() {
        slots.forEach(slot -> {
            if (slot.machine != null) {
                thaw(slot, slot.machine);
            }
        });
    }

    private void thaw(Slot slot, Machine machine) {
        if (machine.state() == Machine.State.FROZEN) {
            trace.add(machine, "thaws");
            slot.runsSince = now();
            machine.thaw();
        }
    }

    // ---- what checks ask

    /** Nanoseconds of the world. */
    public final long now() {
        return time.elapsed().toNanos();
    }

    /** Until when something was, or is, wrong with a client, or with so many servers that it matters. */
    public final long troubledUntil(Machine machine) {
        return Math.max(slots.get(machine.slot).troubled.until(), nodes.all.until());
    }

    /** The same, but for a server that was emptied, which answers as before. */
    public final long brokenUntil(Machine machine) {
        return Math.max(slots.get(machine.slot).troubled.until(), nodes.all.untilBut(Troubled.How.EMPTIED));
    }

    /** Since when a process runs without having stood still. */
    public final long runsSince(Machine machine) {
        return slots.get(machine.slot).runsSince;
    }
}
