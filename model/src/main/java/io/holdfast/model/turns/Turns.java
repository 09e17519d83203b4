package io.holdfast.model.turns;

import static io.holdfast.model.turns.TurnState.NONE;

import io.holdfast.model.Model;
import io.holdfast.model.Values;
import io.holdfast.model.turns.TurnBounds.Mishap;
import io.holdfast.model.turns.TurnState.Asked;
import io.holdfast.model.turns.TurnState.Hold;
import io.holdfast.model.turns.TurnState.Kind;
import io.holdfast.model.turns.TurnState.Line;
import io.holdfast.model.turns.TurnState.Packet;
import io.holdfast.model.turns.TurnState.Phase;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns: each client has a line of requests for one lock, and one request at the server for all of them; a hold serves the line while it may.
 *
 * <p><b>What it mirrors.</b> A line is {@code LocalLine} with its {@code Tenure}; whom it may serve, when it asks, and what silence means are
 * {@code Turn}'s; a refresh is the waiting room's, a renewal {@code QueueGrant}'s. {@link TurnServer} has the scripts.
 *
 * <p><b>Two kinds of worlds.</b> In timed ones the server answers at once, a reply takes so many ticks at most, messages come late or
 * never, requests come without end, and any number of ticks passes: there waiting is counted. In the others everything takes any time, and so
 * many ticks pass: there tokens are counted.
 */
public final class Turns implements Model<TurnState> {
    private final TurnBounds bounds;
    private final Set<TurnRule> rules;
    private final TurnServer server;

    Turns(TurnBounds bounds, Set<TurnRule> rules) {
        this.bounds = bounds;
        this.rules = rules;
        this.server = new TurnServer(bounds, rules);
    }

    private boolean has(TurnRule rule) {
        return rules.contains(rule);
    }

    @Override
    public TurnState initial() {
        TurnState state = new TurnState(bounds.lines());
        state.ticks = bounds.ticks();
        state.kills = bounds.has(Mishap.KILL) ? 1 : 0;
        state.revocations = bounds.has(Mishap.REVOKE) ? 1 : 0;
        for (int i = 0; i < bounds.lines(); i++) {
            state.lines[i] = new Line();
            state.lines[i].arrivals =
                    bounds.arrivals().isEmpty() ? NONE : bounds.arrivals().get(i);
        }
        return state;
    }

    @Override
    public long fingerprint(TurnState state) {
        return state.fingerprint();
    }

    // ---- what can happen

    private static void step(
            TurnState from, BiConsumer<Action, TurnState> to, Supplier<String> words, Consumer<TurnState> change) {
        TurnState next = from.copy();
        change.accept(next);
        to.accept(Action.of(words), next);
    }

    @Override
    public void next(TurnState state, BiConsumer<Action, TurnState> to) {
        if (state.broken != null) {
            return;
        }
        if (mayTick(state)) {
            step(state, to, () -> "A tick passes.", this::tick);
        }
        for (int i = 0; i < state.lines.length; i++) {
            acts(state, i, to);
        }
        Hold hold = state.hold;
        if (hold != null && hold.left() > 0 && state.revocations > 0) {
            step(state, to, () -> "An operator takes the hold of line " + hold.line() + " away.", next -> {
                next.revocations--;
                server.revoke(next);
            });
        }
        for (int i = 0; i < state.net.size(); i++) {
            int at = i;
            Packet packet = state.net.get(i);
            boolean request = packet.kind().isRequest();
            step(state, to, () -> (request ? "The server runs " : "Arrives ") + packet + ".", next -> {
                next.net = Values.minus(next.net, at);
                if (request) {
                    server.run(next, packet);
                } else {
                    hears(next, packet);
                }
            });
        }
    }

    /** In timed worlds nothing that is due is late. */
    private boolean mayTick(TurnState state) {
        if (!bounds.isTimed()) {
            return state.ticks > 0;
        }
        for (Packet packet : state.net) {
            if (packet.due() == 0) {
                return false;
            }
        }
        for (Line line : state.lines) {
            boolean late = line.phase == Phase.ASKING && line.refresh == 0;
            late |= line.phase == Phase.TURN
                    && (line.left == 0 || line.section >= bounds.section() || isRenewalDue(line));
            if (late) {
                return false;
            }
        }
        return true;
    }

    private boolean isRenewalDue(Line line) {
        return !line.renewing && line.left <= bounds.renewAt();
    }

    private void tick(TurnState next) {
        int oldest = bounds.oldest();
        next.ticks = next.ticks == NONE ? NONE : next.ticks - 1;
        Hold hold = next.hold;
        if (hold != null) {
            int left = Math.max(0, hold.left() - 1);
            next.hold = new Hold(hold.line(), hold.owner(), left, hold.token(), hold.kept(), hold.recalled());
        }
        next.net =
                next.net.stream().map(packet -> packet.older(oldest)).distinct().toList();
        for (Line line : next.lines) {
            line.refresh = Math.max(0, line.refresh - 1);
            line.waits += line.waits == NONE ? 0 : 1;
            if (line.phase == Phase.TURN) {
                line.left = Math.max(0, line.left - 1);
                line.known = Math.min(oldest, line.known + 1);
                line.section += line.section == NONE ? 0 : 1;
                line.closedFor += line.closed == NONE || line.closedFor > bounds.closedTime() ? 0 : 1;
                line.entitledFor += line.entitled == NONE || line.entitledFor > bounds.closedTime() ? 0 : 1;
                line.deposed += line.deposed == NONE ? 0 : 1;
            }
        }
    }

    private void acts(TurnState state, int i, BiConsumer<Action, TurnState> to) {
        Line line = state.lines[i];
        if (line.phase == Phase.DEAD) {
            return;
        }
        if (line.waiting < bounds.longest() && line.arrivals != 0) {
            step(state, to, () -> "A request joins line " + i + ".", next -> joins(next, i));
        }
        if (bounds.has(Mishap.LEAVES)) {
            for (int place = 0; place < line.waiting; place++) {
                int from = place;
                step(state, to, () -> "Request " + from + " leaves line " + i + ".", next -> leaves(next, i, from));
            }
        }
        if (line.phase == Phase.ASKING) {
            boolean refreshes = bounds.isTimed()
                    ? line.refresh == 0
                    : bounds.has(Mishap.REFRESHES) && !state.isUnderWay(Kind.REFRESH, i, line.owner);
            if (refreshes) {
                step(state, to, () -> "Line " + i + " refreshes.", next -> {
                    next.lines[i].refresh = bounds.refresh();
                    send(next, Kind.REFRESH, i, 0);
                });
            }
        }
        if (line.phase == Phase.TURN) {
            turns(state, i, to);
        }
        if (state.kills > 0 && line.phase != Phase.FREE) {
            step(state, to, () -> "The client of line " + i + " dies.", next -> {
                next.kills--;
                next.lines[i].enter(Phase.DEAD);
                next.lines[i].waiting = 0;
                next.net = next.net.stream()
                        .filter(packet -> packet.line() != i || packet.kind().isRequest())
                        .toList();
            });
        }
    }

    private void turns(TurnState state, int i, BiConsumer<Action, TurnState> to) {
        Line line = state.lines[i];
        if (line.section != NONE && (!bounds.isTimed() || line.section > 0)) {
            step(state, to, () -> "A section of line " + i + " ends.", next -> ends(next, i));
        }
        if (line.left == 0) {
            step(state, to, () -> "Line " + i + " sees that its hold is lost.", next -> goesBack(next, i));
        } else if (isRenewalDue(line)) {
            step(state, to, () -> "Line " + i + " renews.", next -> renews(next, i));
        }
        Hold hold = state.hold;
        boolean extends_ = bounds.has(Mishap.EXTENDS) && line.section != NONE && !line.extended && line.left > 0;
        if (extends_ && hold != null && state.isHeldBy(i, line.owner)) {
            step(state, to, () -> "Line " + i + " extends its lease.", next -> {
                next.hold = hold.lasts(TurnBounds.EXTENSION);
                next.lines[i].left = TurnBounds.EXTENSION;
                next.lines[i].extended = true;
            });
        }
    }

    private void send(TurnState state, Kind kind, int i, int token) {
        Packet packet = new Packet(kind, i, state.lines[i].owner, false, 0, NONE, token);
        if (bounds.isTimed()) {
            server.run(state, packet);
        } else {
            state.send(packet);
        }
    }

    // ---- the line: LocalLine

    private void joins(TurnState state, int i) {
        Line line = state.lines[i];
        line.arrivals -= line.arrivals == NONE ? 0 : 1;
        if (has(TurnRule.LOOK_FIRST)) {
            looks(line);
        }
        line.waiting++;
        asksIfDue(state, i);
        asksIfWanted(state, i);
    }

    private void leaves(TurnState state, int i, int place) {
        Line line = state.lines[i];
        if (has(TurnRule.LOOK_FIRST)) {
            looks(line);
        }
        line.waiting--;
        line.closed -= place < line.closed && has(TurnRule.PLACE) ? 1 : 0;
        line.entitled -= place < line.entitled ? 1 : 0;
        if (line.waiting == 0 && line.phase == Phase.ASKING) {
            if (has(TurnRule.WITHDRAW)) {
                send(state, Kind.RELEASE, i, 0);
            }
            isFree(state, i);
        }
    }

    private void isFree(TurnState state, int i) {
        state.lines[i].enter(Phase.FREE);
        if (bounds.isTimed()) { // what comes is of a former owner, and is dropped
            state.net = state.net.stream().filter(packet -> packet.line() != i).toList();
        }
    }

    private void asksIfWanted(TurnState state, int i) {
        Line line = state.lines[i];
        if (line.phase == Phase.FREE && line.waiting > 0 && has(TurnRule.ASK_ANEW)) {
            asksAnew(state, i);
        }
    }

    private void asksAnew(TurnState state, int i) {
        Line line = state.lines[i];
        line.enter(Phase.ASKING);
        line.refresh = bounds.isTimed() ? bounds.refresh() : 0;
        line.owner = bounds.isTimed() ? (line.owner + 1) % 2 : line.owner + 1;
        send(state, Kind.ACQUIRE, i, 0);
    }

    private void goesBack(TurnState state, int i) {
        Line line = state.lines[i];
        send(state, Kind.RELEASE, i, Math.max(line.first, line.used));
        isFree(state, i);
        asksIfWanted(state, i);
    }

    private void begins(TurnState state, Packet grant, int left) {
        int i = grant.line();
        Line line = state.lines[i];
        boolean others = grant.others() || (line.recalled && has(TurnRule.EARLY_RECALL));
        boolean mine = state.isHeldBy(i, line.owner);
        line.enter(Phase.TURN);
        line.left = left;
        line.known = grant.age();
        line.first = grant.token();
        line.deposed = mine ? NONE : 0;
        if (line.waiting == 0) {
            if (has(TurnRule.UNWANTED)) {
                goesBack(state, i);
            }
            return;
        }
        lends(state, i);
        if (others) {
            line.entitled = Math.min(line.waiting, bounds.sections() - 1);
            if (has(TurnRule.TURN_LINE)) {
                int most = has(TurnRule.SECTIONS) ? bounds.sections() - 1 : bounds.longest();
                line.closed = Math.min(line.waiting, most);
            }
        }
    }

    private void ends(TurnState state, int i) {
        Line line = state.lines[i];
        if (has(TurnRule.LOOK_FIRST)) {
            looks(line);
        }
        line.section = NONE;
        line.extended = false;
        boolean good = line.left > 0 || !has(TurnRule.DEADLINE);
        boolean longer = line.left > bounds.term() && has(TurnRule.EXTENDED);
        boolean token = bounds.isTimed() || line.used < line.first + TurnBounds.TOKENS - 1;
        boolean open = line.closed == NONE;
        boolean inTime =
                bounds.closedTime() == NONE || line.closedFor < bounds.closedTime() || !has(TurnRule.TIME_LIMIT);
        if (line.waiting > 0 && good && !longer && token && (open || (line.closed > 0 && inTime))) {
            line.closed -= open ? 0 : 1;
            lends(state, i);
            asksIfDue(state, i);
        } else {
            goesBack(state, i);
        }
    }

    /** The first in line has the lock; what must be so then. */
    private void lends(TurnState state, int i) {
        Line line = state.lines[i];
        line.waiting--;
        line.section = 0;
        if (line.left == 0) {
            state.breaks("line " + i + " lends after its deadline");
        }
        if (line.entitled == 0) {
            state.breaks("line " + i + " serves one that does not belong to the closed part");
        }
        if (line.entitled != NONE && bounds.closedTime() != NONE && line.entitledFor >= bounds.closedTime()) {
            state.breaks("line " + i + " serves a closed line for too long");
        }
        line.entitled -= line.entitled > 0 ? 1 : 0;
        if (bounds.isTimed()) {
            overtakes(state, i);
        } else {
            draws(state, i);
        }
    }

    private void overtakes(TurnState state, int i) {
        Line line = state.lines[i];
        if (line.deposed > bounds.learned()) {
            state.breaks("line " + i + " lends " + line.deposed + " ticks after its hold was taken away");
        }
        for (int other = 0; other < state.lines.length && line.deposed == NONE; other++) {
            Line waiter = state.lines[other];
            if (other != i && waiter.waits != NONE && ++waiter.overtaken > bounds.mostOvertaken()) {
                state.breaks("line " + other + " is overtaken by " + waiter.overtaken + " sections");
            }
        }
    }

    private static void draws(TurnState state, int i) {
        Line line = state.lines[i];
        int token = Math.max(line.first, line.used + 1);
        line.used = token;
        for (int grant : state.grants) {
            if (grant > line.first && token >= grant) {
                state.breaks("token " + token + " of an earlier hold reaches " + grant + " of a later");
            }
        }
        if (line.deposed == NONE && token <= state.used) {
            state.breaks("tokens fall: " + token + " is used after " + state.used);
        }
        state.used = Math.max(state.used, token);
    }

    // ---- the turn: Turn

    private void looks(Line line) {
        boolean silent = line.phase == Phase.TURN && line.closed == NONE && line.known >= 2 * bounds.interval();
        if (silent && has(TurnRule.SILENCE)) {
            closes(line, line.known - 2 * bounds.interval());
        }
    }

    private void closes(Line line, int since) {
        if (line.entitled == NONE) {
            line.entitled = Math.min(line.waiting, bounds.sections());
            line.entitledFor = since;
        }
        if (has(TurnRule.CLOSING) && (line.closed == NONE || !has(TurnRule.ONCE))) {
            int most = has(TurnRule.SECTIONS) ? bounds.sections() : bounds.longest();
            line.closed = Math.min(line.waiting, most);
            line.closedFor = since;
        }
    }

    private void learns(Line line) {
        looks(line);
        closes(line, 0);
    }

    private void asksIfDue(TurnState state, int i) {
        Line line = state.lines[i];
        boolean due = line.phase == Phase.TURN && line.section != NONE && line.closed == NONE && !line.asking;
        if (due && line.known >= bounds.interval()) {
            line.asking = true;
            line.questioned = true;
            renews(state, i);
        }
    }

    private void renews(TurnState state, int i) {
        state.lines[i].renewing = true;
        send(state, Kind.RENEW, i, 0);
    }

    // ---- what a line hears

    private void hears(TurnState state, Packet told) {
        int i = told.line();
        Line line = state.lines[i];
        boolean mine = line.owner == told.owner() || !has(TurnRule.NEW_OWNER);
        boolean asks = mine && line.phase == Phase.ASKING;
        boolean turns = mine && line.phase == Phase.TURN;
        switch (told.kind()) {
            case GRANTED, HANDED -> granted(state, told, asks, turns);
            case UNKNOWN -> {
                if (asks) {
                    if (has(TurnRule.TAKE_BACK)) {
                        send(state, Kind.RELEASE, i, 0);
                    }
                    isFree(state, i);
                    asksAnew(state, i);
                }
            }
            case ANSWER -> {
                if (turns) {
                    answered(line, told);
                }
            }
            case GONE, REVOKED -> {
                boolean heeds = has(told.kind() == Kind.GONE ? TurnRule.GONE : TurnRule.REVOKE_MESSAGE);
                if (turns && heeds) {
                    goesBack(state, i);
                } else if (turns && told.kind() == Kind.GONE) {
                    answered(line, told);
                }
            }
            case RECALL -> {
                line.recalled |= asks;
                if (turns && has(TurnRule.RECALL)) {
                    learns(line);
                }
            }
            default -> throw new IllegalStateException("no reply: " + told);
        }
    }

    private void granted(TurnState state, Packet told, boolean asks, boolean turns) {
        int i = told.line();
        int left = (told.kind() == Kind.HANDED ? bounds.claim() : bounds.term()) - told.age();
        if (asks && left > 0) {
            begins(state, told, left);
        } else if (asks && !bounds.isTimed()) { // too late: by another owner
            send(state, Kind.RELEASE, i, 0);
            isFree(state, i);
            asksIfWanted(state, i);
        } else if (!asks && !turns && has(TurnRule.UNWANTED) && !bounds.isTimed()) {
            state.send(new Packet(Kind.RELEASE, i, told.owner(), false, 0, NONE, 0));
        }
    }

    /** A renewal, which may have been a question. */
    private void answered(Line line, Packet answer) {
        line.renewing = false;
        line.left = line.left > 0 ? Math.max(line.left, bounds.term() - answer.age()) : 0;
        int known = has(TurnRule.FROM_THE_SEND) ? answer.age() : 0;
        if (answer.others()) {
            learns(line);
        } else if (line.questioned && known < line.known) {
            line.known = known;
            line.asking = false;
        }
    }

    // ---- what must never be

    @Override
    public @Nullable String violation(TurnState state) {
        if (state.broken != null) {
            return state.broken;
        }
        int valid = NONE;
        for (int i = 0; i < state.lines.length; i++) {
            Line line = state.lines[i];
            if (line.isValid()) {
                if (valid != NONE) {
                    return "two leases are valid, of line " + valid + " and of line " + i;
                }
                valid = i;
                if (!state.isHeldBy(i, line.owner) || (state.hold != null && state.hold.left() < line.left)) {
                    return "the lease of line " + i + " is valid, and not held on the server for as long";
                }
            }
            if (line.phase == Phase.FREE && line.waiting > 0) {
                return "in line " + i + " requests stand, and nothing is asked";
            }
            if (bounds.isTimed() && line.waits > bounds.longestWait()) {
                return "line " + i + " waits for " + line.waits + " ticks";
            }
        }
        return nobodys(state);
    }

    private @Nullable String nobodys(TurnState state) {
        Hold hold = state.hold;
        if (hold != null && hold.left() > 0) {
            Line line = state.lines[hold.line()];
            boolean wanted = line.has(Phase.ASKING, hold.owner()) || line.has(Phase.TURN, hold.owner());
            boolean kept = line.phase == Phase.TURN && line.section == NONE;
            boolean going = state.isUnderWay(Kind.RELEASE, hold.line(), hold.owner());
            if (line.phase != Phase.DEAD && (!wanted || kept) && !going) {
                return "the hold of line " + hold.line() + " is nobody's, and nothing is under way";
            }
            if (line.has(Phase.TURN, hold.owner()) && line.isValid() && !line.extended && hold.left() > bounds.term()) {
                return "line " + hold.line() + " has handed on an extension";
            }
        }
        for (Asked asked : state.queue) {
            Line line = state.lines[asked.line()];
            boolean wanted = line.phase == Phase.DEAD || line.has(Phase.ASKING, asked.owner());
            if (!wanted && !state.isUnderWay(Kind.RELEASE, asked.line(), asked.owner())) {
                return "line " + asked.line() + " stands in the queue for nobody";
            }
        }
        return null;
    }

    /** Nobody waits, nothing is held, and nothing is under way. */
    @Override
    public boolean isGoal(TurnState state) {
        for (Line line : state.lines) {
            if (line.phase != Phase.DEAD && (line.phase != Phase.FREE || line.waiting > 0)) {
                return false;
            }
        }
        return state.hold == null || state.hold.left() == 0;
    }
}
