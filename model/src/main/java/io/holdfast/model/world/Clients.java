package io.holdfast.model.world;

import io.holdfast.model.Model;
import io.holdfast.model.queue.Message;
import io.holdfast.model.queue.QueueBounds;
import io.holdfast.model.queue.QueueState;
import io.holdfast.model.queue.Words;
import io.holdfast.model.world.World.Party;
import io.holdfast.model.world.World.Phase;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A lock on one server, of any kind: clients that ask, wait, hold, renew, downgrade, release, give up and die, over a network that
 * delays and overtakes as it likes. All clocks run at the same rate here, and a deadline has no allowance.
 *
 * @param <S> what the server knows
 */
public final class Clients<S extends QueueState<S>> implements Model<World<S>> {
    /** What may happen besides asking, holding and releasing. */
    public enum Mishap {
        /** A request is repeated although no answer is known to be lost. */
        COPIES,
        GIVES_UP,
        DIES,
        /** A process stands still for ever, with its connections open. */
        FREEZES,
        /** A writer reads on. */
        DOWNGRADES,
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

    private final Kind<S> kind;
    private final QueueBounds<?> bounds;
    private final Set<ClientRule> rules;
    private final Set<Mishap> mishaps;
    private final Duties<S> duties;
    private final Leases<S> leases;
    private final int[][] orders;
    private final int parties;
    private final int room;
    private final int before;

    /**
     * A world.
     *
     * @param room how many packets of one client may be under way before it sends another that it need not
     * @param before how many of the first clients have asked, and were answered, where the look begins
     */
    public Clients(Kind<S> kind, Set<ClientRule> rules, Set<Mishap> mishaps, int room, int before) {
        this.room = room;
        this.kind = kind;
        this.bounds = kind.bounds();
        this.rules = rules;
        this.mishaps = mishaps.isEmpty() ? EnumSet.noneOf(Mishap.class) : EnumSet.copyOf(mishaps);
        this.duties = new Duties<>(kind);
        this.leases = new Leases<>(kind);
        this.parties = bounds.owners();
        this.before = before;
        this.orders = permutations(parties);
    }

    /** Each order of clients in which each stands where one stood that asks for the same. */
    private int[][] permutations(int size) {
        List<int[]> all = new ArrayList<>();
        permute(new int[size], 0, all);
        return all.toArray(int[][]::new);
    }

    private void permute(int[] begun, int at, List<int[]> all) {
        if (at == begun.length) {
            all.add(begun.clone());
            return;
        }
        for (int next = 0; next < begun.length; next++) {
            boolean free = kind.areAlike(at, next);
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
    public World<S> initial() {
        S state = kind.nothing();
        for (int client = 0; client < parties; client++) {
            state.listens[client] = true;
        }
        World<S> world = new World<>(state, parties);
        for (int party = 0; party < before; party++) {
            ask(world, party);
            execute(world, 0);
            arrive(world, 0);
        }
        shorten(world, state);
        return world;
    }

    private void shorten(World<S> world, S before) {
        if (world.server != before) {
            world.server.shortenOrders();
        }
        world.shortenTokens(kind);
    }

    @Override
    public long fingerprint(World<S> world) {
        long least = Long.MAX_VALUE;
        for (int[] order : orders) {
            least = Math.min(least, world.fingerprint(order));
        }
        return least == 0 ? 1 : least;
    }

    // ---- what can happen

    /** A step that is being made: the world that comes of it, and where it goes. */
    private final class Steps {
        final World<S> from;
        final BiConsumer<Action, World<S>> to;

        Steps(World<S> from, BiConsumer<Action, World<S>> to) {
            this.from = from;
            this.to = to;
        }

        void step(boolean helps, java.util.function.Supplier<String> words, Consumer<World<S>> change) {
            World<S> next = from.copy();
            change.accept(next);
            shorten(next, from.server);
            to.accept(new Action(helps, words), next);
        }
    }

    @Override
    public void next(World<S> world, BiConsumer<Action, World<S>> to) {
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
            if (packet.isRequest()) {
                steps.step(true, () -> "The server runs " + packet + ".", next -> execute(next, at));
            } else {
                steps.step(true, () -> "Arrives " + packet + ".", next -> arrive(next, at));
            }
            if (mishaps.contains(Mishap.LOSS)) {
                steps.step(false, () -> "Lost is " + packet + ".", next -> next.net.remove(at));
            }
        }
    }

    private void tick(World<S> next) {
        next.server = next.server.later();
        for (Party party : next.parties) {
            party.left = Math.max(0, party.left - 1);
        }
        next.net.replaceAll(packet -> packet.aged(1, bounds.term()));
    }

    private void stepClock(World<S> next) {
        next.stepped = true;
        for (int i = 0; i < STEP; i++) {
            next.server = next.server.later();
        }
        for (Party party : next.parties) {
            party.pair = party.pair == World.NO_PAIR ? World.NO_PAIR : party.pair - STEP;
            party.beforeStep = party.phase == Phase.HOLDING;
        }
        next.net.replaceAll(packet -> {
            Packet shifted = packet.kind() == Packet.Kind.G ? packet.aged(STEP, bounds.term()) : packet;
            int delay = packet.kind() == Packet.Kind.WAITS ? packet.delay() - STEP : packet.delay();
            boolean tells = !packet.isRequest();
            return new Packet(
                    shifted.kind(), shifted.party(), shifted.token(), shifted.flag(), shifted.age(), delay, tells);
        });
    }

    private void acts(Steps steps, int i) {
        World<S> world = steps.from;
        Party party = world.parties[i];
        String name = Words.owner(i);
        boolean mayAsk = world.count(i, packet -> true) < room;
        switch (party.phase) {
            case IDLE -> steps.step(false, () -> name + " asks for the lock.", next -> ask(next, i));
            case WAITING -> {
                if (mayAsk && party.doubt < copies()) {
                    steps.step(true, () -> name + " repeats its acquire.", next -> ask(next, i));
                }
                if (mayAsk && !world.isUnderWay(i, Clients::isRefresh)) {
                    steps.step(
                            true,
                            () -> name + " refreshes"
                                    + (party.heardProbe ? ", and says that it heard the probe." : "."),
                            next -> send(next, i, Packet.Kind.REFRESH, 0, party.heardProbe));
                }
                if (mishaps.contains(Mishap.GIVES_UP)) {
                    steps.step(false, () -> name + " gives up.", next -> end(next, i));
                }
            }
            case HOLDING -> holds(steps, i);
            case DOWNGRADING -> downgrades(steps, i);
            case ENDING -> {
                if (rules.contains(ClientRule.TAKE_BACK) && !world.isUnderWay(i, Clients::isEnding)) {
                    steps.step(true, () -> name + " repeats its release.", next -> sendRelease(next, i));
                }
                if (!rules.contains(ClientRule.TAKE_BACK) && !world.isUnderWay(i, Clients::isEnding)) {
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
        if (mishaps.contains(Mishap.FREEZES) && (party.phase == Phase.WAITING || party.phase == Phase.HOLDING)) {
            steps.step(false, () -> "The process of " + name + " stands still.", next -> {
                next.parties[i].enter(Phase.DEAD);
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
        World<S> world = steps.from;
        Party party = world.parties[i];
        String name = Words.owner(i);
        if (party.left == 0) {
            steps.step(true, () -> name + " sees that its lease is over.", next -> lose(next, i));
            return;
        }
        if (world.count(i, packet -> true) < room && !world.isUnderWay(i, Clients::isAboutTheHold)) {
            if (!party.confirmed) {
                steps.step(
                        true,
                        () -> name + " confirms.",
                        next -> send(next, i, Packet.Kind.CONFIRM, party.token, false));
            } else if (party.left < bounds.term()) {
                steps.step(true, () -> name + " renews.", next -> send(next, i, Packet.Kind.RENEW, party.token, false));
            }
        }
        if (mishaps.contains(Mishap.DOWNGRADES) && kind.sharing(i) == Kind.Sharing.NOTHING && !party.reads) {
            steps.step(true, () -> name + " downgrades.", next -> {
                Party writer = next.parties[i];
                writer.phase = Phase.DOWNGRADING;
                writer.reads = rules.contains(ClientRule.ENDED_BEFORE_THE_REQUEST_LEAVES);
                send(next, i, Packet.Kind.DOWNGRADE, writer.token, false);
            });
        }
        steps.step(true, () -> name + " releases.", next -> end(next, i));
    }

    private void downgrades(Steps steps, int i) {
        World<S> world = steps.from;
        Party party = world.parties[i];
        String name = Words.owner(i);
        if (party.left == 0) {
            steps.step(true, () -> name + " sees that its lease is over.", next -> lose(next, i));
        } else if (world.count(i, packet -> true) < room && world.count(i, Clients::isDowngrade) < copies()) {
            steps.step(
                    true,
                    () -> name + " repeats its downgrade.",
                    next -> send(next, i, Packet.Kind.DOWNGRADE, party.token, false));
        }
    }

    /** How often a request may be under way that one script is to answer. */
    private int copies() {
        return mishaps.contains(Mishap.COPIES) || mishaps.contains(Mishap.LOSS) ? 2 : 1;
    }

    private static boolean isRefresh(Packet packet) {
        return switch (packet.kind()) {
            case REFRESH, REFRESHED, CLAIM, TAKEN_UP -> true;
            default -> false;
        };
    }

    private static boolean isAboutTheHold(Packet packet) {
        return switch (packet.kind()) {
            case CONFIRM, RENEW, HELD, NOT_HELD -> true;
            default -> false;
        };
    }

    private static boolean isDowngrade(Packet packet) {
        return switch (packet.kind()) {
            case DOWNGRADE, DOWNGRADED, NOT_HELD -> true;
            default -> false;
        };
    }

    private static boolean isEnding(Packet packet) {
        return packet.kind() == Packet.Kind.RELEASE || packet.kind() == Packet.Kind.ENDED;
    }

    private boolean isForgotten(World<S> world, int i) {
        return !world.isUnderWay(i, packet -> true)
                && !kind.isThere(world.server, i)
                && !kind.isClaim(world.server, i)
                && !world.server.known[i]
                && world.server.where[i] == QueueState.NOWHERE;
    }

    private void listen(World<S> next, int client, boolean listens) {
        next.server = next.server.copy();
        next.server.listens[client] = listens;
        if (!listens) {
            next.net.removeIf(packet ->
                    packet.party() == client && (packet.kind() == Packet.Kind.G || packet.kind() == Packet.Kind.P));
        }
    }

    private void send(World<S> next, int i, Packet.Kind request, long token, boolean flag) {
        next.net.add(Packet.request(request, i, token, flag));
    }

    private void ask(World<S> next, int i) {
        Party party = next.parties[i];
        party.phase = Phase.WAITING;
        party.doubt++;
        send(next, i, Packet.Kind.ACQUIRE, 0, false);
    }

    private void sendRelease(World<S> next, int i) {
        send(next, i, Packet.Kind.RELEASE, 0, next.parties[i].unanswered());
    }

    /** Releases, or gives up. */
    private void end(World<S> next, int i) {
        sendRelease(next, i);
        Party party = next.parties[i];
        int left = party.left;
        long token = party.token;
        party.enter(Phase.ENDING);
        if (!rules.contains(ClientRule.ENDED_BEFORE_THE_REQUEST_LEAVES) && left > 0) {
            party.left = left;
            party.token = token;
        }
    }

    private void lose(World<S> next, int i) {
        if (rules.contains(ClientRule.TAKE_BACK)) {
            sendRelease(next, i);
            next.parties[i].enter(Phase.ENDING);
        } else {
            next.parties[i].enter(Phase.DONE);
        }
    }

    // ---- the server

    private void execute(World<S> next, int at) {
        Packet packet = next.net.remove(at);
        S before = next.server;
        Kind.Done<S> done = kind.run(before, packet);
        S after = done.state();
        next.server = after;
        next.broken = duties.broken(before, packet, done);
        next.handedUnheard[packet.party()] = false;
        for (int owner : done.granted()) {
            if (owner != packet.party()) {
                next.broken = next.handedUnheard[owner]
                        ? "the lock is handed to " + Words.owner(owner) + " twice, which was not heard of in between"
                        : next.broken;
                next.handedUnheard[owner] = true;
            }
        }
        if (next.parties[packet.party()].phase != Phase.DEAD) {
            int delay = done.reply() == Packet.Kind.WAITS ? packet.age() : 0;
            next.net.add(Packet.of(done.reply(), packet.party(), done.token(), packet.age(), delay));
        }
        for (Message message : done.messages()) {
            deliver(next, message);
        }
        for (int client = 0; client < parties; client++) {
            if (after.suspect[client] && !before.suspect[client]) {
                next.parties[client].heardProbe = false; // it was of an earlier suspicion
                int of = client;
                next.net.removeIf(other -> other.party() == of && other.kind() == Packet.Kind.P);
                next.net.replaceAll(other ->
                        other.party() == of && other.kind() == Packet.Kind.REFRESH ? other.unflagged() : other);
            }
        }
    }

    private void deliver(World<S> next, Message message) {
        Packet.Kind sent = message.kind() == Message.Kind.G ? Packet.Kind.G : Packet.Kind.P;
        Predicate<Packet> same = other -> other.kind() == sent;
        if (next.parties[message.client()].phase != Phase.DEAD
                && next.count(message.client(), same) < (sent == Packet.Kind.G ? MOST_GRANTS_UNDER_WAY : 1)) {
            next.net.add(Packet.of(sent, message.client(), message.token(), 0, 0));
        }
    }

    // ---- the client

    private void arrive(World<S> next, int at) {
        Packet packet = next.net.remove(at);
        int i = packet.party();
        Party party = next.parties[i];
        switch (packet.kind()) {
            case GRANTED -> {
                heard(party);
                int left = bounds.term() - (rules.contains(ClientRule.COUNTED_FROM_THE_SEND) ? packet.age() : 0);
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
                boolean holds = party.phase == Phase.HOLDING || party.phase == Phase.DOWNGRADING;
                if (holds && party.token == packet.token()) {
                    lose(next, i);
                }
            }
            case ENDED -> {
                if (party.phase == Phase.ENDING) {
                    party.enter(Phase.DONE);
                }
            }
            case CLAIM -> granted(next, packet, bounds.claim() - packet.age(), false);
            case TAKEN_UP -> {
                party.handed = true;
                granted(next, packet, bounds.term() - packet.age(), true);
            }
            case DOWNGRADED -> {
                if (party.phase == Phase.DOWNGRADING && party.left > 0) {
                    party.phase = Phase.HOLDING;
                    party.reads = true;
                    party.confirmed = true;
                    party.left = Math.max(party.left, bounds.term() - packet.age());
                    party.token = packet.token();
                    leases.show(next, i, packet);
                }
            }
            case G -> told(next, packet);
            case P -> party.heardProbe = party.phase == Phase.WAITING;
            default -> {}
        }
    }

    private static void heard(Party party) {
        if (party.doubt > 0) {
            party.doubt--;
        }
        party.answered = party.phase != Phase.DONE && party.phase != Phase.DEAD;
    }

    /** A grant by message: its deadline follows from a reply that told the server's time. */
    private void told(World<S> next, Packet packet) {
        Party party = next.parties[packet.party()];
        int since = party.pair + packet.age();
        boolean safe = party.pair != World.NO_PAIR && since >= 0 && bounds.claim() - since > 0;
        if (party.phase == Phase.WAITING && !safe && rules.contains(ClientRule.CONFIRM_FIRST)) {
            party.handed = true;
            if (party.doubt < 2) {
                ask(next, packet.party());
            }
            return;
        }
        granted(next, packet, safe ? bounds.claim() - since : bounds.claim(), false);
    }

    private void granted(World<S> next, Packet packet, int left, boolean confirmed) {
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
            leases.show(next, i, packet);
            party.phase = Phase.HOLDING;
            party.token = packet.token();
            party.left = left;
            party.confirmed = confirmed;
            party.beforeStep = packet.beforeStep();
        } else if (party.phase == Phase.HOLDING && party.token == packet.token() && party.left > 0) {
            party.left = Math.max(party.left, left);
            party.confirmed |= confirmed;
        } else if (party.phase == Phase.DONE && rules.contains(ClientRule.GIVE_BACK)) {
            sendRelease(next, i);
            party.enter(Phase.ENDING);
        }
    }

    // ---- what is asked of a state

    @Override
    public @Nullable String violation(World<S> world) {
        return world.broken != null ? world.broken : leases.violation(world);
    }

    /** Nobody who lives waits. */
    @Override
    public boolean isGoal(World<S> world) {
        for (Party party : world.parties) {
            if (party.phase == Phase.WAITING) {
                return false;
            }
        }
        return true;
    }
}
