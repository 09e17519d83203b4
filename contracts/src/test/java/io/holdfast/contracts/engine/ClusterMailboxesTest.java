package io.holdfast.contracts.engine;

import static io.holdfast.contracts.Outcomes.assertNotObtained;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Attempt;
import io.holdfast.Attempt.Reason;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockInfo;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.Waiter;
import io.holdfast.internal.wire.Keys;
import io.holdfast.spi.Reply;
import io.holdfast.spi.Timers;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients for which each lock has a mailbox of its own, whose requests, answers, subscriptions and ticks meet in any order:
 * who waits can be told, and nobody listens for long to what nobody wants. In virtual time; a seed gives the same run.
 */
@Tag("long")
final class ClusterMailboxesTest {
    private static final List<String> LOCKS = List.of("a", "b", "c");
    private static final Duration RUN = Duration.ofMinutes(2);
    private static final Duration LOOK = Duration.ofMillis(250);
    private static final HoldfastOptions OPTIONS =
            HoldfastOptions.defaults().withExecutor(Runnable::run).withCloseTimeout(Duration.ZERO);
    private static final Duration REFRESH = OPTIONS.refreshInterval();

    /** A client that has had nothing for two minutes, and looks every two seconds whether it has, does not listen for those who look. */
    private static final Duration LINGERS = Duration.ofSeconds(125);

    /** Three refreshes repair whatever was lost, and a little more for answers on their way. */
    private static final Duration REPAIRED = REFRESH.multipliedBy(3).plusSeconds(1);

    private final VirtualTime time = new VirtualTime();
    private final Timers timers = time.timers();
    private final MemoryServer server = MemoryServer.start(time);
    private final List<ClusterDriver> drivers = new ArrayList<>();
    private final List<Holdfast> clients = new ArrayList<>();
    private final Map<String, Duration> unreachableSince = new HashMap<>(); // by owner
    private Duration lastFault = Duration.ZERO;
    private long names;
    private int obtained;
    private int looks;
    private boolean ending;

    private Holdfast client(long seed) {
        ClusterDriver driver = new ClusterDriver(server.driver(), time, seed);
        drivers.add(driver);
        Holdfast client = Holdfast.over(driver, OPTIONS, time.environment(seed));
        clients.add(client);
        return client;
    }

    /** Takes and releases one lock again and again: at once, or after a pause in which its mailbox is about to close. */
    private final class Agent {
        private final Holdfast client;
        private final String name;
        private final boolean pauses;
        private final Random random;

        Agent(Holdfast client, String name, boolean pauses, long seed) {
            this.client = client;
            this.name = name;
            this.pauses = pauses;
            this.random = new Random(seed);
            think();
        }

        private void think() {
            if (ending) {
                return;
            }
            long pause = pauses ? 1_500 + random.nextInt(3_000) : random.nextInt(50);
            timers.schedule(pause * 1_000_000, this::ask);
        }

        private void ask() {
            Wait wait =
                    random.nextInt(8) == 0 ? Wait.upTo(Duration.ofMillis(1 + random.nextInt(3_000))) : Wait.forever();
            client.lock(name).attemptAsync(wait).whenComplete((attempt, failure) -> {
                if (attempt != null && attempt.asOptional().isPresent()) {
                    obtained++;
                    Lease lease = attempt.asOptional().orElseThrow();
                    timers.schedule(random.nextInt(400) * 1_000_000L, () -> {
                        lease.releaseAsync();
                        think();
                    });
                } else {
                    think();
                }
            });
        }
    }

    /** Takes locks that nobody else wants, each once, and keeps each for a moment. */
    private final class Keeper {
        private final Holdfast client;
        private final Random random;

        Keeper(Holdfast client, long seed) {
            this.client = client;
            this.random = new Random(seed);
            next();
        }

        private void next() {
            if (ending) {
                return;
            }
            LockOptions kept = LockOptions.defaults().withKeepFor(Duration.ofMillis(100));
            client.lock("kept-" + names++, kept).acquireAsync(Wait.forever()).whenComplete((lease, failure) -> {
                if (lease != null) {
                    lease.releaseAsync();
                }
                timers.schedule(random.nextInt(3_000) * 1_000_000L, this::next);
            });
        }
    }

    private void trouble(Random random) {
        if (ending) {
            return;
        }
        ClusterDriver driver = drivers.get(random.nextInt(drivers.size() - 1)); // not the one that looks
        boolean commands = random.nextBoolean();
        long downNanos = random.nextInt(1_500) * 1_000_000L;
        if (commands) {
            driver.breakCommands();
        } else {
            driver.breakMessages();
        }
        lastFault = time.elapsed().plusNanos(downNanos);
        timers.schedule(downNanos, commands ? driver::restoreCommands : driver::restoreMessages);
        timers.schedule((10_000 + random.nextInt(20_000)) * 1_000_000L, () -> trouble(random));
    }

    /** Everybody who has waited for long without a fault can be told of a grant. */
    private void look(Holdfast inspecting, long seed) {
        Set<String> unreachable = new HashSet<>();
        for (String name : LOCKS) {
            for (Waiter waiter : inspecting.inspect().lock(name).queue()) {
                looks++;
                if (waiter.state() != Waiter.State.HERE) {
                    unreachable.add(waiter.owner());
                    Duration since = unreachableSince.computeIfAbsent(waiter.owner(), owner -> time.elapsed());
                    Duration from = since.compareTo(lastFault) > 0 ? since : lastFault;
                    assertTrue(
                            time.elapsed().minus(from).compareTo(REPAIRED) < 0,
                            () -> "seed " + seed + ": at " + time.elapsed() + " the client of " + waiter
                                    + " could not be told of a grant since " + from);
                }
            }
        }
        unreachableSince.keySet().retainAll(unreachable);
    }

    private List<String> channels() {
        return server.command("PUBSUB", "CHANNELS", "*").asList().stream()
                .map(Reply::asString)
                .toList();
    }

    /** The channels of locks. */
    private List<String> mailboxes() {
        return channels().stream()
                .filter(channel -> !channel.startsWith(Keys.askedChannelPrefix("hf")))
                .toList();
    }

    private void run(long seed, boolean faults) {
        Random random = new Random(seed);
        // Of each lock two clients make sure that it is always wanted, and one comes and goes.
        for (int i = 0; i < LOCKS.size(); i++) {
            Holdfast client = client(random.nextLong());
            for (int j = 0; j < LOCKS.size(); j++) {
                new Agent(client, LOCKS.get(j), i == j, random.nextLong());
            }
        }
        new Keeper(client(random.nextLong()), random.nextLong());
        Holdfast inspecting = client(random.nextLong());
        drivers.subList(0, LOCKS.size() + 1).forEach(ClusterDriver::begin);
        if (faults) {
            trouble(random);
        }
        while (time.elapsed().compareTo(RUN) < 0) {
            time.advance(LOOK);
            look(inspecting, seed);
        }
        assertTrue(obtained > 200, "grants: " + obtained);
        assertTrue(looks > 50, "waiters looked at: " + looks);
        ending = true;
        time.advance(REPAIRED.multipliedBy(3));
        assertEquals(0, clients.stream().mapToLong(Holdfast::waiterCount).sum(), "seed " + seed + ": still waits");
        assertEquals(List.of(), mailboxes(), "seed " + seed + ": heard although no client wants it");
        time.advance(LINGERS);
        assertEquals(List.of(), channels(), "seed " + seed + ": heard although no client looks or has anything");
        clients.forEach(Holdfast::close);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void waiters_ticksAndAnswersInAnyOrder_canBeToldAndNothingStaysOpen(long seed) {
        run(seed, false);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void waiters_connectionsBreakInBetween_canBeToldAgainAndNothingStaysOpen(long seed) {
        run(seed, true);
    }

    /** A name whose lock is at the first or the second server. */
    private String lockAt(int which, int number) {
        ClusterDriver driver = drivers.get(0);
        for (int i = 0, found = 0; ; i++) {
            String name = "lock-" + i;
            if (driver.partition(Keys.of("hf", name).hold()) % 2 == which && found++ == number) {
                return name;
            }
        }
    }

    @Test
    void want_locksThatNobodyElseWants_areListenedToForThreeRefreshesAtMost() {
        Holdfast client = client(1);
        LockOptions kept = LockOptions.defaults().withKeepFor(Duration.ofMillis(100));
        for (int i = 0; i < 50; i++) {
            client.lock("lock-" + i, kept).acquireAsync(Wait.forever()).join().releaseAsync();
        }
        assertEquals(50, mailboxes().size());
        time.advance(REFRESH.multipliedBy(3));
        assertEquals(List.of(), mailboxes());
        client.close();
    }

    @Test
    void tryAcquire_keptLockThatSomebodyElseHas_isNotListenedToAfterwards() {
        Holdfast holder = client(1);
        Holdfast asking = client(2);
        Lease held = holder.lock("taken").acquireAsync(Wait.none()).join();
        CompletableFuture<Attempt<Lease>> waits = asking.lock("taken").attemptAsync(Wait.upTo(Duration.ofSeconds(1)));
        LockOptions kept = LockOptions.defaults().withKeepFor(Duration.ofSeconds(10));
        CompletableFuture<Attempt<Lease>> without = asking.lock("taken", kept).attemptAsync(Wait.none());
        time.advance(Duration.ofSeconds(2));
        assertNotObtained(Reason.TAKEN, without.join());
        assertNotObtained(Reason.TIMED_OUT, waits.join());
        held.releaseAsync();
        time.advance(REPAIRED);
        assertEquals(List.of(), mailboxes());
        clients.forEach(Holdfast::close);
    }

    private static Set<String> listed(Holdfast looking) {
        return looking.inspect().locks().map(LockInfo::name).collect(Collectors.toSet());
    }

    @Test
    void locks_clientHasHadNothingForLong_doesNotListenAndIsAskedAgainAsSoonAsItHasSomething() {
        Holdfast looking = client(1);
        Holdfast client = client(2);
        for (int i = 0; i < 3; i++) {
            time.advance(LINGERS);
            assertEquals(List.of(), channels());
            Lease lease = client.lock("a").acquireAsync(Wait.none()).join();
            assertEquals(List.of(Keys.askedChannelPrefix("hf") + client.id()), channels());
            assertEquals(Set.of("a"), listed(looking));
            lease.releaseAsync().toCompletableFuture().join();
            assertEquals(Set.of(), listed(looking));
        }
        Lease held = client.lock("b").acquireAsync(Wait.none()).join();
        time.advance(LINGERS);
        client.lock("c").acquireAsync(Wait.none()).join();
        assertEquals(Set.of("b", "c"), listed(looking), "it listens for as long as it has something");
        held.releaseAsync().toCompletableFuture().join();
        clients.forEach(Holdfast::close);
    }

    @Test
    void acquireAndRelease_againAndAgain_sendsNothingElse() {
        Holdfast client = client(1);
        client.lock("a").acquireAsync(Wait.none()).join().releaseAsync();
        long before = drivers.get(0).sent();
        for (int i = 0; i < 300; i++) {
            time.advance(Duration.ofSeconds(1));
            client.lock("a").acquireAsync(Wait.none()).join().releaseAsync();
        }
        long sent = drivers.get(0).sent() - before;
        assertEquals(600, sent);
        time.advance(LINGERS.multipliedBy(3));
        assertEquals(1, drivers.get(0).sent() - before - sent, "what it listened to has ended");
        clients.forEach(Holdfast::close);
    }

    @Test
    void acquire_hundredsAskAgainAtAFrozenServer_isQueuedAtTheOtherAtOnce() {
        Holdfast other = client(1);
        String name = lockAt(0, 0);
        Lease lease = other.lock(name).acquireAsync(Wait.none()).join();
        Holdfast client = client(2);
        drivers.get(1).freezeOne();
        for (int i = 0; i < 300; i++) {
            client.lock(lockAt(1, i)).acquireAsync(Wait.forever());
        }
        time.advance(OPTIONS.commandTimeout().plusSeconds(1)); // by now they have asked again
        CompletableFuture<Lease> waiting = client.lock(name).acquireAsync(Wait.forever());
        assertEquals(1, other.inspect().lock(name).waiters());
        lease.releaseAsync();
        assertTrue(waiting.isDone());
        waiting.join().releaseAsync();
        clients.forEach(Holdfast::close);
    }
}
