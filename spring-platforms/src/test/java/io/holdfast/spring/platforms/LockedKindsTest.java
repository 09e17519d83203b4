package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockNotObtainedException;
import io.holdfast.LockTimeoutException;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.spring.CurrentLease;
import io.holdfast.spring.DoneOnce;
import io.holdfast.spring.Locked;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.task.TaskDecorator;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** What else an annotation can ask for, what a call does instead, and in which thread a method runs. */
@Timeout(60)
final class LockedKindsTest {
    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

    private static RedisServer server;
    private static ConfigurableApplicationContext context;
    private static Holdfast other;
    private static Work work;

    /** What an application has. */
    static class Work {
        @Locked(value = "catalogue", access = Locked.Access.READ, waitLimit = "0")
        public String read() throws InterruptedException {
            return other.readWriteLock("catalogue")
                    .read()
                    .tryAcquire()
                    .map(this::given)
                    .orElse("alone");
        }

        @Locked(value = "catalogue", access = Locked.Access.WRITE, waitLimit = "0")
        public String write() throws InterruptedException {
            return other.readWriteLock("catalogue")
                    .read()
                    .tryAcquire()
                    .map(this::given)
                    .orElse("alone");
        }

        @Locked(
                value = {"account/{#from}", "account/{#to}"},
                waitLimit = "0")
        public String transfer(String from, String to) {
            return CurrentLease.all().stream()
                    .map(lease -> lease.name() + (lease.isValid() ? "" : " lost"))
                    .collect(Collectors.joining(" "));
        }

        @Locked(
                value = {"account/{#from}", "account/{#to}"},
                waitLimit = "0",
                fallback = "notNow")
        public CompletionStage<String> stagedTransfer(String from, String to) {
            return CompletableFuture.completedFuture(transfer(from, to));
        }

        CompletionStage<String> notNow(String from, String to, LockNotObtainedException why) {
            return CompletableFuture.completedFuture("not now: " + why.lockName());
        }

        private String given(Lease lease) {
            lease.close();
            return "beside others";
        }

        @Locked(value = "exports", permits = "${app.permits}", waitLimit = "0")
        public int permits() {
            return CurrentLease.get().permits();
        }

        @Locked(value = "busy/{#id}", waitLimit = "0", fallback = "later")
        public String now(String id) {
            return "now " + id;
        }

        String later(String id, LockNotObtainedException why) {
            return "later " + id + ", " + why.lockName();
        }

        @Locked(value = "busy/{#id}", waitLimit = "0", fallback = "failing")
        public void fails(String id) throws IOException {}

        private void failing(String id) throws IOException {
            throw new IOException("the fallback's own");
        }

        @Locked(value = "busy/{#id}", waitLimit = "0", fallback = "stagedLater")
        public CompletionStage<String> staged(String id) {
            return CompletableFuture.completedFuture("now " + id);
        }

        CompletionStage<String> stagedLater(String id) {
            return CompletableFuture.completedFuture("later " + id);
        }

        @Async
        @Locked("async")
        public CompletableFuture<String> async(Lease lease) {
            assertTrue(lease.isValid());
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @Async
        @DoneOnce("async/{#id}")
        public CompletableFuture<String> asyncOnce(String id) {
            return CompletableFuture.completedFuture(Thread.currentThread().getName());
        }

        @Locked("staged")
        public CompletableFuture<String> whereAndFor() {
            return CompletableFuture.completedFuture(
                    Thread.currentThread().getName().replaceAll("\\d+$", "") + " for " + TENANT.get());
        }
    }

    /** Two executors, and what tasks get of their context. */
    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    static class Executors {
        @Bean
        ThreadPoolTaskExecutor taskExecutor() {
            return pool("work-");
        }

        @Bean
        ThreadPoolTaskExecutor bodies() {
            return pool("bodies-");
        }

        private static ThreadPoolTaskExecutor pool(String prefix) {
            ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
            executor.setCorePoolSize(1);
            executor.setMaxPoolSize(1);
            executor.setThreadNamePrefix(prefix);
            return executor;
        }

        @Bean
        TaskDecorator tenants() {
            return task -> {
                String tenant = TENANT.get();
                return () -> {
                    TENANT.set(tenant);
                    try {
                        task.run();
                    } finally {
                        TENANT.remove();
                    }
                };
            };
        }
    }

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        other = Apps.connect(server.url());
        context = Apps.with(Executors.class, server.port(), Map.of("work", Work.class), "app.permits=2/3");
        work = context.getBean(Work.class);
    }

    @AfterAll
    static void stop() {
        context.close();
        other.close();
        server.close();
    }

    @Test
    void access_toReadOrWrite_isThatSideOfTheReadWriteLock() throws Exception {
        assertEquals("beside others", work.read());
        assertEquals("alone", work.write());
        try (Lease writer = other.readWriteLock("catalogue").write().acquire()) {
            assertThrows(LockTimeoutException.class, work::read);
        }
        assertFalse(other.inspect().isLocked("catalogue"), "the exclusive lock of that name is another");
    }

    @Test
    void permits_areThoseOfTheSemaphore() throws Exception {
        assertEquals(2, work.permits());
        try (Lease two = other.semaphore("exports", 3).permits(2).acquire()) {
            assertThrows(LockTimeoutException.class, work::permits);
        }
    }

    @Test
    void fallback_lockIsTaken_isCalledInstead() throws Exception {
        assertEquals("now 7", work.now("7"));
        assertEquals("now 7", work.staged("7").toCompletableFuture().get(10, TimeUnit.SECONDS));
        work.fails("7");
        try (Lease taken = other.lock("busy/7").acquire()) {
            assertEquals("later 7, busy/7", work.now("7"));
            assertEquals("later 7", work.staged("7").toCompletableFuture().get(10, TimeUnit.SECONDS));
            IOException thrown = assertThrows(IOException.class, () -> work.fails("7"));
            assertEquals("the fallback's own", thrown.getMessage());
        }
    }

    @Test
    void async_methodThatReturnsAStage_runsOnItsExecutorAlsoAfterAWait() throws Exception {
        CompletableFuture<String> waits;
        try (Lease taken = other.lock("async").acquire()) {
            waits = work.async(null);
            Apps.await(() -> other.inspect().isQueued("async"));
        }
        assertEquals("work-1", waits.get(10, TimeUnit.SECONDS));
        for (int i = 0; i < 20; i++) {
            assertEquals("work-1", work.async(null).get(10, TimeUnit.SECONDS));
        }
        assertEquals("work-1", work.asyncOnce("7").get(10, TimeUnit.SECONDS));
        assertFalse(other.inspect().isLocked("async"));
    }

    @Test
    void async_interruptedWhileItWaits_isNotRun() throws Exception {
        try (Lease taken = other.lock("async").acquire()) {
            CompletableFuture<String> waits = work.async(null);
            Apps.await(() -> other.inspect().isQueued("async"));
            context.getBean("taskExecutor", ThreadPoolTaskExecutor.class)
                    .getThreadPoolExecutor()
                    .submit(() -> {}); // behind it
            Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("work-1"))
                    .forEach(Thread::interrupt);
            assertThrows(Exception.class, () -> waits.get(10, TimeUnit.SECONDS));
            Apps.await(() -> !other.inspect().isQueued("async"));
        }
        assertEquals("work-1", work.async(null).get(10, TimeUnit.SECONDS));
    }

    @Test
    void severalNames_allAreHeldOrTheMethodDoesNotRun() throws Exception {
        assertEquals("account/b account/a", work.transfer("b", "a"), "the first of the annotation first");
        assertEquals("account/a", work.transfer("a", "a"), "one lock");
        try (Lease taken = other.lock("account/a").acquire()) {
            LockNotObtainedException refused =
                    assertThrows(LockNotObtainedException.class, () -> work.transfer("b", "a"));
            assertEquals(taken.name(), refused.lockName());
            assertFalse(other.inspect().isLocked("account/b"), "what was held is given back");
        }
        assertFalse(other.inspect().isLocked("account/a"));
    }

    @Test
    void severalNames_ofAMethodThatReturnsAStage_areHeldUntilThatCompletes() throws Exception {
        assertEquals(
                "account/c account/d",
                work.stagedTransfer("c", "d").toCompletableFuture().get(10, TimeUnit.SECONDS));
        try (Lease taken = other.lock("account/d").acquire()) {
            assertEquals(
                    "not now: " + taken.name(),
                    work.stagedTransfer("c", "d").toCompletableFuture().get(10, TimeUnit.SECONDS));
        }
        Apps.await(() -> !other.inspect().isLocked("account/c"));
    }

    /** An answer that comes at once has the method run within the call, now and then. */
    @Test
    void stage_mayRunWithinTheCall_leavesTheContextOfItsCaller() throws Exception {
        TENANT.set("tenant-7");
        try {
            for (int i = 0; i < 2_000; i++) {
                assertTrue(work.whereAndFor().get(10, TimeUnit.SECONDS).endsWith(" for tenant-7"));
                assertEquals("tenant-7", TENANT.get());
            }
        } finally {
            TENANT.remove();
        }
    }

    @Test
    void stage_runsWithTheContextOfItsCaller_onTheExecutorThatIsNamed() throws Exception {
        TENANT.set("tenant-7");
        try {
            assertTrue(work.whereAndFor().get(10, TimeUnit.SECONDS).endsWith(" for tenant-7"));
            try (ConfigurableApplicationContext named = Apps.with(
                    Executors.class,
                    server.port(),
                    Map.of("work", Work.class),
                    "app.permits=1/1",
                    "holdfast.annotations.executor=bodies")) {
                assertEquals(
                        "bodies- for tenant-7",
                        named.getBean(Work.class).whereAndFor().get(10, TimeUnit.SECONDS));
            }
        } finally {
            TENANT.remove();
        }
        Exception wrong = assertThrows(
                Exception.class,
                () -> Apps.start(server.port(), Apps.Plain.class, "holdfast.annotations.executor=nobody")
                        .close());
        assertTrue(
                String.valueOf(wrong.getMessage()).contains("holdfast.annotations.executor is 'nobody'"),
                wrong.toString());
        assertTrue(context.getBean("bodies") instanceof Executor);
    }
}
