package io.holdfast.spring.platforms;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.fencing.JdbcFence;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.EnableCaching;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.util.ClassUtils;

/**
 * What is around a lock, and what is inside of it: read off the stacks of methods that have everything, when they run. The
 * guide's table says the same.
 */
@Timeout(60)
public final class OrderTest {
    private static final Path GUIDE = Path.of("../../docs/guide/spring-boot.md");

    /** Where stacks arrive, of a class that the tests' own class loader does not have. */
    public static final BlockingQueue<List<String>> STACKS = new LinkedBlockingQueue<>();

    private static final String OF_SPRING = "`@Retryable` of Spring 7";
    private static final String OF_LIBRARY = "`@Retryable` of spring-retry";

    /** By the classes that are on the stack, each with what the table calls it. */
    private static final Map<String, String> ROWS = new LinkedHashMap<>();

    static {
        ROWS.put("ScheduledMethodRunnable", "`@Scheduled`");
        ROWS.put("AsyncExecutionInterceptor", "`@Async`");
        ROWS.put("AnnotationAwareRetryOperationsInterceptor", OF_LIBRARY);
        ROWS.put("AbstractRetryInterceptor", OF_SPRING);
        ROWS.put("LockedInterceptor", "**`@Locked`, `@RunsOnce`, `@DoneOnce`**");
        ROWS.put("CacheInterceptor", "`@Cacheable`");
        ROWS.put("TransactionInterceptor", "`@Transactional`");
        ROWS.put("FenceInterceptor", "the fence");
    }

    /** Repetition is in Spring itself since 7, and in a library of its own before. */
    private static final String REPEATS_IN_7 = """
            import org.springframework.resilience.annotation.EnableResilientMethods;
            import org.springframework.resilience.annotation.Retryable;

            @org.springframework.context.annotation.Configuration(proxyBeanMethods = false)
            @EnableResilientMethods
            class Repeats {}
            """;

    private static final String REPEATS_BEFORE = """
            import org.springframework.retry.annotation.RetryConfiguration;
            import org.springframework.retry.annotation.Retryable;

            @org.springframework.context.annotation.Configuration(proxyBeanMethods = false)
            @org.springframework.context.annotation.Import(RetryConfiguration.class) // as @EnableRetry, without AspectJ
            class Repeats {}
            """;

    private static final String WORK = """
            public class Work {
                @org.springframework.scheduling.annotation.Async
                @Retryable
                @io.holdfast.spring.Locked(value = "a/{#id}", fenced = true)
                @org.springframework.cache.annotation.Cacheable("answers")
                @org.springframework.transaction.annotation.Transactional
                public void everything(String id) {
                    io.holdfast.spring.platforms.OrderTest.called();
                }

                @org.springframework.scheduling.annotation.Scheduled(fixedDelay = 3_600_000)
                @io.holdfast.spring.RunsOnce(value = "nightly", minHold = "1s")
                public void scheduled() {
                    io.holdfast.spring.platforms.OrderTest.called();
                }
            }
            """;

    @TempDir
    private Path folder;

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableCaching
    @EnableScheduling
    static class Everything {
        @Bean
        CacheManager caches() {
            return new ConcurrentMapCacheManager();
        }
    }

    /** Called by what is compiled here. */
    public static void called() {
        List<String> outermostFirst = new ArrayList<>();
        for (StackTraceElement each : new Throwable().getStackTrace()) {
            ROWS.forEach((type, row) -> {
                if (each.getClassName().contains("." + type) && !outermostFirst.contains(row)) {
                    outermostFirst.add(row);
                }
            });
        }
        Collections.reverse(outermostFirst);
        STACKS.add(outermostFirst);
    }

    @Test
    void order_ofEverythingAroundALock_isThatOfTheGuide() throws Exception {
        String repeats = ClassUtils.isPresent(
                        "org.springframework.resilience.annotation.Retryable",
                        getClass().getClassLoader())
                ? REPEATS_IN_7
                : REPEATS_BEFORE;
        assertEquals(List.of(), Compiler.errors("Work", repeats + WORK, folder));
        try (URLClassLoader classes = new URLClassLoader(
                        new java.net.URL[] {folder.toUri().toURL()}, getClass().getClassLoader());
                ConfigurableApplicationContext context = Apps.start(
                        classes,
                        Everything.class,
                        Map.of("repeats", classes.loadClass("Repeats"), "work", classes.loadClass("Work")),
                        "holdfast.mode=memory")) {
            List<String> scheduled = taken();
            try (Connection database = context.getBean(DataSource.class).getConnection()) {
                JdbcFence.defaults().createTable(database);
            }
            Object work = context.getBean("work");
            work.getClass().getMethod("everything", String.class).invoke(work, "7");
            List<String> table = taken();
            assertEquals("`@Scheduled`", scheduled.remove(0), "calls the bean from outside of all");
            assertTrue(table.containsAll(scheduled), "both have the lock in common");
            table.add(0, "`@Scheduled`");
            assertTrue(table.contains(OF_SPRING) != table.contains(OF_LIBRARY), "one of them is there: " + table);
            List<String> guide = rowsOfTheGuide().stream()
                    .filter(row -> !row.contains("@Retryable") || table.contains(row))
                    .toList();
            assertEquals(table, guide, () -> "the table is, from the outside in: " + String.join(" | ", table));
        }
    }

    private static List<String> taken() throws InterruptedException {
        List<String> stack = STACKS.poll(20, TimeUnit.SECONDS);
        assertNotNull(stack, "it was not called");
        return stack;
    }

    /** The first column of the table. */
    private static List<String> rowsOfTheGuide() throws Exception {
        return Files.readAllLines(GUIDE).stream()
                .dropWhile(line -> !line.startsWith("| around the lock |"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.split("\\|")[1].strip())
                .toList();
    }
}
