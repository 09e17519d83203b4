package io.holdfast.faults.simulation;

import static io.holdfast.contracts.Outcomes.word;

import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.DistributedReadWriteLock;
import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockEvent;
import io.holdfast.LockMode;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.Wait;
import io.holdfast.faults.simulation.LineChecks.Check;
import io.holdfast.faults.simulation.LinePlan.Ending;
import io.holdfast.faults.simulation.LinePlan.Side;
import io.holdfast.model.following.Follower;
import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One run of a plan over read/write locks and a semaphore: a server in memory, clients with the real engine, the network between
 * them, and the checks. All of it happens in one thread and in virtual time, so the same plan gives the same run.
 */
final class LineRuns extends Runs implements LineChecks.Surroundings {
    private static final long MILLI = Checks.MILLI;
    private static final long HEARTBEAT = 50 * MILLI;

    /** Heartbeats. */
    private static final int SAVED_EVERY = 20;

    /** Longer than the latest copy is under way, than a dead client's requests wait, and than a line outlives its last hold. */
    private static final long SETTLED_AFTER = 150_000 * MILLI;

    private final LinePlan plan;
    private final LineChecks checks;
    private final ServerLines lines;
    private final Map<Machine, Holdfast> clients = new HashMap<>();
    private final EngineLog log = EngineLog.listen();
    private final LineOperators operators;
    private final Works works = new Works(new OfWorks(), timers, trace);
    private final List<LinePlan.Trouble> awaiting = new ArrayList<>();
    private long beats;

    LineRuns(LinePlan plan, @Nullable Follower follower) {
        super(plan.seed(), plan.clients(), 1, HEARTBEAT, follower);
        this.plan = plan;
        HoldfastOptions options = plan.options();
        this.checks = new LineChecks(
                this,
                options.commandTimeout().toNanos(),
                options.refreshInterval().toNanos());
        this.lines = new ServerLines(
                checks,
                this,
                server.memory,
                options.refreshInterval().toNanos(),
                options.commandTimeout().toNanos());
        this.operators = new LineOperators(plan, this, lines, checks, server, time);
    }

    // ---- the run

    /** Runs it to the end, or to the first finding. */
    Outcome run() {
        start();
        for (LinePlan.Item item : plan.items()) {
            timers.schedule(item.atMillis() * MILLI, () -> begin(item));
        }
        long healed = now() + (plan.lengthMillis() + Plan.LONGEST_TROUBLE_MILLIS) * MILLI;
        go("the plan", healed, () -> now() >= healed);
        thawAll();
        long most = now() + (120_000 + 15_000L * plan.items().size()) * MILLI;
        go("quiet", most, () -> now() >= most || isQuiet());
        if (checks.finding() == null && !isQuiet()) {
            checks.found(Check.ENDS, "still open when all is quiet: " + checks.open() + " " + checks.leases());
        }
        long settled = now() + SETTLED_AFTER;
        go("settled", settled, () -> now() >= settled);
        if (checks.finding() == null) {
            lines.nothingLeft();
        }
        works.abandon();
        ending = true;
        if (checks.finding() == null) {
            clients.forEach((machine, client) -> machine.run(client::close));
            operators.close();
        }
        log.close();
        return new Outcome(plan, checks.finding(), steps, checks.obtained, 0, 0, trace);
    }

    @Override
    void differs(String how) {
        checks.found(Check.MODEL, how);
    }

    @Override
    void afterStep() {
        checks.afterStep(lines);
        works.afterStep();
        String defect = log.firstDefect();
        if (defect != null) {
            checks.found(Check.LOG, defect);
        }
    }

    @Override
    void onBeat() {
        lines.beat();
        checks.requestsEnd();
        if (plan.kind() == LinePlan.Kind.OUTSIDE && ++beats % SAVED_EVERY == 0) {
            server.save();
        }
    }

    @Override
    @Nullable
    Finding finding() {
        return checks.finding();
    }

    private boolean isQuiet() {
        return checks.open().stream().allMatch(request -> request.machine.state() == Machine.State.DEAD)
                && checks.leases().stream().allMatch(held -> held.request.machine.state() == Machine.State.DEAD);
    }

    // ---- clients

    @Override
    void connect(Slot slot, Machine machine) {
        NetworkDriver driver = slot.drivers.get(0);
        clients.put(machine, Holdfast.over(driver, plan.options().withListener(this::hear), machine.environment()));
    }

    @Override
    void killed(Machine machine) {
        clients.remove(machine);
    }

    @Override
    void answered(Slot slot, Command command, Reply reply) {
        ran(command, reply);
        answerIsLost(slot.number, LeaseLook.scriptOf(command));
    }

    /** What waits for such an answer begins before that has arrived. */
    private void answerIsLost(int client, String script) {
        for (Iterator<LinePlan.Trouble> i = awaiting.iterator(); i.hasNext(); ) {
            LinePlan.Trouble next = i.next();
            if (next.what().client() == client && script.equals(next.losesAnswerTo())) {
                i.remove();
                timers.schedule(0, () -> begin(next.what()));
            }
        }
    }

    void ran(Command command, @Nullable Reply reply) {
        if (reply != null && !LeaseLook.scriptOf(command).isEmpty()) {
            trace.add(
                    "server",
                    LeaseLook.scriptOf(command) + " "
                            + command.words().subList(3, command.words().size()) + " -> " + reply);
            lines.answered(command, reply);
        }
    }

    private void hear(LockEvent event) {
        if (event instanceof LockEvent.Asked && event.data() instanceof LineRequest request) {
            checks.owns(event.subject().owner(), request);
        }
    }

    // ---- items

    private void begin(LinePlan.Item item) {
        if (item instanceof LinePlan.Ask ask) {
            Machine machine = slots.get(ask.client()).machine;
            if (machine != null) {
                machine.run(() -> ask(machine, ask));
            }
        } else if (item instanceof LinePlan.Trouble trouble) {
            trace.add("world", trouble.toString());
            if (trouble.losesAnswerTo() == null) {
                begin(trouble.what());
            } else {
                awaiting.add(trouble);
            }
        } else if (item instanceof LinePlan.Act act) {
            trace.add("world", act.toString());
            operators.act(act);
        }
    }

    @Override
    void ofServer(Plan.Trouble trouble, Node at, long until) {
        super.ofServer(trouble, at, until);
        if (LinePlan.LOSSES.contains(trouble.fault())) {
            lines.memoryIsLost();
        }
    }

    private void ask(Machine machine, LinePlan.Ask item) {
        Holdfast client = clients.get(machine);
        if (client == null) {
            return;
        }
        LineRequest request = new LineRequest(item, machine, now());
        checks.asked(request);
        trace.add(machine, "asks " + item);
        DistributedLock lock = lock(client, item, request);
        var future = item.ending() == Ending.WORK
                ? LeaseLook.scopedAttempt(lock, item.waitLimit())
                : lock.attemptAsync(item.waitLimit());
        future.whenComplete((attempt, failure) -> {
            trace.add(machine, "#" + item.number() + " " + (attempt == null ? "" + failure : word(attempt)));
            checks.answered(request, attempt, failure);
            if (attempt instanceof Attempt.Obtained<Lease> got) {
                obtained(client, request, got.lease());
            }
        });
        if (item.ending() == Ending.CANCEL) {
            later(machine, item.holdMillis(), () -> {
                if (!future.isDone()) {
                    request.withdrawn = true;
                    trace.add(machine, "#" + item.number() + " is withdrawn");
                    future.cancel(false);
                }
            });
        }
    }

    private static DistributedLock lock(Holdfast client, LinePlan.Ask item, LineRequest request) {
        String name = LinePlan.nameOf(item.line());
        LockOptions options = item.options().withEventData(request);
        DistributedLock lock = switch (item.side()) {
            case READ -> client.readWriteLock(name, options).read();
            case WRITE -> client.readWriteLock(name, options).write();
            case PERMITS -> {
                DistributedSemaphore semaphore = client.semaphore(name, item.limit(), options);
                yield (item.slots() ? semaphore.withSlots() : semaphore).permits(item.weight());
            }
        };
        return lock.withActor(item.actor());
    }

    /** By the clock of the machine, and only if it runs. */
    private void later(Machine machine, long millis, Runnable task) {
        timers.schedule((long) machine.inWorld(millis * MILLI), () -> machine.run(task));
    }

    private LineLease held(LineRequest request, Lease lease) {
        return held(request, lease, request.item.options());
    }

    private LineLease held(LineRequest request, Lease lease, LockOptions asked) {
        LineLease held = new LineLease(request, lease, now());
        checks.obtained(held);
        held.work = works.begin(held, request.machine, lease, asked, request.item.ending() == Ending.WORK);
        trace.add(request.machine, "" + held);
        lease.whenLost().thenAccept(reason -> {
            trace.add(request.machine, held + " is lost: " + reason);
            checks.lost(held, reason);
            held.ended = true;
        });
        return held;
    }

    private void obtained(Holdfast client, LineRequest request, Lease lease) {
        LineLease held = held(request, lease);
        Machine machine = request.machine;
        long hold = request.item.holdMillis();
        switch (request.item.ending()) {
            case RELEASE, CANCEL -> later(machine, hold, () -> release(held));
            case RELEASE_TWICE ->
                later(machine, hold, () -> {
                    release(held);
                    release(held);
                });
            case EXTEND -> {
                later(machine, hold / 2, () -> {
                    if (!held.ended) {
                        works.extend(
                                workOf(held),
                                request.item.options().leaseDuration().multipliedBy(2));
                    }
                });
                later(machine, hold, () -> release(held));
            }
            case END_WITH_TERM ->
                later(machine, hold + 3 * request.item.options().leaseDuration().toMillis(), () -> release(held));
            case WORK ->
                works.run(workOf(held), hold, new Draw(plan.seed(), 41, request.item.number()), () -> release(held));
            case DOWNGRADE -> later(machine, hold / 2, () -> downgrade(client, held, hold / 2));
            case ENTER -> {
                later(machine, hold / 2, () -> enter(client, request, hold));
                later(machine, hold, () -> release(held));
            }
        }
    }

    private static Work workOf(LineLease held) {
        return Objects.requireNonNull(held.work);
    }

    private void release(LineLease held) {
        trace.add(held.request.machine, held.request + " releases");
        held.ended = true;
        workOf(held).left = true;
        held.lease.releaseAsync();
    }

    private void downgrade(Holdfast client, LineLease writing, long rest) {
        LineRequest request = writing.request;
        if (writing.lease.mode() != LockMode.EXCLUSIVE
                || LeaseLook.remaining(writing.lease).isZero()) {
            release(writing);
            return;
        }
        DistributedReadWriteLock lock = client.readWriteLock(
                LinePlan.nameOf(request.item.line()), request.item.options().withEventData(request));
        trace.add(request.machine, request + " downgrades");
        request.downgrades = true;
        writing.ended = true;
        works.goesOn(writing.lease);
        long begun = now();
        lock.downgradeAsync(writing.lease).whenComplete((lease, failure) -> {
            request.downgrades = false;
            trace.add(request.machine, request + (failure == null ? " reads" : " does not read: " + failure));
            if (failure == null) {
                // Of another request's terms if it had entered that one's hold.
                LineLease reading = held(request, lease, LeaseLook.holdOf(lease).options);
                workOf(reading).extended |= workOf(writing).extended; // it lasts as long
                later(request.machine, rest, () -> release(reading));
            } else if (!(failure instanceof HoldfastException) && !(failure.getCause() instanceof HoldfastException)) {
                checks.found(Check.ANSWER, request + " downgrades: " + failure);
            } else if (isCalm(request.machine, begun - LineChecks.GRACE) && !checks.isRevoked(writing.owner)) {
                checks.found(Check.ANSWER, request + " downgrades, and nothing was wrong: " + failure);
            }
        });
    }

    /** The actor asks again while it has a lease, and keeps what it gets for longer. */
    private void enter(Holdfast client, LineRequest outer, long hold) {
        LinePlan.Ask item = outer.item;
        LockOptions options = item.options().withReentrancy(Reentrancy.REENTER).withQueueLimit(0);
        LinePlan.Ask again = new LinePlan.Ask(
                item.number(),
                item.atMillis(),
                item.client(),
                item.line(),
                Side.READ,
                1,
                0,
                item.actor(),
                2_000,
                options,
                hold,
                Ending.RELEASE);
        LineRequest request = new LineRequest(again, outer.machine, now());
        checks.asked(request);
        lock(client, again, request)
                .attemptAsync(Wait.upTo(Duration.ofMillis(again.waitMillis())))
                .whenComplete((attempt, failure) -> {
                    checks.answered(request, attempt, failure);
                    if (attempt instanceof Attempt.Obtained<Lease> got) {
                        LineLease held = held(request, got.lease());
                        later(request.machine, hold, () -> release(held));
                    }
                });
    }

    // ---- what the checks ask

    private final class OfWorks implements Works.Surroundings {
        @Override
        public long now() {
            return LineRuns.this.now();
        }

        @Override
        public boolean isOutside() {
            return plan.kind() == LinePlan.Kind.OUTSIDE;
        }

        @Override
        public boolean undisturbed(Work work, long since) {
            LineLease held = (LineLease) work.of;
            return !checks.isRevoked(held.owner) && isCalm(work.machine, since);
        }

        @Override
        public long runsSince(Machine machine) {
            return LineRuns.this.runsSince(machine);
        }

        @Override
        public boolean mayBeEntered(Work work) {
            LinePlan.Ask held = ((LineLease) work.of).request.item;
            return checks.open().stream()
                    .anyMatch(request -> request.machine == work.machine && request.item.wouldEnter(held));
        }

        @Override
        public void found(Works.Check check, String what) {
            checks.found(Check.valueOf(check.name()), what);
        }
    }

    @Override
    public boolean isCalm(Machine machine, long since) {
        return slots.get(machine.slot).troubled.calmSince(since) && server.troubled.calmSince(since);
    }

    @Override
    public boolean allCalm(long since) {
        return server.troubled.calmSince(since) && slots.stream().allMatch(slot -> slot.troubled.calmSince(since));
    }
}
