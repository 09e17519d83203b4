package comparison;

import io.holdfast.Holdfast;
import io.holdfast.spring.Locked;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.h2.jdbcx.JdbcConnectionPool;
import org.redisson.api.RLock;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Is the lock still held when the transaction commits? If not, another holder reads what was there before it. */
public final class Commit {
    private Commit() {}

    /** A method under a lock and in a transaction, by each library's annotation. */
    public static class Orders {
        @SchedulerLock(name = "order/7")
        @Transactional
        public void shedLock(BooleanSupplier held) {
            tellAtCommit(held);
        }

        @Locked("order/7")
        @Transactional
        public void holdfast(BooleanSupplier held) {
            tellAtCommit(held);
        }
    }

    private static void tellAtCommit(BooleanSupplier held) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                System.out.println(held.getAsBoolean() ? "held" : "free");
            }
        });
    }

    /** What Spring Boot sets up by itself. */
    @Configuration
    @EnableAutoConfiguration
    @EnableSchedulerLock(defaultLockAtMostFor = "1m")
    static class Plain extends Beans {}

    /** The same, and an annotation that Spring Boot does not need. */
    @Configuration
    @EnableAutoConfiguration
    @EnableTransactionManagement
    @EnableSchedulerLock(defaultLockAtMostFor = "1m")
    static class OwnTransactions extends Beans {}

    /** The same, and the order that ShedLock has a setting for. */
    @Configuration
    @EnableAutoConfiguration
    @EnableTransactionManagement
    @EnableSchedulerLock(defaultLockAtMostFor = "1m", order = 0)
    static class Ordered extends Beans {}

    abstract static class Beans {
        @Bean
        LockProvider shedLock(LettuceConnectionFactory connections) {
            return new RedisLockProvider(connections);
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    public static void main(String[] arguments) throws Exception {
        try (Application application = new Application()) {
            RLock redisson = application.redisson().getLock("order/7");
            LockRegistry<DistributedLock> integration = application.springIntegration();
            LockRegistry<DistributedLock> other = application.springIntegration();
            Holdfast holdfast = application.holdfast();
            DistributedLock integrationLock = integration.obtain("order/7");
            BooleanSupplier heldOfIntegration = () -> isHeld(other.obtain("order/7"));
            BooleanSupplier heldOfHoldfast = () -> holdfast.inspect().isLocked("order/7");

            TransactionTemplate transaction = new TransactionTemplate(
                    new JdbcTransactionManager(JdbcConnectionPool.create("jdbc:h2:mem:orders", "sa", "")));
            for (boolean around : new boolean[] {false, true}) {
                System.out.println(around ? "lock around the transaction" : "lock in the transaction");
                order(transaction, around, "Redisson", redisson::isLocked, work -> {
                    redisson.lock();
                    try {
                        work.run();
                    } finally {
                        redisson.unlock();
                    }
                });
                order(transaction, around, "Spring Integration", heldOfIntegration, work -> {
                    integrationLock.lock();
                    try {
                        work.run();
                    } finally {
                        integrationLock.unlock();
                    }
                });
                order(
                        transaction,
                        around,
                        "Holdfast",
                        heldOfHoldfast,
                        work -> holdfast.lock("order/7").call(lease -> {
                            work.run();
                            return "done";
                        }));
            }

            System.out.println("annotations beside @Transactional");
            annotated(application, Plain.class, "ShedLock", true);
            annotated(application, OwnTransactions.class, "  @EnableTransactionManagement", true);
            annotated(application, Ordered.class, "  the same with an order", true);
            annotated(application, Plain.class, "Holdfast", false);
            annotated(application, OwnTransactions.class, "  @EnableTransactionManagement", false);
        }
    }

    private interface Locking {
        void during(Runnable work) throws Exception;
    }

    private static void order(
            TransactionTemplate transaction, boolean around, String library, BooleanSupplier held, Locking locking)
            throws Exception {
        System.out.printf("  %-32s", library);
        if (around) {
            locking.during(() -> transaction.executeWithoutResult(status -> tellAtCommit(held)));
            return;
        }
        transaction.executeWithoutResult(status -> {
            tellAtCommit(held);
            try {
                locking.during(() -> {});
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void annotated(Application application, Class<?> settings, String library, boolean shedLock) {
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(settings)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .run(
                        "--spring.data.redis.port=" + application.server.port(),
                        "--spring.datasource.url=jdbc:h2:mem:orders")) {
            System.out.printf("  %-32s", library);
            Orders orders = context.getBean(Orders.class);
            if (shedLock) {
                LockProvider provider = context.getBean(LockProvider.class);
                orders.shedLock(() -> isHeld(provider));
            } else {
                Holdfast holdfast = context.getBean(Holdfast.class);
                orders.holdfast(() -> holdfast.inspect().isLocked("order/7"));
            }
        }
    }

    private static boolean isHeld(LockProvider provider) {
        Optional<SimpleLock> taken = provider.lock(Application.job());
        taken.ifPresent(SimpleLock::unlock);
        return taken.isEmpty();
    }

    private static boolean isHeld(Lock lock) {
        if (lock.tryLock()) {
            lock.unlock();
            return false;
        }
        return true;
    }
}
