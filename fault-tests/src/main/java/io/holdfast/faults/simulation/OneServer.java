package io.holdfast.faults.simulation;

import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Timers;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A server in memory, the processes of its clients, and what goes wrong with them: what is the same in all simulations with one
 * server. What the clients do there, and what is to be true of it, is up to the simulation.
 */
abstract class OneServer {
    private static final long MILLI = Checks.MILLI;

    final VirtualTime time = new VirtualTime();
    final Timers timers = time.timers();
    final Trace trace = new Trace(time::elapsed);
    final Node server = new Node(0, MemoryServer.start(time));
    final List<Slot> slots = new ArrayList<>();
    /** Nobody starts any more. */
    boolean ending;

    long steps;
    private final long seed;
    private final long heartbeat;

    /** @param heartbeat the time from one {@link #onBeat} to the next, nanoseconds */
    OneServer(long seed, int clients, long heartbeat) {
        this.seed = seed;
        this.heartbeat = heartbeat;
        for (int i = 0; i < clients; i++) {
            slots.add(new Slot(seed, i));
        }
    }

    /** Connects a client of a process that starts. */
    abstract void connect(Slot slot, Machine machine, NetworkDriver driver);

    /** A process has started and has its client. */
    void started(Slot slot, Machine machine) {}

    /** A process is killed. */
    abstract void killed(Machine machine);

    /** The server has answered a client. */
    abstract void answered(Slot slot, Command command, Reply reply);

    abstract void onBeat();

    abstract void afterStep();

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
                return finding() != null || reached.getAsBoolean();
            });
        }
    }

    /** Starts a process of it, as soon as the server can be reached. Without effect if one runs. */
    final void start(Slot slot) {
        if (ending || slot.machine != null) {
            return;
        }
        if (now() < slot.stalledUntil || server.frozen || !server.isUp(now())) {
            timers.schedule(100 * MILLI, () -> start(slot));
            return;
        }
        Machine machine = new Machine(
                slot.number, slot.lives++, time, timers, slot.tooFast, new Draw(seed, 5, slot.number, slot.lives));
        slot.machine = machine;
        slot.runsSince = now();
        NetworkDriver driver =
                new NetworkDriver(machine, new Way(slot, machine), new Draw(seed, 6, slot.number, slot.lives));
        slot.drivers = List.of(driver);
        driver.beginAtOnce();
        connect(slot, machine, driver);
        driver.endAtOnce();
        trace.add(machine, "starts");
        started(slot, machine);
    }

    private final class Way extends Link {
        private final Slot slot;

        Way(Slot slot, Machine machine) {
            super(timers, OneServer.this::now, trace, slot, machine, server);
            this.slot = slot;
        }

        @Override
        public void arrived(Command command) {}

        @Override
        public void answered(Command command, @Nullable Object answer) {
            if (answer instanceof Reply reply) {
                OneServer.this.answered(slot, command, reply);
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
            ofServer(trouble, until);
            return;
        }
        Slot slot = slots.get(trouble.client());
        Machine machine = slot.machine;
        if (machine != null) {
            slot.disturb(until + 3_000 * MILLI);
            ofClient(trouble, slot, machine, until);
        }
    }

    void ofServer(Plan.Trouble trouble, long until) {
        server.troubled.disturb(Troubled.How.BROKEN, until + 3_000 * MILLI);
        switch (trouble.fault()) {
            case FREEZE_SERVER -> {
                server.freeze();
                timers.schedule(trouble.lengthMillis() * MILLI, server::thaw);
            }
            case SLOW_SERVER -> server.slowUntil = Math.max(server.slowUntil, until);
            case RESTART, RESTART_EMPTY, RESTART_OLDER -> {
                server.restart(trouble.fault(), until);
                slots.stream()
                        .filter(slot -> slot.machine != null)
                        .forEach(slot -> slot.drivers.forEach(driver -> {
                            driver.breakCommands(true);
                            driver.breakMessages(true);
                        }));
            }
            case FORGET_SCRIPTS -> server.forgetScripts();
            case FLUSH -> server.memory.command("FLUSHALL");
            default -> throw new IllegalStateException(trouble.toString());
        }
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

    /** Until when something was, or is, wrong with a client or with the server. */
    public final long troubledUntil(Machine machine) {
        return Math.max(slots.get(machine.slot).troubled.until(), server.troubled.until());
    }

    /** Since when a process runs without having stood still. */
    public final long runsSince(Machine machine) {
        return slots.get(machine.slot).runsSince;
    }
}
