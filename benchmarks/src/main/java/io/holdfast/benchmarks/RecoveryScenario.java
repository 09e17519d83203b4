package io.holdfast.benchmarks;

import io.holdfast.benchmarks.contestants.Contestants;
import io.holdfast.benchmarks.contestants.Contestants.Ability;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.contracts.servers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** How long somebody waits for a lock that nobody needs any more: after something broke, or where it is kept. */
final class RecoveryScenario implements Scenario {
    private static final long LIMIT_MILLIS = 60_000;
    private static final long QUEUEING_NANOS = TimeUnit.MILLISECONDS.toNanos(4);
    /** In which who asks surely comes to wait, and a server notices that a process is gone. */
    private static final long SETTLING_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

    /** What breaks. */
    enum Kind {
        HOLDER(
                "killed-holder",
                "A killed holder",
                "The process that holds the lock is killed while another one waits. The time is from the expiry of the"
                        + " hold on the server until the other process has the lock; the lease duration is a second.",
                Duration.ofSeconds(1),
                "redisson-lock"),
        WAITER(
                "killed-waiter",
                "A killed waiter that was next in line",
                "Two processes wait; the one that came first is killed, and then the lock is released. The time is from"
                        + " that release until the other process has the lock.",
                Duration.ofSeconds(30),
                "hop"),
        MESSAGE(
                "lost-message",
                "A lost message",
                "The connection on which a waiting process gets its messages goes silent, and then the lock is"
                        + " released. The time is from that release until the process has the lock; the lease duration"
                        + " is three seconds.",
                Duration.ofSeconds(3),
                "redisson-lock"),
        RECALL(
                "recalled",
                "A lock that another client keeps",
                "A process has released a lock, and keeps it if its options say so. Another process asks for the lock."
                        + " The time is from that request until the other process has the lock.",
                Duration.ofSeconds(30),
                "holdfast-lettuce"),
        KEEPER(
                "killed-keeper",
                "A killed client that kept a lock",
                "This is the same, but the process that keeps the lock was killed right after its release. The lease"
                        + " duration is a second; because of renewal, at least two thirds of it are left at that time.",
                Duration.ofSeconds(1),
                "holdfast-lettuce");

        final String id;
        final String title;
        final String meaning;
        final Duration term;
        final String reference;

        /** Whether it is about locks that are kept after a release. */
        boolean keeps() {
            return this == RECALL || this == KEEPER;
        }

        Kind(String id, String title, String meaning, Duration term, String reference) {
            this.id = id;
            this.title = title;
            this.meaning = meaning;
            this.term = term;
            this.reference = reference;
        }
    }

    private final Kind kind;

    RecoveryScenario(Kind kind) {
        this.kind = kind;
    }

    @Override
    public String id() {
        return kind.id;
    }

    @Override
    public String title() {
        return kind.title;
    }

    @Override
    public String meaning() {
        return kind.meaning
                + " A waiter that does not have the lock within the time limit of a run is counted with that limit.";
    }

    @Override
    public List<Metric> metrics() {
        return List.of(Metric.lower("recovery", "ms", 2), Metric.lower("missed", "not in time", 0));
    }

    @Override
    public List<String> references() {
        return kind.keeps() ? List.of(kind.reference) : List.of(kind.reference, "redisson-fair");
    }

    @Override
    public List<String> contestants(int size) {
        return Contestants.forScenario(id()).stream()
                .filter(each -> each.can(Ability.WAITS) || (kind == Kind.WAITER && each.can(Ability.HOP)))
                .map(Contestants.Entry::id)
                .filter(each -> !each.equals("redisson-fenced")) // waits as Redisson's lock does
                .filter(each -> !kind.keeps() || each.equals(kind.reference) || each.equals("holdfast-keeping"))
                .toList();
    }

    @Override
    public int rounds(Scale scale) {
        return scale.slowRounds();
    }

    @Override
    public Session open(String contestant, int size, Stage stage) {
        Contestants.Entry entry = Contestants.of(contestant);
        RedisServer server = RedisServer.start();
        return new Session() {
            private int number;

            @Override
            public Sample measure() {
                long patience = stage.scale().patienceMillis();
                String lock = "lock-" + number++;
                double millis;
                try (Cast cast =
                        new Cast(stage.crew(), contestant, server, stage.scale().handoffs())) {
                    millis = switch (kind) {
                        case HOLDER -> cast.killHolder(String.format(entry.keyPattern(), lock), lock, patience);
                        case WAITER -> cast.killWaiter(lock, patience);
                        case MESSAGE -> cast.loseMessage(lock, patience);
                        case RECALL -> cast.askAfterRelease(lock, false, patience);
                        case KEEPER -> cast.askAfterRelease(lock, true, patience);
                    };
                }
                Map<String, Double> values = new LinkedHashMap<>();
                values.put("recovery", Double.isNaN(millis) ? patience : millis);
                values.put("missed", Double.isNaN(millis) ? 1.0 : 0.0);
                return new Sample(values, null);
            }

            @Override
            public void close() {
                server.close();
            }
        };
    }

    /** The processes of one accident. */
    private final class Cast implements AutoCloseable {
        private final RedisServer server;
        private final TcpProxy proxy;
        private final List<Crew.Member> members = new ArrayList<>();

        Cast(Crew crew, String contestant, RedisServer server, int warmings) {
            this.server = server;
            this.proxy = TcpProxy.to(server.port());
            String waiterAddress = kind == Kind.MESSAGE ? proxy.address().toString() : server.url();
            members.add(crew.startProcess(contestant, server.url(), kind.term));
            members.add(crew.startProcess(contestant, waiterAddress, kind.term));
            if (kind == Kind.WAITER) {
                members.add(crew.startProcess(contestant, server.url(), kind.term));
            }
            members.forEach(Crew.Member::awaitStart);
            // Each has done all of it before, where nothing breaks.
            for (int i = 0; i < warmings * members.size(); i++) {
                String warm = "warm-" + i + "-" + server.port();
                Crew.Member holder = members.get(i % members.size());
                Crew.Member waiter = members.get((i + 1) % members.size());
                take(holder, waiter, warm, QUEUEING_NANOS);
                holder.carryOut(Task.of(Task.Act.GIVE, warm), LIMIT_MILLIS);
                waiter.carryOut(Task.of(Task.Act.AWAIT, warm).lasting(0, LIMIT_MILLIS), 2 * LIMIT_MILLIS);
            }
        }

        private void take(Crew.Member holder, Crew.Member waiter, String lock, long pauseNanos) {
            holder.carryOut(Task.of(Task.Act.TAKE, lock), LIMIT_MILLIS);
            waiter.carryOut(Task.of(Task.Act.ASK, lock), LIMIT_MILLIS);
            LockSupport.parkNanos(pauseNanos);
        }

        double killHolder(String key, String lock, long patience) {
            take(members.get(0), members.get(1), lock, SETTLING_NANOS);
            members.get(0).kill();
            long left = server.command("PTTL", key).asLong();
            long over = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(left);
            return await(members.get(1), lock, over, patience);
        }

        double killWaiter(String lock, long patience) {
            take(members.get(0), members.get(1), lock, SETTLING_NANOS);
            members.get(2).carryOut(Task.of(Task.Act.ASK, lock), LIMIT_MILLIS);
            LockSupport.parkNanos(SETTLING_NANOS);
            members.get(1).kill();
            LockSupport.parkNanos(SETTLING_NANOS);
            long released = members.get(0)
                    .carryOut(Task.of(Task.Act.GIVE, lock), LIMIT_MILLIS)
                    .nanos();
            return await(members.get(2), lock, released, patience);
        }

        double loseMessage(String lock, long patience) {
            take(members.get(0), members.get(1), lock, SETTLING_NANOS);
            proxy.dropReplies(TcpProxy.Kind.MESSAGES);
            long released = members.get(0)
                    .carryOut(Task.of(Task.Act.GIVE, lock), LIMIT_MILLIS)
                    .nanos();
            return await(members.get(1), lock, released, patience);
        }

        double askAfterRelease(String lock, boolean kill, long patience) {
            members.get(0).carryOut(Task.of(Task.Act.TAKE, lock), LIMIT_MILLIS);
            members.get(0).carryOut(Task.of(Task.Act.GIVE, lock), LIMIT_MILLIS);
            if (kill) {
                members.get(0).kill();
            }
            long asked = members.get(1)
                    .carryOut(Task.of(Task.Act.ASK, lock), LIMIT_MILLIS)
                    .nanos();
            return await(members.get(1), lock, asked, patience);
        }

        /** Milliseconds from a moment on; NaN if it did not happen in time. */
        private double await(Crew.Member waiter, String lock, long from, long patience) {
            try {
                long got = waiter.carryOut(Task.of(Task.Act.AWAIT, lock).lasting(0, patience), patience + LIMIT_MILLIS)
                        .nanos();
                return Math.max(0, (got - from) / 1e6);
            } catch (Crew.Failed e) {
                return Double.NaN;
            }
        }

        @Override
        public void close() {
            members.forEach(Crew.Member::close);
            proxy.close();
        }
    }
}
