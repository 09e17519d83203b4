package comparison;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.hazelcast.config.Config;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.cp.lock.FencedLock;
import io.holdfast.Candidacy;
import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.contracts.GuideExamples;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import net.javacrumbs.shedlock.core.LockAssert;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.EnableSchedulerLock;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.scheduling.annotation.Scheduled;

/** The programs of the pages for those that come from another library write under a lock, there and here. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ComingFromTest {
    /** What the work writes to, with what is so while it writes. */
    private static final class Store {
        private final List<String> written = new CopyOnWriteArrayList<>();
        private volatile BooleanSupplier locked = () -> false;

        void write(String what) {
            written.add(what + (locked.getAsBoolean() ? " under the lock" : ""));
        }

        void write(String what, long token) {
            write(token > 0 ? what : what + " without a token");
        }
    }

    private static final String BOOKED = "booked under the lock";

    private final Store store = new Store();
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private Application application;
    private Holdfast holdfast;

    @BeforeEach
    void start() {
        application = new Application();
        holdfast = application.holdfast();
    }

    @AfterEach
    void stopApplication() throws Exception {
        application.close();
    }

    @ParameterizedTest
    @CsvSource({"redisson,2", "spring-integration,2", "shedlock,2", "curator,4", "hazelcast,2"})
    void blocks_ofAPage_standHere(String page, int blocks) throws Exception {
        GuideExamples.quote("docs/coming-from/" + page + ".md", blocks, "src/test/java/comparison");
    }

    private void stop() {}

    private String receive() throws InterruptedException {
        return messages.take();
    }

    // ---- Redisson

    private void withRedisson(RedissonClient redisson) throws InterruptedException {
        RLock lock = redisson.getLock("invoice/42");
        if (lock.tryLock(5, TimeUnit.SECONDS)) {
            try {
                store.write("booked");
            } finally {
                lock.unlock(); // in the same thread; reports a loss
            }
        }
    }

    private boolean inPlaceOfRedisson() throws InterruptedException {
        DistributedLock lock = holdfast.lock("invoice/42");
        boolean booked = lock.tryRun(Wait.upTo(Duration.ofSeconds(5)), lease -> {
            lease.whenLost().thenAccept(reason -> stop());
            store.write("booked", lease.token());
        });
        return booked;
    }

    @Test
    void redisson_bothPrograms_writeUnderTheLock() throws Exception {
        RedissonClient redisson = application.redisson();
        store.locked = () -> redisson.getLock("invoice/42").isLocked();
        withRedisson(redisson);
        assertEquals(List.of(BOOKED), store.written);
        store.locked = () -> holdfast.lock("invoice/42").isLocked();
        assertTrue(inPlaceOfRedisson());
        assertEquals(List.of(BOOKED, BOOKED), store.written);
    }

    // ---- Spring Integration

    private void withSpringIntegration(LockRegistry registry) throws InterruptedException {
        Lock lock = registry.obtain("42");
        if (lock.tryLock(5, TimeUnit.SECONDS)) {
            try {
                store.write("booked");
            } finally {
                lock.unlock(); // in the same thread
            }
        }
    }

    private boolean inPlaceOfSpringIntegration() throws InterruptedException {
        DistributedLock lock = holdfast.lock("orders:42");
        // false: not free in time
        boolean booked = lock.tryRun(Wait.upTo(Duration.ofSeconds(5)), lease -> store.write("booked", lease.token()));
        return booked;
    }

    @Test
    void springIntegration_bothPrograms_writeUnderTheLock() throws Exception {
        store.locked = () -> application.server.command("EXISTS", "locks:42").asLong() == 1;
        withSpringIntegration(application.springIntegration());
        assertEquals(List.of(BOOKED), store.written);
        store.locked = () -> holdfast.lock("orders:42").isLocked();
        assertTrue(inPlaceOfSpringIntegration());
        assertEquals(List.of(BOOKED, BOOKED), store.written);
    }

    // ---- Curator and Hazelcast

    private void withCurator(CuratorFramework client) throws Exception {
        InterProcessMutex mutex = new InterProcessMutex(client, "/locks/invoice-42");
        if (mutex.acquire(5, TimeUnit.SECONDS)) {
            try {
                store.write("booked");
            } finally {
                mutex.release(); // in the same thread
            }
        }
    }

    private void withHazelcast(HazelcastInstance hazelcast) {
        FencedLock lock = hazelcast.getCPSubsystem().getLock("invoice/42");
        long fence = lock.tryLockAndGetFence(5, TimeUnit.SECONDS);
        if (fence != FencedLock.INVALID_FENCE) {
            try {
                store.write("booked", fence);
            } finally {
                lock.unlock(); // in the same thread
            }
        }
    }

    private boolean inPlaceOfBoth() throws InterruptedException {
        DistributedLock lock = holdfast.lock("invoice/42");
        // false: not free in time
        boolean booked = lock.tryRun(Wait.upTo(Duration.ofSeconds(5)), lease -> store.write("booked", lease.token()));
        return booked;
    }

    private void assertWritesInPlaceOfBoth() throws InterruptedException {
        store.written.clear();
        store.locked = () -> holdfast.lock("invoice/42").isLocked();
        assertTrue(inPlaceOfBoth());
        assertEquals(List.of(BOOKED), store.written);
    }

    private CuratorFramework curator() throws Exception {
        TestingServer server = application.closeLater(new TestingServer());
        CuratorFramework client = application.closeLater(
                CuratorFrameworkFactory.newClient(server.getConnectString(), new RetryOneTime(1)));
        client.start();
        return client;
    }

    @Test
    void curator_bothPrograms_writeUnderTheLock() throws Exception {
        CuratorFramework client = curator();
        store.locked = () -> hasChildren(client, "/locks/invoice-42");
        withCurator(client);
        assertEquals(List.of(BOOKED), store.written);
        assertWritesInPlaceOfBoth();
    }

    private static boolean hasChildren(CuratorFramework client, String path) {
        try {
            return !client.getChildren().forPath(path).isEmpty();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void hazelcast_bothPrograms_writeUnderTheLock() throws Exception {
        Config config = new Config();
        config.setProperty("hazelcast.logging.type", "none");
        config.setProperty("hazelcast.phone.home.enabled", "false");
        NetworkConfig network = config.getNetworkConfig();
        network.getJoin().getAutoDetectionConfig().setEnabled(false);
        network.getJoin().getMulticastConfig().setEnabled(false);
        network.getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        HazelcastInstance hazelcast = Hazelcast.newHazelcastInstance(config);
        application.closeLater(hazelcast::shutdown);
        store.locked = () -> hazelcast.getCPSubsystem().getLock("invoice/42").isLocked();
        withHazelcast(hazelcast);
        assertEquals(List.of(BOOKED), store.written);
        assertWritesInPlaceOfBoth();
    }

    // ---- Curator's elections

    private LeaderSelector selected(CuratorFramework client) {
        var leader = new LeaderSelectorListenerAdapter() {
            @Override
            public void takeLeadership(CuratorFramework client) throws Exception {
                while (true) {
                    store.write(receive()); // ended by an interrupt
                }
            }
        };
        LeaderSelector selector = new LeaderSelector(client, "/leaders/scheduler", leader);
        selector.autoRequeue();
        selector.start();
        return selector;
    }

    private Candidacy elected() {
        Candidacy me = holdfast.election("scheduler").campaign(leadership -> {
            while (leadership.isValid()) {
                store.write(receive(), leadership.token());
            }
        });
        return me;
    }

    @Test
    void curator_bothLeaders_writeWhileTheyLead() throws Exception {
        CuratorFramework client = curator();
        store.locked = () -> hasChildren(client, "/leaders/scheduler");
        messages.put("first");
        try (LeaderSelector selector = selected(client)) {
            Application.await(() -> store.written.equals(List.of("first under the lock")));
        }
        // Closing interrupts the leader: a thread that waits for a message may take one before it heeds that.
        Application.await(() -> !hasChildren(client, "/leaders/scheduler"));
        store.locked = () -> holdfast.election("scheduler").leader().isPresent();
        messages.put("second");
        try (Candidacy me = elected()) {
            Application.await(() -> store.written.equals(List.of("first under the lock", "second under the lock")));
        }
    }

    // ---- ShedLock

    static class Jobs {
        private final Store store;

        Jobs(Store store) {
            this.store = store;
        }

        @Scheduled(cron = "0 0 2 * * *")
        @SchedulerLock(name = "nightly", lockAtMostFor = "1h", lockAtLeastFor = "10m")
        public void nightly() {
            LockAssert.assertLocked();
            store.write("report");
        }
    }

    @Configuration
    @EnableSchedulerLock(defaultLockAtMostFor = "1h")
    static class Scheduling {
        @Bean
        Jobs jobs(Store store) {
            return new Jobs(store);
        }
    }

    private boolean inPlaceOfShedLock() throws InterruptedException {
        LockOptions nightly =
                LockOptions.defaults().withMinHold(Duration.ofMinutes(10)).withMaxScopedHold(Duration.ofHours(1));
        // false: skipped
        boolean ran = holdfast.lock("nightly", nightly).tryRun(lease -> store.write("report", lease.token()));
        return ran;
    }

    @Test
    void shedLock_bothPrograms_runOnceInTenMinutes() throws Exception {
        store.locked = () -> true; // it asserts that itself
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            context.registerBean(Store.class, () -> store);
            context.registerBean(LockProvider.class, application::shedLock);
            context.register(Scheduling.class);
            context.refresh();
            context.getBean(Jobs.class).nightly();
            context.getBean(Jobs.class).nightly();
        }
        assertEquals(List.of("report under the lock"), store.written);
        store.locked = () -> holdfast.lock("nightly").isLocked();
        assertTrue(inPlaceOfShedLock());
        assertFalse(inPlaceOfShedLock());
        assertEquals(List.of("report under the lock", "report under the lock"), store.written);
    }
}
