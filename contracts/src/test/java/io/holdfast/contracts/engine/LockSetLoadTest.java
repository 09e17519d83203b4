package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Attempt;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LeaseSet;
import io.holdfast.LockOptions;
import io.holdfast.LossReason;
import io.holdfast.Wait;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.spi.Command;
import io.holdfast.spi.Reply;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Many sets of several clients over one server in virtual time: no deadlock, all or none, and nothing left over. */
@Tag("long")
final class LockSetLoadTest {
    private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");
    private static final Duration TERM = Duration.ofSeconds(3);
    private static final List<Way> WAYS = List.of(Way.values());

    /** How the locks are asked for, whatever the set. */
    enum Way {
        STRICT,
        TURNS,
        KEPT,
        TURNS_AND_KEPT,
        NOT_RENEWED;

        LockOptions options() {
            LockOptions options = LockOptions.defaults().withStrictOrder().withLeaseDuration(TERM);
            return switch (this) {
                case STRICT -> options;
                case TURNS -> options.withLocalHandoffs(3, Duration.ofMillis(50));
                case KEPT -> options.withKeepFor(Duration.ofSeconds(2));
                case TURNS_AND_KEPT -> options.withLocalHandoffs().withKeepFor(Duration.ofSeconds(2));
                case NOT_RENEWED -> options.withRenewal(false);
            };
        }
    }

    private final VirtualTime time = new VirtualTime();
    private final MemoryServer server = MemoryServer.start(time);
    private final List<Holdfast> clients = new ArrayList<>();

    private Holdfast client() {
        Holdfast client = server.client(HoldfastOptions.defaults().withExecutor(Runnable::run));
        clients.add(client);
        return client;
    }

    private static LeaseSet leases(CompletableFuture<LeaseSet> future) {
        assertTrue(future.isDone() && future.join().isValid());
        return future.join();
    }

    /** Everybody else gets what is left, at once. */
    private void closeAndFindNothing() {
        clients.forEach(Holdfast::close);
        List<String> left = server.command("KEYS", "*").asList().stream()
                .map(Reply::asString)
                .filter(key -> !key.endsWith(":t") && !key.contains("}:x:"))
                .toList();
        assertEquals(List.of(), left);
        server.close();
    }

    // ---- at random

    /** Draws and checks one run. */
    private final class Load {
        private final Random random;
        private final Map<String, LeaseSet> inside = new HashMap<>();
        private final Map<String, Long> tokens = new HashMap<>();
        private int open;
        private int obtained;
        private int notAll;
        private int lost;

        Load(long seed) {
            random = new Random(seed);
        }

        void ask(Holdfast client, int rounds) {
            if (rounds == 0) {
                return;
            }
            List<String> names = new ArrayList<>(NAMES);
            Collections.shuffle(names, random);
            names = names.subList(0, 2 + random.nextInt(NAMES.size() - 1));
            LockOptions options = WAYS.get(random.nextInt(WAYS.size())).options();
            DistributedLock[] locks =
                    names.stream().map(name -> client.lock(name, options)).toArray(DistributedLock[]::new);
            Wait wait = switch (random.nextInt(4)) {
                case 0 -> Wait.none();
                case 1 -> Wait.upTo(Duration.ofMillis(1 + random.nextInt(400)));
                default -> Wait.forever();
            };
            open++;
            CompletableFuture<Attempt<LeaseSet>> asked = client.allOf(locks).attemptAsync(wait);
            asked.whenComplete((attempt, failure) -> {
                open--;
                if (attempt instanceof Attempt.Obtained<LeaseSet> held) {
                    obtained++;
                    work(client, held.lease(), rounds);
                } else {
                    notAll++;
                    later(() -> ask(client, rounds - 1));
                }
            });
            if (random.nextInt(10) == 0) {
                later(() -> asked.cancel(false));
            }
        }

        private void later(Runnable task) {
            time.timers().schedule(Duration.ofMillis(1 + random.nextInt(300)).toNanos(), task);
        }

        private void work(Holdfast client, LeaseSet leases, int rounds) {
            boolean valid = leases.isValid();
            leases.tokens().forEach((name, token) -> {
                LeaseSet other = inside.put(name, leases);
                assertFalse(valid && other != null && other.lease(name).isValid(), () -> "two inside of " + name);
                long newest = tokens.merge(name, token, Math::max);
                assertTrue(!valid || newest == token, () -> "an older token of " + name);
            });
            leases.whenLost().thenAccept(loss -> lost++);
            open++;
            later(() -> {
                open--;
                leases.tokens().keySet().forEach(name -> inside.remove(name, leases));
                leases.release();
                later(() -> ask(client, rounds - 1));
            });
        }
    }

    private static LongStream seeds() {
        return LongStream.range(0, 40);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void sets_atRandomWithLosses_allEndAllOrNoneAndNothingIsLeft(long seed) {
        Load load = new Load(seed);
        for (int c = 0; c < 3; c++) {
            Holdfast client = client();
            for (int i = 0; i < 3; i++) {
                load.ask(client, 8);
            }
        }
        Holdfast operator = client();
        for (int i = 0; i < 12; i++) {
            String name = NAMES.get(load.random.nextInt(NAMES.size()));
            time.advance(Duration.ofMillis(load.random.nextInt(700)));
            operator.admin().release(name, Admin.Waiters.HAND_OFF);
        }
        time.runUntil("all sets have ended", Duration.ofMinutes(10), () -> {
            time.advance(Duration.ofMillis(500));
            return load.open == 0;
        });
        time.advance(Duration.ofSeconds(10));
        assertTrue(load.open == 0 && load.obtained > 20, () -> load.obtained + " of " + load.notAll);
        closeAndFindNothing();
    }

    // ---- one thing at a time

    @ParameterizedTest
    @EnumSource(Way.class)
    void acquire_oppositeOrders_areServedOneAfterTheOther(Way way) {
        Holdfast one = client();
        Holdfast other = client();
        LeaseSet first = leases(one.allOf(one.lock("a", way.options()), one.lock("b", way.options()))
                .acquireAsync());
        CompletableFuture<LeaseSet> second = other.allOf(other.lock("b", way.options()), other.lock("a", way.options()))
                .acquireAsync(Wait.forever());
        CompletableFuture<LeaseSet> third = one.allOf(one.lock("a", way.options()), one.lock("b", way.options()))
                .acquireAsync(Wait.forever());
        assertFalse(second.isDone());
        long token = first.token("a");
        first.release();
        time.advance(Duration.ofMillis(200)); // turns may let the third go first
        CompletableFuture<LeaseSet> served = second.isDone() ? second : third;
        assertTrue(leases(served).token("a") > token);
        served.join().release();
        time.advance(Duration.ofMillis(200));
        leases(served == second ? third : second).release();
        closeAndFindNothing();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void loss_whileItWaits_givesBackAndBeginsAnew(Way way) {
        Holdfast one = client();
        Holdfast other = client();
        List<String> order = one.locks("a", "b", "c").names();
        LeaseSet blocking = leases(other.locks(order.get(1), order.get(2)).acquireAsync());
        CompletableFuture<LeaseSet> waiting = one.allOf(order.stream()
                        .map(name -> one.lock(name, way.options()))
                        .toArray(DistributedLock[]::new))
                .acquireAsync(Wait.forever());
        time.advance(Duration.ofSeconds(20)); // it is renewed meanwhile
        assertTrue(other.lock(order.get(0)).isLocked());
        String owner = other.inspect().lock(order.get(0)).holder().orElseThrow().owner();
        other.admin().release(order.get(0), Admin.Waiters.HAND_OFF);
        time.advance(TERM);
        String next = other.inspect().lock(order.get(0)).holder().orElseThrow().owner();
        assertFalse(owner.equals(next), "it holds the first again, with another owner");
        assertFalse(waiting.isDone());
        blocking.release();
        time.advance(Duration.ofSeconds(1));
        LeaseSet leases = leases(waiting);
        assertTrue(leases.remaining().compareTo(TERM.dividedBy(2)) > 0);
        leases.release();
        closeAndFindNothing();
    }

    @ParameterizedTest
    @EnumSource(Way.class)
    void loss_ofOne_isToldWithItsNameAndLeavesTheOthers(Way way) {
        Holdfast one = client();
        LeaseSet leases = leases(one.allOf(one.lock("a", way.options()), one.lock("b", way.options()))
                .acquireAsync());
        client().admin().release("b", Admin.Waiters.HAND_OFF);
        time.runUntil(
                "the loss is told",
                TERM,
                () -> leases.whenLost().toCompletableFuture().isDone());
        assertEquals("b", leases.whenLost().toCompletableFuture().join().lockName());
        assertFalse(leases.isValid());
        assertTrue(leases.lease("a").isValid());
        assertEquals(
                LossReason.REVOKED,
                leases.whenLost().toCompletableFuture().join().reason());
        leases.release();
        closeAndFindNothing();
    }

    /** A process that ends while it holds one lock and waits for another: both are others' after its term. */
    @Test
    void client_killedWhileItWaits_keepsNobodyFromTheLocks() {
        boolean[] dead = new boolean[1];
        ForwardingDriver mortal = new ForwardingDriver(server.driver()) {
            @Override
            public CompletionStage<Reply> send(Command command) {
                return dead[0] ? new CompletableFuture<>() : super.send(command);
            }

            @Override
            public CompletionStage<Void> subscribe(String channel, Consumer<String> onMessage) {
                return super.subscribe(channel, text -> {
                    if (!dead[0]) {
                        onMessage.accept(text);
                    }
                });
            }
        };
        Holdfast killed =
                Holdfast.over(mortal, HoldfastOptions.defaults().withExecutor(Runnable::run), time.environment(9));
        Holdfast one = client();
        List<String> order = one.locks("a", "b").names();
        LeaseSet blocking = leases(one.locks(order.get(1), "c").acquireAsync());
        CompletableFuture<LeaseSet> never = killed.locks("a", "b").acquireAsync(Wait.forever());
        CompletableFuture<LeaseSet> behind = one.locks("a", "b").acquireAsync(Wait.forever());
        dead[0] = true;
        blocking.release();
        time.advance(Duration.ofSeconds(75)); // a term, and a waiter's deadline
        leases(behind).release();
        assertFalse(never.isDone());
        closeAndFindNothing();
    }
}
