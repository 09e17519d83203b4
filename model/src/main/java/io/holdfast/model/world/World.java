package io.holdfast.model.world;

import io.holdfast.model.Fingerprint;
import io.holdfast.model.queue.QueueState;
import io.holdfast.model.queue.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A server, the clients of one lock, each with one request at a time, and what is under way between them.
 *
 * @param <S> what the server knows
 */
public final class World<S extends QueueState<S>> {
    enum Phase {
        IDLE,
        WAITING,
        HOLDING,
        /** It has been asked to read on. */
        DOWNGRADING,
        ENDING,
        DONE,
        DEAD
    }

    /** No reply yet that tells the server's time. */
    static final int NO_PAIR = 99;

    /** What one client knows of its request. */
    static final class Party {
        Phase phase = Phase.IDLE;
        /** Of a lease, ticks by the client's own clock. */
        int left;

        long token;
        boolean confirmed;
        /** How much later the server's clock was than when the request had left whose reply told it. */
        int pair = NO_PAIR;
        /** Copies of its acquire that were not answered; whether any was; whether it was handed the lock. */
        int doubt;

        boolean answered;
        boolean handed;
        boolean heardProbe;
        boolean beforeStep;
        /** Whether a writer only reads by now. */
        boolean reads;

        Party copy() {
            Party copy = new Party();
            copy.phase = phase;
            copy.left = left;
            copy.token = token;
            copy.confirmed = confirmed;
            copy.pair = pair;
            copy.doubt = doubt;
            copy.answered = answered;
            copy.handed = handed;
            copy.heardProbe = heardProbe;
            copy.beforeStep = beforeStep;
            copy.reads = reads;
            return copy;
        }

        boolean unanswered() {
            return doubt > (handed && !answered ? 1 : 0);
        }

        void addTo(Fingerprint print) {
            print.add(phase.name().hashCode()).add(left).add(token).add(pair).add(doubt);
            print.add((confirmed ? 1 : 0)
                    + (answered ? 2 : 0)
                    + (handed ? 4 : 0)
                    + (heardProbe ? 8 : 0)
                    + (beforeStep ? 16 : 0)
                    + (reads ? 32 : 0));
        }

        /** What is over is forgotten. */
        void enter(Phase next) {
            phase = next;
            if (next != Phase.HOLDING && next != Phase.DOWNGRADING) {
                left = 0;
                reads = false;
                token = 0;
                confirmed = false;
                beforeStep = false;
            }
            if (next == Phase.DONE || next == Phase.DEAD || next == Phase.IDLE) {
                pair = NO_PAIR;
                doubt = 0;
                answered = false;
                handed = false;
                heardProbe = false;
            }
        }
    }

    S server;
    final Party[] parties;
    final List<Packet> net;
    /** The greatest tokens that leases have had: of those that exclude all others, and of those that share. */
    long shownAlone;

    long shownShared;
    /** By party: whether it was handed the lock by message, and the server has not heard of it since. */
    final boolean[] handedUnheard;

    boolean stepped;
    /** What a step has broken. */
    @Nullable
    String broken;

    World(S server, int parties) {
        this.server = server;
        this.parties = new Party[parties];
        this.net = new ArrayList<>();
        this.handedUnheard = new boolean[parties];
        for (int i = 0; i < parties; i++) {
            this.parties[i] = new Party();
        }
    }

    private World(World<S> other) {
        server = other.server; // no script changes it: each makes its own copy
        parties = other.parties.clone();
        for (int i = 0; i < parties.length; i++) {
            parties[i] = parties[i].copy();
        }
        net = new ArrayList<>(other.net);
        shownAlone = other.shownAlone;
        shownShared = other.shownShared;
        handedUnheard = other.handedUnheard.clone();
        stepped = other.stepped;
        broken = other.broken;
    }

    World<S> copy() {
        return new World<>(this);
    }

    boolean isUnderWay(int party, java.util.function.Predicate<Packet> which) {
        for (Packet packet : net) {
            if (packet.party() == party && which.test(packet)) {
                return true;
            }
        }
        return false;
    }

    int count(int party, java.util.function.Predicate<Packet> which) {
        int count = 0;
        for (Packet packet : net) {
            count += packet.party() == party && which.test(packet) ? 1 : 0;
        }
        return count;
    }

    /** Tokens as small as they can be: what matters is how they compare. */
    void shortenTokens(Kind<S> kind) {
        TreeSet<Long> used = new TreeSet<>();
        kind.tokens(server, used::add);
        used.add(shownAlone);
        used.add(shownShared);
        for (Party party : parties) {
            used.add(party.token);
        }
        for (Packet packet : net) {
            used.add(packet.token());
        }
        used.remove(0L);
        if (used.isEmpty() || used.last() == used.size()) {
            return;
        }
        long[] ranks = new long[(int) (used.last() + 1)];
        int rank = 0;
        for (long token : used) {
            ranks[(int) token] = ++rank;
        }
        server = kind.withTokens(server, token -> ranks[(int) token]);
        shownAlone = ranks[(int) shownAlone];
        shownShared = ranks[(int) shownShared];
        for (Party party : parties) {
            party.token = ranks[(int) party.token];
        }
        net.replaceAll(packet -> packet.withToken(ranks[(int) packet.token()]));
    }

    /**
     * Bits of a state, whose parties have other names.
     *
     * @param order parties, in the order in which they are told
     */
    long fingerprint(int[] order) {
        Fingerprint print = new Fingerprint();
        int[] clients = java.util.Arrays.copyOf(order, order.length + 1);
        clients[order.length] = order.length; // the operator
        server.addTo(print, order, clients);
        int[] renamed = new int[order.length];
        for (int i = 0; i < order.length; i++) {
            parties[order[i]].addTo(print);
            print.add(handedUnheard[order[i]]);
            renamed[order[i]] = i;
        }
        long packets = net.size();
        for (Packet packet : net) {
            packets += packet.bits(renamed[packet.party()]);
        }
        return print.add(packets)
                .add(shownAlone)
                .add(shownShared)
                .add(stepped)
                .add(broken != null)
                .get();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(server.toString());
        for (int i = 0; i < parties.length; i++) {
            Party party = parties[i];
            text.append("; ").append(Words.owner(i)).append(" is ").append(party.phase);
            if (party.left > 0) {
                text.append(party.reads ? ", to read," : "")
                        .append(" with token ")
                        .append(party.token)
                        .append(" for ")
                        .append(party.left);
            }
        }
        return text.append("; under way: ").append(net).toString();
    }
}
