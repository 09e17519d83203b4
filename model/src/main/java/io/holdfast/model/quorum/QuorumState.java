package io.holdfast.model.quorum;

import io.holdfast.model.Fingerprint;
import io.holdfast.model.Values;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nodes, clients with one round each, and what is under way between them.
 *
 * @param shown the greatest token that a lease has had
 * @param saved what the first node has on its disk; null if nothing
 * @param restarted whether the first node was restarted
 * @param broken what a step has broken
 */
record QuorumState(
        List<Node> nodes,
        List<Client> clients,
        List<Packet> net,
        int shown,
        @Nullable Node saved,
        boolean restarted,
        @Nullable String broken) {
    /**
     * The keys of one lock on one node.
     *
     * @param last the last token
     * @param ended clients that have a tombstone here, as bits
     * @param expired clients whose hold here has expired, as bits: older data does not bring it back, since its expiry is in it
     */
    record Node(int clock, int last, @Nullable Hold hold, int ended, int expired, boolean quarantined)
            implements Fingerprint.Part {
        Node withHold(@Nullable Hold next) {
            return new Node(clock, last, next, ended, expired, quarantined);
        }

        boolean isHeldBy(int client) {
            return hold != null && hold.client == client;
        }

        @Override
        public void addTo(Fingerprint print) {
            print.add(clock).add(last).add(ended).add(expired).add(quarantined);
            print.add(
                    hold == null ? -1 : ((hold.client * 64L + hold.token) * 8 + hold.round) * 2 + (hold.older ? 1 : 0));
        }
    }

    /**
     * @param round the latest round of its client that moved its expiry
     * @param older whether that was before the node's restart
     */
    record Hold(int client, int token, int round, boolean older) {}

    enum Phase {
        IDLE,
        ASKING,
        RAISING,
        HOLDING,
        DONE
    }

    /** Rounds, by their number. */
    static final int ACQUIRE = 1;

    static final int WRITE_BACK = 2;
    static final int RENEWAL = 3;

    /**
     * What a client knows of one node.
     *
     * @param token of the node's grant, 0 for none
     * @param counts whether it may be one of the majority on which the token rests
     * @param agreed the latest round to which it has agreed
     * @param underWay whether an acquire is not answered
     */
    record Seat(int token, boolean counts, int agreed, boolean underWay) implements Fingerprint.Part {
        static final Seat NONE = new Seat(0, false, 0, false);

        @Override
        public void addTo(Fingerprint print) {
            print.add(((token * 2L + (counts ? 1 : 0)) * 8 + agreed) * 2 + (underWay ? 1 : 0));
        }
    }

    /**
     * @param token of its lease, or the one that is written back
     * @param rests the round from whose sending its deadline counts
     * @param renewing whether it has sent its renewal
     * @param over whether its deadline is over
     * @param before whether that round left before the first node's restart
     * @param renewedBefore the same of the renewal
     */
    record Client(
            Phase phase,
            List<Seat> seats,
            int token,
            int rests,
            boolean renewing,
            boolean over,
            boolean before,
            boolean renewedBefore)
            implements Fingerprint.Part {
        static Client of(Phase phase, int nodes) {
            return new Client(phase, java.util.Collections.nCopies(nodes, Seat.NONE), 0, 0, false, false, false, false);
        }

        boolean isValid() {
            return phase == Phase.HOLDING && !over;
        }

        Client withSeat(int node, Seat seat) {
            return new Client(
                    phase, Values.with(seats, node, seat), token, rests, renewing, over, before, renewedBefore);
        }

        Client with(Phase next, int leaseToken, int counted) {
            return new Client(next, seats, leaseToken, counted, renewing, over, before, renewedBefore);
        }

        Client writesBack(int leaseToken) {
            return new Client(Phase.RAISING, seats, leaseToken, WRITE_BACK, false, false, false, false);
        }

        Client renews() {
            return new Client(phase, seats, token, rests, true, over, before, false);
        }

        Client renewed() {
            return new Client(phase, seats, token, RENEWAL, renewing, over, renewedBefore, renewedBefore);
        }

        Client atItsEnd() {
            return new Client(phase, seats, token, rests, renewing, true, before, renewedBefore);
        }

        Client sawRestart() {
            boolean sent = phase != Phase.IDLE && phase != Phase.DONE;
            return new Client(phase, seats, token, rests, renewing, over, before || sent, renewedBefore || renewing);
        }

        @Override
        public void addTo(Fingerprint print) {
            print.add(phase).add(seats).add(token).add(rests);
            print.add((renewing ? 1 : 0) + (over ? 2 : 0) + (before ? 4 : 0) + (renewedBefore ? 8 : 0));
        }
    }

    enum Kind {
        ACQUIRE,
        RAISE,
        RENEW,
        RELEASE,
        GRANTED,
        HELD,
        GONE;

        boolean isRequest() {
            return compareTo(RELEASE) <= 0;
        }
    }

    /**
     * A request to a node, or its reply.
     *
     * @param token which is proposed, of the node's grant, or granted
     * @param raised the token that is written back
     * @param round which moves the hold's expiry
     * @param tombstone of RELEASE, whether the owner gets one
     */
    record Packet(Kind kind, int client, int node, int token, int raised, int round, boolean tombstone)
            implements Fingerprint.Part {
        @Override
        public void addTo(Fingerprint print) {
            print.add(kind).add(client * 8L + node).add(token * 64L + raised);
            print.add(round * 2L + (tombstone ? 1 : 0));
        }

        @Override
        public String toString() {
            String way =
                    kind.isRequest() ? " of client " + client + " to node " : " to client " + client + " from node ";
            return kind + way + node + (token > 0 ? ", token " + token : "") + (raised > 0 ? ", writes " + raised : "");
        }
    }

    QuorumState with(int node, Node next) {
        return new QuorumState(Values.with(nodes, node, next), clients, net, shown, saved, restarted, broken);
    }

    QuorumState with(int client, Client next) {
        return new QuorumState(nodes, Values.with(clients, client, next), net, shown, saved, restarted, broken);
    }

    QuorumState with(List<Packet> next) {
        return new QuorumState(nodes, clients, next, shown, saved, restarted, broken);
    }

    /** Nobody hears a reply to a client that is done. */
    QuorumState send(Packet packet) {
        boolean heard =
                packet.kind().isRequest() || clients.get(packet.client()).phase() != Phase.DONE;
        return heard ? with(Values.plusOnce(net, packet)) : this;
    }

    /** The client is done, and what it knew is forgotten. */
    QuorumState done(int client) {
        List<Packet> left = net.stream()
                .filter(packet -> packet.client() != client || packet.kind().isRequest())
                .toList();
        return with(client, Client.of(Phase.DONE, nodes.size())).with(left);
    }

    QuorumState withSaved(@Nullable Node next) {
        return new QuorumState(nodes, clients, net, shown, next, restarted, broken);
    }

    QuorumState isRestarted() {
        return new QuorumState(nodes, clients, net, shown, null, true, broken);
    }

    /** A lease is handed out. */
    QuorumState shows(int token, int client) {
        String wrong = token > shown
                ? broken
                : "tokens fall: the lease of client " + client + " has " + token + ", and one before had " + shown;
        return new QuorumState(nodes, clients, net, Math.max(shown, token), saved, restarted, wrong);
    }

    long fingerprint() {
        Fingerprint print = new Fingerprint().add(nodes).add(clients).addUnordered(net);
        if (saved != null) {
            saved.addTo(print);
        }
        return print.add(shown).add(restarted).add(broken != null).get();
    }
}
