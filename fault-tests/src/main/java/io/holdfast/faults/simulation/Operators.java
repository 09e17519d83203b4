package io.holdfast.faults.simulation;

import io.holdfast.Admin;
import io.holdfast.HoldfastException;
import io.holdfast.Revocation;
import io.holdfast.faults.simulation.Checks.Check;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Does what operators do, with the clients of the plan, which hold and wait themselves. */
final class Operators {
    private static final long MILLI = Checks.MILLI;

    /** A message and the answers that it leads to. */
    private static final long DROPPED_WITHIN_NANOS = 1_000 * MILLI;

    private final World world;

    Operators(World world) {
        this.world = world;
    }

    void begin(Plan.Act act) {
        Slot slot = world.slots.get(act.client());
        Machine machine = slot.machine;
        if (machine == null) {
            return;
        }
        if (act.what() == Plan.What.CLEAN_AT_EXPIRY) {
            atExpiry(slot, machine, act);
            return;
        }
        machine.run(() -> act(slot, machine, act));
    }

    private void atExpiry(Slot slot, Machine machine, Plan.Act act) {
        Reply left = world.nodeOf(act.lock()).memory.command("PTTL", "hf:{" + Plan.lock(act.lock()) + "}");
        if (left.asLong() > 0) {
            long after = new Draw(world.plan.seed(), 14, act.number()).between(0, 2 * MILLI);
            world.timers.schedule(left.asLong() * MILLI + after, () -> machine.run(() -> act(slot, machine, act)));
        }
    }

    /** A hold is left to its term: some client that waits for it cleans the queue in the moment in which it is over. */
    void detached(Held held) {
        int number = held.asked.item.number();
        if (world.plan.kind() != Plan.Kind.STEERED || new Draw(world.plan.seed(), 17, number).percent(50)) {
            return;
        }
        world.checks.open().stream()
                .filter(asked -> asked.item.lock() == held.lock && !asked.withdrawn)
                .min(Comparator.comparingLong(asked -> asked.queuedAs))
                .ifPresent(first -> {
                    Slot slot = world.slots.get(first.machine.slot);
                    Plan.Act act = new Plan.Act(number, 0, slot.number, held.lock, Plan.What.CLEAN_AT_EXPIRY);
                    atExpiry(slot, first.machine, act);
                });
    }

    private void act(Slot slot, Machine machine, Plan.Act act) {
        Slot.Client client = slot.client;
        if (client == null || slot.machine != machine) {
            return;
        }
        if (!slot.drivers.stream().allMatch(NetworkDriver::answersNow)) {
            return;
        }
        world.trace.add(machine, act.toString());
        slot.drivers.forEach(NetworkDriver::beginAtOnce);
        try {
            // What clients have not reported by then is meant, too.
            act(client.admin().scanning(), machine, act);
        } catch (HoldfastException e) {
            if (world.undisturbed(machine, act.lock(), world.now() - Checks.GRACE)) {
                world.checks.found(Check.ANSWER, act + " failed, and nothing was wrong: " + e);
            }
        } finally {
            slot.drivers.forEach(NetworkDriver::endAtOnce);
        }
    }

    private void act(Admin admin, Machine machine, Plan.Act act) {
        String name = Plan.lock(act.lock());
        switch (act.what()) {
            case RELEASE -> admin.release(name, Admin.Waiters.HAND_OFF);
            case RELEASE_AND_DROP -> drop(admin, act);
            case RELEASE_ALL -> admin.releaseAll();
            case RELEASE_MINE -> admin.releaseMine();
            case RELEASE_TOKEN -> releaseLease(admin, machine, act);
            case EXTEND -> {
                long millis = new Draw(world.plan.seed(), 15, act.number()).between(1, 15_000);
                Optional<Duration> lasts = admin.extend(name, Duration.ofMillis(millis));
                lasts.ifPresent(present -> world.prolonged(act.lock()));
            }
            case CLEAN_ALL -> admin.cleanAll();
            case CLEAN_AT_EXPIRY -> admin.clean(name);
        }
    }

    /** The server does not know of requests that wait inside of the holder's client: a message tells them. */
    private void drop(Admin admin, Plan.Act act) {
        List<Asked> inside = world.checks.leases().stream()
                .filter(held -> held.lock == act.lock() && held.shared != null && !held.given && !held.revoked)
                .filter(held -> LeaseLook.remaining(held.lease).toNanos() > 0)
                .findFirst()
                .map(this::waitingBehind)
                .orElse(List.of());
        Revocation done = admin.release(Plan.lock(act.lock()), Admin.Waiters.DROP);
        long since = world.now() - Checks.GRACE;
        if (done.outcome() == Revocation.Outcome.RELEASED) {
            world.timers.schedule(
                    DROPPED_WITHIN_NANOS,
                    () -> inside.stream()
                            .filter(asked -> !asked.done && world.undisturbed(asked.machine, act.lock(), since))
                            .forEach(asked -> world.checks.found(Check.DROPPED, asked + " waits on after " + act)));
        }
    }

    private List<Asked> waitingBehind(Held held) {
        return world.checks.open().stream()
                .filter(asked -> asked.machine == held.machine && asked.item.lock() == held.lock)
                .filter(asked -> asked.share == null && asked.shared == null && asked.item.isShared())
                .filter(asked -> asked.item.options().equals(held.asked.item.options()))
                .toList();
    }

    private void releaseLease(Admin admin, Machine machine, Plan.Act act) {
        Optional<Held> mine = world.checks.leases().stream()
                .filter(held -> held.machine == machine
                        && held.lock == act.lock()
                        && !held.given
                        && !held.revoked
                        && LeaseLook.remaining(held.lease).toNanos() > 0)
                .findFirst();
        if (mine.isEmpty()) {
            return;
        }
        Held held = mine.get();
        Revocation.Outcome outcome = admin.release(Plan.lock(act.lock()), held.token, Admin.Waiters.HAND_OFF)
                .outcome();
        // Another may have taken it over in this very moment.
        if (outcome != Revocation.Outcome.RELEASED && !held.revoked) {
            world.checks.found(Check.ANSWER, act + " with the token of " + held + ", which is good, is " + outcome);
        }
    }
}
