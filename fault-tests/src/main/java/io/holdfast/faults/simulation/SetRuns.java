package io.holdfast.faults.simulation;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.model.following.Follower;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Timers;
import io.holdfast.testkit.FollowedServer;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs in which several clients ask for sets of locks, each drawn from its seed: over a server in memory, in virtual time, with
 * requests that take long, arrive when nobody waits for them any more, or whose answers do not come, with messages that are
 * lost, and with an operator who releases locks by name.
 */
final class SetRuns {
    /** What is looked at. */
    enum Check {
        /** A set that is handed out has all its locks. */
        ALL,
        /** Two sets with a lock in common are never valid at the same time, and tokens rise. */
        EXCLUSION,
        /** A set that is not renewed has its term when it is handed out. */
        TERM,
        /** Each lease of a set that is handed out has as much left as its options ask for. */
        LEAST,
        /** A limited wait ends in time. */
        ENDS,
        /** Everybody gets an answer in the end. */
        LIVENESS,
        /** What nobody has is not held for long, and nobody waits for what nobody wants. */
        ORPHAN,
        /** The server has run a script otherwise than its model. */
        MODEL
    }

    private static final List<String> NAMES = List.of("a", "b", "c", "d");
    private static final Duration TERM = Duration.ofSeconds(60);
    /** Of what is not renewed: a wait is seen in what is left of it. */
    private static final Duration BRIEF = Duration.ofSeconds(2);

    private static final Duration ANSWER = Duration.ofSeconds(1);
    private static final List<LockOptions> WAYS = List.of(
            LockOptions.defaults().withStrictOrder(),
            LockOptions.defaults().withStrictOrder(),
            LockOptions.defaults().withLocalHandoffs(3, Duration.ofMillis(50)),
            LockOptions.defaults().withStrictOrder().withKeepFor(Duration.ofSeconds(2)),
            LockOptions.defaults().withStrictOrder().withRenewal(false),
            LockOptions.defaults()
                    .withStrictOrder()
                    .withLeaseDuration(BRIEF)
                    .withMinRemaining(Duration.ofMillis(1_700)));
    private static final int CLIENTS = 3;
    private static final int CALLERS = 2;
    private static final int ROUNDS = 6;

    private final VirtualTime time = new VirtualTime();
    private final Timers timers = time.timers();
    private final MemoryServer server = MemoryServer.start(time);
    private final Random random;
    private final @Nullable FollowedServer followed;
    private final List<Holdfast> clients = new ArrayList<>();
    private final Map<String, LeaseSet> inside = new HashMap<>();
    private final Map<String, Long> newest = new HashMap<>();
    private final Set<String> revoked = new HashSet<>(); // owners, whose leases may not know it yet
    private int open;
    private String @Nullable [] finding;

    private SetRuns(long seed, @Nullable Follower follower) {
        random = new Random(seed);
        followed = follower == null ? null : FollowedServer.follow(server, follower);
    }

    /** The same, where no model is asked, see {@link Simulation#firstFinding}. */
    static String @Nullable [] firstFinding(long from, long to) {
        return firstFinding(from, to, null);
    }

    /**
     * The first of these seeds with a finding: its check and what was seen; null if there is none.
     *
     * @param follower compares what the servers do with the models; null if nobody does
     */
    static String @Nullable [] firstFinding(long from, long to, @Nullable Follower follower) {
        for (long seed = from; seed <= to; seed++) {
            String[] found = new SetRuns(seed, follower).run();
            if (found != null) {
                return new String[] {found[0], "seed " + seed + ": " + found[1]};
            }
        }
        return null;
    }

    /** Carries what a client and the server say to each other. */
    private final class Wire extends ForwardingDriver {
        private boolean atOnce = true;
        private long lastArrival;

        Wire() {
            super(server.driver());
        }

        @Override
        public CompletionStage<Reply> send(Command command) {
            if (atOnce) {
                return super.send(command);
            }
            CompletableFuture<Reply> reply = new CompletableFuture<>();
            if (random.nextInt(25) == 0) { // it gets there on a connection of before, and nobody is told
                later(1 + random.nextInt(3_000), () -> super.send(command));
                later(1 + random.nextInt(50), () -> reply.completeExceptionally(DriverException.unknown("lost", null)));
                return reply;
            }
            long now = time.elapsed().toMillis();
            lastArrival = Math.max(lastArrival, now + random.nextInt(15)); // what is sent later arrives later
            later(
                    lastArrival - now,
                    () -> super.send(command).whenComplete((answer, failure) -> {
                        if (failure == null) {
                            reply.complete(answer);
                        } else {
                            reply.completeExceptionally(failure);
                        }
                    }));
            return reply;
        }

        @Override
        public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
            return super.subscribe(channel, text -> {
                if (random.nextInt(20) > 0) {
                    later(random.nextInt(10), () -> onMessage.accept(text));
                }
            });
        }
    }

    private void later(long millis, Runnable task) {
        var unused = timers.schedule(Duration.ofMillis(millis).toNanos(), task);
    }

    private void found(Check check, String what) {
        if (finding == null) {
            finding = new String[] {check.name(), what + " at " + time.elapsed()};
        }
    }

    private Holdfast connect() {
        Wire wire = new Wire();
        Holdfast client = Holdfast.over(
                wire,
                HoldfastOptions.defaults()
                        .withExecutor(Runnable::run)
                        .withCommandTimeout(ANSWER)
                        .withCloseTimeout(Duration.ZERO),
                time.environment(random.nextLong()));
        wire.atOnce = false;
        clients.add(client);
        return client;
    }

    private String @Nullable [] run() {
        for (int c = 0; c < CLIENTS; c++) {
            Holdfast client = connect();
            for (int i = 0; i < CALLERS; i++) {
                later(random.nextInt(100), () -> ask(client, ROUNDS));
                open++;
            }
        }
        Holdfast operator = server.client(HoldfastOptions.defaults().withExecutor(Runnable::run));
        for (int i = 0; i < 8 && finding == null; i++) {
            time.advance(Duration.ofMillis(random.nextInt(1_500)));
            String name = NAMES.get(random.nextInt(NAMES.size()));
            operator.inspect().lock(name, 0).holder().map(Holder::owner).ifPresent(revoked::add);
            operator.admin().release(name, Admin.Waiters.HAND_OFF);
        }
        for (int i = 0; i < 600 && open > 0 && finding == null; i++) {
            time.advance(Duration.ofSeconds(2));
        }
        if (open > 0) {
            found(Check.LIVENESS, open + " callers have no answer");
        }
        time.advance(TERM.dividedBy(3));
        if (clients.stream().anyMatch(client -> client.leaseCount() + client.waiterCount() > 0)) {
            found(Check.ORPHAN, "a client holds what it has given back");
        }
        List<String> left = server.command("KEYS", "*").asList().stream()
                .map(Reply::asString)
                .filter(key -> !key.endsWith(":t") && !key.contains("}:x:"))
                .toList();
        if (!left.isEmpty()) {
            found(Check.ORPHAN, "left on the server: " + left);
        }
        String difference = followed == null ? null : followed.difference();
        if (difference != null) {
            found(Check.MODEL, difference);
        }
        operator.close();
        clients.forEach(Holdfast::close);
        server.close();
        return finding;
    }

    /** One caller, who is open until it has done all its rounds. */
    private void ask(Holdfast client, int rounds) {
        if (rounds == 0) {
            open--;
            return;
        }
        List<String> names = new ArrayList<>(NAMES);
        Collections.shuffle(names, random);
        LockOptions way = WAYS.get(random.nextInt(WAYS.size()));
        LockOptions options =
                way.withLeaseDuration(way.renewal() && way.minRemaining().isZero() ? TERM : BRIEF);
        DistributedLock[] locks = names.subList(0, 2 + random.nextInt(NAMES.size() - 1)).stream()
                .map(name -> client.lock(name, options))
                .toArray(DistributedLock[]::new);
        Duration limit = Duration.ofMillis(1 + random.nextInt(2_000));
        boolean limited = random.nextInt(3) == 0;
        Duration begun = time.elapsed();
        CompletableFuture<Attempt<LeaseSet>> asked =
                client.allOf(locks).attemptAsync(limited ? Wait.upTo(limit) : Wait.forever());
        asked.whenComplete((attempt, failure) -> {
            Duration took = time.elapsed().minus(begun);
            if (limited && took.compareTo(limit.plus(ANSWER.multipliedBy(3))) > 0) {
                found(Check.ENDS, "answered after " + took + ", not after " + limit);
            }
            if (attempt instanceof Attempt.Obtained<LeaseSet> obtained) {
                work(obtained.lease(), options);
                later(1 + random.nextInt(300), () -> release(client, obtained.lease(), rounds));
            } else {
                later(1 + random.nextInt(300), () -> ask(client, rounds - 1));
            }
        });
        if (random.nextInt(6) == 0) {
            later(random.nextInt(600), () -> asked.cancel(false));
        }
    }

    private void work(LeaseSet leases, LockOptions options) {
        if (!leases.isValid()) {
            found(Check.ALL, leases + " is handed out");
            return;
        }
        if (!options.renewal()
                && leases.remaining().compareTo(BRIEF.multipliedBy(9).dividedBy(10)) < 0) {
            found(Check.TERM, leases + " is handed out");
        }
        leases.tokens().forEach((name, token) -> {
            if (leases.lease(name).remaining().compareTo(options.minRemaining()) <= 0) {
                found(
                        Check.LEAST,
                        leases.lease(name) + " is handed out with "
                                + leases.lease(name).remaining());
            }
            LeaseSet before = inside.put(name, leases);
            if (before != null && isTrusted(before.lease(name))) {
                found(Check.EXCLUSION, leases + " beside " + before);
            }
            if (newest.merge(name, token, Math::max) > token && isTrusted(leases.lease(name))) {
                found(Check.EXCLUSION, leases + " has an older token of " + name);
            }
        });
    }

    private boolean isTrusted(Lease lease) {
        return lease.isValid() && !revoked.contains(lease.owner());
    }

    private void release(Holdfast client, LeaseSet leases, int rounds) {
        leases.tokens().keySet().forEach(name -> inside.remove(name, leases));
        leases.releaseAsync();
        later(1 + random.nextInt(200), () -> ask(client, rounds - 1));
    }
}
