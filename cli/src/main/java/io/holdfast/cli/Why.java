package io.holdfast.cli;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Inspector;
import io.holdfast.LockInfo;
import io.holdfast.LockInfo.Way;
import io.holdfast.LockMode;
import io.holdfast.ServerRefusedException;
import io.holdfast.WaitCycle;
import io.holdfast.Waiter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast why}: why a lock is not free, and what would free it. */
final class Why implements Subcommand {
    private static final int WAITERS_SHOWN = 10;
    private static final int HOLDERS_SHOWN = 10;
    /** How long to look for a deadlock that seems to be there. */
    private static final Duration CERTAIN = Duration.ofSeconds(15);

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "why",
                        "holdfast why NAME [--kind KIND] [--json] [--url URL] [-v]",
                        "Reports the holder of a lock and since when it has held it, whether its client is alive, the"
                                + " waiters, and what would free the lock. Of a semaphore or a read/write lock it reports all"
                                + " holders. --kind selects another kind than a lock.",
                        Pages.statuses(
                                "0",
                                "the lock is free: no part of it is held",
                                "1",
                                "the lock is taken: it has a holder, or it rests; or an operator has paused it"))
                .addPositional(Specs.nameOfAKind(true))
                .addOption(Kinds.ofName());
        Specs.examples(
                spec,
                "  A script that continues only if no deployment runs:",
                "    holdfast why deploy >/dev/null || exit");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String name = LockName.of(given);
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            LockInfo lock = Kinds.inspector(client, Kinds.of(given)).lock(name);
            Map<String, Optional<Boolean>> listening = listening(client.inspect(), lock);
            List<Way> ways = lock.ways(id -> listening.getOrDefault(id, Optional.empty()));
            Waiter next = lock.next().orElse(null);
            List<WaitCycle> deadlocks = deadlocks(Kinds.inspector(client, Kinds.of(given)), lock);
            if (given.hasMatchedOption("--json")) {
                Json.print(json -> document(json, lock, listening, ways, next, deadlocks));
            } else {
                System.out.print(page(server, lock, listening, ways, next, deadlocks));
                if (!lock.isLocked() && !lock.isQueued()) {
                    System.out.print(
                            Kinds.elsewhere(client, given, name, "why " + Say.printable(FlockHabits.quoted(name))));
                }
            }
            return lock.isLocked() || lock.pause().isPresent() ? ExitStatus.NO : 0;
        }
    }

    /** Deadlocks of those that hold it or wait for it, where they have written down what they wait for. */
    private static List<WaitCycle> deadlocks(Inspector inspector, LockInfo lock) {
        if (!lock.isLocked()) {
            return List.of();
        }
        try {
            return inspector.deadlocks(lock.name(), CERTAIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    /** Whether the clients of those that hold it listen, by their ids; empty where the server does not tell. */
    private static Map<String, Optional<Boolean>> listening(Inspector inspector, LockInfo lock) {
        Map<String, Optional<Boolean>> found = new LinkedHashMap<>();
        for (LockInfo.Share each : lock.shares()) {
            if (!each.holder().resting()) {
                found.computeIfAbsent(each.holder().client(), id -> isListening(inspector, id));
            }
        }
        return found;
    }

    private static Optional<Boolean> isListening(Inspector inspector, String client) {
        try {
            return inspector.isListening(client);
        } catch (ServerRefusedException e) {
            return Optional.empty(); // a missing permission hides this one fact, not all the others
        }
    }

    /** Whether the client of the holder listens that lasts longest; null if there is none, or if the server does not tell. */
    private static @Nullable Boolean ofHolder(LockInfo lock, Map<String, Optional<Boolean>> listening) {
        return lock.holder()
                .flatMap(holder -> listening.getOrDefault(holder.client(), Optional.empty()))
                .orElse(null);
    }

    /** For people: what an operator does as the command that does it. */
    private static String inWords(LockInfo lock, Way way) {
        String words = switch (way.by()) {
            case OPERATOR_RELEASE -> "holdfast release" + kind(lock);
            case OPERATOR_UNLIMIT -> "holdfast unlimit";
            case OPERATOR_RESUME -> "holdfast resume" + kind(lock);
            case WAITERS_GONE -> way.words() + "; holdfast clear removes them";
            default -> way.words();
        };
        boolean oneOfSeveral =
                way.by() == Way.By.OPERATOR_RELEASE && lock.shares().size() > 1;
        return words
                + way.after().map(in -> ", " + at(Words.in(in), in)).orElse("")
                + (way.condition().isEmpty() ? "" : ", " + way.condition())
                + (oneOfSeveral ? " (--client: of that one only)" : "");
    }

    private static String kind(LockInfo lock) {
        return lock.kind() == LockInfo.Kind.LOCK ? "" : " --kind " + lock.kind().word();
    }

    private static String at(Instant end, Duration remaining) {
        return "at " + Words.time(end) + " (in " + Span.inWords(remaining) + ")";
    }

    private static void document(
            Json json,
            LockInfo lock,
            Map<String, Optional<Boolean>> listening,
            List<Way> ways,
            @Nullable Waiter next,
            List<WaitCycle> deadlocks) {
        json.lock(lock).flag("holderListening", ofHolder(lock, listening));
        json.list(
                "freedBy",
                ways,
                (each, way) -> each.text("by", way.by().word())
                        .time("at", way.after().map(Words::in).orElse(null))
                        .text("words", inWords(lock, way)));
        if (next == null) {
            json.nothing("next");
        } else {
            json.object("next", each -> each.waiter(lock.queue().indexOf(next) + 1, next));
        }
        json.waiters(lock);
        json.texts(
                "notListening",
                listening.entrySet().stream()
                        .filter(each -> each.getValue().equals(Optional.of(false)))
                        .map(Map.Entry::getKey)
                        .toList());
        json.list(
                "deadlocks",
                deadlocks,
                (each, cycle) -> each.text("words", cycle.describe())
                        .list(
                                "links",
                                cycle.links(),
                                (link, waits) -> link.text("lock", waits.lockName())
                                        .text("key", waits.key())
                                        .text("application", waits.application())
                                        .text("host", waits.host())
                                        .text("pid", waits.pid())
                                        .text("actor", waits.actor())
                                        .text("client", waits.client())
                                        .flag("held", waits.held())));
    }

    private static String page(
            Server server,
            LockInfo lock,
            Map<String, Optional<Boolean>> listening,
            List<Way> ways,
            @Nullable Waiter next,
            List<WaitCycle> deadlocks) {
        StringBuilder page = new StringBuilder();
        String name = Say.printable(Kinds.named(lock));
        Holder holder = lock.holder().orElse(null);
        if (holder == null) {
            page.append("Nobody holds ").append(name).append(server.where()).append(".\n");
        } else {
            page.append(Character.toUpperCase(name.charAt(0)))
                    .append(name.substring(1))
                    .append(" is ")
                    .append(
                            lock.shares().size() > 1
                                    ? "held by " + Words.holders(lock) + ", " + Words.how(lock) + ":\n"
                                    : Say.printable(Words.held(lock)) + ".\n");
        }
        if (lock.shares().size() > 1) {
            page.append(several(lock, listening));
        } else if (holder != null && !holder.resting()) {
            Boolean alive = ofHolder(lock, listening);
            page.append("Its client ").append(Say.printable(holder.client())).append(' ');
            if (alive == null) {
                page.append("may or may not be connected: a cluster does not report it, or this user may not ask.\n");
            } else if (alive) {
                page.append("is connected and listens: it is alive, or was a moment ago.\n");
            } else {
                page.append("does not listen: it is dead, or cut off from the server.\n");
            }
            holder.note()
                    .ifPresent(note -> page.append("Its note: ")
                            .append(Say.printable(note))
                            .append('\n'));
        }
        String byOperator = Words.byOperator(lock);
        if (byOperator != null) {
            page.append(Words.sentence(byOperator));
        }
        if (lock.isQueued()) {
            page.append(Words.count(lock.waiters(), "request")).append(lock.waiters() == 1 ? " waits:\n" : " wait:\n");
        } else if (lock.callers() == 0) {
            page.append("Nobody waits.\n");
        }
        Table queue = new Table();
        int place = 1;
        for (Waiter each :
                lock.queue().subList(0, Math.min(WAITERS_SHOWN, lock.queue().size()))) {
            List<String> cells =
                    new ArrayList<>(List.of("  " + place++, Words.who(each), "since " + Words.ago(each.since())));
            if (Kinds.isShared(lock.kind())) {
                cells.add("wants " + Words.how(lock.kind(), each.mode(), each.permits(), each.limit()));
            }
            cells.add(Words.state(each.state()));
            queue.add(cells.toArray(String[]::new));
        }
        if (lock.isQueued()) {
            page.append(queue.text());
            if (lock.waiters() >= place) {
                page.append("  and ").append(lock.waiters() - place + 1).append(" more (holdfast queue)\n");
            }
        }
        page.append(Words.calls(lock));
        for (WaitCycle cycle : deadlocks) {
            page.append("This is a deadlock: ")
                    .append(Say.printable(cycle.describe()))
                    .append(".\n");
        }
        if (!ways.isEmpty()) {
            boolean some = next != null
                    && next.mode() == LockMode.PERMITS
                    && (lock.shares().size() > 1 || lock.limit().isPresent());
            page.append(some ? "What serves the next waiter:\n" : "What frees it:\n");
            ways.forEach(way -> page.append("  - ").append(inWords(lock, way)).append('\n'));
        }
        if (next != null) {
            page.append("Then it goes to ")
                    .append(Say.printable(Words.who(next)))
                    .append(".\n");
        }
        return page.toString();
    }

    /** Those that hold it, if they are several, and whether their clients are alive. */
    private static String several(LockInfo lock, Map<String, Optional<Boolean>> listening) {
        Table table = new Table();
        int listed = 0;
        for (LockInfo.Share each : lock.shares()) {
            if (++listed > HOLDERS_SHOWN) {
                break;
            }
            Holder holder = each.holder();
            Optional<Boolean> alive = listening.getOrDefault(holder.client(), Optional.empty());
            table.add(
                    "  " + Words.holder(holder) + ", pid " + holder.pid(),
                    "since " + Words.ago(holder.since()),
                    Words.how(lock.kind(), each),
                    holder.resting()
                            ? "free in " + Span.inWords(each.remaining())
                            : alive.map(listens -> listens ? "listens" : "does not listen: dead, or cut off")
                                    .orElse("may or may not be connected"));
        }
        int more = lock.shares().size() - HOLDERS_SHOWN;
        return table.text()
                + (more > 0 ? "  and more (holdfast info --kind " + lock.kind().word() + ")\n" : "");
    }
}
