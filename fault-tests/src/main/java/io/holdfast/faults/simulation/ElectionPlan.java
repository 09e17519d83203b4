package io.holdfast.faults.simulation;

import static io.holdfast.faults.simulation.Plan.millis;

import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.model.following.Follower;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that is done in one run of elections, drawn before it begins. Each item is drawn for itself, so that the rest stays the same
 * when some are left out. What leaders do is drawn from the seed when they begin.
 *
 * @param kind where, and what may go wrong
 * @param seed what everything follows from, also what the network does
 * @param clients how many
 * @param lengthMillis when the last item may begin
 * @param options of all clients
 * @param items in the order of their times
 */
record ElectionPlan(
        Kind kind, long seed, int clients, long lengthMillis, HoldfastOptions options, List<Drawn.Item> items)
        implements Drawn {
    enum Kind {
        /** Nothing that docs/safety.md assumes not to happen. */
        INSIDE("elections", 31),
        /** The server loses its memory, or comes back with older data; no operator acts. */
        OUTSIDE("elections-outside", 32),
        /** Several servers vote, and a minority of them may lose its memory; no operator acts. */
        QUORUM("elections-quorum", 33);

        private final String title;
        private final int salt;

        Kind(String title, int salt) {
            this.title = title;
            this.salt = salt;
        }

        @Override
        public String toString() {
            return title;
        }
    }

    static final int ELECTIONS = 2;
    /** Of all leaderships, in milliseconds. */
    static final long LONGEST_TERM = 5_000;

    /**
     * Somebody begins to campaign, and again whenever its process begins anew.
     *
     * @param graceMillis how long it waits for a leader that does not return
     */
    record Join(int number, long atMillis, int client, int election, LockOptions options, long graceMillis)
            implements Drawn.Item {
        Join with(LockOptions other) {
            return new Join(number, atMillis, client, election, other, graceMillis);
        }

        /** How long before the end its leaders are interrupted. */
        Duration interruptBefore() {
            Duration before = options.interruptBefore();
            return before == null ? options.leaseDuration().dividedBy(3) : before;
        }

        @Override
        public String toString() {
            return "#" + number + " at " + atMillis + " ms: c" + client + " campaigns for " + nameOf(election)
                    + ", term " + options.leaseDuration().toMillis() + ", claim "
                    + options.handoffTimeout().toMillis() + ", grace " + graceMillis
                    + (options.priority() == 0 ? "" : ", priority " + options.priority())
                    + (options.maxHold() == null ? "" : ", at most " + options.maxHold())
                    + (options.minRemaining().isZero() ? "" : ", at least " + options.minRemaining())
                    + (options.interruptBefore() == null ? "" : ", interrupted before " + options.interruptBefore());
        }
    }

    /** A candidate resigns, or is closed. */
    record Leave(int number, long atMillis, int candidate, boolean forGood) implements Drawn.Item {
        @Override
        public String toString() {
            return "#" + number + " at " + atMillis + " ms: candidate #" + candidate
                    + (forGood ? " is closed" : " resigns");
        }
    }

    /** An operator releases an election by name, and may drop who waits. */
    record Act(int number, long atMillis, int election, boolean drops) implements Drawn.Item {
        @Override
        public String toString() {
            return "#" + number + " at " + atMillis + " ms: an operator releases " + nameOf(election)
                    + (drops ? ", and drops who waits" : "");
        }
    }

    private static final List<Plan.Fault> FAULTS = List.of(
            Plan.Fault.FREEZE,
            Plan.Fault.FREEZE,
            Plan.Fault.FREEZE,
            Plan.Fault.KILL,
            Plan.Fault.KILL,
            Plan.Fault.CLOSE,
            Plan.Fault.BREAK,
            Plan.Fault.BREAK_COMMANDS,
            Plan.Fault.BREAK_COMMANDS,
            Plan.Fault.BREAK_MESSAGES,
            Plan.Fault.STALL,
            Plan.Fault.STALL,
            Plan.Fault.STALL,
            Plan.Fault.SLOW,
            Plan.Fault.LOSE_MESSAGES,
            Plan.Fault.SWALLOW_MESSAGES,
            Plan.Fault.FREEZE_SERVER,
            Plan.Fault.FREEZE_SERVER,
            Plan.Fault.SLOW_SERVER,
            Plan.Fault.RESTART,
            Plan.Fault.FORGET_SCRIPTS);

    private static final List<Plan.Fault> LOSSES = List.of(
            Plan.Fault.RESTART_OLDER,
            Plan.Fault.RESTART_OLDER,
            Plan.Fault.RESTART_EMPTY,
            Plan.Fault.FLUSH,
            Plan.Fault.FLUSH);

    static ElectionPlan draw(Kind kind, long seed) {
        int salt = kind.salt;
        Draw draw = new Draw(seed, 1, salt);
        int clients = (int) draw.between(2, 4);
        long length = draw.between(8_000, 30_000);
        int joins = (int) draw.between(2, 7);
        int leaves = draw.percent(40) ? 0 : (int) draw.between(1, 6);
        // Some runs without any trouble: there the strictest answers are due.
        int troubles = draw.percent(15) ? 0 : (int) draw.between(1, 10);
        int acts = draw.percent(60) ? 0 : (int) draw.between(1, 4);
        if (kind != Kind.INSIDE) {
            acts = 0; // what an operator has ended, older data may bring back; and nobody steers a quorum
        }
        if (kind == Kind.OUTSIDE) {
            troubles = Math.max(1, troubles);
        }
        HoldfastOptions options = Plan.options(draw);
        if (kind == Kind.QUORUM) { // nodes allow no term as long as the default
            options = options.withLockDefaults(LockOptions.defaults().withLeaseDuration(millis(LONGEST_TERM)));
        }
        List<Drawn.Item> items = new ArrayList<>();
        int number = 0;
        while (number < joins) {
            Join join = join(kind, new Draw(seed, 2, salt, number), number, clients, length);
            items.add(
                    Works.isOf(seed, salt)
                            ? join.with(Works.options(join.options(), new Draw(seed, 42, salt, number)))
                            : join);
            number++;
        }
        for (int end = number + leaves; number < end; number++) {
            Draw own = new Draw(seed, 2, salt, number);
            items.add(new Leave(number, own.between(0, length), own.below(joins), own.percent(15)));
        }
        for (int end = number + troubles; number < end; number++) {
            Draw own = new Draw(seed, 2, salt, number);
            long lasts = own.percent(40) ? own.between(20, 800) : own.between(800, Plan.LONGEST_TROUBLE_MILLIS);
            Plan.Fault fault = own.oneOf(FAULTS);
            long at = own.between(0, length);
            int client = own.below(clients);
            int node = 0;
            if (kind != Kind.INSIDE) {
                node = own.below(servers(kind, seed));
                if (own.percent(40) || (kind == Kind.OUTSIDE && number == joins + leaves)) {
                    fault = own.oneOf(LOSSES);
                    lasts = own.between(20, 1_500); // else all that was granted before is over anyway
                }
            }
            items.add(new Plan.Trouble(number, at, fault, client, node, lasts, false));
        }
        for (int end = number + acts; number < end; number++) {
            Draw own = new Draw(seed, 2, salt, number);
            items.add(new Act(number, own.between(0, length), own.below(ELECTIONS), own.percent(20)));
        }
        return new ElectionPlan(kind, seed, clients, length, options, Drawn.sorted(items));
    }

    private static Join join(Kind kind, Draw draw, int number, int clients, long length) {
        LockOptions options = LockOptions.defaults()
                .withLeaseDuration(millis(draw.oneOf(List.of(500L, 1_000L, 2_000L, LONGEST_TERM))))
                .withHandoffTimeout(millis(draw.oneOf(List.of(100L, 200L, 500L))));
        if (draw.percent(25)) {
            options = options.withInterruptBefore(options.leaseDuration().dividedBy(draw.oneOf(List.of(2L, 4L, 10L))));
        }
        if (draw.percent(15)) {
            options = options.withMaxHold(millis(draw.between(600, 8_000)));
        }
        if (kind != Kind.QUORUM && number == 0 && draw.percent(30)) {
            options = options.withPriority(1); // one at most, which cannot keep all others from ever leading
        }
        int election = draw.percent(70) ? 0 : draw.below(ELECTIONS);
        long at = draw.percent(70) ? draw.between(0, 500) : draw.between(0, length);
        long grace = draw.percent(30) ? draw.between(1, 200) : draw.between(200, 5_000);
        return new Join(number, at, draw.below(clients), election, options, grace);
    }

    /** How many; more than one are the nodes of a quorum. */
    int servers() {
        return servers(kind, seed);
    }

    private static int servers(Kind kind, long seed) {
        return kind != Kind.QUORUM ? 1 : new Draw(seed, 1, kind.salt, 1).percent(70) ? 3 : 5;
    }

    @Override
    public String name() {
        return kind.toString();
    }

    @Override
    public ElectionPlan keep(Collection<Integer> numbers) {
        return new ElectionPlan(kind, seed, clients, lengthMillis, options, Drawn.only(items, numbers));
    }

    @Override
    public Outcome run(@Nullable Follower follower) {
        return new ElectionRuns(this, follower).run();
    }

    static String nameOf(int election) {
        return "election" + election;
    }
}
