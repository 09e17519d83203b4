package io.holdfast.faults.simulation;

import static io.holdfast.faults.simulation.Plan.millis;

import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.LockOptions.Reentrancy;
import io.holdfast.faults.simulation.Plan.Act;
import io.holdfast.faults.simulation.Plan.Ask;
import io.holdfast.faults.simulation.Plan.Ending;
import io.holdfast.faults.simulation.Plan.Fault;
import io.holdfast.faults.simulation.Plan.Item;
import io.holdfast.faults.simulation.Plan.Kind;
import io.holdfast.faults.simulation.Plan.Trouble;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What the kinds of plans that have a theme draw differently. They draw all that a plan inside the assumptions does, and what
 * they are about more often.
 */
record Themes(Kind kind, long seed, int clients, int locks, long length) {
    /** More than a client lets out at a time. */
    private static final int CROWD = 130;

    /** As long as the silence lasts. */
    private static final int PAIRS = 6;

    /** In milliseconds; what was asked earlier is over. */
    private static final long BEFORE_CROWD = 10_000;

    /** Requests of one client in a row, so that its line grows for a second, and is not empty. */
    private static final int STREAM = 100;

    private static final int SALT = 20;

    private Draw draw(int purpose, int number) {
        return new Draw(seed, SALT, kind.salt - 1, purpose, number);
    }

    HoldfastOptions options(HoldfastOptions drawn) {
        if (kind != Kind.CLUSTER) {
            return drawn;
        }
        HoldfastOptions options = drawn.withRefreshInterval(millis(draw(0, 0).oneOf(List.of(200L, 500L, 2_000L))));
        return hasCrowd() ? options.withCommandTimeout(millis(2_000)).withRefreshInterval(millis(200)) : options;
    }

    Ask ask(Ask drawn) {
        Draw draw = draw(1, drawn.number());
        return switch (kind) {
            case INSIDE, OUTSIDE, QUORUM -> drawn;
            case HANDED -> handed(drawn, draw);
            case KEPT -> kept(drawn, draw);
            case STEERED -> steered(drawn, draw);
            case CLUSTER -> ofCluster(drawn, draw);
            case NESTED -> nested(drawn, draw);
        };
    }

    private Ask handed(Ask drawn, Draw draw) {
        LockOptions options = drawn.options()
                .withMinRemaining(Duration.ZERO)
                .withLeaseDuration(millis(draw.oneOf(List.of(2_000L, 3_000L, 5_000L, 10_000L))))
                .withRenewal(drawn.ending() != Ending.END_WITH_TERM);
        Ending ending = draw.percent(30) ? Ending.HAND_OVER : drawn.ending();
        long hold = draw.percent(70) ? draw.between(200, 3_000) : drawn.holdMillis();
        return drawn.with(options, ending, hold).waiting(draw.percent(70) ? -1 : drawn.waitMillis());
    }

    private Ask kept(Ask given, Draw draw) {
        Ask drawn = draw.percent(40) && given.waitMillis() != 0 ? given.waiting(-1) : given;
        if (draw(9, 0).percent(50)) {
            // One request after the other: whoever keeps a lock uses it again and again.
            drawn = drawn.at(length * (given.number() % 60) / 60);
        }
        boolean may = drawn.ending() != Ending.CANCEL && drawn.ending() != Ending.COMPLETE;
        return may && draw.percent(20) ? drawn.with(drawn.options(), Ending.EXTEND, draw.between(2, 300)) : drawn;
    }

    private static Ask steered(Ask drawn, Draw draw) {
        Ask ask = draw.percent(15) && !drawn.isShared() ? drawn.waiting(-1_000 - draw.between(100, 2_000)) : drawn;
        boolean may = ask.ending() == Ending.RELEASE && !ask.isShared();
        return may && draw.percent(25) ? ask.with(ask.options(), Ending.DETACH, ask.holdMillis()) : ask;
    }

    /** Asks about when clients tick, which is when they give up what they do not use. */
    private Ask ofCluster(Ask drawn, Draw draw) {
        long sinceCrowd = hasCrowd() && drawn.lock() == 1 ? drawn.atMillis() - crowdAt() : Long.MIN_VALUE;
        if (sinceCrowd >= -BEFORE_CROWD && sinceCrowd < Plan.LONGEST_TROUBLE_MILLIS) {
            return drawn.at(crowdAt() + Plan.LONGEST_TROUBLE_MILLIS);
        }
        if (!draw.percent(50)) {
            return drawn;
        }
        long interval = options(HoldfastOptions.defaults()).refreshInterval().toMillis();
        long about = drawn.atMillis() / interval * interval;
        return drawn.at(Math.max(0, about + draw.between(-4, 4)));
    }

    private Ask nested(Ask drawn, Draw draw) {
        Reentrancy conflict =
                draw.oneOf(List.of(Reentrancy.REENTER, Reentrancy.REENTER_AND_EXTEND, Reentrancy.REENTER_AND_EXTEND));
        LockOptions options = drawn.options().withReentrancy(conflict).withRenewal(true);
        if (draw.percent(40)) {
            options = options.withMinRemaining(
                    options.leaseDuration().multipliedBy(8).dividedBy(10));
        }
        Ending ending = drawn.ending();
        if (draw.percent(20)) {
            ending = Ending.INTERRUPT;
        } else if (ending == Ending.HAND_OVER || ending == Ending.DETACH || ending == Ending.END_WITH_TERM) {
            ending = Ending.RELEASE;
        }
        int number = drawn.number() / 4;
        Draw group = draw(2, number);
        return drawn.with(options, ending, drawn.holdMillis())
                .by(group.below(clients), group.below(locks), "a" + group.below(2))
                .at(group.between(0, length) + draw.between(0, group.oneOf(List.of(5L, 50L, 500L))))
                .waiting(draw.percent(60) ? -1 : drawn.waitMillis());
    }

    /** How many troubles, where so many were drawn: what is looked at where nothing is wrong needs plans without. */
    int troubles(int drawn) {
        boolean calm = switch (kind) {
            case INSIDE, OUTSIDE, QUORUM, HANDED -> false;
            case KEPT, NESTED -> draw(10, 0).percent(20);
            case STEERED, CLUSTER -> hasCrowd() || draw(10, 0).percent(60);
        };
        return calm ? 0 : drawn;
    }

    /** Another trouble in place of one that was drawn. */
    Trouble trouble(Trouble drawn) {
        Draw draw = draw(3, drawn.number());
        Fault fault = drawn.fault();
        long lasts = drawn.lengthMillis();
        int node = drawn.node();
        boolean atHandover = false;
        switch (kind) {
            case INSIDE -> {}
            case OUTSIDE -> {
                if (fault == Fault.RESTART_EMPTY && draw.percent(50)) {
                    fault = Fault.RESTART_OLDER;
                }
            }
            case QUORUM -> {
                if (draw.percent(15)) {
                    fault = Fault.RESTART_OLDER;
                }
            }
            case HANDED -> {
                if (draw(4, 0).percent(60)) {
                    fault = draw.percent(50) ? Fault.FREEZE : Fault.FREEZE_SERVER;
                    lasts = draw.between(500, 6_000);
                    atHandover = true;
                }
            }
            case KEPT -> {
                if (draw.percent(50)) {
                    fault = Fault.SWALLOW_MESSAGES;
                    lasts = draw.between(2_000, Plan.LONGEST_TROUBLE_MILLIS);
                } else if (draw.percent(30)) {
                    fault = Fault.KILL;
                }
            }
            case CLUSTER -> {
                node = 0; // the others stay well
                if (fault == Fault.FREEZE_SERVER) {
                    lasts = draw.between(500, 8_000);
                }
            }
            case STEERED, NESTED -> {
                if (draw.percent(30)) {
                    fault = Fault.SLOW;
                }
            }
        }
        return new Trouble(drawn.number(), drawn.atMillis(), fault, drawn.client(), node, lasts, atHandover);
    }

    /** In how many of the plans of a theme nothing is shared that could be. */
    int percentShared() {
        return switch (kind) {
            case QUORUM, HANDED, NESTED -> 0;
            case KEPT -> 100;
            case INSIDE, OUTSIDE, STEERED, CLUSTER -> 50;
        };
    }

    /** What comes to the requests and troubles. */
    List<Item> more(int first) {
        List<Item> items = new ArrayList<>();
        if (kind == Kind.STEERED) {
            long acts = draw(5, 0).between(3, 15);
            for (int i = 0; i < acts; i++) {
                items.add(act(first + i, draw(6, i)));
            }
        } else if (kind == Kind.KEPT && draw(13, 0).percent(85)) {
            stream(items, first);
        } else if (hasCrowd()) {
            Draw draw = draw(7, 0);
            long at = crowdAt();
            int client = draw.below(clients);
            for (int i = 0; i < CROWD; i++) {
                LockOptions options = Plan.STRICT.withLeaseDuration(Duration.ofSeconds(5));
                items.add(new Ask(first + i, at, client, 0, "a" + i, 12_000, options, 1, Ending.RELEASE));
            }
            items.add(new Trouble(first + CROWD, at - 20, Fault.FREEZE_SERVER, 0, 0, 8_000, false));
            // Another uses a lock of a master that is well, and the client with the crowd comes soon after it, and has
            // to
            // ask again once it is listened to.
            for (int i = 0; i < PAIRS; i++) {
                Draw pair = draw(11, i);
                LockOptions options = Plan.STRICT.withLeaseDuration(Duration.ofSeconds(5));
                long when = at + 2_050 + i * 950L;
                int second = first + CROWD + 1 + 2 * i;
                int other = (client + 1) % clients;
                items.add(
                        new Ask(second, when, other, 1, "b" + i, -1, options, pair.between(100, 200), Ending.RELEASE));
                items.add(new Ask(
                        second + 1, when + pair.between(20, 80), client, 1, "a" + i, -1, options, 1, Ending.RELEASE));
            }
        }
        return items;
    }

    /** A turn that goes on as long as its client knows of nobody else, who come soon; and the client may hear nothing of them. */
    private void stream(List<Item> items, int first) {
        Draw draw = draw(14, 0);
        long at = draw.between(1_000, length);
        int client = draw.below(clients);
        LockOptions turns = Plan.STRICT
                .withLeaseDuration(millis(5_000))
                .withLocalHandoffs(draw.oneOf(List.of(1, 3, 20, 20)), millis(draw.oneOf(List.of(10L, 100L, 500L))));
        for (int i = 0; i < STREAM; i++) {
            long when = at + 10L * i + draw.between(0, 10);
            long wait = draw.percent(30) ? draw.between(10, 200) : -1;
            items.add(new Ask(first + i, when, client, 0, "s" + i, wait, turns, draw.between(8, 16), Ending.RELEASE));
        }
        for (int i = 0; i < PAIRS; i++) {
            int other = (client + 1 + draw.below(clients - 1)) % clients;
            LockOptions strict = Plan.STRICT.withLeaseDuration(Duration.ofSeconds(5));
            long when = at + draw.between(2, draw.percent(30) ? 30 : 1_000);
            items.add(new Ask(
                    first + STREAM + i, when, other, 0, "o" + i, -1, strict, draw.between(1, 20), Ending.RELEASE));
        }
        Fault fault = draw.oneOf(List.of(Fault.SWALLOW_MESSAGES, Fault.STALL, Fault.SLOW));
        long from = fault == Fault.STALL ? at + draw.between(10, 400) : at - draw.between(1, 500);
        long lasts = fault == Fault.STALL ? draw.between(500, 1_500) : 3_000;
        if (draw.percent(75)) {
            items.add(new Trouble(first + STREAM + PAIRS, from, fault, client, 0, lasts, false));
        }
    }

    private long crowdAt() {
        return draw(12, 0).between(1_000, length);
    }

    /** Locks of a cluster go round its masters: there has to be one that is well. */
    private boolean hasCrowd() {
        return kind == Kind.CLUSTER && locks > 1 && draw(8, 0).percent(15);
    }

    private Act act(int number, Draw draw) {
        Plan.What what;
        int which = draw.below(100);
        if (which < 25) {
            what = Plan.What.RELEASE;
        } else if (which < 40) {
            what = Plan.What.RELEASE_TOKEN;
        } else if (which < 48) {
            what = Plan.What.RELEASE_AND_DROP;
        } else if (which < 52) {
            what = Plan.What.RELEASE_ALL;
        } else if (which < 57) {
            what = Plan.What.RELEASE_MINE;
        } else if (which < 72) {
            what = Plan.What.EXTEND;
        } else if (which < 80) {
            what = Plan.What.CLEAN_ALL;
        } else {
            what = Plan.What.CLEAN_AT_EXPIRY;
        }
        return new Act(number, draw.between(0, length), draw.below(clients), draw.below(locks), what);
    }
}
