package io.holdfast.cli;

import io.holdfast.Admin;
import io.holdfast.Admin.Total;
import io.holdfast.Admin.Waiters;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Inspector;
import io.holdfast.LockInfo;
import io.holdfast.Revocation;
import io.holdfast.Revocation.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast release}: releases locks, whoever holds them. Asks first. */
final class Release implements Subcommand {
    private static final long GREATEST_TOKEN = (1L << 53) - 1;

    /** What says in another way what is to be released. */
    private static final List<String> OTHERS =
            List.of("--token", "--drop-waiters", "--all", "--client", "--host", "--actor");

    private final @Nullable Prompt prompt;

    Release() {
        this(Terminal.hasPerson() ? Prompt.atTerminal() : null);
    }

    /**
     * With another prompt.
     *
     * @param prompt null if there is nobody to ask
     */
    Release(@Nullable Prompt prompt) {
        this.prompt = prompt;
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Specs.command(
                        "release",
                        "holdfast release NAME [--token T] [--drop-waiters] [--yes] [OPTIONS]",
                        "With a ticket: gives back one's own lock. Else, for operators: releases a lock, whoever holds it, and hands it to the next in line; or all locks; or those of a"
                                + " client, a host, or an actor. This breaks what the holder was promised: it is told at"
                                + " once, or learns of it at its next renewal, and works on until then. Shows what it"
                                + " is going to release, and asks.",
                        Pages.statuses(
                                "0", "released, or there was nothing to release",
                                "1", "not released: the answer was no, or the lock is not held as it was any more",
                                "76", "with --ticket: the lock was lost before"))
                .addPositional(Specs.lockName(false))
                .addOption(
                        Specs.value(
                                Check.TICKET,
                                "TICKET",
                                "Give back what holdfast acquire has taken, with the ticket that it has printed. Does not ask."))
                .addOption(Specs.value(
                        "--token", "T", "Only if the present hold has this token (see holdfast info): no later one."))
                .addOption(Specs.flag(
                        "End the calls of all who wait, too, so that nobody gets the lock by this.", "--drop-waiters"))
                .addOption(Specs.flag("All locks, and all who wait for any.", "--all"))
                .addOption(Specs.value("--client", "ID", "All locks of one client (see holdfast clients)."))
                .addOption(Specs.value("--host", "HOST", "All locks of the processes on one host."))
                .addOption(Specs.value("--actor", "ID", "With --client: only those of one of its actors."))
                .addOption(Specs.flag("Do not ask. Needed where there is no terminal.", new String[] {"-y", "--yes"}));
        spec.usageMessage()
                .customSynopsis(
                        "holdfast release --ticket TICKET",
                        "       holdfast release NAME [--token T] [--drop-waiters] [--yes] [OPTIONS]",
                        "       holdfast release --all [--yes] [OPTIONS]",
                        "       holdfast release --client ID [--actor ID] [--yes] [OPTIONS]",
                        "       holdfast release --host HOST [--yes] [OPTIONS]");
        Specs.examples(
                spec,
                "  A holder that is known to be dead, and no other:",
                "    holdfast release deploy --token 1763705579123456 --yes",
                "  All that a machine held that is not coming back:",
                "    holdfast release --host web-3");
        return Specs.withCommon(spec);
    }

    @Override
    public int run(ParseResult given) {
        String ticket = given.matchedOptionValue(Check.TICKET, null);
        if (ticket != null) {
            if (!given.matchedPositionals().isEmpty() || OTHERS.stream().anyMatch(given::hasMatchedOption)) {
                throw new UsageException(Check.TICKET + " releases what the ticket is for: give neither NAME nor "
                        + String.join(", ", OTHERS));
            }
            return Check.ask(Ticket.parse(ticket), "release", given);
        }
        Order order = Order.of(given);
        boolean sure = given.hasMatchedOption("--yes");
        if (!sure && prompt == null) {
            throw new UsageException(
                    "release asks before it acts, and there is no terminal to ask at: give --yes; nothing was done");
        }
        Server server = Server.of(given);
        try (Holdfast client = server.open()) {
            List<LockInfo> found = order.find(client.inspect());
            // With nobody to ask, a lock that came to be held since is meant too.
            if (prompt != null && !sure && !found.isEmpty()) {
                List<String> what = found.stream().map(order::inWords).toList();
                if (!prompt.agrees(what, order.question(found))) {
                    Say.line("nothing was released");
                    return ExitStatus.NO;
                }
            }
            Done done = order.carryOut(client.admin(), found, !sure);
            if (given.hasMatchedOption("--json")) {
                Json.print(done::document);
            } else {
                System.out.print(done.inWords(server));
            }
            return done.isComplete() ? 0 : ExitStatus.NO;
        }
    }

    /** What is to be released. */
    private record Order(
            @Nullable String name,
            long token,
            boolean drop,
            boolean all,
            @Nullable String client,
            @Nullable String host,
            @Nullable String actor) {

        static Order of(ParseResult given) {
            String name = LockName.orNull(given);
            String token = given.matchedOptionValue("--token", null);
            boolean drop = given.hasMatchedOption("--drop-waiters");
            boolean all = given.hasMatchedOption("--all");
            String client = given.matchedOptionValue("--client", null);
            String host = given.matchedOptionValue("--host", null);
            String actor = given.matchedOptionValue("--actor", null);
            int ways = (name == null ? 0 : 1) + (all ? 1 : 0) + (client == null ? 0 : 1) + (host == null ? 0 : 1);
            if (ways != 1) {
                throw new UsageException("release what? Give one of NAME, --all, --client and --host");
            }
            if (actor != null && client == null) {
                throw new UsageException("--actor needs --client: actors of different clients have nothing in common");
            }
            if (name == null && (token != null || drop)) {
                throw new UsageException((token == null ? "--drop-waiters" : "--token") + " needs NAME");
            }
            long number = token == null ? 0 : WholeNumber.parse("--token", token, 1, GREATEST_TOKEN);
            return new Order(name, number, drop, all, client, host, actor);
        }

        List<LockInfo> find(Inspector inspector) {
            if (name != null) {
                LockInfo lock = inspector.lock(name, 0);
                return lock.isLocked() || (drop && lock.isQueued()) ? List.of(lock) : List.of();
            }
            if (all) {
                return List.copyOf(Ls.all(inspector, Inspector.PAGE, true));
            }
            Predicate<Holder> mine = client == null
                    ? holder -> holder.host().equals(host)
                    : holder -> holder.client().equals(client)
                            && (actor == null || holder.actor().equals(actor));
            return Ls.all(inspector, Inspector.PAGE, false).stream()
                    .filter(lock -> lock.holder()
                            .filter(holder -> !holder.resting() && mine.test(holder))
                            .isPresent())
                    .toList();
        }

        String inWords(LockInfo lock) {
            String waiting = lock.waiters() == 0
                    ? ""
                    : "; " + Words.count(lock.waiters(), "waiter") + (drop || all ? ", dropped too" : "");
            return "'" + lock.name() + "': " + Words.held(lock) + waiting;
        }

        String question(List<LockInfo> found) {
            return found.size() == 1 ? "Release this lock?" : "Release these " + found.size() + " locks?";
        }

        /**
         * Does it.
         *
         * @param asShown whether somebody has agreed to what was found, and to nothing that came since
         */
        Done carryOut(Admin admin, List<LockInfo> found, boolean asShown) {
            if (all) {
                Total total = found.isEmpty() ? new Total(0, 0, Duration.ZERO) : admin.releaseAll();
                return new Done(total.released(), total.dropped(), total.took(), null);
            }
            List<Revocation> each = new ArrayList<>();
            if (name != null && (!asShown || !found.isEmpty())) {
                long shown = asShown && token == 0 ? tokenOf(found) : token;
                each.add(admin.release(name, shown, drop ? Waiters.DROP : Waiters.HAND_OFF));
            } else if (name == null) {
                // By their tokens: what others have got meanwhile is not theirs who were meant.
                found.forEach(lock -> each.add(admin.release(lock.name(), tokenOf(List.of(lock)), Waiters.HAND_OFF)));
            }
            Duration took = Duration.ZERO;
            int released = 0;
            int dropped = 0;
            for (Revocation one : each) {
                took = took.plus(one.took());
                released += one.outcome() == Outcome.RELEASED ? 1 : 0;
                dropped += one.dropped();
            }
            return new Done(released, dropped, took, each);
        }

        private static long tokenOf(List<LockInfo> found) {
            return found.stream()
                    .flatMap(lock -> lock.holder().stream())
                    .mapToLong(Holder::token)
                    .findFirst()
                    .orElse(0);
        }
    }

    /** What was released; the locks are null if they were all. */
    private record Done(
            int released,
            int dropped,
            Duration took,
            @Nullable List<Revocation> locks) {
        boolean isComplete() {
            return locks == null || locks.stream().noneMatch(each -> each.outcome() == Outcome.LEFT_ALONE);
        }

        void document(Json json) {
            json.number("released", released).number("dropped", dropped).millis("took", took);
            if (locks == null) {
                json.nothing("locks");
            } else {
                json.list("locks", locks, Done::document);
            }
        }

        private static void document(Json json, Revocation one) {
            json.text("lock", one.lock())
                    .text(
                            "outcome",
                            switch (one.outcome()) {
                                case RELEASED -> "released";
                                case NOTHING_TO_RELEASE -> "nothingToRelease";
                                case LEFT_ALONE -> "leftAlone";
                            });
            holder(json, "holder", one.holder().orElse(null));
            json.number("dropped", one.dropped());
            holder(json, "next", one.next().orElse(null));
        }

        private static void holder(Json json, String field, @Nullable Holder holder) {
            if (holder == null) {
                json.nothing(field);
            } else {
                json.object(field, each -> each.holder(holder));
            }
        }

        String inWords(Server server) {
            if (locks == null) {
                return "Released " + Words.count(released, "lock") + ", dropped " + Words.count(dropped, "waiter")
                        + server.where() + ".\n";
            }
            if (locks.isEmpty()) {
                return "Nothing to release" + server.where() + ".\n";
            }
            StringBuilder text = new StringBuilder();
            for (Revocation one : locks) {
                text.append(Say.printable(sentence(one))).append('\n');
            }
            return text.toString();
        }

        private static String sentence(Revocation one) {
            String lock = "'" + one.lock() + "'";
            String who = one.holder().map(Done::named).orElse("nobody");
            String dropped = one.dropped() == 0 ? "" : ", dropped " + Words.count(one.dropped(), "waiter");
            return switch (one.outcome()) {
                case RELEASED ->
                    "Released " + lock + " of " + who + dropped
                            + one.next()
                                    .map(next -> "; now held by " + named(next))
                                    .orElse("; now it is free") + ".";
                case NOTHING_TO_RELEASE -> "Nobody held " + lock + dropped + ".";
                case LEFT_ALONE ->
                    "Left " + lock + " alone" + dropped + ": it is held by " + who + " with token "
                            + one.holder().map(Holder::token).orElse(0L) + ", which is not the hold that was meant.";
            };
        }

        private static String named(Holder holder) {
            return Words.who(holder.application(), holder.host()) + ", pid " + holder.pid();
        }
    }
}
