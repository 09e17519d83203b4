package io.holdfast.faults.simulation;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseLook;
import io.holdfast.LeaseTicket;
import io.holdfast.LockEvent;
import io.holdfast.LockOptions;
import io.holdfast.Quorum;
import io.holdfast.QuorumNode;
import io.holdfast.QuorumOptions;
import io.holdfast.Wait;
import io.holdfast.faults.simulation.Checks.Check;
import io.holdfast.faults.simulation.Plan.Ending;
import io.holdfast.spi.Command;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Timers;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One run of a plan: servers in memory, clients with the real engine, the network between them, and the checks. All of it
 * happens in one thread and in virtual time, so the same plan gives the same run.
 */
final class World implements Checks.Surroundings {
    private static final long MILLI = Checks.MILLI;
    private static final long HEARTBEAT = 250 * MILLI;
    private static final long FASTEST = 9_900; // millionths: all clocks within 1 % of the servers'
    /** No trouble lasts longer. */
    private static final long HEALED_AFTER_MILLIS = 10_000;
    /** Longer than the latest copy is under way, and than the longest term, and the life of a queue, after it. */
    private static final long SETTLED_AFTER = 45_000 * MILLI;

    private static final Duration LONGEST_TERM = Duration.ofSeconds(20);
    /** Of a quorum's node, and as long again as it may take until somebody asks it. */
    private static final long QUARANTINE = 50_000 * MILLI;

    private static final Duration LIVES_OVER = Duration.ofHours(2);

    /** One server, and what is wrong with it. */
    private final class Server {
        final MemoryServer memory = MemoryServer.start(time);
        long downUntil = -1;
        long slowUntil = -1;
        long forgetfulUntil = -1;
        long troubledUntil = -1;
        boolean frozen;
        /** It has the script that releases: a client that is closing does not have to send it. */
        boolean knowsRelease;

        void forgetScripts() {
            knowsRelease = false;
            memory.command("SCRIPT", "FLUSH");
        }

        boolean isUp() {
            return now() >= downUntil;
        }
    }

    /** One client of the plan, which may be started several times. */
    private final class Slot {
        final int number;
        final long tooFast;
        int lives;

        @Nullable
        Machine machine;

        List<NetworkDriver> drivers = List.of();

        @Nullable
        Client client;

        long runsSince;
        long disturbedUntil = -1;
        long copiesUntil = -1;
        long stalledUntil = -1;
        long slowUntil = -1;
        long deafUntil = -1;

        Slot(int number) {
            this.number = number;
            this.tooFast = new Draw(plan.seed(), 3, number).between(-FASTEST, FASTEST);
        }

        void disturb(long until) {
            disturbedUntil = Math.max(disturbedUntil, until);
        }
    }

    /** A client of one server, or of several. */
    private interface Client {
        DistributedLock lock(String name, LockOptions options);

        Lease adopt(LeaseTicket ticket);

        void close();
    }

    private final class Way implements NetworkDriver.Route {
        private final Slot slot;
        private final Machine machine;
        private final Server server;

        Way(Slot slot, Machine machine, Server server) {
            this.slot = slot;
            this.machine = machine;
            this.server = server;
        }

        @Override
        public void later(long delayNanos, Runnable task) {
            timers.schedule(delayNanos, task);
        }

        @Override
        public long delay(Draw draw) {
            long delay = draw.between(MILLI / 10, 2 * MILLI);
            if (now() < Math.max(slot.slowUntil, server.slowUntil)) {
                delay += draw.between(5, 400) * MILLI;
            }
            return now() < slot.stalledUntil ? slot.stalledUntil - now() + delay : delay;
        }

        @Override
        public long now() {
            return World.this.now();
        }

        @Override
        public boolean canConnect() {
            return server.isUp() && now() >= slot.stalledUntil;
        }

        @Override
        public boolean serverIsUp() {
            return server.isUp();
        }

        @Override
        public boolean answersNow() {
            return canConnect() && !server.frozen;
        }

        @Override
        public boolean losesMessages(Draw draw) {
            return now() < slot.deafUntil && draw.percent(70);
        }

        @Override
        public RedisDriver open() {
            return server.memory.driver();
        }

        @Override
        public void arrived(Command command) {
            if (checksOfServer != null) {
                checksOfServer.ran(machine);
            }
        }

        @Override
        public void answered(Command command, @Nullable Object answer) {
            if (answer instanceof Reply
                    && command.words().size() > 1
                    && LeaseLook.isRelease(command.words().get(1))) {
                server.knowsRelease = true;
            }
            if (checksOfQuorum != null && answer instanceof Reply reply) {
                checksOfQuorum.answered(server.memory, command, reply);
            }
        }

        @Override
        public void trace(String what) {
            trace.add(machine, what);
        }

        @Override
        public void hears(String message) {
            if (message.startsWith("R ")) {
                machine.recalls.add(message.substring(2));
                for (Shared shared : sharedBy(machine)) {
                    shared.recalled |= shared.isMeantBy(message.substring(2));
                }
            }
        }

        @Override
        public void hearsNoMore() {
            for (Shared shared : sharedBy(machine)) {
                shared.recalled |= shared.granted > 0;
            }
        }

        @Override
        public void lateUntil(long nanos) {
            slot.disturb(now() + nanos);
            slot.copiesUntil = Math.max(slot.copiesUntil, now() + nanos);
        }
    }

    final Plan plan;
    private final VirtualTime time = new VirtualTime();
    private final Timers timers = time.timers();
    final Trace trace = new Trace(time::elapsed);
    final Checks checks;
    private final @Nullable ServerChecks checksOfServer;
    private final @Nullable QuorumChecks checksOfQuorum;
    private final List<Server> servers = new ArrayList<>();
    private final List<Slot> slots = new ArrayList<>();
    private final EngineLog log = EngineLog.listen();
    /** With the time until which they were disturbed before that. */
    private final Map<Machine, Long> killed = new HashMap<>();
    /** Those that were closed while nothing was wrong, and when. */
    private final Map<Machine, Long> closed = new HashMap<>();

    private record ShareKey(Machine machine, int lock, LockOptions options) {}

    private final Map<ShareKey, Share> shares = new LinkedHashMap<>();
    private final Map<String, Shared> shared = new LinkedHashMap<>(); // by the public part of the owner

    private long allDisturbedUntil = -1;
    private long steps;
    private int obtained;

    World(Plan plan) {
        this.plan = plan;
        this.checks = new Checks(plan, this);
        Draw draw = new Draw(plan.seed(), 4);
        int count = plan.kind() == Plan.Kind.QUORUM ? draw.percent(70) ? 3 : 5 : 1;
        for (int i = 0; i < count; i++) {
            Server server = new Server();
            if (count > 1) {
                server.memory.stepClock(Plan.millis(draw.between(-3_000, 3_000)));
                // It has its memory since long ago.
                server.memory.command("SET", "hf:node", "1780000000000000 " + server.memory.runId(), "EX", "2000000");
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
            slots.add(new Slot(i));
        }
    }

    // ---- the run

    /** Runs it to the end, or to the first finding. */
    Outcome run() {
        beat();
        slots.forEach(this::start);
        for (Plan.Item item : plan.items()) {
            timers.schedule(item.atMillis() * MILLI, () -> begin(item));
        }
        long healed = (plan.lengthMillis() + HEALED_AFTER_MILLIS) * MILLI;
        go("the plan", healed, () -> now() >= healed);
        slots.forEach(slot -> {
            if (slot.machine != null) {
                thaw(slot, slot.machine);
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
            keepAll();
            boolean known = servers.stream().allMatch(server -> server.knowsRelease);
            for (Slot slot : slots) {
                Client client = slot.client;
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

    /** Whoever may keep a lock has it and keeps it when the clients are closed. */
    private void keepAll() {
        for (ShareKey share : shares.keySet()) {
            Client client = slots.get(share.machine().slot).client;
            if (share.machine().isRunning() && client != null) {
                share.machine().run(() -> {
                    var unused = client.lock(Plan.lock(share.lock()), share.options())
                            .acquireAsync(Wait.upTo(Duration.ofSeconds(1)))
                            .thenAccept(Lease::releaseAsync);
                });
                time.advance(Duration.ofMillis(10));
            }
        }
    }

    private boolean ending;

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

    // ---- clients

    private void start(Slot slot) {
        boolean possible =
                servers.stream().allMatch(server -> server.isUp() && !server.frozen) && now() >= slot.stalledUntil;
        if (!possible) {
            timers.schedule(100 * MILLI, () -> start(slot));
            return;
        }
        Machine machine = new Machine(
                slot.number,
                slot.lives++,
                time,
                timers,
                slot.tooFast,
                new Draw(plan.seed(), 5, slot.number, slot.lives));
        slot.machine = machine;
        slot.runsSince = now();
        List<NetworkDriver> drivers = new ArrayList<>();
        for (Server server : servers) {
            drivers.add(new NetworkDriver(
                    machine,
                    new Way(slot, machine, server),
                    new Draw(plan.seed(), 6, slot.number, slot.lives, drivers.size())));
        }
        slot.drivers = drivers;
        drivers.forEach(NetworkDriver::beginAtOnce);
        slot.client = connect(machine, drivers);
        drivers.forEach(NetworkDriver::endAtOnce);
        trace.add(machine, "starts");
    }

    private Client connect(Machine machine, List<NetworkDriver> drivers) {
        HoldfastOptions options = plan.options().withListener(this::hear);
        if (drivers.size() == 1) {
            Holdfast holdfast = Holdfast.over(drivers.get(0), options, machine.environment());
            return new Client() {
                @Override
                public DistributedLock lock(String name, LockOptions lockOptions) {
                    return holdfast.lock(name, lockOptions);
                }

                @Override
                public Lease adopt(LeaseTicket ticket) {
                    return holdfast.adopt(ticket);
                }

                @Override
                public void close() {
                    holdfast.close();
                }
            };
        }
        Quorum quorum = Quorum.connect(
                drivers.stream().map(QuorumNode::over).toList(),
                QuorumOptions.defaults().withClient(options).withLongestTerm(LONGEST_TERM),
                machine.environment());
        return new Client() {
            @Override
            public DistributedLock lock(String name, LockOptions lockOptions) {
                return quorum.lock(name, lockOptions);
            }

            @Override
            public Lease adopt(LeaseTicket ticket) {
                throw new UnsupportedOperationException("a quorum's lease lives with its client");
            }

            @Override
            public void close() {
                quorum.close();
            }
        };
    }

    private List<Shared> sharedBy(Machine machine) {
        return shared.values().stream()
                .filter(each -> each.request.machine == machine)
                .toList();
    }

    private void hear(LockEvent event) {
        Object data = event.data();
        String owner = event.subject().owner();
        if (event instanceof LockEvent.Asked && data instanceof Share share && checksOfServer != null) {
            Asked alone = share.alone(event.subject().actor());
            if (alone == null) {
                Shared asking = shared.computeIfAbsent(owner, unknown -> share.request(now()));
                checksOfServer.owns(owner, asking.request);
            } else {
                checksOfServer.owns(owner, alone);
            }
        } else if (event instanceof LockEvent.Asked && data instanceof Asked asked) {
            asked.owner = owner;
            if (checksOfServer != null) {
                checksOfServer.owns(owner, asked);
            }
            if (checksOfQuorum != null) {
                checksOfQuorum.owns(owner, asked);
            }
        }
    }

    // ---- items

    private void begin(Plan.Item item) {
        if (item instanceof Plan.Ask ask) {
            Slot slot = slots.get(ask.client());
            Machine machine = slot.machine;
            if (machine != null) {
                machine.run(() -> ask(slot, machine, ask));
            }
        } else if (item instanceof Plan.Trouble trouble) {
            trace.add("world", trouble.toString());
            new Troubles().begin(trouble);
        }
    }

    private void ask(Slot slot, Machine machine, Plan.Ask item) {
        Client client = slot.client;
        if (client == null) {
            return;
        }
        Asked asked = new Asked(item, machine, now());
        checks.asked(asked);
        trace.add(machine, "asks " + item);
        Share share = item.isShared()
                ? shares.computeIfAbsent(
                        new ShareKey(machine, item.lock(), item.options()), key -> new Share(checks, machine, item))
                : null;
        if (share != null) {
            share.asks(asked);
        }
        CompletableFuture<Attempt> future = client.lock(
                        Plan.lock(item.lock()), item.options().withEventData(share == null ? asked : share))
                .as(share == null ? item.actor() : Share.actorOf(item))
                .attemptAsync(item.waitLimit());
        asked.future = future;
        future.whenComplete((attempt, failure) -> {
            checks.answered(asked, attempt, failure);
            if (attempt instanceof Attempt.Obtained got) {
                obtained(slot, held(slot, asked, got.held()));
            }
            if (share != null) {
                share.ended(asked);
            }
            if (checksOfServer != null && (attempt instanceof Attempt.Taken || attempt instanceof Attempt.QueueFull)) {
                checksOfServer.saidTaken(asked);
            }
            if (!(attempt instanceof Attempt.Obtained)) {
                trace.add(
                        machine,
                        "#" + item.number() + " "
                                + (attempt == null
                                        ? "" + failure
                                        : attempt.getClass().getSimpleName()));
            }
        });
        if (item.ending() == Ending.CANCEL || item.ending() == Ending.COMPLETE) {
            timersOf(machine, item.holdMillis(), () -> withdraw(asked, future));
        }
    }

    private Held held(Slot slot, Asked asked, Lease lease) {
        Shared of = shared.get(lease.owner());
        Held held = new Held(asked, of, asked.machine, lease, now());
        if (of != null && checksOfServer != null) {
            checksOfServer.lends(of, held);
            if (of.granted == 0) {
                of.recalled = asked.machine.recalls.stream().anyMatch(of::isMeantBy)
                        || !slot.drivers.get(0).isHearing();
            }
        }
        return held;
    }

    private void withdraw(Asked asked, CompletableFuture<Attempt> future) {
        if (!future.isDone()) {
            asked.withdrawn = true;
            trace.add(asked.machine, "#" + asked.item.number() + " is withdrawn");
            if (asked.item.ending() == Ending.CANCEL) {
                future.cancel(false);
            } else {
                future.completeExceptionally(new Checks.WithdrawnException());
            }
        }
    }

    private void timersOf(Machine machine, long millis, Runnable task) {
        timers.schedule((long) machine.inWorld(millis * MILLI), () -> machine.run(task));
    }

    private void obtained(Slot slot, Held held) {
        obtained++;
        Machine machine = held.machine;
        trace.add(machine, "#" + held.asked.item.number() + " holds with token " + held.token);
        checks.obtained(held);
        held.lease.lost().thenAccept(reason -> {
            trace.add(machine, "#" + held.asked.item.number() + " is lost: " + reason);
            checks.lost(held, reason);
        });
        long hold = held.asked.item.holdMillis();
        switch (held.asked.item.ending()) {
            case RELEASE, CANCEL, COMPLETE -> timersOf(machine, hold, () -> release(held));
            case EXTEND ->
                timersOf(machine, hold / 2, () -> {
                    if (LeaseLook.remaining(held.lease).toNanos() > 0) {
                        held.lease.extendAsync(held.asked.item.options().term().multipliedBy(2));
                    }
                    timersOf(machine, hold / 2, () -> release(held));
                });
            case RELEASE_TWICE ->
                timersOf(machine, hold, () -> {
                    release(held);
                    release(held);
                });
            case END_WITH_TERM -> {
                timersOf(machine, hold, () -> checks.write(held));
                // If it shares a hold that is renewed, it does not end by itself.
                timersOf(machine, hold + 3 * held.asked.item.options().term().toMillis(), () -> release(held));
            }
            case DETACH -> timersOf(machine, hold, () -> detach(slot, held));
            case HAND_OVER -> timersOf(machine, hold, () -> handOver(slot, held));
        }
    }

    private void release(Held held) {
        checks.write(held);
        trace.add(held.machine, "#" + held.asked.item.number() + " releases");
        held.released = true;
        held.lease.releaseAsync();
    }

    private void detach(Slot slot, Held held) {
        NetworkDriver driver = slot.drivers.get(0);
        checks.write(held);
        if (!driver.answersNow()) {
            release(held);
            return;
        }
        driver.beginAtOnce();
        try {
            held.lease.detach();
            checks.left(held, false);
            held.asked.keepsHold = true;
            if (held.shared != null) {
                held.shared.request.keepsHold = true;
            }
            trace.add(held.machine, "#" + held.asked.item.number() + " is detached");
        } catch (HoldfastException e) {
            release(held);
        } finally {
            driver.endAtOnce();
        }
    }

    private void handOver(Slot slot, Held held) {
        Slot heir = slots.get((slot.number + 1) % slots.size());
        Machine there = heir.machine;
        Client client = heir.client;
        boolean possible = !held.given // by another that had entered it
                && there != null
                && client != null
                && there.isRunning()
                && heir.drivers.get(0).answersNow()
                && slot.drivers.get(0).answersNow()
                && LeaseLook.remaining(held.lease).toNanos() > 0;
        if (!possible) {
            release(held);
            return;
        }
        checks.write(held);
        NetworkDriver driver = heir.drivers.get(0);
        driver.beginAtOnce();
        Lease adopted;
        try {
            adopted = Objects.requireNonNull(client).adopt(held.lease.ticket());
        } catch (HoldfastException e) {
            release(held);
            return;
        } finally {
            driver.endAtOnce();
        }
        checks.left(held, true);
        if (checksOfServer != null) {
            checksOfServer.adopts(adopted.owner(), held.asked);
        }
        Held next = new Held(held, Objects.requireNonNull(there), adopted, now());
        trace.add(there, "#" + held.asked.item.number() + " is adopted");
        checks.obtained(next);
        adopted.lost().thenAccept(reason -> checks.lost(next, reason));
        timersOf(there, 200, () -> release(next));
        slot.drivers.get(0).beginAtOnce();
        try {
            held.lease.detach();
        } catch (HoldfastException e) {
            trace.add(held.machine, "#" + held.asked.item.number() + " cannot be detached: " + e);
        } finally {
            slot.drivers.get(0).endAtOnce();
        }
    }

    // ---- what goes wrong

    private void thaw(Slot slot, Machine machine) {
        if (machine.state() == Machine.State.FROZEN) {
            trace.add(machine, "thaws");
            slot.runsSince = now();
            slot.disturb(now());
            machine.thaw();
        }
    }

    /** Brings about the troubles of the plan, and ends them. */
    private final class Troubles {
        void begin(Plan.Trouble trouble) {
            long until = now() + trouble.lengthMillis() * MILLI;
            if (trouble.fault().isOfServer()) {
                Server server = servers.get(trouble.node() % servers.size());
                server.troubledUntil = Math.max(server.troubledUntil, Math.max(now(), until) + 3_000 * MILLI);
                disturbAll(); // before requests fail of it
                ofServer(trouble, server, until);
            } else {
                Slot slot = slots.get(trouble.client());
                Machine machine = slot.machine;
                if (machine != null) {
                    if (trouble.fault() == Plan.Fault.KILL) {
                        killed.put(machine, slot.disturbedUntil);
                    }
                    if (trouble.fault() == Plan.Fault.CLOSE && machine.isRunning() && isCalm(slot)) {
                        closed.put(machine, now());
                    }
                    slot.disturb(until + 3_000 * MILLI);
                    ofClient(trouble, slot, machine, until);
                }
            }
        }

        private boolean isCalm(Slot slot) {
            return undisturbed(Objects.requireNonNull(slot.machine), now() - Checks.GRACE)
                    && slot.drivers.stream().allMatch(NetworkDriver::answersNow)
                    && servers.stream().allMatch(server -> server.knowsRelease);
        }

        private void ofClient(Plan.Trouble trouble, Slot slot, Machine machine, long until) {
            long length = trouble.lengthMillis() * MILLI;
            switch (trouble.fault()) {
                case FREEZE -> {
                    machine.freeze();
                    timers.schedule(length, () -> thaw(slot, machine));
                }
                case KILL -> {
                    machine.kill();
                    slot.machine = null;
                    slot.client = null;
                    slot.drivers.forEach(NetworkDriver::gone);
                    timers.schedule(length, () -> start(slot));
                }
                case CLOSE ->
                    machine.run(() -> {
                        Client client = slot.client;
                        if (client != null && slot.machine == machine) {
                            slot.client = null;
                            slot.machine = null;
                            client.close();
                            machine.kill();
                            timers.schedule(length, () -> start(slot));
                        }
                    });
                case BREAK -> {
                    slot.drivers.forEach(driver -> driver.breakCommands(false));
                    slot.drivers.forEach(driver -> driver.breakMessages(false));
                }
                case BREAK_COMMANDS -> slot.drivers.forEach(driver -> driver.breakCommands(false));
                case BREAK_MESSAGES -> slot.drivers.forEach(driver -> driver.breakMessages(false));
                case STALL -> slot.stalledUntil = Math.max(slot.stalledUntil, until);
                case SLOW -> slot.slowUntil = Math.max(slot.slowUntil, until);
                case LOSE_MESSAGES -> slot.deafUntil = Math.max(slot.deafUntil, until);
                default -> throw new IllegalStateException(trouble.toString());
            }
        }

        private void ofServer(Plan.Trouble trouble, Server server, long until) {
            switch (trouble.fault()) {
                case FREEZE_SERVER -> {
                    server.frozen = true;
                    server.memory.freeze();
                    timers.schedule(trouble.lengthMillis() * MILLI, () -> thawServer(server));
                }
                case SLOW_SERVER -> server.slowUntil = Math.max(server.slowUntil, until);
                case RESTART, RESTART_EMPTY -> {
                    if (trouble.fault() == Plan.Fault.RESTART_EMPTY && !mayForget(server)) {
                        return;
                    }
                    server.downUntil = Math.max(server.downUntil, until);
                    thawServer(server);
                    server.forgetScripts();
                    if (trouble.fault() == Plan.Fault.RESTART_EMPTY) {
                        server.memory.command("FLUSHALL");
                    }
                    int index = servers.indexOf(server);
                    for (Slot slot : slots) {
                        if (slot.machine != null) {
                            slot.drivers.get(index).breakCommands(true);
                            slot.drivers.get(index).breakMessages(true);
                        }
                    }
                }
                case FORGET_SCRIPTS -> server.forgetScripts();
                case FLUSH -> {
                    if (mayForget(server)) {
                        server.memory.command("FLUSHALL");
                    }
                }
                case STEP_CLOCK -> server.memory.stepClock(Plan.millis(trouble.lengthMillis()));
                default -> throw new IllegalStateException(trouble.toString());
            }
            if (checksOfServer != null) {
                checksOfServer.ran(null);
            }
        }

        /** A majority keeps its memory, where those do not count that have lost it and are kept out. */
        private boolean mayForget(Server server) {
            long others = servers.stream()
                    .filter(other -> other != server && now() < other.forgetfulUntil)
                    .count();
            if (servers.size() > 1 && others + 1 > (servers.size() - 1) / 2) {
                return false;
            }
            server.forgetfulUntil = now() + QUARANTINE;
            return true;
        }

        /** A minority that is in trouble disturbs nobody. */
        private void disturbAll() {
            List<Long> troubled = servers.stream()
                    .map(server -> Math.max(server.troubledUntil, server.forgetfulUntil))
                    .sorted(Comparator.reverseOrder())
                    .toList();
            long until = troubled.get((servers.size() - 1) / 2);
            if (until >= now()) {
                allDisturbedUntil = Math.max(allDisturbedUntil, until);
            }
        }

        private void thawServer(Server server) {
            if (server.frozen) {
                server.frozen = false;
                server.memory.thaw();
                if (checksOfServer != null) {
                    checksOfServer.ran(null);
                }
            }
        }
    }
}
