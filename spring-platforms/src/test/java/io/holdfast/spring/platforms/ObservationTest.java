package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockTimeoutException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spring.CurrentLease;
import io.holdfast.spring.IfTaken;
import io.holdfast.spring.Locked;
import io.micrometer.common.KeyValue;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** The wait of a method for its lock, as an observation in the trace of whoever calls. */
@Timeout(60)
public final class ObservationTest {
    private static final BlockingQueue<Observation.Context> OVER = new LinkedBlockingQueue<>();
    private static final TestObservationRegistry REGISTRY = TestObservationRegistry.create();

    private static volatile Observation.Context last;
    private static RedisServer server;
    private static ConfigurableApplicationContext context;
    private static Holdfast other;
    private static Work work;

    /** Also the superclass of a class in another class loader. */
    public static class Work {
        @Locked(value = "seen/{#id}", waitLimit = "50ms")
        public long blocking(String id) {
            assertEquals("obtained", next("seen/" + id, "blocking").get("outcome"), "over before the method begins");
            return CurrentLease.get().token();
        }

        @Locked(value = "taken", waitLimit = "0", ifTaken = IfTaken.SKIP)
        public void skips() {}

        @Locked(value = "stage", waitLimit = "0")
        public CompletableFuture<String> stage() {
            return CompletableFuture.completedFuture("done");
        }

        @Locked(value = "mono", waitLimit = "1m")
        public Mono<String> mono() {
            return Mono.just("done");
        }

        @Locked(value = "fails")
        public void fails() {
            throw new IllegalStateException("its own");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Observed {
        @Bean
        ObservationRegistry registry() {
            return REGISTRY;
        }
    }

    /** What is over of waits; other things of the application may be observed as well. */
    private static final class Waits implements ObservationHandler<Observation.Context> {
        @Override
        public void onStop(Observation.Context observed) {
            last = observed;
            OVER.add(observed);
        }

        @Override
        public boolean supportsContext(Observation.Context observed) {
            return "holdfast.acquire".equals(observed.getName());
        }
    }

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        other = Apps.connect(server.url());
        REGISTRY.observationConfig().observationHandler(new Waits());
        context = Apps.with(Observed.class, server.port(), Map.of("work", Work.class));
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
        OVER.clear();
    }

    private static Observation.Context context(String lock) {
        try {
            Observation.Context observed = OVER.poll(20, TimeUnit.SECONDS);
            assertNotNull(observed, "nothing was observed");
            assertEquals(KeyValue.of("lock", lock), observed.getHighCardinalityKeyValue("lock"));
            return observed;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Map<String, String> next(String lock, String method) {
        Observation.Context observed = context(lock);
        assertEquals("acquire ObservationTest.Work." + method, observed.getContextualName());
        Map<String, String> values = new java.util.TreeMap<>();
        observed.getLowCardinalityKeyValues().forEach(each -> values.put(each.getKey(), each.getValue()));
        assertEquals("ObservationTest.Work." + method, values.remove("method"));
        assertEquals(1, values.size(), "few values have to be bounded: " + values);
        observed.getHighCardinalityKeyValues().forEach(each -> values.put(each.getKey(), each.getValue()));
        assertEquals(lock, values.remove("lock"));
        values.put(
                "error",
                observed.getError() == null
                        ? ""
                        : observed.getError().getClass().getSimpleName());
        return values;
    }

    @Test
    void obtained_isOverWhenTheMethodBegins_andBelongsToTheCaller() {
        Observation caller = Observation.createNotStarted("caller", REGISTRY);
        caller.observe(() -> work.blocking("1"));
        Observation.Context wait = last;
        assertNotNull(wait);
        assertEquals(caller, wait.getParentObservation());
        assertNull(wait.getError());
    }

    @Test
    void taken_tellsByWhomAndHowItEnded() throws Exception {
        try (Lease taken = other.lock("seen/2").acquire();
                Lease skipped = other.lock("taken").acquire();
                Lease staged = other.lock("stage").acquire()) {
            assertThrows(LockTimeoutException.class, () -> work.blocking("2"));
            Map<String, String> values = next("seen/2", "blocking");
            assertEquals("timed_out", values.get("outcome"));
            assertEquals("LockTimeoutException", values.get("error"));
            assertEquals(other.inspect().lock("seen/2").holder().orElseThrow().describe(), values.get("holder"));
            work.skips();
            values = next("taken", "skips");
            assertEquals("taken", values.get("outcome"));
            assertEquals("", values.get("error"), "it was not to fail");
            assertThrows(ExecutionException.class, () -> work.stage().get(20, TimeUnit.SECONDS));
            assertEquals("taken", next("stage", "stage").get("outcome"));
        }
    }

    @Test
    void asynchronous_isOverWhenTheMethodBegins() throws Exception {
        assertEquals("done", work.stage().get(20, TimeUnit.SECONDS));
        Map<String, String> values = next("stage", "stage");
        assertEquals("obtained", values.get("outcome"));
        assertTrue(Long.parseLong(values.get("token")) > 0);
        Observation caller = Observation.start("caller", REGISTRY);
        Mono<String> assembled = work.mono();
        assertTrue(OVER.isEmpty(), "nothing waits before the subscription");
        assertEquals(
                "done",
                assembled
                        .contextWrite(there -> there.put("micrometer.observation", caller))
                        .block(Duration.ofSeconds(20)));
        assertEquals(caller, context("mono").getParentObservation());
        caller.stop();
        try (Lease taken = other.lock("mono").acquire()) {
            Disposable waiting = work.mono().subscribe();
            waiting.dispose();
            assertEquals("withdrawn", next("mono", "mono").get("outcome"));
        }
    }

    @Test
    void failure_ofTheMethod_isNoneOfTheWait() {
        assertThrows(IllegalStateException.class, work::fails);
        Map<String, String> values = next("fails", "fails");
        assertEquals("obtained", values.get("outcome"));
        assertEquals("", values.get("error"));
    }

    @Test
    void unknown_isToldAsSuch() {
        try (RedisServer away = RedisServer.start();
                ConfigurableApplicationContext there = Apps.with(
                        Observed.class,
                        away.port(),
                        Map.of("work", Work.class),
                        "holdfast.command-timeout=300ms",
                        "holdfast.close-timeout=0")) {
            away.kill();
            assertThrows(
                    ServerUnreachableException.class,
                    () -> there.getBean(Work.class).skips());
            Map<String, String> values = next("taken", "skips");
            assertEquals("unknown", values.get("outcome"));
            assertEquals("ServerUnreachableException", values.get("error"));
        }
    }

    @Test
    void withoutObservations_isNotObserved() {
        ClassLoader without =
                new org.springframework.boot.test.context.FilteredClassLoader("io.micrometer.observation");
        try (ConfigurableApplicationContext there =
                Apps.start(without, Apps.Starter.class, Map.of("work", Work.class), "holdfast.mode=granting")) {
            there.getBean(Work.class).skips();
            assertTrue(OVER.isEmpty());
            assertFalse(there.getBean("holdfastWaits").getClass().getName().contains("WaitObservations"));
        }
    }
}
