package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.DistributedLock;
import io.holdfast.Holder;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spring.CurrentLease;
import io.holdfast.spring.Locked;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.publisher.Mono;

/** Groups of calls, among which a lock or permits are shared. */
@Timeout(60)
final class FairShareTest {
    private static RedisServer server;
    private static ConfigurableApplicationContext context;
    private static Holdfast other;
    private static Work work;

    /** In which order calls have had the lock. */
    private static final List<String> SERVED = Collections.synchronizedList(new ArrayList<>());

    private final List<CompletableFuture<String>> waiting = new ArrayList<>();

    record Tenant(String id, int weight) {}

    /** What an application has. */
    static class Work {
        @Locked(value = "exports", permits = "1/1", group = "{#tenant}", waitLimit = "forever")
        public CompletionStage<String> export(String tenant) {
            return done(tenant);
        }

        @Locked(
                value = "import",
                group = "tenant-{#tenant.id}",
                groupWeight = "{#tenant.weight}",
                waitLimit = "forever")
        public CompletionStage<String> weighted(Tenant tenant) {
            return done(tenant.id());
        }

        @Locked(value = "catalogue", access = Locked.Access.WRITE, group = "{#tenant}", waitLimit = "forever")
        public Mono<String> write(String tenant) {
            return Mono.fromSupplier(() -> {
                SERVED.add(tenant);
                return tenant;
            });
        }

        @Locked(
                value = {"account/1", "account/2"},
                group = "{#tenant}",
                waitLimit = "forever")
        public CompletionStage<String> both(String tenant) {
            return done(tenant + CurrentLease.all().size());
        }

        @Locked(value = "blocking", group = "{#tenant}", groupWeight = "${app.weight}")
        public String blocking(String tenant) {
            return other.lock("blocking").info().holder().flatMap(Holder::group).orElse("none");
        }

        private static CompletionStage<String> done(String tenant) {
            SERVED.add(tenant);
            return CompletableFuture.completedFuture(tenant);
        }
    }

    static class NoGroup {
        @Locked(value = "a", groupWeight = "3")
        public void work() {}
    }

    static class TooHeavy {
        @Locked(value = "a", group = "{#id}", groupWeight = "101")
        public void work(String id) {}
    }

    static class NoNumber {
        @Locked(value = "a", group = "{#id}", groupWeight = "much")
        public void work(String id) {}
    }

    static class UnknownVariable {
        @Locked(value = "a", group = "{#tenant}")
        public void work(String id) {}
    }

    static class Prioritized {
        @Locked(value = "urgent/{#id}", group = "{#id}")
        public void work(String id) {}
    }

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        other = Apps.connect(server.url());
        context = Apps.with(Apps.Plain.class, server.port(), Map.of("work", Work.class), "app.weight=7");
        work = context.getBean(Work.class);
    }

    @AfterAll
    static void stop() {
        context.close();
        other.close();
        server.close();
    }

    @BeforeEach
    void forget() {
        SERVED.clear();
    }

    /** Queues so many calls, each behind those that wait. */
    private void enter(DistributedLock lock, int calls, Supplier<? extends CompletionStage<String>> call) {
        for (int i = 0; i < calls; i++) {
            waiting.add(call.get().toCompletableFuture());
            Apps.await(() -> lock.info().waiters() == waiting.size());
        }
    }

    /** In which order the calls have the lock, each of which is done at once. */
    private String servedAfter(Lease held) throws Exception {
        held.release();
        for (CompletableFuture<String> each : waiting) {
            each.get(10, TimeUnit.SECONDS);
        }
        return String.join("", SERVED);
    }

    @Test
    void group_oneCallBesideManyOfAnotherTenant_isServedInTheFirstRound() throws Exception {
        DistributedLock exports = other.semaphore("exports", 1).permits(1);
        Lease held = exports.acquire();
        enter(exports, 8, () -> work.export("A"));
        enter(exports, 1, () -> work.export("b"));
        assertEquals("AbAAAAAAA", servedAfter(held));
    }

    @Test
    void groupWeight_ofEachTenant_isItsShareOfTheLock() throws Exception {
        DistributedLock imports = other.lock("import");
        Lease held = imports.acquire();
        enter(imports, 8, () -> work.weighted(new Tenant("a", 1)));
        enter(imports, 8, () -> work.weighted(new Tenant("b", 3)));
        assertEquals(
                Optional.of("tenant-a"), other.inspect().queue("import").get(0).group());
        String order = servedAfter(held);
        long heavy = order.substring(0, 8).chars().filter(each -> each == 'b').count();
        assertTrue(heavy >= 5 && heavy <= 7, order);
    }

    @Test
    void group_ofEachSubscriptionToAPublisher_isThatOfItsCall() throws Exception {
        DistributedLock catalogue = other.readWriteLock("catalogue").write();
        Lease held = catalogue.acquire();
        enter(catalogue, 4, () -> work.write("A").toFuture());
        enter(catalogue, 1, () -> work.write("b").toFuture());
        assertEquals("AbAAA", servedAfter(held));
    }

    @Test
    void group_ofSeveralLocks_isThatOfEach() throws Exception {
        DistributedLock first = other.lock("account/1");
        Lease held = first.acquire();
        enter(first, 4, () -> work.both("A"));
        enter(first, 1, () -> work.both("b"));
        assertEquals("A2b2A2A2A2", servedAfter(held));
    }

    @Test
    void group_ofACallThatBlocks_isShownWithTheHolder() {
        assertEquals("tenant-7", work.blocking("tenant-7"));
    }

    @Test
    void group_thatHasNoValueOrAWrongWeight_failsTheCall() throws Exception {
        IllegalArgumentException none = assertThrows(IllegalArgumentException.class, () -> work.blocking(null));
        assertTrue(none.getMessage().contains("the part {#tenant} of the lock's group"), none.toString());
        ExecutionException heavy = assertThrows(
                ExecutionException.class,
                () -> work.weighted(new Tenant("a", 101)).toCompletableFuture().get(10, TimeUnit.SECONDS));
        assertTrue(String.valueOf(heavy.getMessage()).contains("groupWeight is 101"), heavy.toString());
        assertFalse(other.inspect().isLocked("import"));
    }

    @Test
    void group_thatNoRequestCouldHave_failsTheStart() {
        Map<Class<?>, String> wrong = Map.of(
                NoGroup.class, "it has a groupWeight, and no group",
                TooHeavy.class, "groupWeight is 101, must be",
                NoNumber.class, "groupWeight is 'much', must be a number from 1 to 100",
                UnknownVariable.class, "{#tenant} of its group uses #tenant, and the method has no such parameter",
                Prioritized.class, "names a group, which its requests cannot have: priority is 5");
        wrong.forEach((type, words) -> {
            Throwable thrown = assertThrows(
                    Exception.class,
                    () -> Apps.with(
                                    Apps.Starter.class,
                                    1,
                                    Map.of("wrong", type),
                                    "holdfast.mode=granting",
                                    "holdfast.locks[urgent/*].priority=5")
                            .close(),
                    type.toString());
            String told = Apps.messages(thrown);
            assertTrue(told.contains(words), type + ": " + told);
            assertTrue(told.contains(type.getSimpleName() + ".work"), told);
        });
    }
}
