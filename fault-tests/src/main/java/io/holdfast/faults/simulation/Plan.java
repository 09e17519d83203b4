package io.holdfast.faults.simulation;

import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Order;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.LockOptions.RequestEnd;
import io.holdfast.Wait;
import io.holdfast.model.following.Follower;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that is done in one run, drawn before it begins: who asks for which lock, when and how, and what goes wrong. Each
 * item is drawn for itself, so that the rest stays the same when some are left out.
 *
 * @param kind what may go wrong
 * @param seed what everything follows from, also what the network does
 * @param clients how many
 * @param locks how many
 * @param lengthMillis when the last item may begin
 * @param options of all clients
 * @param items in the order of their times
 */
record Plan(Kind kind, long seed, int clients, int locks, long lengthMillis, HoldfastOptions options, List<Item> items)
        implements Drawn {
    /** No trouble lasts longer. */
    static final long LONGEST_TROUBLE_MILLIS = 10_000;

    enum Kind {
        /** Nothing that docs/safety.md assumes not to happen. */
        INSIDE(1),
        /** The server loses its memory, or its clock jumps. */
        OUTSIDE(2),
        /** Several servers, a minority of which may lose its memory. */
        QUORUM(3),
        /** As inside: leases are handed to other clients, whose givers come late; and clients and servers stand still. */
        HANDED(4),
        /** As inside: holds are shared, and messages do not come for long. */
        KEPT(5),
        /** As inside: an operator acts, and requests take over what is stuck. */
        STEERED(6),
        /** As inside, with several masters, one of which is silent. */
        CLUSTER(7),
        /** As inside: few actors, who enter what they hold, and are interrupted. */
        NESTED(8);

        final int salt;

        Kind(int salt) {
            this.salt = salt;
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** How a hold, or a request, ends. */
    enum Ending {
        RELEASE,
        EXTEND,
        RELEASE_TWICE,
        END_WITH_TERM,
        DETACH,
        HAND_OVER,
        CANCEL,
        COMPLETE,
        /** It is worked under in a thread of its own, as by the blocking forms. */
        WORK,
        /** Its thread is interrupted in the moment of the answer. */
        INTERRUPT
    }

    /** What an operator does. */
    enum What {
        RELEASE,
        /** With the token of whoever of the same client has a lease. */
        RELEASE_TOKEN,
        RELEASE_AND_DROP,
        RELEASE_ALL,
        RELEASE_MINE,
        EXTEND,
        CLEAN_ALL,
        /** About when the present hold is over if nobody renews it. */
        CLEAN_AT_EXPIRY
    }

    enum Fault {
        FREEZE(false),
        KILL(false),
        CLOSE(false),
        BREAK(false),
        BREAK_COMMANDS(false),
        BREAK_MESSAGES(false),
        STALL(false),
        SLOW(false),
        LOSE_MESSAGES(false),
        SWALLOW_MESSAGES(false),
        FREEZE_SERVER(true),
        SLOW_SERVER(true),
        RESTART(true),
        FORGET_SCRIPTS(true),
        RESTART_EMPTY(true),
        /** With the data of some seconds ago. */
        RESTART_OLDER(true),
        FLUSH(true),
        STEP_CLOCK(true);

        private final boolean ofServer;

        Fault(boolean ofServer) {
            this.ofServer = ofServer;
        }

        boolean isOfServer() {
            return ofServer;
        }
    }

    /** Something to do. */
    sealed interface Item extends Drawn.Item {}

    /**
     * A request.
     *
     * @param waitMillis 0 for none, -1 for ever; below, -1,000 less the time after which it takes over what is stuck
     * @param holdMillis how long it is held; for CANCEL and COMPLETE, after which time it is withdrawn
     */
    record Ask(
            int number,
            long atMillis,
            int client,
            int lock,
            String actor,
            long waitMillis,
            LockOptions options,
            long holdMillis,
            Ending ending)
            implements Item, Asking {
        /** Whether its hold may serve several leases of its client, one after the other. */
        boolean isShared() {
            return options.renewal()
                    && !takesOver()
                    && (turnsOf(options) != 0 || !options.keepFor().isZero());
        }

        Wait waitLimit() {
            if (takesOver()) {
                return Wait.untilStuck(millis(-1_000 - waitMillis)).thenTakeOver();
            }
            return waitMillis < 0 ? Wait.forever() : Wait.upTo(millis(waitMillis));
        }

        boolean takesOver() {
            return waitMillis < -1_000;
        }

        Ask with(LockOptions other, Ending otherEnding, long otherHold) {
            return new Ask(number, atMillis, client, lock, actor, waitMillis, other, otherHold, otherEnding);
        }

        Ask waiting(long other) {
            return new Ask(number, atMillis, client, lock, actor, other, options, holdMillis, ending);
        }

        Ask at(long other) {
            return new Ask(number, other, client, lock, actor, waitMillis, options, holdMillis, ending);
        }

        Ask by(int otherClient, int otherLock, String otherActor) {
            return new Ask(
                    number, atMillis, otherClient, otherLock, otherActor, waitMillis, options, holdMillis, ending);
        }

        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("#" + number + " at " + atMillis + " ms: c" + client + "/" + actor
                    + " asks for lock" + lock + ", wait " + waitLimit() + ", term "
                    + options.leaseDuration().toMillis());
            if (!options.renewal()) {
                text.append(", not renewed");
            }
            text.append(", claim ").append(options.handoffTimeout().toMillis());
            Duration life = options.requestLife();
            if (life != null) {
                text.append(", life ").append(life.toMillis()).append(' ').append(options.requestEnd());
            }
            if (options.order() != Order.FIFO) {
                text.append(", ").append(options.order());
            }
            if (options.priority() != 0) {
                text.append(", priority ").append(options.priority());
            }
            if (options.queueLimit() != 0) {
                text.append(", queue ").append(options.queueLimit());
            }
            Duration before = options.interruptBefore();
            if (before != null) {
                text.append(", interrupted before ").append(before.toMillis());
            }
            if (!options.minRemaining().isZero()) {
                text.append(", at least ").append(options.minRemaining().toMillis());
            }
            Duration longest = options.maxHold();
            if (longest != null) {
                text.append(", longest ").append(longest.toMillis());
            }
            if (!options.minHold().isZero()) {
                text.append(", shortest ").append(options.minHold().toMillis());
            }
            if (options.reentrancy() != Reentrancy.WAIT) {
                text.append(", ").append(options.reentrancy());
            }
            if (options.localHandoffs() != 0) {
                text.append(", turns of ").append(options.localHandoffs()).append(" sections within ");
                text.append(options.localHandoffTime().toMillis());
            }
            if (!options.keepFor().isZero()) {
                text.append(", keeps for ").append(options.keepFor().toMillis());
            }
            return text + "; after " + holdMillis + " ms " + ending;
        }
    }

    /**
     * Something goes wrong.
     *
     * @param client whose it is; without meaning for the server's
     * @param node which of several servers
     * @param lengthMillis how long it lasts; for a step of the clock, how far
     * @param atHandover whether it begins soon after the next handover of a lock, at the client that got it
     */
    record Trouble(int number, long atMillis, Fault fault, int client, int node, long lengthMillis, boolean atHandover)
            implements Item {
        /** The same at another client, and now. */
        Trouble of(int other) {
            return new Trouble(number, atMillis, fault, other, node, lengthMillis, false);
        }

        @Override
        public String toString() {
            return inWords(" of server " + node) + (atHandover ? ", after the next handover" : "");
        }

        /** The same where there is one server. */
        String ofOneServer() {
            return inWords("");
        }

        private String inWords(String ofServer) {
            return "#" + number + " at " + atMillis + " ms: " + fault
                    + (fault.isOfServer() ? ofServer : " of c" + client) + ", " + lengthMillis + " ms";
        }
    }

    /** An operator's act, done by a client. */
    record Act(int number, long atMillis, int client, int lock, What what) implements Item {
        @Override
        public String toString() {
            return "#" + number + " at " + atMillis + " ms: c" + client + " as operator, lock" + lock + ": " + what;
        }
    }

    /** Turns, which are the default, are drawn for those who share holds: in half of the plans. */
    static final LockOptions STRICT = LockOptions.defaults().withStrictOrder();

    private static final List<Fault> OF_CLIENTS = List.of(
            Fault.FREEZE,
            Fault.FREEZE,
            Fault.KILL,
            Fault.CLOSE,
            Fault.BREAK,
            Fault.BREAK,
            Fault.BREAK_COMMANDS,
            Fault.BREAK_COMMANDS,
            Fault.BREAK_MESSAGES,
            Fault.STALL,
            Fault.STALL,
            Fault.SLOW,
            Fault.LOSE_MESSAGES);
    private static final List<Fault> OF_SERVER =
            List.of(Fault.FREEZE_SERVER, Fault.SLOW_SERVER, Fault.RESTART, Fault.FORGET_SCRIPTS);

    static Plan draw(Kind kind, long seed) {
        Draw draw = new Draw(seed, 1, kind.salt);
        int clients = (int) draw.between(2, 5);
        int locks = (int) draw.between(1, 3);
        long length = draw.between(8_000, 30_000);
        int asks = (int) draw.between(8, 60);
        Themes theme = new Themes(kind, seed, clients, locks, length);
        Sharing sharing = Sharing.draw(kind, seed, clients, locks, length, theme.percentShared());
        // Some runs without any trouble: there the strictest answers are due.
        int troubles = draw.percent(15) ? 0 : (int) draw.between(1, 10);
        HoldfastOptions options = options(draw)
                .withLockDefaults(STRICT.withLeaseDuration(millis(3_000)))
                .withRefreshInterval(millis(draw.oneOf(List.of(500L, 2_000L, 2_000L))));
        List<Item> items = new ArrayList<>();
        for (int i = 0; i < asks; i++) {
            Ask ask = ask(kind, i, new Draw(seed, 2, kind.salt, i), clients, locks, length);
            Ask drawn = theme.ask(sharing.apply(ask, new Draw(seed, 9, kind.salt, i)));
            items.add(Works.isOf(seed, kind.salt) ? work(kind, seed, drawn) : drawn);
        }
        troubles = theme.troubles(troubles);
        boolean clock = draw.percent(50);
        for (int i = asks; i < asks + troubles; i++) {
            // Troubles come together, three at a time.
            Draw group = new Draw(seed, 7, kind.salt, (i - asks) / 3);
            items.add(theme.trouble(trouble(
                    kind, clock, i, new Draw(seed, 2, kind.salt, i), group.below(clients), group.between(0, length))));
        }
        items.addAll(theme.more(items.size()));
        return new Plan(kind, seed, clients, locks, length, theme.options(options), Drawn.sorted(items));
    }

    /** The same with options for work. Those who share holds have to agree on them. */
    private static Ask work(Kind kind, long seed, Ask ask) {
        Draw draw = new Draw(seed, 42, kind.salt, ask.number());
        boolean plain = ask.ending() == Ending.RELEASE || ask.ending() == Ending.EXTEND;
        Ending ending = plain && draw.percent(60) ? Ending.WORK : ask.ending();
        boolean shared = ask.isShared();
        if (plain && !shared && new Draw(seed, 44, kind.salt, ask.number()).percent(10)) {
            ending = Ending.INTERRUPT;
        }
        Draw own = shared ? new Draw(seed, 43, kind.salt, ask.client(), ask.lock()) : draw;
        LockOptions options = Works.options(ask.options(), own);
        if (!shared && kind != Kind.QUORUM && draw.percent(15)) {
            options = options.withMinHold(millis(draw.between(50, 2_000)));
        }
        long hold = ending == Ending.WORK && draw.percent(30)
                ? draw.between(0, 2 * ask.options().leaseDuration().toMillis())
                : ask.holdMillis();
        return ask.with(options, ending, hold);
    }

    /**
     * What those have to agree on who share holds: for each lock, how each client asks for it if it asks for a hold that
     * several leases share. In half of the plans nobody does.
     */
    private record Sharing(
            Kind kind, long seed, int clients, int locks, long length, Map<Integer, LockOptions> options) {
        /** So many requests in a row may come together, and so many of these groups. */
        private static final int TOGETHER = 6;

        private static final int GROUPS = 3;

        static Sharing draw(Kind kind, long seed, int clients, int locks, long length, int percent) {
            Map<Integer, LockOptions> options = new HashMap<>();
            Draw draw = new Draw(seed, 8, kind.salt);
            if (draw.percent(percent)) {
                for (int lock = 0; lock < locks; lock++) {
                    for (int client = 0; client < clients; client++) {
                        LockOptions mode = mode(new Draw(seed, 8, kind.salt, lock, client));
                        if (draw.percent(80)) {
                            options.put(lock * clients + client, mode);
                        }
                    }
                }
            }
            return new Sharing(kind, seed, clients, locks, length, options);
        }

        private static LockOptions mode(Draw draw) {
            LockOptions options = times(draw);
            if (draw.percent(15)) {
                options = options.withMaxHold(millis(draw.between(200, 4_000)));
            }
            if (draw.percent(5)) {
                options = options.withRequestLife(
                        millis(draw.between(200, 4_000)), draw.oneOf(List.of(RequestEnd.values())));
            }
            options = inQueue(options, draw, 10);
            int how = draw.below(3);
            if (how != 0) {
                options = options.withLocalHandoffs(
                        draw.oneOf(List.of(1, 2, 5, 20)), millis(draw.oneOf(List.of(10L, 100L, 500L, 5_000L))));
            }
            if (how != 1) {
                options = options.withKeepFor(millis(draw.oneOf(List.of(20L, 500L, 3_000L, 20_000L))));
            }
            return options;
        }

        Ask apply(Ask ask, Draw draw) {
            if (options.isEmpty()) {
                return ask;
            }
            int client = ask.client();
            int lock = ask.lock();
            long at = ask.atMillis();
            if (draw.percent(60)) {
                int number = ask.number() / TOGETHER;
                Draw group = new Draw(seed, 10, kind.salt, number);
                client = group.below(clients);
                lock = group.below(locks);
                at = new Draw(seed, 11, kind.salt, number / GROUPS).between(0, length)
                        + draw.between(0, group.oneOf(List.of(5L, 50L, 500L)));
            }
            long hold = draw.percent(70) ? draw.between(0, 20) : ask.holdMillis();
            LockOptions mode = options.get(lock * clients + client);
            if (mode == null || draw.percent(15)) {
                return new Ask(
                        ask.number(),
                        at,
                        client,
                        lock,
                        ask.actor(),
                        ask.waitMillis(),
                        ask.options(),
                        hold,
                        ask.ending());
            }
            Ending ending = ask.ending();
            if (ending == Ending.HAND_OVER || (ending == Ending.END_WITH_TERM && mode.renewal())) {
                ending = Ending.RELEASE;
            }
            return new Ask(ask.number(), at, client, lock, ask.actor(), ask.waitMillis(), mode, hold, ending);
        }
    }

    /** How many sections a turn may have; 0 where turns cannot serve what the options ask for. */
    static int turnsOf(LockOptions options) {
        boolean plain = options.order() == Order.FIFO && options.requestLife() == null && options.queueLimit() == 0;
        boolean whole = options.renewal()
                && options.reentrancy() == Reentrancy.WAIT
                && options.minHold().isZero();
        return plain && whole ? options.localHandoffs() : 0;
    }

    /** What every way of asking begins with. */
    private static LockOptions times(Draw draw) {
        long term = draw.oneOf(List.of(500L, 1_000L, 2_000L, 3_000L, 5_000L, 10_000L));
        LockOptions options = STRICT.withLeaseDuration(millis(term))
                .withHandoffTimeout(millis(draw.oneOf(List.of(100L, 200L, 500L, 1_000L))))
                .withRenewal(!draw.percent(15));
        return draw.percent(8) ? options.withMinRemaining(millis(term / 4)) : options;
    }

    private static Ask ask(Kind kind, int number, Draw draw, int clients, int locks, long length) {
        boolean quorum = kind == Kind.QUORUM;
        LockOptions options = times(draw);
        if (draw.percent(8)) {
            options = options.withMaxHold(millis(draw.between(200, 4_000)));
        }
        if (draw.percent(5)) {
            options = options.withMetadata(Map.of("item", "#" + number));
        }
        if (!quorum) {
            if (draw.percent(8)) {
                options = options.withRequestLife(
                        millis(draw.between(200, 4_000)), draw.oneOf(List.of(RequestEnd.values())));
            }
            options = inQueue(options, draw, 15);
            if (draw.percent(10)) {
                options = options.withReentrancy(draw.oneOf(List.of(Reentrancy.values())));
            }
            if (draw.percent(4)) {
                options = options.withMinHold(millis(draw.between(50, 2_000)));
            }
        }
        int how = draw.below(10);
        long wait = how < 2 ? 0 : how < 7 ? draw.between(100, 6_000) : -1;
        int end = draw.below(100);
        Ending ending;
        if (end < 50) {
            ending = Ending.RELEASE;
        } else if (end < 60) {
            ending = Ending.EXTEND;
        } else if (end < 65) {
            ending = Ending.RELEASE_TWICE;
        } else if (end < 72) {
            ending = Ending.END_WITH_TERM;
            options = options.withRenewal(false);
        } else if (end < 77) {
            ending = quorum ? Ending.RELEASE : Ending.DETACH;
        } else if (end < 82) {
            ending = quorum ? Ending.RELEASE : Ending.HAND_OVER;
        } else {
            ending = end < 92 ? Ending.CANCEL : Ending.COMPLETE;
        }
        long hold = draw.percent(60) ? draw.between(1, 200) : draw.between(200, 4_000);
        return new Ask(
                number,
                draw.between(0, length),
                draw.below(clients),
                draw.below(locks),
                "a" + draw.below(4),
                wait,
                quorum ? options : LinePlan.inGroup(options, draw.beside(1), 12),
                hold,
                ending);
    }

    private static Trouble trouble(Kind kind, boolean clock, int number, Draw draw, int client, long about) {
        Fault fault = draw.percent(75) ? draw.oneOf(OF_CLIENTS) : draw.oneOf(OF_SERVER);
        if (kind == Kind.OUTSIDE && draw.percent(30)) {
            // Not both in one run: a server that forgets its tokens while its clock is behind is nobody's promise.
            fault = clock ? Fault.STEP_CLOCK : draw.oneOf(List.of(Fault.FLUSH, Fault.RESTART_EMPTY));
        } else if (kind == Kind.QUORUM && draw.percent(45)) {
            fault = draw.oneOf(List.of(Fault.FREEZE_SERVER, Fault.RESTART, Fault.FLUSH, Fault.RESTART_EMPTY));
        }
        long lasts = draw.percent(50) ? draw.between(20, 800) : draw.between(800, 8_000);
        if (fault == Fault.STEP_CLOCK) {
            lasts = draw.between(-20_000, 20_000);
        } else if (fault.isOfServer()) {
            lasts = Math.min(lasts, kind == Kind.QUORUM ? 8_000 : 3_000);
        }
        return new Trouble(number, about + draw.between(0, 1_500), fault, client, draw.below(15), lasts, false);
    }

    @Override
    public String name() {
        return kind.toString();
    }

    @Override
    public Plan keep(Collection<Integer> numbers) {
        return new Plan(kind, seed, clients, locks, lengthMillis, options, Drawn.only(items, numbers));
    }

    @Override
    public Outcome run(@Nullable Follower follower) {
        return new World(this, follower).run();
    }

    static String lock(int number) {
        return "lock" + number;
    }

    /** Of the clients of every simulation. */
    static HoldfastOptions options(Draw draw) {
        return HoldfastOptions.defaults()
                .withApplication("simulation")
                .withCommandTimeout(millis(draw.oneOf(List.of(300L, 1_000L, 2_000L))))
                .withCloseTimeout(Duration.ZERO)
                .withRefreshInterval(millis(2_000))
                .withExecutor(Runnable::run);
    }

    /** Where requests stand in the queue, in so many of a hundred plans in another way than by their coming. */
    private static LockOptions inQueue(LockOptions usual, Draw draw, int percent) {
        LockOptions options = usual;
        if (draw.percent(percent)) {
            options = options.withOrder(draw.oneOf(List.of(Order.LIFO, Order.RANDOM)));
        }
        if (draw.percent(percent)) {
            options = options.withPriority(draw.oneOf(List.of(-1, 1)));
        }
        if (draw.percent(5)) {
            options = options.withQueueLimit((int) draw.between(1, 3));
        }
        return options;
    }

    static Duration millis(long millis) {
        return Duration.ofMillis(millis);
    }
}
