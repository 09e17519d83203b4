package io.holdfast.model.exclusive;

import io.holdfast.model.Fingerprint;
import io.holdfast.model.queue.Words;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A server, the clients of one lock, each with one request at a time, and what is under way between them. */
public final class World {
    enum Phase {
        IDLE(0),
        WAITING(1),
        HOLDING(2),
        ENDING(3),
        DONE(4),
        DEAD(5);

        private final int number;

        Phase(int number) {
            this.number = number;
        }
    }

    /** No reply yet that tells the server's time. */
    static final int NO_PAIR = 99;

    /** What one client knows of its request. */
    static final class Party {
        Phase phase = Phase.IDLE;
        /** Of a lease, ticks by the client's own clock. */
        int left;

        int token;
        boolean confirmed;
        /** How much later the server's clock was than when the request had left whose reply told it. */
        int pair = NO_PAIR;
        /** Copies of its acquire that were not answered; whether any was; whether it was handed the lock. */
        int doubt;

        boolean answered;
        boolean handed;
        boolean heardProbe;
        boolean beforeStep;

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
            return copy;
        }

        boolean unanswered() {
            return doubt > (handed && !answered ? 1 : 0);
        }

        void addTo(Fingerprint print) {
            print.add(phase.number).add(left).add(token).add(pair).add(doubt);
            print.add((confirmed ? 1 : 0)
                    + (answered ? 2 : 0)
                    + (handed ? 4 : 0)
                    + (heardProbe ? 8 : 0)
                    + (beforeStep ? 16 : 0));
        }

        /** What is over is forgotten. */
        void enter(Phase next) {
            phase = next;
            if (next != Phase.HOLDING) {
                left = 0;
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

    LockState server;
    final Party[] parties;
    final List<Packet> net;
    /** The greatest token that a lease has had. */
    int shown;

    boolean stepped;
    /** What a step has broken. */
    @Nullable
    String broken;

    World(LockState server, int parties) {
        this.server = server;
        this.parties = new Party[parties];
        this.net = new ArrayList<>();
        for (int i = 0; i < parties; i++) {
            this.parties[i] = new Party();
        }
    }

    private World(World other) {
        server = other.server; // no script changes it: each makes its own copy
        parties = other.parties.clone();
        for (int i = 0; i < parties.length; i++) {
            parties[i] = parties[i].copy();
        }
        net = new ArrayList<>(other.net);
        shown = other.shown;
        stepped = other.stepped;
        broken = other.broken;
    }

    World copy() {
        return new World(this);
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
    void shortenTokens() {
        TreeSet<Integer> used = new TreeSet<>();
        used.add(server.token);
        used.add(server.last);
        used.add(shown);
        for (Party party : parties) {
            used.add(party.token);
        }
        for (Packet packet : net) {
            used.add(packet.token());
            used.add(tokenOf(packet.call()));
        }
        used.remove(0);
        if (used.isEmpty() || used.last() == used.size()) {
            return;
        }
        int[] ranks = new int[used.last() + 1];
        int rank = 0;
        for (int token : used) {
            ranks[token] = ++rank;
        }
        server = server.copy();
        server.token = ranks[server.token];
        server.last = ranks[server.last];
        shown = ranks[shown];
        for (Party party : parties) {
            party.token = ranks[party.token];
        }
        net.replaceAll(packet -> new Packet(
                packet.kind(),
                packet.party(),
                renamed(packet.call(), ranks),
                ranks[packet.token()],
                packet.age(),
                packet.delay(),
                packet.beforeStep()));
    }

    private static int tokenOf(@Nullable Call call) {
        return call instanceof Call.Confirm confirm
                ? confirm.token()
                : call instanceof Call.Renew renew ? renew.token() : 0;
    }

    private static @Nullable Call renamed(@Nullable Call call, int[] ranks) {
        if (call instanceof Call.Confirm asked) {
            return new Call.Confirm(asked.client(), asked.owner(), ranks[asked.token()]);
        } else if (call instanceof Call.Renew asked) {
            return new Call.Renew(asked.client(), asked.owner(), ranks[asked.token()]);
        }
        return call;
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
            renamed[order[i]] = i;
        }
        long packets = net.size();
        for (Packet packet : net) {
            packets += packet.bits(renamed[packet.party()]);
        }
        return print.add(packets).add(shown).add(stepped).add(broken != null).get();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(server.toString());
        for (int i = 0; i < parties.length; i++) {
            Party party = parties[i];
            text.append("; ").append(Words.owner(i)).append(" is ").append(party.phase);
            if (party.phase == Phase.HOLDING) {
                text.append(" with token ").append(party.token).append(" for ").append(party.left);
            }
        }
        return text.append("; under way: ").append(net).toString();
    }
}
