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
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code holdfast release}: releases locks, whoever holds them. Asks first. */
final class Release implements Subcommand {
    private static final long GREATEST_TOKEN = (1L << 53) - 1;
    private static final int MOST = 10_000;

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
                        "holdfast release NAME [--kind KIND] [--token T] [--drop-waiters] [--yes] [OPTIONS]",
                        "With --ticket, releases your own lock. Without it, a command for operators: releases a lock"
                                + " regardless of its holder, and hands it to the next waiter; or all locks; or those of a client,"
                                + " a host, or an actor. This breaks the promise that the holder was given: the holder is notified"
                                + " at once, or learns of it at its next renewal, and works until then. Shows what it will"
                                + " release, and asks for confirmation.",
                        Pages.statuses(
                                "0", "released, or there was nothing to release",
                                "1",
                                        "not released: the answer was no, the lock is no longer held as it was, or the name belongs to"
                                                + " another kind",
                                "76", "with --ticket: the lock had been lost before"))
                .addPositional(Specs.nameOfAKind(false))
                .addOption(
                        Specs.value(
                                Check.TICKET,
                                "TICKET",
                                "Release the lock of a ticket that holdfast acquire has printed. Does not ask for confirmation."))
                .addOption(Specs.value(
                        "--token",
                        "T",
                        "Only if the current hold has this token (see holdfast info), and no later one. If several"
                                + " clients hold the lock, those with this token: readers that read together share one. If the"
                                + " lock rests with this token, its rest ends."))
                .addOption(Specs.flag(
                        "Also end the requests of all waiters, so that none of them is granted the lock.",
                        "--drop-waiters"))
                .addOption(Specs.flag("All locks, and all waiters for them.", "--all"))
                .addOption(Specs.value(
                        "--client",
                        "ID",
                        "All locks of one client (see holdfast clients); with NAME, its holds of that lock."))
                .addOption(Specs.value(
                        "--host",
                        "HOST",
                        "All locks of the processes on one host; with NAME, their holds of that lock."))
                .addOption(Specs.value("--actor", "ID", "With --client: only the locks of one of its actors."))
                .addOption(Kinds.option(
                        "With NAME, its kind: lock (the default), read-write, semaphore, election or once. Without NAME:"
                                + " release only this kind; by default all kinds but elections and records of once."))
                .addOption(Scan.option())
                .addOption(Specs.flag(
                        "Do not ask for confirmation. Required where there is no terminal.",
                        new String[] {"-y", "--yes"}));
        spec.usageMessage()
                .customSynopsis(
                        "holdfast release --ticket TICKET",
                        "       holdfast release NAME [--kind KIND] [--token T] [--drop-waiters] [--yes] [OPTIONS]",
                        "       holdfast release NAME [--kind KIND] --client ID|--host HOST [--yes] [OPTIONS]",
                        "       holdfast release --all [--scan] [--yes] [OPTIONS]",
                        "       holdfast release --client ID [--actor ID] [--scan] [--yes] [OPTIONS]",
                        "       holdfast release --host HOST [--scan] [--yes] [OPTIONS]");
        Specs.examples(
                spec,
                "  A holder that is known to be dead, and no later one:",
                "    holdfast release deploy --token 1763705579123456 --yes",
                "  All locks of a machine that will not come back:",
                "    holdfast release --host web-3",
                "  The permits of a process that hangs, and of no other one:",
                "    holdfast release convert --kind semaphore --client Pp9it2aFOEjp");
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
            List<Found> found = order.find(client);
            // With nobody to ask, a lock that came to be held since is meant too.
            if (prompt != null && !sure && !found.isEmpty()) {
                List<String> what = found.stream().map(order::inWords).toList();
                if (!prompt.agrees(what, order.question(found))) {
                    Say.line("nothing was released");
                    return ExitStatus.NO;
                }
            }
            boolean paused = found.isEmpty() && order.isPaused(client);
            Done done = paused ? Done.NOTHING : order.carryOut(client, found, !sure);
            String elsewhere = "";
            if (found.isEmpty() && order.name() != null) {
                String words = Say.printable(FlockHabits.quoted(order.name()));
                elsewhere = paused
                        ? "It is paused: holdfast resume " + words + " ends that.\n"
                        : Kinds.elsewhere(client, given, order.name(), "release " + words);
            }
            if (given.hasMatchedOption("--json")) {
                Json.print(done::document);
            } else {
                System.out.print(done.inWords(server) + elsewhere);
            }
            return done.isComplete() && elsewhere.isEmpty() ? 0 : ExitStatus.NO;
        }
    }

    /**
     * A lock of which something is to be released.
     *
     * @param holders whose holds; null for all, whoever has them by then
     */
    private record Found(LockInfo lock, @Nullable List<Holder> holders) {}

    /**
     * What is to be released.
     *
     * @param kind of what kind; null for all that are locks
     */
    private record Order(
            @Nullable String name,
            LockInfo.@Nullable Kind kind,
            long token,
            boolean drop,
            boolean all,
            @Nullable String client,
            @Nullable String host,
            @Nullable String actor,
            boolean scan) {

        static Order of(ParseResult given) {
            String name = LockName.orNull(given);
            String token = given.matchedOptionValue("--token", null);
            boolean drop = given.hasMatchedOption("--drop-waiters");
            boolean all = given.hasMatchedOption("--all");
            String client = given.matchedOptionValue("--client", null);
            String host = given.matchedOptionValue("--host", null);
            String actor = given.matchedOptionValue("--actor", null);
            int whose = (client == null ? 0 : 1) + (host == null ? 0 : 1);
            if (whose > 1 || (all ? 1 : 0) + (name != null || whose > 0 ? 1 : 0) != 1) {
                throw new UsageException("release what? Give one of NAME, --all, --client and --host");
            }
            if (actor != null && client == null) {
                throw new UsageException("--actor needs --client: actors of different clients have nothing in common");
            }
            if (name != null && whose > 0 && (token != null || drop)) {
                throw new UsageException(
                        (token == null ? "--drop-waiters" : "--token") + " contradicts --client and --host");
            }
            if (name == null && (token != null || drop)) {
                throw new UsageException((token == null ? "--drop-waiters" : "--token") + " needs NAME");
            }
            long number = token == null ? 0 : WholeNumber.parse("--token", token, 1, GREATEST_TOKEN);
            LockInfo.Kind kind = name == null ? Kinds.orNull(given) : Kinds.of(given);
            boolean scan = Scan.isAskedFor(given);
            if (scan && name != null) {
                throw new UsageException("--scan contradicts NAME: one lock needs no search");
            }
            return new Order(name, kind, number, drop, all, client, host, actor, scan);
        }

        List<Found> find(Holdfast looking) {
            Inspector inspector = Scan.inspector(scan, looking, kind);
            if (name == null) {
                return Ls.all(inspector, scan, Inspector.PAGE, all).stream()
                        .filter(lock -> Kinds.locksOr(kind).contains(lock.kind()))
                        .map(lock -> all ? new Found(lock, null) : whose(whole(looking, lock)))
                        .filter(found ->
                                found.holders() == null || !found.holders().isEmpty())
                        .toList();
            }
            LockInfo lock = whole(looking, inspector.lock(name, 0));
            if (!isOfSome()) {
                boolean held = lock.holder().filter(holder -> !holder.isPause()).isPresent();
                return held || (drop && lock.isQueued()) ? List.of(new Found(lock, null)) : List.of();
            }
            Found found = whose(lock);
            return found.holders() == null || found.holders().isEmpty() ? List.of() : List.of(found);
        }

        private boolean isOfSome() {
            return client != null || host != null;
        }

        private Found whose(LockInfo lock) {
            Predicate<Holder> mine = client == null
                    ? holder -> holder.host().equals(host)
                    : holder -> holder.client().equals(client)
                            && (actor == null || holder.actor().equals(actor));
            return new Found(
                    lock,
                    lock.shares().stream()
                            .map(LockInfo.Share::holder)
                            .filter(holder -> !holder.resting() && mine.test(holder))
                            .toList());
        }

        /** With all that hold it, of which a listing tells only a part if they are many. */
        private static LockInfo whole(Holdfast looking, LockInfo lock) {
            return lock.shares().stream().mapToInt(LockInfo.Share::permits).sum() < lock.used()
                    ? Kinds.inspector(looking, lock.kind()).lock(lock.name(), MOST)
                    : lock;
        }

        String inWords(Found found) {
            LockInfo lock = found.lock();
            String waiting = lock.waiters() == 0
                    ? ""
                    : "; " + Words.count(lock.waiters(), "waiter") + (drop || all ? ", dropped too" : "");
            List<Holder> holders = found.holders();
            String which = holders == null || holders.size() == lock.shares().size()
                    ? ""
                    : "; of these " + Words.count(holders.size(), "holder");
            return Kinds.named(lock) + ": " + Words.held(lock) + which + waiting;
        }

        String question(List<Found> found) {
            return found.size() == 1
                    ? "Release this " + found.get(0).lock().kind().noun() + "?"
                    : "Release these " + found.size() + " locks?";
        }

        /**
         * Does it.
         *
         * @param asShown whether somebody has agreed to what was found, and to nothing that came since
         */
        Done carryOut(Holdfast acting, List<Found> found, boolean asShown) {
            if (all) {
                return found.isEmpty() ? new Done(0, 0, Duration.ZERO, null) : releaseAll(acting);
            }
            List<Revocation> each = new ArrayList<>();
            if (name != null && !isOfSome() && (!asShown || !found.isEmpty())) {
                LockInfo.Kind of = kind == null ? LockInfo.Kind.LOCK : kind;
                Admin admin = acting.admin().of(of);
                Waiters waiters = drop ? Waiters.DROP : Waiters.HAND_OFF;
                long meant = asShown && token == 0 ? tokenOf(found) : token;
                if (asShown && token == 0 && Kinds.isShared(of)) {
                    releaseShown(admin, found.get(0).lock(), each);
                } else if (asShown && meant == 0) { // what was shown had waiters only
                    each.add(admin.drop(name));
                } else {
                    each.add(admin.release(name, meant, waiters));
                }
            } else {
                // One by one: what others have got meanwhile is not theirs who were meant.
                found.forEach(some -> {
                    Admin admin = acting.admin().of(some.lock().kind());
                    List<Holder> holders = some.holders() == null ? List.of() : some.holders();
                    holders.forEach(holder -> each.add(admin.release(some.lock().name(), holder)));
                });
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

        private Done releaseAll(Holdfast acting) {
            Total sum = new Total(0, 0, Duration.ZERO);
            for (LockInfo.Kind each : Kinds.locksOr(kind)) {
                Total one = Scan.admin(scan, acting, each).releaseAll();
                sum = new Total(
                        sum.released() + one.released(),
                        sum.dropped() + one.dropped(),
                        sum.took().plus(one.took()));
            }
            return new Done(sum.released(), sum.dropped(), sum.took(), null);
        }

        /** Of what several may hold, those that were shown. */
        private void releaseShown(Admin admin, LockInfo lock, List<Revocation> each) {
            if (drop) {
                each.add(admin.release(lock.name(), Waiters.DROP));
            } else {
                Set<Long> rests = new HashSet<>(); // those of readers with one token end together
                for (LockInfo.Share share : lock.shares()) {
                    Holder holder = share.holder();
                    if (!holder.resting() || rests.add(holder.token())) {
                        each.add(admin.release(lock.name(), holder));
                    }
                }
            }
        }

        /** Whether there is nothing to release but an operator's pause, which resume ends. */
        boolean isPaused(Holdfast looking) {
            return name != null
                    && Kinds.inspector(looking, kind == null ? LockInfo.Kind.LOCK : kind)
                            .lock(name, 0)
                            .holder()
                            .filter(Holder::isPause)
                            .isPresent();
        }

        private static long tokenOf(List<Found> found) {
            return found.stream()
                    .flatMap(some -> some.lock().holder().stream())
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
        static final Done NOTHING = new Done(0, 0, Duration.ZERO, List.of());

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
            json.text("lock", one.lockName())
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
            String lock = "'" + one.lockName() + "'";
            String who = one.holder()
                    .map(Done::named)
                    .orElse(one.outcome() == Outcome.RELEASED ? "all who held it" : "nobody");
            String dropped = one.dropped() == 0 ? "" : ", dropped " + Words.count(one.dropped(), "waiter");
            return switch (one.outcome()) {
                case RELEASED ->
                    "Released " + lock + " of " + who + dropped
                            + one.next()
                                    .map(next -> "; now held by " + named(next))
                                    .orElse("; now it is free") + ".";
                case NOTHING_TO_RELEASE -> "Nobody held " + lock + dropped + ".";
                case LEFT_ALONE ->
                    "Left " + lock + " alone" + dropped + ": "
                            + (one.holder().filter(Holder::isPause).isPresent()
                                    ? "it is paused; holdfast resume ends that."
                                    : "it is held by " + who + " with token "
                                            + one.holder().map(Holder::token).orElse(0L)
                                            + ", which is not the hold that was meant.");
            };
        }

        private static String named(Holder holder) {
            return Words.who(holder.application(), holder.host()) + ", pid " + holder.pid();
        }
    }
}
