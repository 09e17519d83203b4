package io.holdfast.faults.simulation;

import io.holdfast.Admin;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.Once;
import io.holdfast.OnceResult;
import io.holdfast.Wait;
import io.holdfast.model.following.Follower;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One run of a plan of work that is done once: a server in memory, clients with the real engine, the network between them, and the
 * checks. All of it happens one after the other and in virtual time, so the same plan gives the same run.
 */
final class OnceRuns extends Runs {
    /** What is looked at. */
    enum Check {
        /** Two results of one key, or of one slot, are told as recorded, or one that no work has returned. */
        RECORD,
        /** Work begins under a valid lease although its result is recorded. */
        AFTER,
        /** Two are at work for one key, and the leases of both are valid. */
        EXCLUSION,
        /** Work begins more often than it may be tried. */
        TRIES,
        /** The server grants work that an operator has paused. */
        PAUSED,
        /** Work begins sooner after a lease that was lost than the lock-delay of that allows. */
        DELAY,
        /** Work begins with a token that is not greater than those of the runs before. */
        TOKENS,
        /** A call has no answer though nothing is wrong any more, or it is told that nobody knows where nothing was wrong. */
        LIVENESS,
        /** A client holds or waits when all calls are over. */
        ORPHAN,
        /** A key is left when all records are over. */
        LITTER,
        /** The engine has logged a defect of its own. */
        LOG,
        /** The server has run a script otherwise than its model. */
        MODEL
    }

    /** Work that fails. */
    private static final class OnPurpose extends RuntimeException {
        private static final long serialVersionUID = 1; // nobody writes it
    }

    private static final class Checked extends FirstFinding<Check> {}

    /** What is known of a key. */
    private static final class Job {
        @Nullable
        String recorded;

        @Nullable
        Run atWork;

        long newest;
        int tries;
    }

    /** Work under a lease. */
    private static final class Run {
        final Machine machine;
        final Lease lease;
        final Duration delay;
        long lostAt = -1; // nanoseconds of the world; negative unless its client has noticed that it is lost

        Run(Caller caller, Lease lease) {
            this.machine = caller.machine;
            this.lease = lease;
            this.delay = caller.call.options().lockDelay();
        }
    }

    /** By the server's clock. */
    private record Paused(String key, Instant from, Instant to) {}

    /** A call that is open. */
    private record Caller(OncePlan.Call call, Machine machine, long since) {
        @Override
        public String toString() {
            return "#" + call.number() + " of " + machine;
        }
    }

    private static final long MILLI = Checks.MILLI;
    private static final long HEARTBEAT = 250 * MILLI;
    /** Longer than the latest copy is under way, and than a term after it. */
    private static final long SETTLED_AFTER = 45_000 * MILLI;

    /** The clocks of clients differ from the server's by one in a hundred. */
    private static final double LEAST_OF_DELAY = 0.98;

    private static final long LONGEST_WORK_MILLIS = 1_500;
    private static final Duration RECORDS_OVER = Duration.ofDays(8); // notes last for a week

    private final OncePlan plan;
    private final Checked checks = new Checked();
    private final Map<String, Job> jobs = new HashMap<>();
    private final List<Caller> open = new ArrayList<>();
    private final List<@Nullable Holdfast> clients = new ArrayList<>(); // of the slots
    private final EngineLog log = EngineLog.listen(thrown -> thrown instanceof OnPurpose);
    private final List<Paused> pauses = new ArrayList<>();
    private final Holdfast operator;
    private int begun;

    OnceRuns(OncePlan plan, @Nullable Follower follower) {
        super(plan.seed(), plan.clients(), 1, HEARTBEAT, follower);
        this.plan = plan;
        this.operator = Holdfast.over(server.memory.driver(), plan.options(), time.environment(plan.seed()));
        for (int i = 0; i < plan.clients(); i++) {
            clients.add(null);
        }
    }

    // ---- the run

    /** Runs it to the end, or to the first finding. */
    Outcome run() {
        try {
            start();
            for (Drawn.Item item : plan.items()) {
                timers.schedule(item.atMillis() * MILLI, () -> begin(item));
            }
            long healed = now() + (plan.lengthMillis() + Plan.LONGEST_TROUBLE_MILLIS) * MILLI;
            go("the plan", healed, () -> now() >= healed);
            thawAll();
            long most = now() + (60_000 + 3 * LONGEST_WORK_MILLIS * plan.items().size()) * MILLI;
            go("quiet", most + HEARTBEAT, () -> now() >= most || open.isEmpty());
            if (!open.isEmpty()) {
                checks.found(Check.LIVENESS, "nothing is wrong any more, and without an answer: " + open);
            }
            long settled = now() + SETTLED_AFTER;
            go("settled", settled, () -> now() >= settled);
            end();
            return new Outcome(plan, checks.finding(), steps, begun, 0, 0, trace);
        } finally {
            log.close();
            slots.forEach(slot -> slot.drivers.forEach(NetworkDriver::gone));
        }
    }

    private void end() {
        if (checks.finding() != null) {
            return;
        }
        for (Holdfast client : clients) {
            if (client != null && client.leaseCount() + client.waiterCount() > 0) {
                checks.found(Check.ORPHAN, client + " holds or waits for what nobody works for");
            }
        }
        ending = true;
        slots.forEach(this::closeClient);
        operator.close();
        time.advance(RECORDS_OVER);
        List<String> left = server.memory.command("KEYS", "*").asList().stream()
                .map(Reply::asString)
                .toList();
        if (!left.isEmpty()) {
            checks.found(Check.LITTER, "left on the server: " + left);
        }
    }

    @Override
    void differs(String how) {
        checks.found(Check.MODEL, how);
    }

    @Override
    void afterStep() {
        String defect = log.firstDefect();
        if (defect != null) {
            checks.found(Check.LOG, defect);
        }
    }

    @Override
    void onBeat() {}

    @Override
    @Nullable
    Finding finding() {
        return checks.finding();
    }

    // ---- clients

    @Override
    void connect(Slot slot, Machine machine) {
        clients.set(slot.number, Holdfast.over(slot.drivers.get(0), plan.options(), machine.environment()));
    }

    @Override
    void killed(Machine machine) {
        open.removeIf(caller -> caller.machine == machine);
        clients.set(machine.slot, null);
    }

    private void closeClient(Slot slot) {
        Holdfast client = clients.get(slot.number);
        Machine machine = slot.machine;
        if (client != null && machine != null) {
            machine.run(() -> {
                trace.add(machine, "closes its client");
                clients.set(slot.number, null);
                client.close();
            });
        }
    }

    @Override
    void ofClient(Plan.Trouble trouble, Slot slot, Machine machine, long until) {
        if (trouble.fault() != Plan.Fault.CLOSE) {
            super.ofClient(trouble, slot, machine, until);
            return;
        }
        machine.run(() -> {
            if (slot.machine == machine) {
                closeClient(slot);
                machine.kill();
                killed(machine);
                slot.machine = null;
                slot.drivers.forEach(NetworkDriver::gone);
                timers.schedule(trouble.lengthMillis() * MILLI, () -> start(slot));
            }
        });
    }

    // ---- calls

    private void begin(Drawn.Item item) {
        trace.add("world", item.toString());
        if (item instanceof OncePlan.Call call) {
            Machine machine = slots.get(call.client()).machine;
            if (machine != null) {
                machine.run(() -> call(call, machine));
            }
        } else if (item instanceof OncePlan.Pause pause) {
            if (!server.frozen && server.isUp(now())) {
                begin(pause);
            }
        } else if (item instanceof Plan.Trouble trouble) {
            begin(trouble);
        }
    }

    private void begin(OncePlan.Pause pause) {
        Duration length = Plan.millis(pause.lengthMillis());
        String key = pause.key().isEmpty()
                ? operator.once("job")
                        .per(Plan.millis(OncePlan.PERIOD_MILLIS))
                        .inPresentSlot()
                        .name()
                : pause.key();
        Admin admin = operator.admin().of(LockInfo.Kind.ONCE);
        admin.pause(key, length, "maintenance");
        Instant from = serverTime();
        endPause(key, from); // which is replaced
        pauses.add(new Paused(key, from, from.plus(length)));
        if (pause.resumed()) {
            timers.schedule(pause.lengthMillis() * MILLI / 2, () -> {
                if (!server.frozen && server.isUp(now())) {
                    admin.resume(key);
                    endPause(key, serverTime());
                }
            });
        }
    }

    private void endPause(String key, Instant at) {
        pauses.replaceAll(each -> each.key.equals(key) && each.to.isAfter(at) ? new Paused(key, each.from, at) : each);
    }

    private Instant serverTime() {
        List<Reply> now = server.memory.command("TIME").asList();
        return Instant.ofEpochSecond(
                Long.parseLong(now.get(0).asString()), Long.parseLong(now.get(1).asString()) * 1_000);
    }

    private void call(OncePlan.Call call, Machine machine) {
        Holdfast client = clients.get(call.client());
        if (client == null || slots.get(call.client()).machine != machine) {
            return;
        }
        Caller caller = new Caller(call, machine, now());
        open.add(caller);
        Once work = call.key().isEmpty()
                ? client.once("job", call.options()).per(Plan.millis(OncePlan.PERIOD_MILLIS))
                : client.once(call.key(), call.options());
        if (plan.tries() > 0) {
            work = work.withTries(plan.tries());
        }
        Wait wait = call.waitMillis() < 0 ? Wait.forever() : Wait.upTo(Plan.millis(call.waitMillis()));
        work.runAsync(wait, lease -> work(caller, lease)).whenComplete((result, failure) -> {
            open.remove(caller);
            ended(caller, result, failure);
        });
    }

    private CompletionStage<String> work(Caller caller, Lease lease) {
        Job job = jobs.computeIfAbsent(lease.name(), name -> new Job());
        begun++;
        if (plan.tries() > 0 && ++job.tries > plan.tries()) {
            checks.found(Check.TRIES, caller + " is try " + job.tries + " of " + lease.name());
        }
        trace.add(caller.machine, caller + " works for " + lease.name() + ", " + lease.token());
        Run before = job.atWork;
        if (isGood(lease)) {
            if (job.recorded != null) {
                checks.found(Check.AFTER, caller + " works under " + lease + " for what is recorded: " + job.recorded);
            }
            if (before != null && isGood(before.lease)) {
                checks.found(Check.EXCLUSION, caller + " works under " + lease + " beside " + before.lease);
            }
            if (lease.token() <= job.newest) {
                checks.found(Check.TOKENS, caller + " works under " + lease + " after " + job.newest);
            }
        }
        for (Paused pause : pauses) {
            if (pause.key.equals(lease.name())
                    && lease.since().isAfter(pause.from)
                    && lease.since().isBefore(pause.to)) {
                checks.found(Check.PAUSED, caller + " works under " + lease + " of " + lease.since() + " in " + pause);
            }
        }
        job.newest = Math.max(job.newest, lease.token());
        if (before != null
                && !LeaseLook.hasLeft(before.lease)
                && sinceItsEnd(before) < LEAST_OF_DELAY * before.delay.toNanos()) {
            checks.found(
                    Check.DELAY,
                    caller + " works under " + lease + " soon after " + before.lease + " of " + before.machine);
        }
        Run run = new Run(caller, lease);
        job.atWork = run;
        lease.whenLost().thenAccept(reason -> run.lostAt = now());
        Draw draw = new Draw(plan.seed(), 44, caller.call.number());
        CompletableFuture<String> result = new CompletableFuture<>();
        long takes = draw.between(1, LONGEST_WORK_MILLIS);
        var unused = caller.machine
                .timers()
                .schedule(
                        takes * MILLI,
                        draw.percent(plan.tries() > 0 ? 40 : 15)
                                ? () -> result.completeExceptionally(new OnPurpose())
                                : () -> result.complete(lease.name() + " by " + caller));
        return result;
    }

    /** How long ago a lease that nobody has released ended, in nanoseconds. */
    private double sinceItsEnd(Run run) {
        return run.lostAt >= 0 ? now() - run.lostAt : -run.machine.inWorld(LeaseLook.leftNanos(run.lease));
    }

    /** Without running any code of its client. */
    private static boolean isGood(Lease lease) {
        return !LeaseLook.remaining(lease).isZero();
    }

    private void ended(Caller caller, @Nullable OnceResult result, @Nullable Throwable failure) {
        trace.add(caller.machine, caller + " is told " + (failure == null ? result : failure));
        if (result instanceof OnceResult.Ran ran) {
            if (ran.recorded()) {
                recorded(caller, ran.text());
            }
        } else if (result instanceof OnceResult.Done done) {
            recorded(caller, done.text());
        } else if (result instanceof OnceResult.GivenUp given) {
            recorded(caller, given.why().lockName() + " is given up after " + given.tries());
        } else if (result instanceof OnceResult.Unknown
                && slots.get(caller.call.client()).troubled.calmSince(caller.since)
                && nodes.all.calmSince(caller.since)) {
            checks.found(Check.LIVENESS, caller + " is told that nobody knows, though nothing was wrong");
        }
    }

    private void recorded(Caller caller, String text) {
        int end = text.indexOf(' ');
        if (end < 0) {
            checks.found(Check.RECORD, caller + " is told of a result that no work has: " + text);
            return;
        }
        String key = text.substring(0, end); // as its work has written it
        Job job = jobs.computeIfAbsent(key, any -> new Job());
        String before = job.recorded;
        if (before != null && !before.equals(text)) {
            checks.found(Check.RECORD, caller + " is told of " + key + ": " + text + ", and before: " + before);
        }
        job.recorded = text;
    }
}
