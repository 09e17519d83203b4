package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Admin;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseEndingException;
import io.holdfast.LeaseLostException;
import io.holdfast.LockTimeoutException;
import io.holdfast.ServerUnreachableException;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spring.CurrentLease;
import io.holdfast.spring.IfTaken;
import io.holdfast.spring.Locked;
import io.holdfast.spring.RunsOnce;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.aop.support.NameMatchMethodPointcutAdvisor;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** Methods under locks, on a real server. */
@Timeout(60)
final class LockedTest {
    private static RedisServer server;
    private static ConfigurableApplicationContext context;
    private static Holdfast holdfast;
    private static Holdfast other;
    private static Work work;

    /** What an application has. */
    static class Work {
        private final AtomicInteger runs = new AtomicInteger();

        @Locked(value = "itself", waitLimit = "3s")
        public int nested(int depth) {
            return depth == 0 ? runs.incrementAndGet() : work.nested(depth - 1);
        }

        /** Asked of the proxy, which has no fields. */
        public int runs() {
            return runs.get();
        }

        @Locked("invoice/{#id}")
        public boolean isHeld(String id) {
            return other.inspect().isLocked("invoice/" + id);
        }

        @Locked("${app.area}/{#p0.toUpperCase()}-{#p1 + 1}/${spring.application.name}")
        public String name(String text, int number) {
            return CurrentLease.get().name();
        }

        @Locked("lease")
        public long token(Lease lease) {
            assertEquals(lease.token(), CurrentLease.get().token());
            return lease.token();
        }

        @Locked(value = "wait", waitLimit = "${app.wait}", leaseDuration = "7s", maxScopedHold = "PT1M")
        public String options() {
            runs.incrementAndGet();
            return "ran";
        }

        @Locked(value = "skip", waitLimit = "0", ifTaken = IfTaken.SKIP)
        public void skipVoid() {
            runs.incrementAndGet();
        }

        @Locked(value = "skip", waitLimit = "0", ifTaken = IfTaken.SKIP)
        public Optional<String> skipOptional() {
            return Optional.of("ran");
        }

        @Locked(value = "skip", waitLimit = "0", ifTaken = IfTaken.SKIP)
        public CompletableFuture<Optional<String>> skipStage() {
            return CompletableFuture.completedFuture(Optional.of("ran"));
        }

        @Locked(value = "skip", waitLimit = "0", ifTaken = IfTaken.SKIP)
        public Mono<String> skipMono() {
            return Mono.just("ran");
        }

        @Locked(value = "skip", waitLimit = "0", ifTaken = IfTaken.SKIP)
        public Flux<String> skipFlux() {
            return Flux.just("ran", "twice");
        }

        @Locked(value = "lost")
        public String loses() {
            other.admin().release("lost", Admin.Waiters.HAND_OFF);
            assertThrows(LeaseLostException.class, () -> CurrentLease.get().extend(Duration.ofSeconds(1)));
            return "done";
        }

        @Locked(value = "interrupted", leaseDuration = "600ms", interruptBefore = "300ms", maxScopedHold = "1ms")
        public void blocks() throws InterruptedException {
            new CountDownLatch(1).await();
        }

        @Locked("throws")
        public void throwsChecked() throws java.io.IOException {
            throw new java.io.IOException("its own");
        }

        @Locked(value = "stage")
        public CompletionStage<String> stage(CompletableFuture<String> until, Lease lease) {
            runs.incrementAndGet();
            return until.thenApply(text -> text + lease.name());
        }

        @Locked(value = "null/{#map['a']}")
        public void mapped(Map<String, Object> map) {}

        @Locked("mono")
        public Mono<Long> mono(Mono<?> until) {
            int run = runs.incrementAndGet();
            return until.then(Mono.deferContextual(
                    here -> Mono.just(run * 1_000L + (here.get(Lease.class).isValid() ? 1 : 0))));
        }

        @Locked("flux")
        public Flux<Integer> flux(Flux<Integer> source) {
            return source;
        }

        @RunsOnce(value = "nightly", minHold = "10m")
        public void nightly() {
            runs.incrementAndGet();
        }

        /** A year, so that no slot ends during the test. */
        @RunsOnce(value = "yearly/{#id}", per = "365d")
        public Optional<Integer> yearly(String id, boolean fails) {
            int run = runs.incrementAndGet();
            if (fails) {
                throw new IllegalStateException("run " + run);
            }
            return Optional.of(run);
        }

        @RunsOnce(value = "daily", per = "day")
        public CompletionStage<Void> daily() {
            runs.incrementAndGet();
            return CompletableFuture.completedFuture(null);
        }

        public boolean itself(String id) {
            return isHeld(id);
        }
    }

    /** Its method overrides one that has an annotation. */
    static class Derived extends Work {
        @Override
        public boolean isHeld(String id) {
            return other.inspect().isLocked("invoice/" + id);
        }
    }

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        other = Apps.connect(server.url());
        context = Apps.with(
                server.port(),
                Map.of("work", Work.class, "derived", Derived.class),
                "app.area=north",
                "app.wait=100ms");
        holdfast = context.getBean(Holdfast.class);
        work = context.getBean("work", Work.class);
    }

    @AfterAll
    static void stop() {
        context.close();
        other.close();
        server.close();
    }

    @Test
    void call_blockingMethod_isHeldMeanwhileAndReleasedAfterwards() {
        assertTrue(work.isHeld("7"));
        assertFalse(other.inspect().isLocked("invoice/7"));
        assertTrue(context.getBean("derived", Work.class).isHeld("8"), "a method that overrides an annotated one");
        assertFalse(work.itself("9"), "a call from within the bean is not seen, as documented");
    }

    @Test
    void name_templateAndPlaceholders_areResolved() {
        assertEquals("north/AB-8/shop", work.name("ab", 7));
    }

    @Test
    void name_partWithoutAValue_failsTheCall() {
        assertTrue(message(() -> work.isHeld(null)).contains("{#id}"), "null");
        assertTrue(message(() -> work.isHeld("")).contains("is empty"));
        assertTrue(message(() -> work.mapped(Map.of("a", new Object()))).contains("plain value"));
        assertTrue(message(() -> work.mapped(Map.of("a", List.of(1)))).contains("plain value"));
        assertTrue(message(() -> work.mapped(Map.of())).contains("is null"));
    }

    private static String message(org.junit.jupiter.api.function.Executable call) {
        return String.valueOf(assertThrows(IllegalArgumentException.class, call).getMessage());
    }

    @Test
    void lease_asParameterAndCurrent_hasTheToken() throws Exception {
        long first = work.token(null);
        assertTrue(work.token(null) > first);
        assertThrows(IllegalStateException.class, CurrentLease::get);
    }

    @Test
    void taken_throws_andDoesNotRun() throws Exception {
        try (Lease taken = other.lock("wait").acquire()) {
            int before = work.runs();
            LockTimeoutException e = assertThrows(LockTimeoutException.class, work::options);
            assertTrue(String.valueOf(e.getMessage()).contains("PT0.1S"), e.getMessage());
            assertEquals(before, work.runs());
        }
        assertEquals("ran", work.options());
    }

    @Test
    void nested_sameLock_isToldThatItWaitsForItself() {
        int before = work.runs();
        LockTimeoutException e = assertThrows(LockTimeoutException.class, () -> work.nested(1));
        assertTrue(e.contention().heldByCallerSince().isPresent(), e.getMessage());
        assertEquals(before, work.runs());
        assertEquals(before + 1, work.nested(0));
    }

    @Test
    void taken_skips_withWhatMeansNothing() throws Exception {
        try (Lease taken = other.lock("skip").acquire()) {
            int before = work.runs();
            work.skipVoid();
            assertEquals(before, work.runs());
            assertEquals(Optional.empty(), work.skipOptional());
            assertEquals(Optional.empty(), work.skipStage().get(10, TimeUnit.SECONDS));
            assertNull(work.skipMono().block(Duration.ofSeconds(10)));
            assertEquals(List.of(), work.skipFlux().collectList().block(Duration.ofSeconds(10)));
        }
        work.skipVoid();
        assertEquals(Optional.of("ran"), work.skipOptional());
        assertEquals(Optional.of("ran"), work.skipStage().get(10, TimeUnit.SECONDS));
        assertEquals("ran", work.skipMono().block(Duration.ofSeconds(10)));
        assertEquals(List.of("ran", "twice"), work.skipFlux().collectList().block(Duration.ofSeconds(10)));
    }

    @Test
    void lost_whileItRan_throwsWithTheResult() {
        LeaseLostException e = assertThrows(LeaseLostException.class, work::loses);
        assertEquals("done", e.result());
    }

    @Test
    void interruptBefore_leaseEnds_interruptsTheMethod() {
        assertThrows(LeaseEndingException.class, work::blocks);
        assertFalse(Thread.interrupted());
    }

    @Test
    void exceptions_ofTheMethod_arePassedOn() {
        assertEquals(
                "its own",
                assertThrows(java.io.IOException.class, work::throwsChecked).getMessage());
        assertFalse(other.inspect().isLocked("throws"));
    }

    @Test
    void interrupted_whileWaiting_isNotRunAndStaysInterrupted() {
        Thread.currentThread().interrupt();
        assertThrows(CancellationException.class, work::options);
        assertTrue(Thread.interrupted());
    }

    @Test
    void unknown_serverAway_neverRuns() {
        try (RedisServer away = RedisServer.start();
                ConfigurableApplicationContext there = Apps.with(
                        away.port(),
                        Map.of("work", Work.class),
                        "app.area=north",
                        "app.wait=100ms",
                        "holdfast.command-timeout=300ms",
                        "holdfast.close-timeout=0")) {
            Work behind = there.getBean(Work.class);
            away.kill();
            assertThrows(ServerUnreachableException.class, behind::skipVoid);
            assertThrows(ServerUnreachableException.class, behind::skipOptional);
            assertThrows(ServerUnreachableException.class, behind::options);
            ExecutionException e = assertThrows(
                    ExecutionException.class, () -> behind.skipStage().get(30, TimeUnit.SECONDS));
            assertInstanceOf(ServerUnreachableException.class, e.getCause());
            assertThrows(
                    ServerUnreachableException.class, () -> behind.skipMono().block(Duration.ofSeconds(30)));
            assertThrows(
                    ServerUnreachableException.class, () -> behind.skipFlux().blockLast(Duration.ofSeconds(30)));
            assertEquals(0, behind.runs());
        }
    }

    @Test
    void stage_isHeldUntilItCompletes() throws Exception {
        CompletableFuture<String> until = new CompletableFuture<>();
        CompletableFuture<String> result = work.stage(until, null).toCompletableFuture();
        CompletableFuture<String> second =
                work.stage(CompletableFuture.completedFuture("second "), null).toCompletableFuture();
        Apps.await(() -> other.inspect().isQueued("stage") || holdfast.waiterCount() > 0);
        assertFalse(result.isDone());
        assertFalse(second.isDone());
        until.complete("first ");
        assertEquals("first stage", result.get(10, TimeUnit.SECONDS));
        assertEquals("second stage", second.get(10, TimeUnit.SECONDS));
        assertFalse(other.inspect().isLocked("stage"));
        CompletionException failed = assertThrows(
                CompletionException.class,
                () -> work.stage(CompletableFuture.failedFuture(new IllegalStateException("its own")), null)
                        .toCompletableFuture()
                        .join());
        assertEquals("its own", failed.getCause().getMessage());
        assertFalse(other.inspect().isLocked("stage"));
    }

    /** A thread that does not wait for its call is nobody's: what it asks for next must not enter what the call holds. */
    @Test
    void stagesAndPublishers_askedForByOneThread_excludeEachOther_alsoWhereActorsReenter() throws Exception {
        try (ConfigurableApplicationContext reentering = Apps.with(
                server.port(),
                Map.of("work", Work.class),
                "app.area=north",
                "app.wait=100ms",
                "holdfast.lock.reentrancy=reenter")) {
            Work here = reentering.getBean("work", Work.class);
            CompletableFuture<String> until = new CompletableFuture<>();
            CompletableFuture<String> first = here.stage(until, null).toCompletableFuture();
            CompletableFuture<String> second = here.stage(CompletableFuture.completedFuture("second "), null)
                    .toCompletableFuture();
            Apps.await(() -> other.inspect().isQueued("stage"));
            assertFalse(second.isDone());
            until.complete("first ");
            assertEquals("first stage", first.get(10, TimeUnit.SECONDS));
            assertEquals("second stage", second.get(10, TimeUnit.SECONDS));
            Sinks.Empty<Void> end = Sinks.empty();
            Mono<Long> assembled = here.mono(end.asMono());
            CompletableFuture<Long> one = assembled.toFuture();
            CompletableFuture<Long> two = assembled.toFuture();
            Apps.await(() -> other.inspect().isQueued("mono"));
            end.tryEmitEmpty();
            one.get(10, TimeUnit.SECONDS);
            two.get(10, TimeUnit.SECONDS);
        }
    }

    /** Further inside than the lock, and in need of the invocation of its thread, as advice of AspectJ is. */
    static class Inside extends NameMatchMethodPointcutAdvisor {
        static final AtomicInteger CALLED = new AtomicInteger();
        private static final long serialVersionUID = 1;

        Inside() {
            addMethodName("stage");
            setAdvice((MethodInterceptor) invocation -> {
                ExposeInvocationInterceptor.currentInvocation();
                CALLED.incrementAndGet();
                return invocation.proceed();
            });
        }
    }

    /** Without AspectJ on the class path, Spring looks at advisors of this role only. */
    static class InsideCounts implements BeanFactoryPostProcessor {
        @Override
        public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
            ((AbstractBeanDefinition) beans.getBeanDefinition("inside")).setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
        }
    }

    @Test
    void stage_adviceInsideOfTheLock_findsItsInvocation() throws Exception {
        try (ConfigurableApplicationContext advised = Apps.with(
                server.port(),
                Map.of("work", Work.class, "inside", Inside.class, "insideCounts", InsideCounts.class),
                "app.area=north",
                "app.wait=100ms")) {
            CompletionStage<String> stage =
                    advised.getBean("work", Work.class).stage(CompletableFuture.completedFuture("advised "), null);
            assertEquals("advised stage", stage.toCompletableFuture().get(10, TimeUnit.SECONDS));
            assertTrue(Inside.CALLED.get() > 0);
        }
    }

    @Test
    void mono_eachSubscription_isACallOfItsOwn() {
        Sinks.Empty<Void> until = Sinks.empty();
        int before = work.runs();
        Mono<Long> assembled = work.mono(until.asMono());
        assertEquals(before, work.runs(), "nothing happens before it is subscribed to");
        assertFalse(other.inspect().isLocked("mono"));
        CompletableFuture<Long> first = assembled.toFuture();
        Apps.await(() -> other.inspect().isLocked("mono") && work.runs() == before + 1);
        CompletableFuture<Long> second = assembled.toFuture();
        until.tryEmitEmpty();
        assertEquals((before + 1) * 1_000L + 1, first.join());
        assertEquals((before + 2) * 1_000L + 1, second.join());
        assertFalse(other.inspect().isLocked("mono"));
    }

    @Test
    void mono_cancelledWhileWaitingOrWorking_leavesNothing() throws Exception {
        Disposable working;
        try (Lease taken = other.lock("mono").acquire()) {
            Disposable waiting = work.mono(Mono.never()).subscribe();
            Apps.await(() -> other.inspect().isQueued("mono"));
            waiting.dispose();
            Apps.await(() -> !other.inspect().isQueued("mono"));
        }
        int before = work.runs();
        working = work.mono(Mono.never()).subscribe();
        Apps.await(() -> work.runs() > before);
        assertTrue(other.inspect().isLocked("mono"));
        working.dispose();
        Apps.await(() -> !other.inspect().isLocked("mono"));
    }

    @Test
    void flux_leaseIsLost_endsWithThatAndCancelsTheSource() {
        Sinks.Many<Integer> source = Sinks.many().unicast().onBackpressureBuffer();
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch cancelled = new CountDownLatch(1);
        CompletableFuture<List<Integer>> result = work.flux(
                        source.asFlux().doOnNext(one -> begun.countDown()).doOnCancel(cancelled::countDown))
                .collectList()
                .toFuture();
        source.tryEmitNext(1);
        Apps.await(() -> begun.getCount() == 0);
        other.admin().release("flux", Admin.Waiters.HAND_OFF);
        CompletionException e = assertThrows(CompletionException.class, result::join);
        assertInstanceOf(LeaseLostException.class, e.getCause());
        Apps.await(() -> cancelled.getCount() == 0); // by another thread, perhaps a moment later
    }

    @Test
    void mono_leaseIsLost_endsWithThatAndCancelsTheSource() {
        CountDownLatch cancelled = new CountDownLatch(1);
        int before = work.runs();
        CompletableFuture<Long> result =
                work.mono(Mono.never().doOnCancel(cancelled::countDown)).toFuture();
        Apps.await(() -> work.runs() > before);
        other.admin().release("mono", Admin.Waiters.HAND_OFF);
        CompletionException e = assertThrows(CompletionException.class, result::join);
        assertInstanceOf(LeaseLostException.class, e.getCause());
        Apps.await(() -> cancelled.getCount() == 0); // by another thread, perhaps a moment later
        e = assertThrows(
                CompletionException.class,
                () -> work.mono(Mono.error(new IllegalStateException("its own")))
                        .toFuture()
                        .join());
        assertEquals("its own", e.getCause().getMessage());
    }

    @Test
    void runsOnce_secondCall_isSkippedAfterTheFirstHasEnded() {
        int before = work.runs();
        work.nightly();
        work.nightly();
        assertEquals(before + 1, work.runs());
        assertTrue(other.inspect().lock("nightly").holder().orElseThrow().resting());
    }

    @Test
    void runsOnce_inASlot_isRunOnceByAllInstances() throws Exception {
        int before = work.runs();
        assertEquals(Optional.of(before + 1), work.yearly("a", false));
        assertEquals(Optional.empty(), work.yearly("a", false));
        assertEquals(
                "",
                other.once("yearly/a")
                        .per(Duration.ofDays(365))
                        .result()
                        .orElseThrow()
                        .text());
        assertEquals(
                "elsewhere",
                other.once("yearly/b")
                        .per(Duration.ofDays(365))
                        .run(lease -> "elsewhere")
                        .orElseThrow());
        assertEquals(Optional.empty(), work.yearly("b", false));
        assertEquals(before + 1, work.runs());
    }

    @Test
    void runsOnce_inASlot_aRunThatThrowsIsRepeated() {
        int before = work.runs();
        assertThrows(IllegalStateException.class, () -> work.yearly("c", true));
        assertEquals(Optional.of(before + 2), work.yearly("c", false));
        assertEquals(Optional.empty(), work.yearly("c", false));
    }

    @Test
    void runsOnce_inASlot_ofAThreadThatIsInterrupted_isNotRunAndTheInterruptStays() {
        int before = work.runs();
        Thread.currentThread().interrupt();
        CancellationException cancelled = assertThrows(CancellationException.class, () -> work.yearly("d", false));
        assertTrue(Thread.interrupted());
        assertTrue(String.valueOf(cancelled.getMessage()).contains("'yearly/d'"), cancelled::toString);
        assertEquals(before, work.runs());
    }

    @Test
    void runsOnce_inASlot_ofAStage() throws Exception {
        int before = work.runs();
        for (int i = 0; i < 2; i++) {
            work.daily().toCompletableFuture().get(20, TimeUnit.SECONDS);
        }
        assertEquals(before + 1, work.runs());
    }
}
