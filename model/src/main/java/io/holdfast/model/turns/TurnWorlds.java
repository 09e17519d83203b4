package io.holdfast.model.turns;

import io.holdfast.model.Worlds;
import io.holdfast.model.turns.TurnBounds.Mishap;

/** The looks at turns that have a name. */
public final class TurnWorlds {
    private static final TurnBounds TWO = TurnBounds.timed(2);

    private TurnWorlds() {}

    public static Worlds all() {
        Worlds.Builder<TurnRule> all = Worlds.of("turns, of lines that each are of one client", TurnRule.class);
        add(all, "turns", "two lines without end, messages are lost, sections of a tick", TWO);
        add(all, "turns-told", "the same, and messages come at any time", TWO.with(Mishap.MESSAGES));
        add(
                all,
                "turns-late",
                "replies take up to a tick, messages come",
                TWO.withReply(2, 1, 4, 3).with(Mishap.MESSAGES));
        add(
                all,
                "turns-slow",
                "lines of one, replies take three times the interval",
                TWO.withLine(1, 1).withReply(1, 3, 7, 3));
        add(
                all,
                "turns-sent",
                "lines of one, replies take up to an interval",
                TWO.withLine(1, 1).withReply(2, 2, 12, 3));
        add(all, "turns-sections", "sections of up to two ticks", TWO.withSection(2));
        add(all, "turns-long", "lines of three, of which two are served", TWO.withLine(3, 2));
        add(
                all,
                "turns-brief",
                "lines of three, served for one tick",
                TWO.withLine(3, 3).withClosedTime(1));
        add(all, "turns-leave", "requests leave", TWO.withLine(3, 2).with(Mishap.LEAVES));
        add(all, "turns-kill", "a client dies", TWO.with(Mishap.KILL));
        add(
                all,
                "turns-revoke",
                "lines of one, an operator takes a hold away, messages come",
                TWO.withLine(1, 1).with(Mishap.REVOKE, Mishap.MESSAGES));
        add(all, "turns-three", "three lines of one", TurnBounds.timed(3).withLine(1, 1));
        all.add(
                "turns-end",
                "two requests for each of two lines, messages come, a client dies",
                "all comes to rest",
                rules -> new Turns(TWO.withArrivals(2, 2).with(Mishap.MESSAGES, Mishap.KILL), rules));
        add(all, "turns-any", "everything takes any time", TurnBounds.untimed(3, 2, 1, 2, 1));
        add(
                all,
                "turns-any-leave",
                "the same, and requests leave",
                TurnBounds.untimed(2, 4, 3, 1, 1).with(Mishap.LEAVES));
        add(
                all,
                "turns-any-refresh",
                "the same with refreshes in place of that",
                TurnBounds.untimed(3, 3, 2, 1, 1).with(Mishap.REFRESHES));
        add(
                all,
                "turns-any-extend",
                "leases are extended",
                TurnBounds.untimed(2, 4, 3, 2, 1).with(Mishap.EXTENDS));
        add(
                all,
                "turns-any-revoke",
                "an operator takes a hold away",
                TurnBounds.untimed(2, 3, 2, 2, 1).with(Mishap.REVOKE));
        return all.build();
    }

    private static void add(Worlds.Builder<TurnRule> all, String name, String about, TurnBounds bounds) {
        all.add(name, about, rules -> new Turns(bounds, rules));
    }
}
