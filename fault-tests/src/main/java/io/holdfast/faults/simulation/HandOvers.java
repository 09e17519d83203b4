package io.holdfast.faults.simulation;

import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Hands leases to other clients: the receiver adopts, then the giver detaches. Between the two, and after, the giver may stand
 * still, lose its connections or die, for as long as several terms; what the receiver has must not suffer from it.
 */
final class HandOvers {
    private static final long MILLI = Checks.MILLI;

    private final World world;

    HandOvers(World world) {
        this.world = world;
    }

    void begin(Slot giver, Held held) {
        Slot heir = world.slots.get((giver.number + 1) % world.slots.size());
        Machine there = heir.machine;
        Slot.Client client = heir.client;
        boolean possible = !held.given // by another that had entered it
                && there != null
                && client != null
                && there.isRunning()
                && heir.driver(held.lock).answersNow()
                && giver.driver(held.lock).answersNow()
                && LeaseLook.remaining(held.lease).toNanos() > 0;
        if (!possible) {
            world.clients.release(held);
            return;
        }
        world.checks.write(held);
        Lease adopted = adopt(heir, Objects.requireNonNull(client), held);
        if (adopted == null) {
            return;
        }
        world.checks.left(held, true);
        Held next = new Held(held.asked, null, Objects.requireNonNull(there), adopted, world.now(), held.origin);
        world.clients.checksOf(held.asked).adopted(next, held.asked);
        world.trace.add(there, "#" + held.asked.item.number() + " is adopted");
        world.checks.obtained(next);
        adopted.whenLost().thenAccept(reason -> {
            world.trace.add(there, "#" + held.asked.item.number() + " is lost: " + reason);
            world.checks.lost(next, reason);
        });
        Draw draw = new Draw(world.plan.seed(), 12, held.asked.item.number());
        boolean late = world.plan.kind() == Plan.Kind.HANDED && draw.percent(70);
        world.clients.timersOf(there, late ? draw.between(200, 20_000) : 200, () -> world.clients.release(next));
        if (late) {
            comeLate(giver, held, draw);
        } else {
            detach(giver, held);
        }
    }

    private @Nullable Lease adopt(Slot heir, Slot.Client client, Held held) {
        NetworkDriver driver = heir.driver(held.lock);
        driver.beginAtOnce();
        try {
            return client.adopt(held.lease.ticket());
        } catch (HoldfastException e) {
            world.clients.release(held);
            return null;
        } finally {
            driver.endAtOnce();
        }
    }

    /** What a giver does last: the only place that knows how. */
    private void detach(Slot giver, Held held) {
        NetworkDriver driver = giver.driver(held.lock);
        if (!driver.answersNow()) {
            world.trace.add(held.machine, "#" + held.asked.item.number() + " cannot ask for its detaching");
            return; // as after an exception: the giver has tried
        }
        driver.beginAtOnce();
        try {
            held.lease.detach();
        } catch (HoldfastException e) {
            world.trace.add(held.machine, "#" + held.asked.item.number() + " cannot be detached: " + e);
        } finally {
            driver.endAtOnce();
        }
    }

    private void comeLate(Slot giver, Held held, Draw draw) {
        Machine machine = held.machine;
        long term = held.asked.item.options().leaseDuration().toMillis();
        long lasts = draw.between(term / 10, Math.min(3 * term, Plan.LONGEST_TROUBLE_MILLIS));
        long until = world.now() + lasts * MILLI;
        giver.disturb(until + 3_000 * MILLI);
        Runnable then = () -> machine.run(() -> {
            if (giver.machine == machine) {
                detach(giver, held);
            }
        });
        switch (draw.below(4)) {
            case 0 -> {
                world.trace.add(machine, "gives, and stands still for " + lasts + " ms");
                machine.freeze();
                world.timers.schedule(lasts * MILLI, () -> {
                    world.troubles.thaw(giver, machine);
                    then.run();
                });
            }
            case 1 -> {
                world.trace.add(machine, "gives, and is cut off for " + lasts + " ms");
                giver.stalledUntil = Math.max(giver.stalledUntil, until);
                world.timers.schedule(lasts * MILLI + 2_000 * MILLI, then);
            }
            case 2 -> {
                world.trace.add(machine, "gives, detaches, and stands still for " + lasts + " ms");
                detach(giver, held);
                machine.freeze();
                world.timers.schedule(lasts * MILLI, () -> world.troubles.thaw(giver, machine));
            }
            default -> {
                world.trace.add(machine, "gives, and detaches " + lasts + " ms later");
                world.timers.schedule(lasts * MILLI, then);
            }
        }
    }
}
