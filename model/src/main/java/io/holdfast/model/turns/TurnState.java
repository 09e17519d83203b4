package io.holdfast.model.turns;

import io.holdfast.model.Fingerprint;
import io.holdfast.model.Values;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server, lines, and what is under way. A step copies it and changes the copy, which nobody changes once it was handed on; times are
 * in ticks, and relative.
 */
final class TurnState {
    /** No such time, or no such number. */
    static final int NONE = -1;

    /**
     * @param kept whether its client is told of others
     * @param recalled whether others have come since
     */
    record Hold(int line, int owner, int left, int token, boolean kept, boolean recalled) {
        Hold lasts(int atLeast) {
            return new Hold(line, owner, Math.max(left, atLeast), token, kept, recalled);
        }
    }

    /** A request of a line, by its owner. */
    record Asked(int line, int owner) implements Fingerprint.Part {
        @Override
        public void addTo(Fingerprint print) {
            print.add(line * 64L + owner);
        }
    }

    enum Kind {
        ACQUIRE,
        REFRESH,
        RENEW,
        RELEASE,
        /** Replies. */
        GRANTED,
        UNKNOWN,
        ANSWER,
        GONE,
        /** Messages. */
        HANDED,
        RECALL,
        REVOKED;

        boolean isRequest() {
            return compareTo(RELEASE) <= 0;
        }

        boolean isMessage() {
            return compareTo(HANDED) >= 0;
        }
    }

    /**
     * @param others of a grant or an answer, whether others wait
     * @param age since the request left, or the grant was made
     * @param due of a reply, in how many ticks it has to arrive; NONE if it need not
     * @param token of the grant; of a release, the last that was used
     */
    record Packet(Kind kind, int line, int owner, boolean others, int age, int due, int token)
            implements Fingerprint.Part {
        Packet older(int most) {
            int left = due > 0 ? due - 1 : due;
            return new Packet(kind, line, owner, others, Math.min(most, age + 1), left, token);
        }

        @Override
        public void addTo(Fingerprint print) {
            print.add(kind)
                    .add(line * 64L + owner)
                    .add((age * 64L + due) * 2 + (others ? 1 : 0))
                    .add(token);
        }

        @Override
        public String toString() {
            return kind + " of line " + line + (others ? ", others wait" : "") + (token > 0 ? ", token " + token : "");
        }
    }

    enum Phase {
        FREE,
        ASKING,
        TURN,
        DEAD
    }

    /** One line: what {@code LocalLine} and its {@code Turn} know, and what is asked about it. */
    static final class Line {
        Phase phase = Phase.FREE;
        /** How many stand in line. */
        int waiting;

        int arrivals;
        int owner;
        /** Until the next refresh. */
        int refresh;

        boolean recalled;

        /** Of a turn: until the hold's deadline. */
        int left;
        /** Since the question left that was answered last. */
        int known;

        boolean asking;
        /** Whether it has ever asked: only then an answer that nobody waits counts. */
        boolean questioned;

        boolean renewing;
        /** How many are served yet; NONE while it is open. */
        int closed = NONE;
        /** For how long it is closed. */
        int closedFor;
        /** For how long the present section lasts; NONE if there is none. */
        int section = NONE;

        boolean extended;
        int first;
        int used;

        /** How many may be served who stood in line when the line first learned of others; NONE if it has not. */
        int entitled = NONE;

        int entitledFor;
        /** Since its hold was taken away; NONE if it was not. */
        int deposed = NONE;
        /** Since the server has queued its request, and the sections of others that began in that time. */
        int waits = NONE;

        int overtaken;

        Line copy() {
            Line copy = new Line();
            copy.phase = phase;
            copy.waiting = waiting;
            copy.arrivals = arrivals;
            copy.owner = owner;
            copy.refresh = refresh;
            copy.recalled = recalled;
            copy.copyTurn(this);
            copy.waits = waits;
            copy.overtaken = overtaken;
            return copy;
        }

        private void copyTurn(Line of) {
            left = of.left;
            known = of.known;
            asking = of.asking;
            questioned = of.questioned;
            renewing = of.renewing;
            closed = of.closed;
            closedFor = of.closedFor;
            section = of.section;
            extended = of.extended;
            first = of.first;
            used = of.used;
            entitled = of.entitled;
            entitledFor = of.entitledFor;
            deposed = of.deposed;
        }

        /** Of a turn that is over nothing is known. */
        void enter(Phase next) {
            phase = next;
            copyTurn(new Line());
            refresh = 0;
            recalled = false;
            waits = NONE;
            overtaken = 0;
        }

        boolean has(Phase which, int ofOwner) {
            return phase == which && owner == ofOwner;
        }

        boolean isValid() {
            return phase == Phase.TURN && section != NONE && left > 0 && deposed == NONE;
        }

        void addTo(Fingerprint print) {
            print.add(phase).add(waiting).add(arrivals).add(owner).add(refresh);
            print.add((recalled ? 1 : 0)
                    + (asking ? 2 : 0)
                    + (renewing ? 4 : 0)
                    + (extended ? 8 : 0)
                    + (questioned ? 16 : 0));
            print.add(left)
                    .add(known)
                    .add(closed * 64L + closedFor)
                    .add(section)
                    .add(first * 64L + used);
            print.add(entitled * 64L + entitledFor).add(deposed).add(waits * 64L + overtaken);
        }

        @Override
        public String toString() {
            String turn = phase != Phase.TURN
                    ? ""
                    : " for " + left + ", " + (closed == NONE ? "open" : "closed with " + closed) + ", known " + known
                            + (section == NONE ? "" : ", section " + section);
            return phase + " with " + waiting + " in line" + turn + (waits == NONE ? "" : ", queued for " + waits);
        }
    }

    @Nullable
    Hold hold;

    List<Asked> queue = List.of();
    int last;
    List<Asked> ended = List.of();
    List<Packet> net = List.of();
    final Line[] lines;
    /** Ticks that may pass yet; NONE if any number. */
    int ticks;

    int kills;
    int revocations;
    /** Tokens of the latest grants, and the greatest that a lease has used. */
    List<Integer> grants = List.of();

    int used;

    @Nullable
    String broken;

    TurnState(int lines) {
        this.lines = new Line[lines];
    }

    TurnState copy() {
        TurnState copy = new TurnState(lines.length);
        copy.hold = hold;
        copy.queue = queue;
        copy.last = last;
        copy.ended = ended;
        copy.net = net;
        copy.ticks = ticks;
        copy.kills = kills;
        copy.revocations = revocations;
        copy.grants = grants;
        copy.used = used;
        copy.broken = broken;
        for (int i = 0; i < lines.length; i++) {
            copy.lines[i] = lines[i].copy();
        }
        return copy;
    }

    boolean isHeldBy(int line, int owner) {
        return hold != null && hold.left > 0 && hold.line == line && hold.owner == owner;
    }

    boolean isUnderWay(Kind kind, int line, int owner) {
        return net.stream().anyMatch(packet -> packet.kind == kind && packet.line == line && packet.owner == owner);
    }

    void send(Packet packet) {
        net = Values.plusOnce(net, packet);
    }

    void breaks(String what) {
        broken = broken == null ? what : broken;
    }

    long fingerprint() {
        Fingerprint print = new Fingerprint()
                .add(queue)
                .addUnordered(ended)
                .addUnordered(net)
                .add(last);
        if (hold != null) {
            print.add(hold.line * 64L + hold.owner).add(hold.left).add(hold.token);
            print.add((hold.kept ? 1 : 0) + (hold.recalled ? 2 : 0));
        }
        for (Line line : lines) {
            line.addTo(print);
        }
        for (int token : grants) {
            print.add(token);
        }
        return print.add(ticks)
                .add(kills * 8L + revocations)
                .add(used)
                .add(broken != null)
                .get();
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("hold " + hold + ", queue " + queue);
        for (int i = 0; i < lines.length; i++) {
            text.append("; line ").append(i).append(" is ").append(lines[i]);
        }
        return text.append("; under way: ").append(net).toString();
    }
}
