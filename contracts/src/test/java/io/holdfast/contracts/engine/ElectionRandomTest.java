package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Candidacy;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.contracts.HandLeader;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Candidates of several clients, in virtual time and over the very scripts, with whatever a seed draws: networks that break,
 * lose replies or fall silent, leaders that return, fail or hang, resignations, operators. What has to be true is looked at
 * after each step, and whenever a leader begins. {@code -Dholdfast.test.seed=…} runs one seed again.
 */
@Tag("long")
final class ElectionRandomTest {
    private static final int SEEDS = 40;
    private static final int STEPS = 120;
    private static final Duration TERM = Duration.ofSeconds(6);
    private static final Duration CALM = Duration.ofMinutes(2);
    private static final HoldfastOptions OPTIONS =
            HoldfastOptions.defaults().withExecutor(Runnable::run).withCloseTimeout(Duration.ZERO);

    private enum Network {
        WORKS,
        BROKEN,
        LOSES_REPLIES,
        SILENT
    }

    /** A client whose network does what the world says. */
    private static final class Line extends ForwardingDriver {
        private final List<ConnectionListener> listeners = new ArrayList<>();
        private Network network = Network.WORKS;

        Line(RedisDriver driver) {
            super(driver);
        }

        void become(Network next) {
            Network before = network;
            network = next;
            if (before == Network.WORKS && next == Network.BROKEN) {
                listeners.forEach(ConnectionListener::commandsDown);
                listeners.forEach(ConnectionListener::messagesDown);
            } else if (before != Network.WORKS && next == Network.WORKS) {
                listeners.forEach(ConnectionListener::commandsUp);
                listeners.forEach(ConnectionListener::messagesUp);
            }
        }

        private static <T> CompletionStage<T> unknown() {
            return CompletableFuture.failedFuture(DriverException.unknown("made so by the test", null));
        }

        @Override
        public CompletionStage<Reply> send(Command command) {
            return switch (network) {
                case WORKS -> super.send(command);
                case BROKEN -> unknown();
                case LOSES_REPLIES -> {
                    var unused = super.send(command);
                    yield unknown();
                }
                case SILENT -> new CompletableFuture<>();
            };
        }

        @Override
        public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
            return network == Network.WORKS
                    ? super.subscribe(channel, text -> {
                        if (network == Network.WORKS) {
                            onMessage.accept(text);
                        }
                    })
                    : unknown();
        }

        @Override
        public void reconnect() {
            // What is silent stays so until the world says otherwise.
        }

        @Override
        public void listen(ConnectionListener listener) {
            listeners.add(listener);
            super.listen(listener);
        }
    }

    private final class World implements AutoCloseable {
        final Random random;
        final VirtualTime time = new VirtualTime();
        final MemoryServer server = MemoryServer.start(time);
        final List<Line> lines = new ArrayList<>();
        final List<Holdfast> clients = new ArrayList<>();
        final List<HandLeader> leaders = new ArrayList<>();
        final List<Candidacy> candidacies = new ArrayList<>();
        final List<Candidacy> closed = new ArrayList<>();
        final List<HandLeader.Term> atWork = new ArrayList<>();
        final List<Long> told = new ArrayList<>();
        final List<String> problems = new ArrayList<>();
        final Holdfast watching;
        long newest;

        World(long seed) {
            random = new Random(seed);
            for (int i = 0; i < 3; i++) {
                Line line = new Line(server.driver());
                lines.add(line);
                clients.add(Holdfast.over(line, OPTIONS, time.environment(seed * 10 + i)));
            }
            watching = Holdfast.over(server.driver(), OPTIONS, time.environment(seed * 10 + 9));
            watching.election("a")
                    .observe(leader -> told.add(leader.map(Holder::token).orElse(0L)));
            for (int i = 0; i < 5; i++) {
                HandLeader leader = new HandLeader();
                leaders.add(leader);
                candidacies.add(clients.get(i % 3)
                        .election(
                                "a",
                                LockOptions.defaults().withLeaseDuration(TERM).withPriority(i == 4 ? 1 : 0))
                        .withGrace(Duration.ofSeconds(4))
                        .withThreads(task -> thread(leader, task))
                        .campaign(leader));
                found();
            }
        }

        /** When its start returns, its leader is at work, or has seen that it came too late: so every run is the same. */
        private Thread thread(HandLeader leader, Runnable task) {
            Thread thread = new Thread(task, "leader") {
                @Override
                @SuppressWarnings("UnsynchronizedOverridesSynchronized") // a thread needs its monitor to end
                public void start() {
                    long others = candidacies.stream()
                            .filter(each -> each != candidacyOf(leader))
                            .filter(Candidacy::isLeader)
                            .count();
                    if (others > 0) {
                        problems.add("a leader begins beside another");
                    }
                    super.start();
                    while (isAlive() && leader.isIdle()) {
                        LockSupport.parkNanos(10_000);
                    }
                }
            };
            thread.setDaemon(true);
            return thread;
        }

        private Object candidacyOf(HandLeader leader) {
            int index = leaders.indexOf(leader);
            return index < candidacies.size() ? candidacies.get(index) : leader;
        }

        /** Who has begun since the last look. */
        private void found() {
            List<HandLeader.Term> begun = new ArrayList<>();
            for (HandLeader leader : leaders) {
                while (!leader.isIdle()) {
                    begun.add(leader.next());
                }
            }
            begun.sort((one, other) -> Long.compare(one.leadership.token(), other.leadership.token()));
            for (HandLeader.Term term : begun) {
                if (term.leadership.token() <= newest) {
                    problems.add("token " + term.leadership.token() + " after " + newest);
                }
                newest = term.leadership.token();
            }
            atWork.addAll(begun);
        }

        private <T> T any(List<T> all) {
            return all.get(random.nextInt(all.size()));
        }

        void step() {
            switch (random.nextInt(12)) {
                case 0, 1 -> any(lines).become(any(List.of(Network.values())));
                case 2 -> any(lines).become(Network.WORKS);
                case 3 -> begin(any(candidacies)::resign);
                case 4 -> {
                    if (!atWork.isEmpty()) {
                        end(any(atWork));
                    }
                }
                case 5 -> {
                    // Whoever is not told of it leads until its next renewal, beside the next: that is promised nobody.
                    if (lines.stream().allMatch(line -> line.network == Network.WORKS)) {
                        watching.admin().of(LockInfo.Kind.ELECTION).release("a", Admin.Waiters.HAND_OFF);
                    }
                }
                case 6 -> {
                    if (random.nextInt(30) == 0) {
                        Candidacy leaving = any(candidacies);
                        begin(leaving::close);
                        closed.add(leaving);
                    }
                }
                default -> time.advance(Duration.ofMillis(random.nextInt(2_500)));
            }
            // Most leaders heed the end of their leadership soon, some hang.
            for (HandLeader.Term term : List.copyOf(atWork)) {
                if (!term.leadership.isValid() && random.nextInt(4) == 0) {
                    end(term);
                }
            }
            check();
        }

        /** Does what blocks for an answer, up to where it waits for one that may never come. */
        private void begin(Runnable blocking) {
            Thread thread = new Thread(blocking, "blocking");
            thread.setDaemon(true);
            thread.start();
            while (thread.getState() != Thread.State.TERMINATED && thread.getState() != Thread.State.WAITING) {
                LockSupport.parkNanos(10_000);
            }
        }

        private void end(HandLeader.Term term) {
            if (!term.leadership.isValid()) {
                term.awaitInterrupt();
            }
            atWork.remove(term);
            boolean fails = random.nextInt(5) == 0;
            term.end(() -> {
                if (fails) {
                    throw new IllegalStateException("thrown on purpose");
                }
            });
        }

        void check() {
            found();
            List<Candidacy> leading =
                    candidacies.stream().filter(Candidacy::isLeader).toList();
            if (leading.size() > 1) {
                problems.add("leading: " + leading);
            }
            for (HandLeader leader : leaders) {
                if (leader.hasOverlapped()) {
                    problems.add("a leader is at work twice");
                }
            }
            assertEquals(List.of(), problems);
        }

        /** Nothing fails any more, and every leader heeds the end of its leadership. */
        void calm() {
            lines.forEach(line -> line.become(Network.WORKS));
            for (Duration left = CALM; !left.isNegative(); left = left.minusSeconds(1)) {
                time.advance(Duration.ofSeconds(1));
                check();
                for (HandLeader.Term term : List.copyOf(atWork)) {
                    if (!term.leadership.isValid()) {
                        end(term);
                    }
                }
                check();
            }
            List<Candidacy> open = new ArrayList<>(candidacies);
            open.removeAll(closed);
            long leading = candidacies.stream().filter(Candidacy::isLeader).count();
            assertEquals(open.isEmpty() ? 0 : 1, leading, () -> "of " + open);
            closed.forEach(each -> assertFalse(each.isLeader()));
            long token = candidacies.stream()
                    .flatMap(each -> each.leadership().stream())
                    .mapToLong(each -> each.token())
                    .sum();
            assertEquals(token, Objects.requireNonNull(told.get(told.size() - 1)), "who watches knows");
            List<Long> leaders = told.stream().filter(each -> each > 0).toList();
            assertEquals(leaders.stream().sorted().toList(), leaders, "in order");
        }

        @Override
        public void close() {
            clients.forEach(Holdfast::close);
            watching.close();
            found();
            atWork.forEach(HandLeader.Term::end);
            server.close();
        }
    }

    @Test
    void candidates_whateverFails_oneLeadsAtATimeAndOneInTheEnd() {
        Long only = Long.getLong("holdfast.test.seed");
        long begun = 0;
        for (long seed = only == null ? 1 : only; seed <= (only == null ? SEEDS : only); seed++) {
            try (World world = new World(seed)) {
                for (int i = 0; i < STEPS; i++) {
                    world.step();
                }
                world.calm();
                begun += world.told.size();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("-Dholdfast.test.seed=" + seed + ": " + e.getMessage(), e);
            }
        }
        assertTrue(only != null || begun > SEEDS * 5L, "hardly anybody has led");
    }
}
