package io.holdfast.faults.simulation;

import static io.holdfast.faults.simulation.Plan.millis;

import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.model.following.Follower;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that is done in one run of work that is done once, drawn before it begins: each process calls for the work of each slot of time at
 * another moment, as clocks do that differ by an hour, and now and then for work that has a key and no slot.
 *
 * @param seed what everything follows from, also what the network does
 * @param clients how many
 * @param lengthMillis when the last item may begin
 * @param tries how many each slot and each key may have; 0 for any number
 * @param options of all clients
 * @param items in the order of their times
 */
record OncePlan(long seed, int clients, long lengthMillis, int tries, HoldfastOptions options, List<Drawn.Item> items)
        implements Drawn {
    /** The word for {@code --plan}. */
    static final String NAME = "once";

    /** Of the slots. */
    static final long PERIOD_MILLIS = 2_000;

    private static final int SALT = 34;

    /**
     * Somebody calls for work.
     *
     * @param key of work without a slot; empty for that of the present slot
     * @param waitMillis how long it waits for another that is at it; negative for ever
     */
    record Call(int number, long atMillis, int client, String key, LockOptions options, long waitMillis)
            implements Drawn.Item {
        @Override
        public String toString() {
            return "#" + number + " at " + atMillis + " ms: c" + client + " calls for "
                    + (key.isEmpty() ? "the present slot" : key) + ", lease "
                    + options.leaseDuration().toMillis() + ", claim "
                    + options.handoffTimeout().toMillis()
                    + (options.lockDelay().isZero()
                            ? ""
                            : ", delay " + options.lockDelay().toMillis())
                    + (waitMillis < 0 ? ", waits" : ", waits up to " + waitMillis + " ms");
        }
    }

    /**
     * An operator pauses work, so that nobody begins it.
     *
     * @param key as that of a {@link Call}
     * @param lengthMillis until it ends by itself
     * @param resumed whether the operator ends it sooner
     */
    record Pause(int number, long atMillis, String key, long lengthMillis, boolean resumed) implements Drawn.Item {
        @Override
        public String toString() {
            return "#" + number + " at " + atMillis + " ms: " + (key.isEmpty() ? "the present slot" : key)
                    + " pauses for " + lengthMillis + " ms" + (resumed ? ", and is resumed sooner" : "");
        }
    }

    private static final List<Plan.Fault> FAULTS = List.of(
            Plan.Fault.FREEZE,
            Plan.Fault.FREEZE,
            Plan.Fault.FREEZE,
            Plan.Fault.KILL,
            Plan.Fault.KILL,
            Plan.Fault.KILL,
            Plan.Fault.CLOSE,
            Plan.Fault.BREAK,
            Plan.Fault.BREAK_COMMANDS,
            Plan.Fault.BREAK_COMMANDS,
            Plan.Fault.BREAK_MESSAGES,
            Plan.Fault.STALL,
            Plan.Fault.STALL,
            Plan.Fault.SLOW,
            Plan.Fault.LOSE_MESSAGES,
            Plan.Fault.SWALLOW_MESSAGES,
            Plan.Fault.FREEZE_SERVER,
            Plan.Fault.SLOW_SERVER,
            Plan.Fault.RESTART,
            Plan.Fault.FORGET_SCRIPTS);

    static OncePlan draw(long seed) {
        Draw draw = new Draw(seed, 1, SALT);
        int clients = (int) draw.between(2, 4);
        long slots = draw.between(4, 14);
        long length = slots * PERIOD_MILLIS;
        // Some runs without any trouble: there the strictest answers are due.
        int troubles = draw.percent(15) ? 0 : (int) draw.between(1, 10);
        HoldfastOptions options = Plan.options(draw);
        List<Drawn.Item> items = new ArrayList<>();
        int number = 0;
        for (int client = 0; client < clients; client++) {
            long phase = draw.below((int) PERIOD_MILLIS);
            for (long slot = 0; slot < slots; slot++, number++) {
                Draw own = new Draw(seed, 2, SALT, number);
                long at = slot * PERIOD_MILLIS + (own.percent(80) ? phase : own.below((int) PERIOD_MILLIS));
                items.add(call(own, number, at, client));
            }
        }
        for (int end = number + troubles; number < end; number++) {
            Draw own = new Draw(seed, 2, SALT, number);
            long lasts = own.percent(40) ? own.between(20, 800) : own.between(800, Plan.LONGEST_TROUBLE_MILLIS);
            Plan.Fault fault = own.oneOf(FAULTS);
            items.add(new Plan.Trouble(number, own.between(0, length), fault, own.below(clients), 0, lasts, false));
        }
        Draw pausing = draw.beside(1);
        int pauses = pausing.percent(50) ? 0 : (int) pausing.between(1, 4);
        for (int end = number + pauses; number < end; number++) {
            Draw own = new Draw(seed, 3, SALT, number);
            items.add(new Pause(number, own.between(0, length), key(own), own.between(100, 4_000), own.percent(40)));
        }
        Draw trying = draw.beside(4);
        int tries = trying.percent(50) ? 0 : (int) trying.between(1, 3);
        return new OncePlan(seed, clients, length, tries, options, Drawn.sorted(items));
    }

    private static Call call(Draw draw, int number, long at, int client) {
        LockOptions options = LockOptions.defaults()
                .withLeaseDuration(millis(draw.oneOf(List.of(500L, 1_000L, 2_000L))))
                .withHandoffTimeout(millis(draw.oneOf(List.of(100L, 200L, 500L))));
        if (draw.beside(2).percent(30)) {
            options = options.withLockDelay(millis(draw.beside(3).oneOf(List.of(200L, 700L, 1_500L))));
        }
        return new Call(number, at, client, key(draw), options, draw.percent(70) ? -1 : draw.between(0, 2_500));
    }

    private static String key(Draw draw) {
        return draw.percent(85) ? "" : "invoice/" + draw.below(2);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public OncePlan keep(Collection<Integer> numbers) {
        return new OncePlan(seed, clients, lengthMillis, tries, options, Drawn.only(items, numbers));
    }

    @Override
    public Outcome run(@Nullable Follower follower) {
        return new OnceRuns(this, follower).run();
    }
}
