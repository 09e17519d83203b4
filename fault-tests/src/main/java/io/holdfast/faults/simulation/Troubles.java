package io.holdfast.faults.simulation;

import io.holdfast.faults.simulation.Troubled.How;
import java.util.ArrayDeque;
import java.util.Deque;

/** Brings about the troubles of the plan, and ends them. */
final class Troubles {
    private static final long MILLI = Checks.MILLI;

    private final World world;

    Troubles(World world) {
        this.world = world;
    }

    /** Silences that begin soon after the next handover of a lock. */
    private final Deque<Plan.Trouble> awaiting = new ArrayDeque<>();

    void begin(Plan.Trouble trouble) {
        if (trouble.atHandover()) {
            awaiting.add(trouble);
        } else {
            beginNow(trouble);
        }
    }

    /** A lease has begun: with what is left of a claim window, if the lock was handed over. */
    void obtained(Held held) {
        Plan.Trouble next = awaiting.peek();
        long term = held.asked.item.options().leaseDuration().toNanos();
        if (next == null
                || held.leftInWorld() > term / 2.0
                || !world.undisturbed(held.machine, held.lock, world.now() - Checks.GRACE)) {
            return;
        }
        awaiting.remove();
        long after = new Draw(world.plan.seed(), 16, next.number()).between(100, 450) * MILLI;
        world.timers.schedule(after, () -> beginNow(next.of(held.machine.slot)));
    }

    private void beginNow(Plan.Trouble trouble) {
        long until = world.now() + trouble.lengthMillis() * MILLI;
        How how = switch (trouble.fault()) {
            case FREEZE, FREEZE_SERVER -> How.SILENT;
            case LOSE_MESSAGES, BREAK_MESSAGES, SWALLOW_MESSAGES -> How.DEAF;
            default -> How.BROKEN;
        };
        if (trouble.fault().isOfServer()) {
            Node server = world.servers.get(trouble.node() % world.servers.size());
            server.troubledUntil = Math.max(server.troubledUntil, Math.max(world.now(), until) + 3_000 * MILLI);
            world.nodes.disturb(how, server); // before requests fail of it
            ofServer(trouble, server, until);
        } else {
            Slot slot = world.slots.get(trouble.client());
            Machine machine = slot.machine;
            if (machine != null) {
                if (trouble.fault() == Plan.Fault.KILL) {
                    world.killed.put(machine, slot.troubled.until());
                }
                if (trouble.fault() == Plan.Fault.CLOSE && machine.isRunning() && isCalm(slot)) {
                    world.closed.put(machine, world.now());
                }
                slot.troubled.disturb(how, until + 3_000 * MILLI);
                ofClient(trouble, slot, machine, until);
            }
        }
    }

    private boolean isCalm(Slot slot) {
        long since = world.now() - Checks.GRACE;
        return slot.troubled.calmSince(since)
                && world.all.calmSince(since)
                && slot.drivers.stream().allMatch(NetworkDriver::answersNow)
                && world.servers.stream().allMatch(server -> server.knowsRelease);
    }

    private void ofClient(Plan.Trouble trouble, Slot slot, Machine machine, long until) {
        long length = trouble.lengthMillis() * MILLI;
        switch (trouble.fault()) {
            case FREEZE -> {
                machine.freeze();
                world.silences.add(slot.number, -1, world.now(), until);
                world.timers.schedule(length, () -> thaw(slot, machine));
            }
            case KILL -> {
                machine.kill();
                slot.machine = null;
                slot.client = null;
                slot.drivers.forEach(NetworkDriver::gone);
                world.timers.schedule(length, () -> world.clients.start(slot));
            }
            case CLOSE ->
                machine.run(() -> {
                    Slot.Client client = slot.client;
                    if (client != null && slot.machine == machine) {
                        slot.client = null;
                        slot.machine = null;
                        client.close();
                        machine.kill();
                        world.timers.schedule(length, () -> world.clients.start(slot));
                    }
                });
            default -> slot.afflict(trouble.fault(), until);
        }
    }

    private void ofServer(Plan.Trouble trouble, Node server, long until) {
        switch (trouble.fault()) {
            case FREEZE_SERVER -> {
                world.silences.add(-1, server.number, world.now(), until);
                server.freeze();
                world.timers.schedule(trouble.lengthMillis() * MILLI, server::thaw);
            }
            case SLOW_SERVER -> server.slowUntil = Math.max(server.slowUntil, until);
            case RESTART, RESTART_EMPTY, RESTART_OLDER -> {
                // Whatever a node of a quorum brings back, it votes only after the quarantine.
                boolean forgets = trouble.fault() != Plan.Fault.RESTART || world.plan.kind() == Plan.Kind.QUORUM;
                if (forgets && !world.nodes.mayForget(server)) {
                    return;
                }
                server.restart(trouble.fault(), until);
                int index = world.servers.indexOf(server);
                for (Slot slot : world.slots) {
                    if (slot.machine != null) {
                        slot.drivers.get(index).breakCommands(true);
                        slot.drivers.get(index).breakMessages(true);
                    }
                }
            }
            case FORGET_SCRIPTS -> server.forgetScripts();
            case FLUSH -> {
                if (world.nodes.mayForget(server)) {
                    server.memory.command("FLUSHALL");
                }
            }
            case STEP_CLOCK -> server.memory.stepClock(Plan.millis(trouble.lengthMillis()));
            default -> throw new IllegalStateException(trouble.toString());
        }
        server.ran(null);
    }

    void thaw(Slot slot, Machine machine) {
        if (machine.state() == Machine.State.FROZEN) {
            world.trace.add(machine, "thaws");
            slot.runsSince = world.now();
            slot.troubled.disturb(How.SILENT, world.now());
            machine.thaw();
        }
    }
}
