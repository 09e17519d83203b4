package io.holdfast.spring.platforms;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockRefusedException;
import io.holdfast.LockTimeoutException;
import io.holdfast.Once;
import io.holdfast.OnceResult;
import io.holdfast.ServerUnreachableException;
import io.holdfast.Wait;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spring.DoneOnce;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.transaction.support.TransactionTemplate;

/** Two instances of an application: what one has done, the other returns; and what one loads, the other finds. */
@Timeout(120)
final class DoneOnceTest {
    record Receipt(String id, BigDecimal sum, LocalDate due) {}

    /** Shared by both instances: this is the world, in which something happened or not. */
    private static final AtomicInteger RUNS = new AtomicInteger();

    private static volatile CountDownLatch begun = new CountDownLatch(0);
    private static volatile CountDownLatch goOn = new CountDownLatch(0);

    static class Invoices {
        @DoneOnce("invoice/{#id}")
        public Receipt send(String id) {
            return new Receipt(id, new BigDecimal(RUNS.incrementAndGet() + ".50"), LocalDate.of(2026, 11, 28));
        }

        @DoneOnce("list/{#id}")
        public List<Receipt> list(String id) {
            return List.of(send(id), send(id));
        }

        @DoneOnce("invoice/{#id}")
        public int otherKind(String id) {
            return 7;
        }

        @DoneOnce("nothing/{#id}")
        public void nothing(String id) {
            RUNS.incrementAndGet();
        }

        @DoneOnce("optional/{#id}")
        public Optional<String> optional(String id) {
            return Optional.of("run " + RUNS.incrementAndGet());
        }

        @DoneOnce("null/{#id}")
        public String isNull(String id) {
            RUNS.incrementAndGet();
            return null;
        }

        @DoneOnce(value = "staged/{#id}", keep = "${app.keep}")
        public CompletionStage<Receipt> staged(String id) {
            int run = RUNS.incrementAndGet();
            return CompletableFuture.supplyAsync(() -> new Receipt(id, BigDecimal.valueOf(run), LocalDate.EPOCH));
        }

        @DoneOnce("fails/{#id}")
        public String fails(String id) {
            int run = RUNS.incrementAndGet();
            if (run % 2 == 1) {
                throw new IllegalStateException("run " + run);
            }
            return "run " + run;
        }

        @DoneOnce(value = "hopeless/{#id}", tries = 2)
        public String hopeless(String id) {
            throw new IllegalStateException("run " + RUNS.incrementAndGet());
        }

        @DoneOnce(value = "slow/{#id}", waitLimit = "100ms")
        public String slow(String id) throws InterruptedException {
            begun.countDown();
            assertTrue(goOn.await(60, SECONDS));
            return "run " + RUNS.incrementAndGet();
        }

        @DoneOnce("awaited/{#id}")
        public String awaited(String id, Lease lease) throws InterruptedException {
            begun.countDown();
            assertTrue(goOn.await(60, SECONDS));
            return "run " + RUNS.incrementAndGet();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableCaching
    static class Caching {
        @Bean
        CacheManager cacheManager(RedisConnectionFactory connections) {
            return RedisCacheManager.create(connections);
        }
    }

    static class Prices {
        @Cacheable(cacheNames = "prices", sync = true)
        public String price(String article) throws InterruptedException {
            begun.countDown();
            assertTrue(goOn.await(60, SECONDS));
            return article + " costs " + RUNS.incrementAndGet();
        }

        @Cacheable(cacheNames = "failures", sync = true)
        public String fails(String article) {
            throw new IllegalStateException("load " + RUNS.incrementAndGet());
        }

        @Cacheable(cacheNames = "nulls", sync = true)
        public String isNull(String article) {
            RUNS.incrementAndGet();
            return null;
        }

        @Cacheable(cacheNames = "stages", sync = true)
        public CompletableFuture<String> staged(String article) {
            int run = RUNS.incrementAndGet();
            return CompletableFuture.supplyAsync(() -> article + " costs " + run);
        }
    }

    private static RedisServer server;
    private static ConfigurableApplicationContext first;
    private static ConfigurableApplicationContext second;
    private static ExecutorService threads;

    private static ConfigurableApplicationContext instance(String... more) {
        List<String> properties = new ArrayList<>(List.of("app.keep=5m", "holdfast.cache.single-flight=true"));
        properties.addAll(List.of(more));
        return Apps.with(
                server.port(),
                Map.of("invoices", Invoices.class, "prices", Prices.class, "caching", Caching.class),
                properties.toArray(String[]::new));
    }

    private static Invoices invoices(ConfigurableApplicationContext instance) {
        return instance.getBean(Invoices.class);
    }

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        first = instance();
        second = instance();
        threads = Executors.newCachedThreadPool();
    }

    @AfterAll
    static void stop() {
        threads.shutdownNow();
        first.close();
        second.close();
        server.close();
    }

    @Test
    void doneOnce_calledByAnotherInstance_returnsTheResult() {
        int before = RUNS.get();
        Receipt sent = invoices(first).send("1");
        assertEquals(sent, invoices(second).send("1"));
        assertEquals(sent, invoices(first).send("1"));
        assertEquals(before + 1, RUNS.get());
        OnceResult.Done done =
                first.getBean(Holdfast.class).once("invoice/1").result().orElseThrow();
        assertTrue(done.text().startsWith("{\"id\":\"1\""), done.text());
    }

    @Test
    void doneOnce_resultOfEachShape_isTheSameElsewhere() throws Exception {
        assertEquals(invoices(first).list("2"), invoices(second).list("2"));
        assertEquals(invoices(first).optional("2"), invoices(second).optional("2"));
        int before = RUNS.get();
        assertNull(invoices(first).isNull("2"));
        assertNull(invoices(second).isNull("2"));
        invoices(first).nothing("2");
        invoices(second).nothing("2");
        assertEquals(before + 2, RUNS.get());
        Receipt staged = invoices(first).staged("2").toCompletableFuture().get(10, SECONDS);
        assertEquals(staged, invoices(second).staged("2").toCompletableFuture().get(10, SECONDS));
        assertEquals(before + 3, RUNS.get());
    }

    @Test
    void doneOnce_keep_isThatOfTheAnnotation() throws Exception {
        invoices(first).staged("3").toCompletableFuture().get(10, SECONDS);
        long left = server.command("PTTL", "hf:{%once:staged/3}").asLong();
        // a record is kept at least so long, and expires at a whole millisecond
        assertTrue(left > 0 && left <= 300_001, "ms: " + left);
    }

    @Test
    void doneOnce_recordOfAnotherType_failsAndSaysWhat() {
        Receipt sent = invoices(first).send("4");
        IllegalStateException e =
                assertThrows(IllegalStateException.class, () -> invoices(second).otherKind("4"));
        assertTrue(String.valueOf(e.getMessage()).contains("which returns int"), e.getMessage());
        assertEquals(sent, invoices(second).send("4"));
    }

    @Test
    void doneOnce_methodThrows_nextCallRuns() {
        int before = RUNS.get();
        if (before % 2 == 1) {
            RUNS.incrementAndGet();
        }
        assertThrows(IllegalStateException.class, () -> invoices(first).fails("5"));
        String done = invoices(second).fails("5");
        assertEquals(done, invoices(first).fails("5"));
    }

    @Test
    void doneOnce_throwsAsOftenAsItMay_isGivenUpForAllInstances() {
        int before = RUNS.get();
        assertThrows(IllegalStateException.class, () -> invoices(first).hopeless("8"));
        assertThrows(IllegalStateException.class, () -> invoices(second).hopeless("8"));
        for (ConfigurableApplicationContext instance : List.of(first, second)) {
            LockRefusedException given = assertThrows(
                    LockRefusedException.class, () -> invoices(instance).hopeless("8"));
            assertTrue(String.valueOf(given.getMessage()).contains("given up after 2 tries"), given.getMessage());
        }
        assertEquals(before + 2, RUNS.get());
    }

    @Test
    void doneOnce_anotherIsAtIt_waitsForItsResultOrSaysThatItIs() throws Exception {
        begun = new CountDownLatch(1);
        goOn = new CountDownLatch(1);
        Future<String> runs = threads.submit(() -> invoices(first).awaited("6", null));
        assertTrue(begun.await(60, SECONDS));
        Future<String> waits = threads.submit(() -> invoices(second).awaited("6", null));
        Holdfast holdfast = second.getBean(Holdfast.class);
        while (holdfast.once("awaited/6").info().waiters() == 0) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        assertEquals(runs.get(60, SECONDS), waits.get(60, SECONDS));

        begun = new CountDownLatch(1);
        goOn = new CountDownLatch(1);
        Future<String> slow = threads.submit(() -> invoices(first).slow("6"));
        assertTrue(begun.await(60, SECONDS));
        assertThrows(LockTimeoutException.class, () -> invoices(second).slow("6"));
        goOn.countDown();
        assertEquals(slow.get(60, SECONDS), invoices(second).slow("6"));
    }

    @Test
    void doneOnce_withinATransaction_isRefused() {
        int before = RUNS.get();
        IllegalStateException e = assertThrows(
                IllegalStateException.class,
                () -> first.getBean(TransactionTemplate.class)
                        .execute(status -> invoices(first).send("7")));
        assertTrue(String.valueOf(e.getMessage()).contains("REQUIRES_NEW"), e.getMessage());
        assertEquals(before, RUNS.get());
    }

    @Test
    void doneOnce_serverAway_neverRuns() {
        try (RedisServer away = RedisServer.start();
                ConfigurableApplicationContext there = Apps.with(
                        away.port(),
                        Map.of("invoices", Invoices.class, "prices", Prices.class, "caching", Caching.class),
                        "app.keep=1m",
                        "holdfast.command-timeout=300ms",
                        "holdfast.lock.wait-limit=300ms",
                        "holdfast.close-timeout=0")) {
            away.kill();
            int before = RUNS.get();
            assertThrows(ServerUnreachableException.class, () -> invoices(there).send("8"));
            assertEquals(before, RUNS.get());
        }
    }

    @Test
    void cacheable_sync_isLoadedOnceAmongInstances() throws Exception {
        begun = new CountDownLatch(1);
        goOn = new CountDownLatch(1);
        int before = RUNS.get();
        List<Future<String>> callers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            for (ConfigurableApplicationContext each : List.of(first, second)) {
                callers.add(threads.submit(() -> each.getBean(Prices.class).price("apples")));
            }
        }
        assertTrue(begun.await(60, SECONDS));
        Holdfast holdfast = second.getBean(Holdfast.class);
        while (holdfast.once("cache/prices/apples").info().waiters() < 19) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        for (Future<String> each : callers) {
            assertEquals("apples costs " + (before + 1), each.get(60, SECONDS));
        }
        assertEquals(before + 1, RUNS.get());
        second.getBean(CacheManager.class).getCache("prices").evictIfPresent("apples");
        assertEquals("apples costs " + (before + 2), first.getBean(Prices.class).price("apples"), "the next load");
        assertEquals(
                "apples costs " + (before + 2), second.getBean(Prices.class).price("apples"));
    }

    @Test
    void cacheable_sync_passesOnFailuresNullsAndStages() throws Exception {
        int before = RUNS.get();
        IllegalStateException e = assertThrows(
                IllegalStateException.class, () -> first.getBean(Prices.class).fails("a"));
        assertEquals("load " + (before + 1), e.getMessage(), "loaded once, and not again");
        assertNull(first.getBean(Prices.class).isNull("a"));
        assertNull(second.getBean(Prices.class).isNull("a"));
        assertEquals(before + 2, RUNS.get());
        assertEquals(
                "a costs " + (before + 3),
                first.getBean(Prices.class).staged("a").get(60, SECONDS));
        assertEquals(
                "a costs " + (before + 3),
                second.getBean(Prices.class).staged("a").get(60, SECONDS));
    }

    @Test
    void cacheable_sync_anotherLoadsTooLong_loadsItself() throws Exception {
        try (ConfigurableApplicationContext hasty = instance("holdfast.lock.wait-limit=100ms")) {
            Once load = first.getBean(Holdfast.class).once("cache/prices/pears");
            Lease taken = load.attempt(Wait.none()).orElseThrow();
            int before = RUNS.get();
            assertEquals(
                    "pears costs " + (before + 1), hasty.getBean(Prices.class).price("pears"));
            taken.release();
        }
    }
}
