package io.holdfast.model.quorum;

import static io.holdfast.model.quorum.QuorumState.ACQUIRE;
import static io.holdfast.model.quorum.QuorumState.RENEWAL;
import static io.holdfast.model.quorum.QuorumState.WRITE_BACK;

import io.holdfast.model.Model;
import io.holdfast.model.Values;
import io.holdfast.model.Worlds;
import io.holdfast.model.quorum.QuorumState.Client;
import io.holdfast.model.quorum.QuorumState.Hold;
import io.holdfast.model.quorum.QuorumState.Kind;
import io.holdfast.model.quorum.QuorumState.Node;
import io.holdfast.model.quorum.QuorumState.Packet;
import io.holdfast.model.quorum.QuorumState.Phase;
import io.holdfast.model.quorum.QuorumState.Seat;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A lock on a majority of three nodes: clients with one round each, which ask, write back, renew, and release, over a network that
 * delays and overtakes as it likes.
 *
 * <p><b>What it mirrors.</b> A node runs {@code quorum_acquire.lua}, {@code quorum_raise.lua}, {@code renew.lua} and
 * {@code quorum_release.lua}; quarantine is that of {@code marker.lua}. A client is a {@code Ballot} with its {@code Seat}s until it
 * holds, and then a {@code BallotGrant} with its {@code Votes}.
 *
 * <p><b>Time.</b> There are no ticks. A hold may expire at any moment, and by then the deadline of each round is over that left before
 * the hold's expiry was moved last (Lemma 1; the model of one server looks at that). When a quarantine is over, so are the deadlines of all that
 * left before it began. Nodes' clocks stand still, but for quarantine. An answer of TAKEN, FRESH or GONE is not sent: a client may lose its round
 * at any moment.
 */
public final class Quorum implements Model<QuorumState> {
    /** What may happen besides asking, holding, and expiry. */
    enum Mishap {
        /** The first node loses its memory, while it has a hold. */
        EMPTY,
        /** The first node is restarted with older data of its own. */
        OLDER,
        /** Leases are renewed. */
        RENEWS,
        /** A node that does not stand behind a lease is asked to join. */
        JOINS
    }

    private static final int NODES = 3;
    private static final int AHEAD = 2;
    private static final List<Integer> APART = List.of(0, 5, 0);
    private static final List<Integer> ALIKE = List.of(0, 0, 0);
    /** By so much a clock goes on in a quarantine: more than clocks differ, a proposal is ahead, and grants add. */
    private static final int QUARANTINE = 10;

    private static final List<Integer> ALL_NODES = List.of(0, 1, 2);

    private final Set<QuorumRule> rules;
    private final Set<Mishap> mishaps;
    private final List<Integer> clocks;
    private final List<List<Integer>> reach;
    private final int[] proposals;
    private final int majority;

    /**
     * A world.
     *
     * @param clocks of the nodes
     * @param reach for each client the nodes that its requests reach
     * @param proposals for each client the token that it proposes
     */
    Quorum(
            Set<QuorumRule> rules,
            Set<Mishap> mishaps,
            List<Integer> clocks,
            List<List<Integer>> reach,
            int... proposals) {
        this.rules = rules;
        this.mishaps = mishaps;
        this.clocks = clocks;
        this.reach = reach;
        this.proposals = proposals;
        this.majority = rules.contains(QuorumRule.MAJORITY) ? NODES / 2 + 1 : 1;
    }

    /** The looks that have a name. */
    public static Worlds worlds() {
        List<List<Integer>> all = List.of(ALL_NODES, ALL_NODES);
        List<List<Integer>> split = List.of(List.of(0, 1), List.of(0, 2));
        Set<Mishap> none = EnumSet.noneOf(Mishap.class);
        return Worlds.of("a quorum of three nodes with two clients", QuorumRule.class)
                .add(
                        "quorum-split",
                        "each client reaches two nodes, one of them the same; clocks differ",
                        rules -> new Quorum(rules, none, APART, split, 0, 0))
                .add(
                        "quorum-renewed",
                        "the same, and leases are renewed, and joined by nodes that stand aside",
                        rules -> new Quorum(rules, EnumSet.of(Mishap.RENEWS, Mishap.JOINS), APART, split, 0, 0))
                .add(
                        "quorum-empty",
                        "the same without renewal, the node that both reach loses its memory, and a token is proposed that is far ahead",
                        rules -> new Quorum(rules, EnumSet.of(Mishap.EMPTY), ALIKE, split, 50, 0))
                .add(
                        "quorum-older",
                        "the same, but that node is restarted with older data",
                        rules -> new Quorum(rules, EnumSet.of(Mishap.OLDER), ALIKE, split, 0, 0))
                .add("quorum", "each client reaches all nodes", rules -> new Quorum(rules, none, APART, all, 0, 0))
                .add(
                        "quorum-proposed",
                        "the same, and they propose tokens that differ",
                        rules -> new Quorum(rules, none, APART, all, 6, 7))
                .add(
                        "quorum-all",
                        "the same with renewal, nodes that join, and a node that loses its memory",
                        rules -> new Quorum(
                                rules, EnumSet.of(Mishap.EMPTY, Mishap.RENEWS, Mishap.JOINS), APART, all, 0, 0))
                .build();
    }

    @Override
    public QuorumState initial() {
        List<Node> nodes = clocks.stream()
                .map(clock -> new Node(clock, 0, null, 0, 0, false))
                .toList();
        return new QuorumState(
                nodes,
                Collections.nCopies(reach.size(), Client.of(Phase.IDLE, NODES)),
                List.of(),
                0,
                null,
                false,
                null);
    }

    @Override
    public long fingerprint(QuorumState state) {
        return state.fingerprint();
    }

    private static void step(BiConsumer<Action, QuorumState> to, QuorumState next, Supplier<String> words) {
        to.accept(Action.of(words), next);
    }

    @Override
    public void next(QuorumState state, BiConsumer<Action, QuorumState> to) {
        for (int client = 0; client < state.clients().size(); client++) {
            acts(state, client, to);
        }
        for (int node = 0; node < NODES; node++) {
            int at = node;
            Hold hold = state.nodes().get(at).hold();
            if (hold != null) {
                step(
                        to,
                        expires(state, at, hold),
                        () -> "On node " + at + " the hold of client " + hold.client() + " expires.");
            }
        }
        restarts(state, to);
        for (int i = 0; i < state.net().size(); i++) {
            Packet packet = state.net().get(i);
            QuorumState without = state.with(Values.minus(state.net(), i));
            if (packet.kind().isRequest()) {
                step(to, runs(without, packet), () -> "Node " + packet.node() + " runs " + packet + ".");
            } else {
                step(to, hears(without, packet), () -> "Arrives " + packet + ".");
            }
        }
    }

    // ---- what clients do

    private void acts(QuorumState state, int i, BiConsumer<Action, QuorumState> to) {
        Client client = state.clients().get(i);
        switch (client.phase()) {
            case IDLE -> step(to, asks(state, i), () -> "Client " + i + " asks all that it reaches.");
            case ASKING, RAISING -> step(to, ends(state, i), () -> "Client " + i + " loses its round.");
            case HOLDING -> {
                step(
                        to,
                        ends(state, i),
                        () -> "Client " + i + (client.over() ? " sees that its lease is over." : " releases."));
                if (!client.over() && mishaps.contains(Mishap.RENEWS) && !client.renewing()) {
                    step(to, renews(state, i), () -> "Client " + i + " renews.");
                }
                for (int node : reach.get(i)) {
                    Seat seat = client.seats().get(node);
                    boolean joins = mishaps.contains(Mishap.JOINS) && seat.token() == 0 && !seat.underWay();
                    if (!client.over() && joins) {
                        step(
                                to,
                                asks(state, i, node, client.token(), client.rests()),
                                () -> "Client " + i + " asks node " + node + " to join.");
                    }
                }
            }
            case DONE -> {}
        }
    }

    private QuorumState asks(QuorumState state, int i) {
        QuorumState next = state.with(i, state.clients().get(i).with(Phase.ASKING, 0, ACQUIRE));
        for (int node : reach.get(i)) {
            next = asks(next, i, node, proposals[i], ACQUIRE);
        }
        return next;
    }

    private static QuorumState asks(QuorumState state, int i, int node, int proposal, int round) {
        Seat seat = state.clients().get(i).seats().get(node);
        Seat asked = new Seat(seat.token(), seat.counts(), seat.agreed(), true);
        return state.with(i, state.clients().get(i).withSeat(node, asked))
                .send(new Packet(Kind.ACQUIRE, i, node, proposal, 0, round, false));
    }

    private static QuorumState renews(QuorumState state, int i) {
        QuorumState next = state.with(i, state.clients().get(i).renews());
        for (int node = 0; node < NODES; node++) {
            int token = state.clients().get(i).seats().get(node).token();
            if (token != 0) {
                next = next.send(new Packet(Kind.RENEW, i, node, token, 0, RENEWAL, false));
            }
        }
        return next;
    }

    /** The round is lost, or the lease over: what it has, or may get, is taken back. */
    private QuorumState ends(QuorumState state, int i) {
        QuorumState next = state.done(i);
        for (int node = 0; node < NODES && rules.contains(QuorumRule.TAKE_BACK); node++) {
            Seat seat = state.clients().get(i).seats().get(node);
            if (seat.token() != 0 || seat.underWay()) {
                next = next.send(new Packet(Kind.RELEASE, i, node, 0, 0, 0, seat.underWay()));
            }
        }
        return next;
    }

    // ---- what becomes of a node

    private QuorumState expires(QuorumState state, int at, Hold hold) {
        Node node = state.nodes().get(at);
        int expired = mishaps.contains(Mishap.OLDER) ? node.expired() | 1 << hold.client() : 0;
        Client client = state.clients().get(hold.client());
        boolean over = client.rests() != 0 && hold.round() >= client.rests();
        return state.with(at, new Node(node.clock(), node.last(), null, node.ended(), expired, node.quarantined()))
                .with(hold.client(), over ? client.atItsEnd() : client);
    }

    private void restarts(QuorumState state, BiConsumer<Action, QuorumState> to) {
        Node first = state.nodes().get(0);
        if (first.quarantined()) {
            step(to, quarantineIsOver(state, first), () -> "The quarantine of node 0 is over.");
        }
        if (state.restarted()) {
            return;
        }
        boolean marked = rules.contains(QuorumRule.QUARANTINE);
        if (mishaps.contains(Mishap.EMPTY) && first.hold() != null) {
            Node empty = new Node(first.clock(), 0, null, 0, first.expired(), marked);
            step(to, restart(state, empty), () -> "Node 0 loses its memory.");
        }
        Node saved = state.saved();
        if (mishaps.contains(Mishap.OLDER) && saved == null) {
            step(to, state.withSaved(first), () -> "Node 0 writes its data to its disk.");
        } else if (mishaps.contains(Mishap.OLDER) && saved != null) {
            Hold hold = saved.hold();
            boolean there = hold != null && (first.expired() & 1 << hold.client()) == 0;
            Hold back = hold != null && there ? new Hold(hold.client(), hold.token(), hold.round(), true) : null;
            boolean noticed = marked && rules.contains(QuorumRule.SAME_RUN);
            Node older = new Node(first.clock(), saved.last(), back, saved.ended(), first.expired(), noticed);
            step(to, restart(state, older), () -> "Node 0 is restarted with what is on its disk.");
        }
    }

    private static QuorumState restart(QuorumState state, Node as) {
        QuorumState next = state.isRestarted().with(0, as);
        for (int i = 0; i < state.clients().size(); i++) {
            next = next.with(i, state.clients().get(i).sawRestart());
        }
        return next;
    }

    private static QuorumState quarantineIsOver(QuorumState state, Node first) {
        Hold hold = first.hold();
        boolean ends = hold != null && hold.older();
        QuorumState next = state.with(
                0,
                new Node(
                        first.clock() + QUARANTINE,
                        first.last(),
                        ends ? null : hold,
                        first.ended(),
                        first.expired(),
                        false));
        for (int i = 0; i < state.clients().size(); i++) {
            Client client = state.clients().get(i);
            next = client.before() ? next.with(i, client.atItsEnd()) : next;
        }
        return next;
    }

    // ---- what a node does

    private QuorumState runs(QuorumState state, Packet asked) {
        return switch (asked.kind()) {
            case ACQUIRE -> acquire(state, asked);
            case RAISE -> raise(state, asked);
            case RENEW -> renew(state, asked);
            case RELEASE -> release(state, asked);
            default -> throw new IllegalStateException("no request: " + asked);
        };
    }

    private static Packet reply(Kind kind, Packet asked, int token) {
        return new Packet(kind, asked.client(), asked.node(), token, 0, asked.round(), false);
    }

    private static Hold armed(Hold hold, int round) {
        return new Hold(hold.client(), hold.token(), Math.max(hold.round(), round), false);
    }

    /** {@code quorum_acquire.lua}. */
    private QuorumState acquire(QuorumState state, Packet asked) {
        Node node = state.nodes().get(asked.node());
        boolean ended = (node.ended() & 1 << asked.client()) != 0 && rules.contains(QuorumRule.TOMBSTONE);
        Hold hold = node.hold();
        if (node.quarantined() || ended || (hold != null && hold.client() != asked.client())) {
            return answered(state, asked.client(), asked.node());
        }
        if (hold != null) {
            return state.with(asked.node(), node.withHold(armed(hold, asked.round())))
                    .send(reply(Kind.GRANTED, asked, hold.token()));
        }
        int proposed =
                rules.contains(QuorumRule.PROPOSAL_CAP) ? Math.min(asked.token(), node.clock() + AHEAD) : asked.token();
        int token = Math.max(Math.max(node.clock(), 1), proposed);
        token = rules.contains(QuorumRule.LAST_TOKEN) ? Math.max(token, node.last() + 1) : token;
        Hold granted = new Hold(asked.client(), token, asked.round(), false);
        return state.with(
                        asked.node(),
                        new Node(node.clock(), token, granted, node.ended(), node.expired(), node.quarantined()))
                .send(reply(Kind.GRANTED, asked, token));
    }

    /** {@code quorum_raise.lua}. */
    private QuorumState raise(QuorumState state, Packet asked) {
        Node node = state.nodes().get(asked.node());
        Hold hold = node.hold();
        boolean mine = hold != null && hold.client() == asked.client() && hold.token() == asked.token();
        if (!mine && rules.contains(QuorumRule.RAISE_OWNER)) {
            return state.send(reply(Kind.GONE, asked, asked.token()));
        }
        int last = Math.max(node.last(), asked.raised());
        Hold next = hold != null && mine ? armed(hold, asked.round()) : hold;
        return state.with(
                        asked.node(),
                        new Node(node.clock(), last, next, node.ended(), node.expired(), node.quarantined()))
                .send(reply(Kind.HELD, asked, asked.token()));
    }

    /** {@code renew.lua}. */
    private static QuorumState renew(QuorumState state, Packet asked) {
        Node node = state.nodes().get(asked.node());
        Hold hold = node.hold();
        if (hold == null || hold.client() != asked.client() || hold.token() != asked.token()) {
            return state.send(reply(Kind.GONE, asked, asked.token()));
        }
        return state.with(asked.node(), node.withHold(armed(hold, asked.round())))
                .send(reply(Kind.HELD, asked, asked.token()));
    }

    /** {@code quorum_release.lua}. */
    private static QuorumState release(QuorumState state, Packet asked) {
        Node node = state.nodes().get(asked.node());
        Hold left = node.isHeldBy(asked.client()) ? null : node.hold();
        int ended = asked.tombstone() ? node.ended() | 1 << asked.client() : node.ended();
        return state.with(
                asked.node(), new Node(node.clock(), node.last(), left, ended, node.expired(), node.quarantined()));
    }

    // ---- what a client hears

    private QuorumState hears(QuorumState state, Packet reply) {
        return switch (reply.kind()) {
            case GRANTED -> granted(state, reply);
            case HELD -> held(state, reply);
            case GONE -> gone(state, reply);
            default -> throw new IllegalStateException("no reply: " + reply);
        };
    }

    /** The node has refused: it is asked again, perhaps. */
    private static QuorumState answered(QuorumState state, int i, int node) {
        Client client = state.clients().get(i);
        if (client.phase() != Phase.HOLDING) {
            return state; // as if the answer came too late
        }
        Seat seat = client.seats().get(node);
        return state.with(i, client.withSeat(node, new Seat(seat.token(), seat.counts(), seat.agreed(), false)));
    }

    /** {@code Ballot.heard} and {@code decide}. */
    private QuorumState granted(QuorumState state, Packet reply) {
        int i = reply.client();
        Client client = state.clients().get(i);
        boolean asking = client.phase() == Phase.ASKING;
        boolean counts = asking || reply.token() <= client.token() || !rules.contains(QuorumRule.COUNTED);
        Client next = client.withSeat(reply.node(), new Seat(reply.token(), counts, ACQUIRE, false));
        QuorumState heard = state.with(i, next);
        if (!asking) {
            boolean done = next.phase() == Phase.HOLDING && reply.token() == next.token();
            return done ? heard : writesBack(heard, i, reply.node());
        }
        List<Seat> all = next.seats().stream().filter(seat -> seat.token() != 0).toList();
        if (all.size() < majority) {
            return heard;
        }
        int token = all.stream().mapToInt(Seat::token).max().orElseThrow();
        if (all.stream().allMatch(seat -> seat.token() == token) || !rules.contains(QuorumRule.WRITE_BACK)) {
            return won(heard.with(i, next.with(Phase.ASKING, token, ACQUIRE)), i);
        }
        QuorumState raising = heard.with(i, next.writesBack(token));
        for (int node = 0; node < NODES; node++) {
            raising = next.seats().get(node).token() == 0 ? raising : writesBack(raising, i, node);
        }
        return raising;
    }

    private static QuorumState writesBack(QuorumState state, int i, int node) {
        Client client = state.clients().get(i);
        int own = client.seats().get(node).token();
        int round = Math.max(WRITE_BACK, client.rests());
        return state.send(new Packet(Kind.RAISE, i, node, own, client.token(), round, false));
    }

    private QuorumState won(QuorumState state, int i) {
        Client client = state.clients().get(i);
        if (client.over() && rules.contains(QuorumRule.DEADLINE)) {
            return ends(state, i);
        }
        Client holds = client.with(Phase.HOLDING, client.token(), client.rests());
        return state.with(i, holds).shows(client.token(), i);
    }

    private QuorumState held(QuorumState state, Packet reply) {
        int i = reply.client();
        Client client = state.clients().get(i);
        Seat seat = client.seats().get(reply.node());
        Seat agreed = new Seat(seat.token(), seat.counts(), Math.max(seat.agreed(), reply.round()), seat.underWay());
        Client next = client.withSeat(reply.node(), agreed);
        QuorumState heard = state.with(i, next);
        if (next.phase() == Phase.RAISING) {
            long many = next.seats().stream()
                    .filter(each -> each.counts() && each.agreed() >= WRITE_BACK)
                    .count();
            return many >= majority ? won(heard, i) : heard;
        }
        int needed = rules.contains(QuorumRule.RENEWED_BY_MAJORITY) ? majority : 1;
        long many =
                next.seats().stream().filter(each -> each.agreed() == RENEWAL).count();
        boolean renewed = next.phase() == Phase.HOLDING && !next.over() && next.rests() < RENEWAL && many >= needed;
        return renewed ? heard.with(i, next.renewed()) : heard;
    }

    private QuorumState gone(QuorumState state, Packet reply) {
        int i = reply.client();
        Client client = state.clients().get(i);
        Seat seat = client.seats().get(reply.node());
        if (seat.token() != reply.token()) {
            return state;
        }
        Client next = client.withSeat(reply.node(), new Seat(0, false, 0, seat.underWay()));
        long members = next.seats().stream().filter(each -> each.token() != 0).count();
        QuorumState heard = state.with(i, next);
        return next.phase() == Phase.HOLDING && members < majority ? ends(heard, i) : heard;
    }

    // ---- what must never be

    @Override
    public @Nullable String violation(QuorumState state) {
        long valid = state.clients().stream().filter(Client::isValid).count();
        if (valid > 1) {
            return "two leases are valid";
        }
        if (state.broken() != null) {
            return state.broken();
        }
        for (int at = 0; at < NODES && !state.restarted(); at++) {
            Hold hold = state.nodes().get(at).hold();
            if (hold != null
                    && state.clients().get(hold.client()).phase() == Phase.DONE
                    && !isUnderWay(state, hold.client(), at)) {
                return "orphan: client " + hold.client() + " is done, nothing of it is under way, and node " + at
                        + " has its hold";
            }
        }
        return null;
    }

    private static boolean isUnderWay(QuorumState state, int client, int node) {
        for (Packet packet : state.net()) {
            if (packet.client() == client
                    && packet.node() == node
                    && packet.kind().isRequest()) {
                return true;
            }
        }
        return false;
    }
}
