package io.holdfast.cli;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Inspector;
import io.holdfast.LockInfo;
import io.holdfast.ServerRefusedException;
import io.holdfast.Waiter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast why}: why a lock is not free, and what would free it. */
final class Why implements Subcommand {
    private static final int WAITERS_SHOWN = 10;

    /**
     * Something that frees a lock.
     *
     * @param by one word for it
     * @param at when, if nothing comes between; null if nobody knows
     * @param words the same for people
     */
    private record Way(String by, @Nullable Instant at, String words) {}

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "why",
                        "holdfast why NAME [--json] [--url URL] [-v]",
                        "Reports who holds a lock and since when, whether that client is alive, who waits, and what would"
                                + " free the lock.",
                        Pages.statuses(
                                "0", "the lock is free",
                                "1", "the lock is taken: somebody holds it, or it rests"))
                .addPositional(Specs.lockName(true));
        Specs.examples(
                spec, "  A script that goes on only if nobody deploys:", "    holdfast why deploy >/dev/null || exit");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String name = LockName.of(given);
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            LockInfo lock = client.inspect().lock(name);
            Boolean listening = listening(client.inspect(), lock);
            List<Way> ways = ways(lock, listening);
            Waiter next = next(lock);
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> document(json, lock, listening, ways, next));
            } else {
                System.out.print(page(server, lock, listening, ways, next));
            }
            return lock.isLocked() ? ExitStatus.NO : 0;
        }
    }

    /** Whether the holder's client listens; null if there is none, or if the server does not tell. */
    private static @Nullable Boolean listening(Inspector inspector, LockInfo lock) {
        Holder holder = lock.holder().orElse(null);
        if (holder == null || holder.resting()) {
            return null;
        }
        try {
            return inspector.isListening(holder.client()).orElse(null);
        } catch (ServerRefusedException e) {
            return null; // a missing permission hides this one fact, not all the others
        }
    }

    /** The first who would get the lock now; if nobody can be told, the first of all. */
    private static @Nullable Waiter next(LockInfo lock) {
        Waiter first = null;
        for (Waiter each : lock.queue()) {
            if (each.state() == Waiter.State.HERE) {
                return each;
            }
            if (first == null && each.state() != Waiter.State.GONE) {
                first = each;
            }
        }
        return first;
    }

    private static List<Way> ways(LockInfo lock, @Nullable Boolean listening) {
        List<Way> ways = new ArrayList<>();
        Holder holder = lock.holder().orElse(null);
        if (holder == null) {
            if (lock.isQueued()) {
                ways.add(
                        new Way(
                                "waiter",
                                null,
                                next(lock) == null
                                        ? "nothing: all who wait are gone; holdfast clear removes them"
                                        : "nothing: the next in line gets it as soon as its client is heard of, mostly within 2s"));
            }
            return ways;
        }
        Instant end = Words.in(lock.remaining());
        String then = at(end, lock.remaining());
        if (holder.resting()) {
            ways.add(new Way("rest", end, "the end of its shortest hold, " + then));
        } else if (!lock.confirmed()) {
            ways.add(
                    new Way("release", null, "its holder, who was handed it just now, confirms and later releases it"));
            ways.add(
                    new Way("claim", end, "the end of the claim window, " + then + ", if its holder does not confirm"));
        } else {
            ways.add(new Way("release", null, "its holder releases it"));
            ways.add(new Way(
                    "term",
                    end,
                    "the end of its term, " + then
                            + (Boolean.FALSE.equals(listening)
                                    ? ", if its holder is dead"
                                    : ", if its holder dies or is cut off")));
        }
        ways.add(new Way(
                "operator",
                null,
                holder.resting() ? "holdfast release" : "holdfast release, if its holder is known to be dead"));
        return ways;
    }

    private static String at(Instant end, Duration remaining) {
        return "at " + Words.time(end) + " (in " + Span.inWords(remaining) + ")";
    }

    private static void document(
            Json json, LockInfo lock, @Nullable Boolean listening, List<Way> ways, @Nullable Waiter next) {
        json.lock(lock).flag("holderListening", listening);
        json.list(
                "freedBy",
                ways,
                (each, way) -> each.text("by", way.by()).time("at", way.at()).text("words", way.words()));
        if (next == null) {
            json.nothing("next");
        } else {
            json.object("next", each -> each.waiter(lock.queue().indexOf(next) + 1, next));
        }
        json.waiters(lock);
    }

    private static String page(
            Server server, LockInfo lock, @Nullable Boolean listening, List<Way> ways, @Nullable Waiter next) {
        StringBuilder page = new StringBuilder();
        String name = "'" + Say.printable(lock.name()) + "'";
        Holder holder = lock.holder().orElse(null);
        if (holder == null) {
            page.append("Nobody holds ").append(name).append(server.where()).append(".\n");
        } else {
            page.append(name)
                    .append(" is ")
                    .append(Say.printable(Words.held(lock)))
                    .append(".\n");
        }
        if (holder != null && !holder.resting()) {
            page.append("Its client ").append(Say.printable(holder.client())).append(' ');
            if (listening == null) {
                page.append("may or may not be connected: the server does not tell this user.\n");
            } else if (listening) {
                page.append("is connected and listens: it is alive, or was a moment ago.\n");
            } else {
                page.append("does not listen: it is dead, or cut off from the server.\n");
            }
        }
        page.append(lock.isQueued() ? Words.count(lock.waiters(), "request") : "Nobody")
                .append(lock.waiters() == 1 || !lock.isQueued() ? " waits" : " wait")
                .append(lock.isQueued() ? ":\n" : ".\n");
        Table queue = new Table();
        int place = 1;
        for (Waiter each :
                lock.queue().subList(0, Math.min(WAITERS_SHOWN, lock.queue().size()))) {
            queue.add("  " + place++, Words.who(each), "since " + Words.ago(each.since()), Words.state(each.state()));
        }
        if (lock.isQueued()) {
            page.append(queue.text());
            if (lock.waiters() >= place) {
                page.append("  and ").append(lock.waiters() - place + 1).append(" more (holdfast queue)\n");
            }
        }
        if (!ways.isEmpty()) {
            page.append("What frees it:\n");
            ways.forEach(way -> page.append("  - ").append(way.words()).append('\n'));
        }
        if (next != null) {
            page.append("Then it goes to ")
                    .append(Say.printable(Words.who(next)))
                    .append(".\n");
        }
        return page.toString();
    }
}
