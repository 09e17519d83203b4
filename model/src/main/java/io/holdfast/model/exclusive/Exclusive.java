package io.holdfast.model.exclusive;

import io.holdfast.model.Model;
import io.holdfast.model.exclusive.World.Party;
import io.holdfast.model.exclusive.World.Phase;
import io.holdfast.model.queue.Message;
import io.holdfast.model.queue.Message.Kind;
import io.holdfast.model.queue.Words;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The exclusive lock on one server: clients that ask, wait, hold, renew, release, give up and die, over a network that delays and
 * overtakes as it likes. All clocks run at the same rate here, and a deadline has no allowance.
 */
public final class Exclusive implements Model<World> {
    /** What may happen besides asking, holding and releasing. */
    public enum Mishap {
        /** A request is repeated although no answer is known to be lost. */
        COPIES,
        GIVES_UP,
        DIES,
        /** The connection for messages breaks, and comes back. */
        DEAF,
        /** What is under way is lost; otherwise it is only late, without bound. */
        LOSS,
        /** A client that is done asks anew. */
        ASKS_AGAIN,
        /** The server's clock steps forward once, by two ticks. */
        CLOCK_STEP
    }

    private static final int STEP = 2;
    private static final int MOST_GRANTS_UNDER_WAY = 2;

    private final Bounds bounds;
    private final Set<Rule> rules;
    private final Set<Mishap> mishaps;
    private final LockServer server;
    private final int[][] orders;
    private final int parties;
    private final int room;

    /**
     * A world.
     *
     * @param room how many packets of one client may be under way before it sends another that it need not
     * @param alike whether clients may change names, which halves the states of two, and leaves a sixth of those of three
     */
    public Exclusive(Bounds bounds, Set<Rule> rules, Set<Mishap> mishaps, int room, boolean alike) {
        this.room = room;
        this.bounds = bounds;
        this.rules = rules;
        this.mishaps = mishaps.isEmpty() ? EnumSet.noneOf(Mishap.class) : EnumSet.copyOf(mishaps);
        this.server = new LockServer(bounds, rules);
        this.parties = bounds.owners();
        this.orders = alike ? permutations(parties) : new int[][] {permutations(parties)[0]};
    }

    private static int[][] permutations(int size) {
        List<int[]> all = new ArrayList<>();
        permute(new int[size], 0, all);
        return all.toArray(int[][]::new);
    }

    private static void permute(int[] begun, int at, List<int[]> all) {
        if (at == begun.length) {
            all.add(begun.clone());
            return;
        }
        for (int next = 0; next < begun.length; next++) {
            boolean free = true;
            for (int i = 0; i < at; i++) {
                free &= begun[i] != next;
            }
            if (free) {
                begun[at] = next;
                permute(begun, at + 1, all);
            }
        }
    }

    @Override
    public World initial() {
        LockState state = new LockState(bounds.owners(), bounds.clients());
        for (int client = 0; client < parties; client++) {
            state.listens[client] = true;
        }
        return new World(state, parties);
    }

    @Override
    public long fingerprint(World world) {
        long least = Long.MAX_VALUE;
        for (int[] order : orders) {
            least = Math.min(least, world.fingerprint(order));
        }
        return least == 0 ? 1 : least;
    }

    // ---- what can happen

    /** A step that is being made: the world that comes of it, and where it goes. */
    private static final class Steps {
        final World from;
        final BiConsumer<Action, World> to;

        Steps(World from, BiConsumer<Action, World> to) {
            this.from = from;
            this.to = to;
        }

        void step(boolean helps, java.util.function.Supplier<String> words, Consumer<World> change) {
            World next = from.copy();
            change.accept(next);
            if (next.server != from.server) {
                next.server.shortenOrders();
            }
            next.shortenTokens();
            to.accept(new Action(helps, words), next);
        }
    }

    @Override
    public void next(World world, BiConsumer<Action, World> to) {
        if (world.broken != null) {
            return;
        }
        Steps steps = new Steps(world, to);
        steps.step(true, () -> "A tick passes.", this::tick);
        if (mishaps.contains(Mishap.CLOCK_STEP) && !world.stepped) {
            steps.step(true, () -> "The server's clock steps forward by " + STEP + ".", this::stepClock);
        }
        for (int party = 0; party < parties; party++) {
            acts(steps, party);
        }
        for (int i = 0; i < world.net.size(); i++) {
            int at = i;
            Packet packet = world.net.get(i);
            if (i > 0 && world.net.subList(0, i).contains(packet)) {
                continue; // one of two that are alike
            }
            if (packet.kind() == Packet.Kind.REQUEST) {
                steps.step(true, () -> "The server runs " + packet + ".", next -> execute(next, at));
            } else {
                steps.step(true, () -> "Arrives " + packet + ".", next -> arrive(next, at));
            }
            if (mishaps.contains(Mishap.LOSS)) {
                steps.step(false, () -> "Lost is " + packet + ".", next -> next.net.remove(at));
            }
        }
    }

    private void tick(World next) {
        next.server = next.server.later();
        for (Party party : next.parties) {
            party.left = Math.max(0, party.left - 1);
        }
        next.net.replaceAll(packet -> aged(packet, 1));
    }

    private Packet aged(Packet packet, int by) {
        int age = Math.min(bounds.term(), packet.age() + by);
        return new Packet(
                packet.kind(), packet.party(), packet.call(), packet.token(), age, packet.delay(), packet.beforeStep());
    }

    private void stepClock(World next) {
        next.stepped = true;
        for (int i = 0; i < STEP; i++) {
            next.server = next.server.later();
        }
        for (Party party : next.parties) {
            party.pair = party.pair == World.NO_PAIR ? World.NO_PAIR : party.pair - STEP;
            party.beforeStep = party.phase == Phase.HOLDING;
        }
        next.net.replaceAll(packet -> {
            Packet shifted = packet.kind() == Packet.Kind.G ? aged(packet, STEP) : packet;
            int delay = packet.kind() == Packet.Kind.WAITS ? packet.delay() - STEP : packet.delay();
            boolean tells = packet.kind() != Packet.Kind.REQUEST;
            return new Packet(
                    shifted.kind(), shifted.party(), shifted.call(), shifted.token(), shifted.age(), delay, tells);
        });
    }

    private void acts(Steps steps, int i) {
        World world = steps.from;
        Party party = world.parties[i];
        String name = Words.owner(i);
        boolean mayAsk = world.count(i, packet -> true) < room;
        switch (party.phase) {
            case IDLE -> steps.step(false, () -> name + " asks for the lock.", next -> ask(next, i));
            case WAITING -> {
                int most = mishaps.contains(Mishap.COPIES) || mishaps.contains(Mishap.LOSS) ? 2 : 1;
                if (mayAsk && party.doubt < most) {
                    steps.step(true, () -> name + " repeats its acquire.", next -> ask(next, i));
                }
                if (mayAsk && !world.isUnderWay(i, Exclusive::isRefresh)) {
                    steps.step(
                            true,
                            () -> name + " refreshes"
                                    + (party.heardProbe ? ", and says that it heard the probe." : "."),
                            next -> send(next, i, new Call.Refresh(i, 1, i, party.heardProbe)));
                }
                if (mishaps.contains(Mishap.GIVES_UP)) {
                    steps.step(false, () -> name + " gives up.", next -> end(next, i));
                }
            }
            case HOLDING -> holds(steps, i);
            case ENDING -> {
                if (rules.contains(Rule.TAKEBACK) && !world.isUnderWay(i, Exclusive::isEnding)) {
                    steps.step(true, () -> name + " repeats its release.", next -> sendRelease(next, i));
                }
                if (!rules.contains(Rule.TAKEBACK) && !world.isUnderWay(i, Exclusive::isEnding)) {
                    steps.step(true, () -> name + " does not ask what became of its release.", next -> {
                        next.parties[i].enter(Phase.DONE);
                    });
                }
            }
            case DONE -> {
                if (mishaps.contains(Mishap.ASKS_AGAIN) && isForgotten(world, i)) {
                    steps.step(false, () -> name + " has another request, with a new owner.", next -> {
                        next.server = next.server.copy();
                        next.server.tombstone[i] = 0; // it is of the former owner
                        next.parties[i].enter(Phase.IDLE);
                        ask(next, i);
                    });
                }
            }
            case DEAD -> {}
        }
        if (mishaps.contains(Mishap.DIES)
                && party.phase != Phase.DEAD
                && party.phase != Phase.IDLE
                && party.phase != Phase.DONE) {
            steps.step(false, () -> "The process of " + name + " dies.", next -> {
                next.parties[i].enter(Phase.DEAD);
                listen(next, i, false);
            });
        }
        if (mishaps.contains(Mishap.DEAF)
                && (party.phase == Phase.WAITING || !world.server.listens[i])
                && party.phase != Phase.DEAD) {
            boolean listens = world.server.listens[i];
            steps.step(
                    !listens,
                    () -> "The connection of " + name + " for messages " + (listens ? "breaks." : "is back."),
                    next -> listen(next, i, !listens));
        }
    }

    private void holds(Steps steps, int i) {
        World world = steps.from;
        Party party = world.parties[i];
        String name = Words.owner(i);
        if (party.left == 0) {
            steps.step(true, () -> name + " sees that its lease is over.", next -> lose(next, i));
            return;
        }
        if (world.count(i, packet -> true) < room && !world.isUnderWay(i, Exclusive::isAboutTheHold)) {
            if (!party.confirmed) {
                steps.step(true, () -> name + " confirms.", next -> send(next, i, new Call.Confirm(i, i, party.token)));
            } else if (party.left < bounds.term()) {
                steps.step(true, () -> name + " renews.", next -> send(next, i, new Call.Renew(i, i, party.token)));
            }
        }
        steps.step(true, () -> name + " releases.", next -> end(next, i));
    }

    private static boolean isRefresh(Packet packet) {
        return packet.call() instanceof Call.Refresh
                || packet.kind() == Packet.Kind.REFRESHED
                || packet.kind() == Packet.Kind.CLAIM;
    }

    private static boolean isAboutTheHold(Packet packet) {
        return packet.call() instanceof Call.Confirm
                || packet.call() instanceof Call.Renew
                || packet.kind() == Packet.Kind.HELD
                || packet.kind() == Packet.Kind.NOT_HELD;
    }

    private static boolean isEnding(Packet packet) {
        return packet.isRelease() || packet.kind() == Packet.Kind.ENDED;
    }

    private static boolean isForgotten(World world, int i) {
        return !world.isUnderWay(i, packet -> true)
                && world.server.holder != i
                && world.server.claim != i
                && !world.server.known[i]
                && world.server.where[i] == LockState.NOWHERE;
    }

    private static void listen(World next, int client, boolean listens) {
        next.server = next.server.copy();
        next.server.listens[client] = listens;
        if (!listens) {
            next.net.removeIf(packet ->
                    packet.party() == client && (packet.kind() == Packet.Kind.G || packet.kind() == Packet.Kind.P));
        }
    }

    private static void send(World next, int i, Call call) {
        next.net.add(Packet.request(i, call));
    }

    private static void ask(World next, int i) {
        Party party = next.parties[i];
        party.phase = Phase.WAITING;
        party.doubt++;
        send(next, i, new Call.Acquire(i, i, true, 0));
    }

    private static void sendRelease(World next, int i) {
        send(next, i, new Call.Release(i, i, next.parties[i].unanswered(), 0, 0));
    }

    /** Releases, or gives up. */
    private void end(World next, int i) {
        sendRelease(next, i);
        Party party = next.parties[i];
        int left = party.left;
        int token = party.token;
        party.enter(Phase.ENDING);
        if (!rules.contains(Rule.ENDEDBEFORE) && left > 0) {
            party.left = left;
            party.token = token;
        }
    }

    private void lose(World next, int i) {
        if (rules.contains(Rule.TAKEBACK)) {
            sendRelease(next, i);
            next.parties[i].enter(Phase.ENDING);
        } else {
            next.parties[i].enter(Phase.DONE);
        }
    }

    // ---- the server

    private void execute(World next, int at) {
        Packet packet = next.net.remove(at);
        Call call = packet.call();
        if (call == null) {
            throw new IllegalStateException("a request has a call");
        }
        LockState before = next.server;
        Outcome outcome = server.run(before, call);
        next.server = outcome.state();
        next.broken = Duties.broken(bounds, before, call, outcome);
        reply(next, packet, call, outcome);
        for (Message message : outcome.messages()) {
            Packet.Kind kind = message.kind() == Kind.G ? Packet.Kind.G : Packet.Kind.P;
            Predicate<Packet> same = other -> other.kind() == kind;
            if (next.count(message.client(), same) < (kind == Packet.Kind.G ? MOST_GRANTS_UNDER_WAY : 1)) {
                next.net.add(new Packet(kind, message.client(), null, message.token(), 0, 0, false));
            }
        }
        for (int client = 0; client < parties; client++) {
            if (outcome.state().suspect[client] && !before.suspect[client]) {
                next.parties[client].heardProbe = false; // it was of an earlier suspicion
                int of = client;
                next.net.removeIf(other -> other.party() == of && other.kind() == Packet.Kind.P);
                next.net.replaceAll(other -> other.party() == of && other.call() instanceof Call.Refresh asked
                        ? new Packet(
                                other.kind(),
                                of,
                                new Call.Refresh(of, asked.count(), asked.first(), false),
                                0,
                                other.age(),
                                0,
                                other.beforeStep())
                        : other);
            }
        }
    }

    private void reply(World next, Packet packet, Call call, Outcome outcome) {
        if (next.parties[packet.party()].phase == Phase.DEAD) {
            return;
        }
        Packet.Kind kind;
        int token = 0;
        int delay = 0;
        if (call instanceof Call.Acquire) {
            kind = switch (outcome.reply().word()) {
                case "GRANTED" -> Packet.Kind.GRANTED;
                case "QUEUED" -> Packet.Kind.WAITS;
                default -> Packet.Kind.REFUSED;
            };
            token = outcome.reply().token();
            delay = kind == Packet.Kind.WAITS ? packet.age() : 0;
        } else if (call instanceof Call.Release) {
            kind = Packet.Kind.ENDED;
        } else if (call instanceof Call.Confirm asked) {
            kind = outcome.reply().word().equals("HELD") ? Packet.Kind.HELD : Packet.Kind.NOT_HELD;
            token = asked.token();
        } else if (call instanceof Call.Renew asked) {
            kind = outcome.reply().word().equals("0") ? Packet.Kind.NOT_HELD : Packet.Kind.HELD;
            token = asked.token();
        } else {
            boolean claims = outcome.reply().mine() != LockState.NOBODY;
            kind = claims ? Packet.Kind.CLAIM : Packet.Kind.REFRESHED;
            token = claims ? outcome.state().token : 0;
        }
        next.net.add(new Packet(kind, packet.party(), null, token, packet.age(), delay, false));
    }

    // ---- the client

    private void arrive(World next, int at) {
        Packet packet = next.net.remove(at);
        int i = packet.party();
        Party party = next.parties[i];
        switch (packet.kind()) {
            case GRANTED -> {
                heard(party);
                int left = bounds.term() - (rules.contains(Rule.COUNTEDFROMTHESEND) ? packet.age() : 0);
                granted(next, packet, left, true);
            }
            case WAITS -> {
                heard(party);
                party.pair = party.phase == Phase.WAITING ? packet.delay() : party.pair;
            }
            case REFUSED -> {
                heard(party);
                if (party.phase == Phase.WAITING) {
                    next.broken = Words.owner(i) + " still wants the lock, and is refused";
                }
            }
            case HELD -> {
                if (party.phase == Phase.HOLDING && party.token == packet.token() && party.left > 0) {
                    party.left = Math.max(party.left, bounds.term() - packet.age());
                    party.confirmed = true;
                }
            }
            case NOT_HELD -> {
                if (party.phase == Phase.HOLDING && party.token == packet.token()) {
                    lose(next, i);
                }
            }
            case ENDED -> {
                if (party.phase == Phase.ENDING) {
                    party.enter(Phase.DONE);
                }
            }
            case CLAIM -> granted(next, packet, bounds.claim() - packet.age(), false);
            case G -> told(next, packet);
            case P -> party.heardProbe = party.phase == Phase.WAITING;
            case REFRESHED, REQUEST -> {}
        }
    }

    private static void heard(Party party) {
        if (party.doubt > 0) {
            party.doubt--;
        }
        party.answered = party.phase != Phase.DONE && party.phase != Phase.DEAD;
    }

    /** A grant by message: its deadline follows from a reply that told the server's time. */
    private void told(World next, Packet packet) {
        Party party = next.parties[packet.party()];
        int since = party.pair + packet.age();
        boolean safe = party.pair != World.NO_PAIR && since >= 0 && bounds.claim() - since > 0;
        if (party.phase == Phase.WAITING && !safe && rules.contains(Rule.CONFIRMFIRST)) {
            party.handed = true;
            if (party.doubt < 2) {
                ask(next, packet.party());
            }
            return;
        }
        granted(next, packet, safe ? bounds.claim() - since : bounds.claim(), false);
    }

    private void granted(World next, Packet packet, int left, boolean confirmed) {
        int i = packet.party();
        Party party = next.parties[i];
        if (party.phase == Phase.WAITING) {
            party.handed |= !confirmed;
            if (left <= 0 && !confirmed) {
                if (party.doubt < 2) {
                    ask(next, i);
                }
                return;
            }
            if (left <= 0) {
                lose(next, i);
                return;
            }
            if (packet.token() < next.shown && !packet.beforeStep()) {
                next.broken = "the lease of " + Words.owner(i) + " has token " + packet.token()
                        + ", and one before had " + next.shown;
            }
            next.shown = Math.max(next.shown, packet.token());
            party.phase = Phase.HOLDING;
            party.token = packet.token();
            party.left = left;
            party.confirmed = confirmed;
            party.beforeStep = packet.beforeStep();
        } else if (party.phase == Phase.HOLDING && party.token == packet.token() && party.left > 0) {
            party.left = Math.max(party.left, left);
            party.confirmed |= confirmed;
        } else if (party.phase == Phase.DONE && rules.contains(Rule.GIVEBACK)) {
            sendRelease(next, i);
            party.enter(Phase.ENDING);
        }
    }

    // ---- what must never be

    @Override
    public @Nullable String violation(World world) {
        if (world.broken != null) {
            return world.broken;
        }
        int valid = -1;
        for (int i = 0; i < parties; i++) {
            Party party = world.parties[i];
            boolean holds = party.left > 0 && !party.beforeStep;
            if (holds && valid >= 0) {
                return "two leases are valid, of " + Words.owner(valid) + " and of " + Words.owner(i);
            }
            valid = holds ? i : valid;
            if (holds && party.phase == Phase.HOLDING) {
                if (!world.server.isHeldBy(i, party.token) || world.server.left < party.left) {
                    return "the lease of " + Words.owner(i) + " is valid, and not held on the server for as long";
                }
            }
            boolean over = party.phase == Phase.DONE && !world.isUnderWay(i, packet -> true);
            if (over && (world.server.holder == i || world.server.known[i])) {
                return "orphan: " + Words.owner(i) + " is done, nothing of it is under way, and the server "
                        + (world.server.holder == i ? "has its hold" : "keeps its place");
            }
        }
        return null;
    }

    /** Nobody who lives waits. */
    @Override
    public boolean isGoal(World world) {
        for (Party party : world.parties) {
            if (party.phase == Phase.WAITING) {
                return false;
            }
        }
        return true;
    }
}
