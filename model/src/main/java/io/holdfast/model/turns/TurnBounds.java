package io.holdfast.model.turns;

import static io.holdfast.model.turns.TurnState.NONE;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * How much of the world a look has. Times are in ticks.
 *
 * @param lines how many, each of another client: a line of the same client with other options is another to it as well
 * @param longest how many may stand in a line
 * @param sections of a closed line that are served at most, {@code LockOptions.localHandoffs}
 * @param closedTime for how long a closed line is served, or NONE, {@code LockOptions.localHandoffTime}
 * @param interval between two questions, {@code Turn.INTERVAL_NANOS}
 * @param reply how long a reply takes at most, and then requests take no time; NONE if both take any time
 * @param section how long a section lasts at most
 * @param arrivals how many requests come to each line; empty if they never end
 * @param ticks how many pass; NONE if any number
 */
record TurnBounds(
        int lines,
        int longest,
        int sections,
        int closedTime,
        int interval,
        int reply,
        int section,
        int refresh,
        int term,
        int claim,
        List<Integer> arrivals,
        int ticks,
        Set<Mishap> mishaps) {
    /** What may happen besides waiting, sections and silence. */
    enum Mishap {
        /** Messages arrive, at any time; else they are lost. */
        MESSAGES,
        LEAVES,
        KILL,
        /** An operator takes a hold away. */
        REVOKE,
        /** A lease is extended for longer than a term. */
        EXTENDS,
        /** A line that waits refreshes, where that has no time. */
        REFRESHES
    }

    /** Tokens that a hold may use. */
    static final int TOKENS = 3;

    /** For how long a lease is extended. */
    static final int EXTENSION = 9;

    /** Two lines that never end, messages that are lost, replies at once, sections of a tick. */
    static TurnBounds timed(int lines) {
        return new TurnBounds(lines, 2, 2, NONE, 2, 0, 1, 2, 4, 3, List.of(), NONE, EnumSet.noneOf(Mishap.class));
    }

    /** Requests, replies and messages take any time. */
    static TurnBounds untimed(int ticks, int term, int claim, Integer... arrivals) {
        Set<Mishap> mishaps = EnumSet.of(Mishap.MESSAGES);
        List<Integer> all = List.of(arrivals);
        return new TurnBounds(all.size(), 2, 2, NONE, 2, NONE, 1, 2, term, claim, all, ticks, mishaps);
    }

    TurnBounds withLine(int most, int served) {
        return new TurnBounds(
                lines,
                most,
                served,
                closedTime,
                interval,
                reply,
                section,
                refresh,
                term,
                claim,
                arrivals,
                ticks,
                mishaps);
    }

    TurnBounds withClosedTime(int most) {
        return new TurnBounds(
                lines, longest, sections, most, interval, reply, section, refresh, term, claim, arrivals, ticks,
                mishaps);
    }

    TurnBounds withReply(int every, int atMost, int lasts, int claims) {
        return new TurnBounds(
                lines,
                longest,
                sections,
                closedTime,
                every,
                atMost,
                section,
                refresh,
                lasts,
                claims,
                arrivals,
                ticks,
                mishaps);
    }

    TurnBounds withSection(int most) {
        return new TurnBounds(
                lines,
                longest,
                sections,
                closedTime,
                interval,
                reply,
                most,
                refresh,
                term,
                claim,
                arrivals,
                ticks,
                mishaps);
    }

    TurnBounds withArrivals(Integer... of) {
        return new TurnBounds(
                lines,
                longest,
                sections,
                closedTime,
                interval,
                reply,
                section,
                refresh,
                term,
                claim,
                List.of(of),
                ticks,
                mishaps);
    }

    TurnBounds with(Mishap... more) {
        Set<Mishap> all = EnumSet.noneOf(Mishap.class);
        all.addAll(mishaps);
        all.addAll(List.of(more));
        return new TurnBounds(
                lines,
                longest,
                sections,
                closedTime,
                interval,
                reply,
                section,
                refresh,
                term,
                claim,
                arrivals,
                ticks,
                all);
    }

    boolean isTimed() {
        return reply != NONE;
    }

    boolean has(Mishap mishap) {
        return mishaps.contains(mishap);
    }

    /** What is older need not be told apart. */
    int oldest() {
        int known = 2 * interval + (closedTime == NONE ? 0 : closedTime);
        return Math.max(known, Math.max(term, claim));
    }

    /** A renewal leaves when so much of the term is left. */
    int renewAt() {
        return term - Math.max(1, term / 3);
    }

    // ---- the bounds that are claimed, where replies take so long at most

    private int closedSections() {
        return Math.min(longest, sections);
    }

    /** From when the server has queued another line until a turn is closed, if no message arrives. */
    int learned() {
        return Math.min(interval + reply, 2 * interval);
    }

    /** How many sections of others begin at most while a line's request stands in the server's queue. */
    int mostOvertaken() {
        return learned() + 1 + closedSections() * (lines - 1);
    }

    /** For how long it stands there at most. */
    int longestWait() {
        int closedLine = closedSections() * section + refresh + reply;
        return interval + reply + section + closedLine * (lines - 1) + (has(Mishap.KILL) ? term + refresh : 0);
    }

    @Override
    public String toString() {
        return mishaps.toString();
    }
}
