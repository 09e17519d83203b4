package io.holdfast.shedlock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.holdfast.Holdfast;
import io.holdfast.contracts.LockSuite;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.lettuce.LettuceDriverProvider;
import io.holdfast.spi.RedisDriverProvider;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Jobs with ShedLock's annotations, in two instances of an application: nothing but the bean of the locks is Holdfast's. */
class SchedulerLockTest extends LockSuite {
    @Override
    protected RedisDriverProvider provider() {
        return new LettuceDriverProvider();
    }

    @Configuration
    @EnableSchedulerLock(defaultLockAtMostFor = "PT10M")
    static class Application {
        @Bean
        LockProvider lockProvider(Holdfast holdfast) {
            return HoldfastLockProvider.renewing(holdfast);
        }

        @Bean
        Jobs jobs() {
            return new Jobs();
        }
    }

    static class Jobs {
        final AtomicInteger runs = new AtomicInteger();

        @SchedulerLock(name = "nightly", lockAtLeastFor = "PT5M")
        public void nightly() {
            LockAssert.assertLocked();
            runs.incrementAndGet();
        }

        @SchedulerLock(name = "outer")
        public void during(Runnable work) {
            runs.incrementAndGet();
            work.run();
        }

        public int runs() {
            return runs.get();
        }
    }

    private Jobs start(RedisServer server) {
        AnnotationConfigApplicationContext context = closeLater(new AnnotationConfigApplicationContext());
        Holdfast holdfast = client(server);
        context.registerBean(Holdfast.class, () -> holdfast, definition -> definition.setDestroyMethodName(""));
        context.register(Application.class);
        context.refresh();
        return context.getBean(Jobs.class);
    }

    @Test
    void schedulerLock_onTwoInstances_runsOneAtATimeAndOncePerTick() {
        RedisServer server = startServer();
        Holdfast operator = client(server);
        Jobs one = start(server);
        Jobs two = start(server);

        one.during(() -> {
            assertTrue(operator.inspect().isLocked("outer"));
            // In one thread ShedLock takes what it holds for held.
            CompletableFuture.runAsync(() -> two.during(() -> {})).join();
        });
        assertEquals(1, one.runs());
        assertEquals(0, two.runs());
        assertFalse(operator.inspect().isLocked("outer"));
        two.during(() -> {});
        assertEquals(1, two.runs());

        one.nightly();
        two.nightly();
        assertEquals(2, one.runs());
        assertEquals(1, two.runs(), "the job was over, and its lock rests");
    }
}
