package io.holdfast.cli;

import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.LockInfo;
import io.holdfast.Waiter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** {@code holdfast ls} and {@code holdfast info}. */
final class Listing {
    private static final String APPLICATION = "holdfast";

    private Listing() {}

    static int all(Server server) {
        try (Holdfast client = connect(server)) {
            List<LockInfo> locks = new ArrayList<>();
            client.inspect().locks().forEach(locks::add);
            locks.sort(Comparator.comparing(LockInfo::name));
            if (locks.isEmpty()) {
                System.out.println("No lock is held" + where(server) + ".");
                return 0;
            }
            Table table = new Table("LOCK", "HELD BY", "PID", "SINCE", "AGE", "LEFT", "TOKEN", "WAITING");
            for (LockInfo lock : locks) {
                lock.holder().ifPresent(holder -> row(table, lock, holder));
            }
            System.out.print(table.text());
            return 0;
        }
    }

    private static void row(Table table, LockInfo lock, Holder holder) {
        String who = Words.who(holder.application(), holder.host());
        table.add(
                lock.name(),
                holder.resting() ? "nobody, rests after " + who : who,
                holder.pid(),
                Words.time(holder.since()),
                Span.inWords(Words.age(holder.since())),
                Span.inWords(lock.remaining()),
                Long.toString(holder.token()),
                Integer.toString(lock.waiters()));
    }

    static int one(Server server, String name) {
        try (Holdfast client = connect(server)) {
            System.out.print(page(server, client.inspect().lock(name)));
            return 0;
        }
    }

    private static String page(Server server, LockInfo lock) {
        Holder holder = lock.holder().orElse(null);
        StringBuilder page = new StringBuilder();
        if (holder == null) {
            page.append("Nobody holds '")
                    .append(Say.printable(lock.name()))
                    .append("'")
                    .append(where(server))
                    .append(".\n");
        } else {
            Table facts = new Table();
            String who = Words.who(holder.application(), holder.host()) + ", pid " + holder.pid();
            facts.add("lock", lock.name());
            facts.add("held by", holder.resting() ? "nobody, rests after " + who : who);
            facts.add("since", ago(holder.since()));
            facts.add(
                    "term",
                    Span.inWords(lock.term()) + ", " + Span.inWords(lock.remaining()) + " left"
                            + (holder.resting() ? "" : " unless renewed"));
            facts.add("token", Long.toString(holder.token()));
            page.append(facts.text());
        }
        if (lock.waiters() > 0) {
            Table queue = new Table("", "WAITING", "PID", "SINCE");
            int place = 1;
            for (Waiter each : lock.queue()) {
                queue.add(
                        Integer.toString(place++),
                        Words.who(each.application(), each.host()),
                        each.pid(),
                        ago(each.since()));
            }
            page.append('\n').append(queue.text());
            if (lock.waiters() > lock.queue().size()) {
                page.append("and ").append(lock.waiters() - lock.queue().size()).append(" more\n");
            }
        }
        return page.toString();
    }

    private static String ago(Instant since) {
        return Words.time(since) + " (" + Span.inWords(Words.age(since)) + " ago)";
    }

    private static String where(Server server) {
        return server.machineLocal() ? " by this user on this machine" : "";
    }

    private static Holdfast connect(Server server) {
        if (server.machineLocal()) {
            Say.line("machine-local locks of this user (for others, give --url or HOLDFAST_URL)");
        }
        return server.connect(APPLICATION);
    }
}
