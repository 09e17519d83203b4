package io.holdfast.faults.simulation;

import static io.holdfast.faults.simulation.Plan.millis;

import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Order;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.LockOptions.RequestEnd;
import io.holdfast.Wait;
import io.holdfast.model.following.Follower;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that is done in one run over read/write locks and a semaphore, drawn before it begins. Each item is drawn for itself, so
 * that the rest stays the same when some are left out.
 *
 * @param kind what may go wrong
 * @param seed what everything follows from, also what the network does
 * @param clients how many
 * @param lengthMillis when the last item may begin
 * @param options of all clients
 * @param items in the order of their times
 */
record LinePlan(Kind kind, long seed, int clients, long lengthMillis, HoldfastOptions options, List<Item> items)
        implements Drawn {
    enum Kind {
        /** Nothing that docs/safety.md assumes not to happen. */
        INSIDE("lines", 21),
        /** As inside: an operator acts, and the server stands still or is restarted with its data. */
        STEERED("lines-steered", 22),
        /** The server loses its memory, or comes back with older data. */
        OUTSIDE("lines-outside", 23);

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

    /** What an operator does. */
    enum What {
        RELEASE,
        RELEASE_AND_DROP,
        /** One of the holders. */
        RELEASE_ONE,
        /** Whoever has the token of some lease. */
        RELEASE_TOKEN,
        /** Nobody's hold is meant: only those are dropped that wait. */
        DROP,
        /** All that a client holds of this kind. */
        RELEASE_CLIENT,
        /** All of this kind. */
        RELEASE_ALL,
        EXTEND,
        CLEAN,
        /** How many permits may be out, for a time. */
        LIMIT,
        /** Such a limit ends before its time. */
        UNLIMIT
    }

    /** Two read/write locks, and a semaphore. */
    static final int LINES = 3;

    static final int SEMAPHORE = 2;
    /** Of the semaphore; some say fewer by one. */
    static final int PERMITS = 4;

    /** So many requests come at about the same time. */
    private static final int TOGETHER = 6;

    private static final int ACTORS = 3;

    enum Side {
        READ,
        WRITE,
        PERMITS
    }

    /** How a hold, or a request, ends. */
    enum Ending {
        RELEASE,
        RELEASE_TWICE,
        EXTEND,
        END_WITH_TERM,
        /** It is worked under in a thread of its own, as by the blocking forms. */
        WORK,
        /** It is withdrawn if it has no answer yet. */
        CANCEL,
        /** A writer goes on as a reader. */
        DOWNGRADE,
        /** Its actor asks again, for reading, and releases what it had first before that. */
        ENTER
    }

    /** Something to do. */
    sealed interface Item extends Drawn.Item {}

    /**
     * A request.
     *
     * @param line 0 and 1 are read/write locks
     * @param weight how many permits
     * @param limit how many permits may be out with these
     * @param waitMillis 0 for none, -1 for ever
     * @param holdMillis how long it is held; for CANCEL, after which time it is withdrawn
     */
    record Ask(
            int number,
            long atMillis,
            int client,
            int line,
            Side side,
            int weight,
            int limit,
            String actor,
            long waitMillis,
            LockOptions options,
            long holdMillis,
            Ending ending)
            implements Item, Asking {
        @Override
        public int lock() {
            return line;
        }

        /** Whether its lease is to know which permits it has. */
        boolean slots() {
            return side == Side.PERMITS && number % 3 != 0;
        }

        Wait waitLimit() {
            return waitMillis < 0 ? Wait.forever() : Wait.upTo(millis(waitMillis));
        }

        @Override
        public String toString() {
            return "#" + number + " at " + atMillis + " ms: c" + client + "/" + actor + " asks " + nameOf(line) + " to "
                    + side + (side == Side.PERMITS ? " " + weight + " of " + limit : "")
                    + (slots() ? " with slots" : "") + ", wait " + waitLimit()
                    + ", term " + options.leaseDuration().toMillis() + (options.renewal() ? "" : ", not renewed")
                    + ", claim "
                    + options.handoffTimeout().toMillis()
                    + (options.order() == Order.FIFO ? "" : ", " + options.order())
                    + (options.priority() == 0 ? "" : ", priority " + options.priority())
                    + (options.queueLimit() == 0 ? "" : ", queue " + options.queueLimit())
                    + (options.minHold().isZero()
                            ? ""
                            : ", shortest " + options.minHold().toMillis())
                    + (options.interruptBefore() == null ? "" : ", interrupted before " + options.interruptBefore())
                    + (options.minRemaining().isZero() ? "" : ", at least " + options.minRemaining())
                    + (options.maxHold() == null ? "" : ", longest " + options.maxHold())
                    + (options.reentrancy() == Reentrancy.WAIT ? "" : ", " + options.reentrancy()) + "; after "
                    + holdMillis + " ms " + ending;
        }
    }

    /** Something goes wrong. A connection breaks at once, or when the next answer to a script is under way. */
    record Trouble(Plan.Trouble what) implements Item {
        /** The script of which the next answer is lost; null if the trouble waits for none. */
        @Nullable
        String losesAnswerTo() {
            return what.atHandover() ? ANSWERED.get(what.node()) : null;
        }

        @Override
        public int number() {
            return what.number();
        }

        @Override
        public long atMillis() {
            return what.atMillis();
        }

        @Override
        public String toString() {
            return what.ofOneServer() + (what.atHandover() ? ", with the next answer to " + losesAnswerTo() : "");
        }
    }

    /**
     * An operator acts.
     *
     * @param permits of a limit
     * @param lengthMillis how long a limit lasts, or a hold after it was extended
     */
    record Act(int number, long atMillis, int line, What what, int permits, long lengthMillis) implements Item {
        @Override
        public String toString() {
            return "#" + number + " at " + atMillis + " ms: an operator, " + nameOf(line) + ": " + what
                    + (what == What.LIMIT ? " " + permits : "")
                    + (what == What.LIMIT || what == What.EXTEND ? ", " + lengthMillis + " ms" : "");
        }
    }

    /** Scripts whose answers are lost on purpose. */
    private static final List<String> ANSWERED =
            List.of("LINE_ACQUIRE", "LINE_CONFIRM", "LINE_DOWNGRADE", "LINE_DOWNGRADE", "LINE_RELEASE", "LINE_RENEW");

    private static final List<Plan.Fault> FAULTS = List.of(
            Plan.Fault.FREEZE,
            Plan.Fault.FREEZE,
            Plan.Fault.KILL,
            Plan.Fault.BREAK,
            Plan.Fault.BREAK,
            Plan.Fault.BREAK_COMMANDS,
            Plan.Fault.BREAK_COMMANDS,
            Plan.Fault.BREAK_MESSAGES,
            Plan.Fault.STALL,
            Plan.Fault.SLOW,
            Plan.Fault.LOSE_MESSAGES,
            Plan.Fault.LOSE_MESSAGES);

    private static final List<Plan.Fault> OF_SERVER =
            List.of(Plan.Fault.FREEZE_SERVER, Plan.Fault.SLOW_SERVER, Plan.Fault.RESTART, Plan.Fault.FORGET_SCRIPTS);
    static final List<Plan.Fault> LOSSES =
            List.of(Plan.Fault.RESTART_OLDER, Plan.Fault.RESTART_OLDER, Plan.Fault.RESTART_EMPTY, Plan.Fault.FLUSH);

    /** More often what only lines have. */
    private static final List<What> ACTS = List.of(
            What.RELEASE,
            What.RELEASE_AND_DROP,
            What.RELEASE_ONE,
            What.RELEASE_ONE,
            What.RELEASE_TOKEN,
            What.DROP,
            What.RELEASE_CLIENT,
            What.RELEASE_ALL,
            What.EXTEND,
            What.EXTEND,
            What.CLEAN);

    private static final List<What> ACTS_ON_PERMITS = List.of(What.LIMIT, What.LIMIT, What.UNLIMIT);

    static LinePlan draw(Kind kind, long seed) {
        int salt = kind.salt;
        Draw draw = new Draw(seed, 1, salt);
        int clients = (int) draw.between(3, 4);
        long length = draw.between(6_000, 15_000);
        int asks = (int) draw.between(20, 70);
        // Some runs without any trouble: there the strictest answers are due.
        int troubles = draw.percent(30) ? 0 : (int) draw.between(1, 8);
        int acts = draw.percent(70) ? 0 : (int) draw.between(1, 3);
        if (kind == Kind.STEERED) {
            acts = (int) draw.between(2, 14);
        } else if (kind == Kind.OUTSIDE) {
            acts = 0; // what an operator has ended, older data may bring back
            troubles = Math.max(1, troubles);
        }
        HoldfastOptions options = Plan.options(draw);
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < asks; i++) {
            Ask ask = ask(seed, salt, i, clients, length);
            items.add(Works.isOf(seed, salt) ? work(seed, salt, ask) : ask);
        }
        for (int i = asks; i < asks + troubles; i++) {
            Draw own = new Draw(seed, 2, salt, i);
            long lasts = own.percent(50) ? own.between(20, 800) : own.between(800, 6_000);
            Plan.Fault fault = fault(kind, i == asks, own);
            if (fault.isOfServer()) {
                lasts = Math.min(lasts, 3_000);
            }
            boolean atAnswer = fault == Plan.Fault.BREAK_COMMANDS && own.percent(70);
            items.add(new Trouble(new Plan.Trouble(
                    i,
                    own.between(0, length),
                    fault,
                    own.below(clients),
                    own.below(ANSWERED.size()),
                    lasts,
                    atAnswer)));
        }
        for (int i = asks + troubles; i < asks + troubles + acts; i++) {
            items.add(act(kind, i, new Draw(seed, 2, salt, i), length));
        }
        return new LinePlan(kind, seed, clients, length, options, Drawn.sorted(items));
    }

    /** The same with options for work. */
    private static Ask work(long seed, int salt, Ask ask) {
        Draw draw = new Draw(seed, 42, salt, ask.number());
        boolean plain = ask.ending() == Ending.RELEASE || ask.ending() == Ending.EXTEND;
        return new Ask(
                ask.number(),
                ask.atMillis(),
                ask.client(),
                ask.line(),
                ask.side(),
                ask.weight(),
                ask.limit(),
                ask.actor(),
                ask.waitMillis(),
                Works.options(ask.options(), draw),
                ask.holdMillis(),
                plain && draw.percent(60) ? Ending.WORK : ask.ending());
    }

    private static Plan.Fault fault(Kind kind, boolean first, Draw draw) {
        if (kind == Kind.OUTSIDE && (first || draw.percent(40))) {
            return draw.oneOf(LOSSES);
        }
        return draw.oneOf(kind != Kind.INSIDE && draw.percent(25) ? OF_SERVER : FAULTS);
    }

    private static Act act(Kind kind, int number, Draw draw, long length) {
        long at = draw.between(0, length);
        int line = draw.below(LINES);
        What what = draw.percent(20) ? What.RELEASE_AND_DROP : What.RELEASE;
        if (kind == Kind.STEERED) {
            what = draw.oneOf(line == SEMAPHORE && draw.percent(60) ? ACTS_ON_PERMITS : ACTS);
        }
        boolean brief = draw.percent(what == What.LIMIT ? 30 : 60);
        long lasts = brief ? draw.between(1, 1_500) : draw.between(1_500, 8_000);
        return new Act(number, at, line, what, draw.below(PERMITS), lasts);
    }

    private static Ask ask(long seed, int salt, int number, int clients, long length) {
        Draw draw = new Draw(seed, 2, salt, number);
        Draw group = new Draw(seed, 3, salt, number / TOGETHER);
        long at = group.between(0, length) + draw.between(0, group.oneOf(List.of(5L, 50L, 500L)));
        int line = group.below(LINES);
        line = draw.percent(80) ? line : draw.below(LINES);
        Side side = line == SEMAPHORE ? Side.PERMITS : draw.percent(60) ? Side.READ : Side.WRITE;
        int limit = line == SEMAPHORE ? PERMITS - (draw.percent(15) ? 1 : 0) : 0;
        int weight = side != Side.PERMITS ? 1 : draw.percent(50) ? 1 : (int) draw.between(1, limit);
        LockOptions options = LockOptions.defaults()
                .withStrictOrder()
                .withLeaseDuration(millis(draw.oneOf(List.of(500L, 1_000L, 2_000L, 5_000L))))
                .withHandoffTimeout(millis(draw.oneOf(List.of(100L, 200L, 500L))))
                .withRenewal(!draw.percent(15));
        if (draw.percent(12)) {
            options = options.withOrder(draw.oneOf(List.of(Order.LIFO, Order.RANDOM)));
        }
        if (draw.percent(15)) {
            options = options.withPriority(draw.oneOf(List.of(-1, 1)));
        }
        if (draw.percent(4)) {
            options = options.withQueueLimit((int) draw.between(1, 3));
        }
        if (draw.percent(6)) {
            options = options.withMinHold(millis(draw.between(50, 1_500)));
        }
        if (side != Side.PERMITS && draw.percent(10)) {
            options = options.withReentrancy(draw.oneOf(List.of(Reentrancy.values())));
        }
        int end = draw.below(100);
        Ending ending;
        if (side == Side.WRITE && end < 35) {
            ending = Ending.DOWNGRADE;
        } else if (side != Side.PERMITS && end < 45) {
            ending = Ending.ENTER;
            options = options.withReentrancy(Reentrancy.REENTER);
        } else if (end < 70) {
            ending = Ending.RELEASE;
        } else if (end < 74) {
            ending = Ending.RELEASE_TWICE;
        } else if (end < 78) {
            ending = Ending.EXTEND;
        } else if (end < 84) {
            ending = Ending.END_WITH_TERM;
            options = options.withRenewal(false);
        } else {
            ending = Ending.CANCEL;
        }
        int how = draw.below(10);
        long wait = how < 1 ? 0 : how < 5 ? draw.between(100, 4_000) : -1;
        long hold = draw.percent(65) ? draw.between(1, 150) : draw.between(150, 2_500);
        return new Ask(
                number,
                at,
                draw.below(clients),
                line,
                side,
                weight,
                limit,
                "a" + draw.below(ACTORS),
                wait,
                inGroup(options, draw.beside(1), 25),
                hold,
                ending);
    }

    @Override
    public String name() {
        return kind.toString();
    }

    @Override
    public LinePlan keep(Collection<Integer> numbers) {
        return new LinePlan(kind, seed, clients, lengthMillis, options, Drawn.only(items, numbers));
    }

    @Override
    public Outcome run(@Nullable Follower follower) {
        return new LineRuns(this, follower).run();
    }

    static String nameOf(int line) {
        return "line" + line;
    }

    /** In so many of a hundred plans with a group, if that is possible. */
    static LockOptions inGroup(LockOptions options, Draw draw, int percent) {
        boolean toTail = options.requestLife() != null && options.requestEnd() == RequestEnd.TO_TAIL;
        return options.order() == Order.FIFO && options.priority() == 0 && !toTail && draw.percent(percent)
                ? options.withGroup(draw.oneOf(List.of("a", "b", "c")), (int) draw.between(1, 3))
                : options;
    }
}
