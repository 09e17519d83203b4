package io.holdfast.internal.deadlock;

import io.holdfast.Attempt;
import io.holdfast.LockEvent;
import io.holdfast.WaitCycle;
import io.holdfast.internal.deadlock.Deadlocks.Actor;
import io.holdfast.internal.deadlock.Deadlocks.Waiting;
import io.holdfast.internal.deadlock.Deadlocks.Wants;
import io.holdfast.internal.deadlock.SnapshotCollector.Snapshot;
import io.holdfast.internal.lease.Kit;
import io.holdfast.internal.lease.Outcome;
import io.holdfast.internal.wire.Announced;
import io.holdfast.internal.wire.Keys;
import io.holdfast.internal.wire.LogText;
import io.holdfast.internal.wire.Server;
import io.holdfast.spi.Command;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Looks for deadlocks while a request of this client has waited for long: writes down who waits and what they have, puts a picture
 * together, and compares it with the one before the last.
 *
 * <p>One round at a time: it begins on the thread of the timers, goes on on those of the driver, and its end is judged on the
 * client's executor. Nothing is sent while no request has waited long.
 */
public final class DeadlockDetector {
    private static final System.Logger LOG = System.getLogger("io.holdfast");
    /** A picture is compared with those from before so many rounds at most. */
    private static final int PICTURES = 4;

    private final Kit kit;
    private final Server server;
    private final Consumer<BlockedFlows> show;
    private final Duration after;
    private final Announced ticking = new Announced();
    private final AtomicBoolean busy = new AtomicBoolean(); // guards what follows: who has set it has these
    private final Deque<Snapshot> pictures = new ArrayDeque<>();
    private final Set<Long> told = new HashSet<>(); // numbers of requests
    private long run = 1;
    private long number;
    private BlockedFlows flows;

    /**
     * A detector for one client.
     *
     * @param after how long a request waits before it is worth a look
     * @param show shows who waits, and who has leases of holds that several share
     */
    public DeadlockDetector(Kit kit, Server server, Duration after, Consumer<BlockedFlows> show) {
        this.kit = kit;
        this.server = server;
        this.after = after;
        this.show = show;
        this.flows = now();
    }

    private BlockedFlows now() {
        return new BlockedFlows(kit.nanoTime(), after.toNanos());
    }

    /** A request has begun to wait. */
    public void begin() {
        if (!kit.isClosed()) {
            ticking.announce(() -> kit.schedule(after.toNanos() / 2, this::tick));
        }
    }

    private void tick() {
        ticking.begins();
        if (kit.isClosed()) {
            return;
        }
        if (!busy.compareAndSet(false, true)) {
            begin(); // the last round is not over
            return;
        }
        try {
            look();
        } catch (RuntimeException | Error e) {
            busy.set(false);
            throw e; // the timers run it once more
        }
    }

    private void look() {
        BlockedFlows present = now();
        show.accept(present);
        if (present.anyWaits()) {
            begin();
        }
        flows = present;
        told.removeIf(each -> !present.stillWaits(each));
        if (present.isEmpty()) {
            pictures.clear();
            busy.set(false);
            return;
        }
        kit.holds().forEach(hold -> present.has(hold.origin.demand, hold, hold.origin.number));
        write();
    }

    private void write() {
        String key = Keys.waits(kit.options.prefix(), kit.ids.client());
        WaitRecord written = new WaitRecord(run, ++number, flows.asWritten(kit.options.application()));
        Command set = new Command(key, List.of("SET", key, written.text(), "PX", Long.toString(3 * after.toMillis())));
        server.calls.send(set, (reply, failure) -> {
            if (failure != null) {
                run++; // it may come yet, or have come: what is written next proves nothing of it
                number = 0;
                busy.set(false);
                LOG.log(System.Logger.Level.DEBUG, () -> "deadlocks are not looked for now: " + failure.getMessage());
                return;
            }
            SnapshotCollector.begin(
                    server,
                    Set.of(kit.ids.client()),
                    seen -> kit.background(() -> {
                        try {
                            judge(seen);
                        } finally {
                            busy.set(false);
                        }
                    }));
        });
    }

    private void judge(Snapshot seen) {
        for (Snapshot before : pictures) {
            Deadlocks found = new Deadlocks(before.commonWith(seen));
            List<Set<Actor>> own = found.knots().stream()
                    .filter(knot -> knot.stream().anyMatch(this::isOwn))
                    .toList();
            if (!own.isEmpty()) {
                own.forEach(knot -> report(found, knot, seen));
                break;
            }
        }
        pictures.add(seen);
        if (pictures.size() > PICTURES) {
            pictures.remove();
        }
    }

    private boolean isOwn(Actor actor) {
        return actor.client().equals(kit.ids.client());
    }

    private void report(Deadlocks found, Set<Actor> knot, Snapshot seen) {
        for (Actor actor : knot) {
            if (isOwn(actor)) {
                List<Waiting> cycle = found.cycle(actor);
                WaitCycle shown = seen.shown(found, cycle, kit.options.prefix());
                long request = cycle.get(0).wants().number();
                BlockedFlows.Waiter waiter = flows.waiter(request);
                if (waiter != null && waiter.outcome().pending() && told.add(request)) {
                    LOG.log(System.Logger.Level.WARNING, () -> "deadlock: " + shown.describe());
                    waiter.outcome().tell(subject -> new LockEvent.Deadlock(subject, shown));
                }
            }
        }
        Waiting victim = found.victim(knot);
        if (victim != null && isOwn(victim.actor())) {
            end(victim.wants(), seen.shown(found, found.cycle(victim.actor()), kit.options.prefix()));
        }
    }

    private void end(Wants wants, WaitCycle cycle) {
        BlockedFlows.Waiter waiter = flows.waiter(wants.number());
        if (waiter != null) {
            String name = waiter.outcome().demand.keys().name();
            LOG.log(
                    System.Logger.Level.INFO,
                    () -> "the request for " + LogText.lock(name) + " is ended to break a deadlock");
            Outcome of = waiter.outcome();
            waiter.end().accept(of.because(Attempt.Reason.DEADLOCK, of.contention, 0, Optional.of(cycle)));
        }
    }
}
