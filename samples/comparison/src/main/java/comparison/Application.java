package comparison;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.LockOptions;
import io.holdfast.contracts.servers.RedisServer;
import io.holdfast.lettuce.LettuceDriver;
import io.lettuce.core.RedisClient;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;

/** A server, an application's connection to it as Spring has it, and the four libraries as they are set up beside that. */
final class Application implements AutoCloseable {
    /** Shorter than usual, so that what depends on renewal is seen soon; long enough for a busy machine. */
    static final Duration TERM = Duration.ofSeconds(9);

    /** For how long Redisson's fair lock keeps the place of a waiter that does not answer. */
    static final Duration FAIR = Duration.ofSeconds(10);

    private static final HoldfastOptions OPTIONS = HoldfastOptions.defaults()
            .withConnectTimeout(Duration.ofMinutes(1))
            .withCommandTimeout(Duration.ofSeconds(30))
            .withLockDefaults(LockOptions.defaults().withLeaseDuration(TERM));

    private static final long PATIENCE_NANOS = 60_000_000_000L;

    final RedisServer server = RedisServer.start();
    final LettuceConnectionFactory connections = new LettuceConnectionFactory("localhost", server.port());
    private final Deque<AutoCloseable> toClose = new ArrayDeque<>();

    Application() {
        closeLater(server);
        connections.afterPropertiesSet();
        connections.start();
        closeLater(connections::destroy);
        connections.getConnection().ping();
    }

    /** A client of its own, as it needs one, with no more connections than a few locks need. */
    RedissonClient redisson() {
        Config config = redisson(server.url());
        RedissonClient client = Redisson.create(config);
        closeLater(client::shutdown);
        return client;
    }

    static Config redisson(String url) {
        Config config = new Config();
        config.setLockWatchdogTimeout(TERM.toMillis());
        config.setFairLockWaitTimeout(FAIR.toMillis());
        config.useSingleServer()
                .setAddress(url)
                .setConnectionMinimumIdleSize(1)
                .setConnectionPoolSize(4)
                .setSubscriptionConnectionMinimumIdleSize(1)
                .setSubscriptionConnectionPoolSize(2)
                .setSubscriptionsPerConnection(50); // each waiter of a fair lock has a channel of its own
        return config;
    }

    RedisLockProvider shedLock() {
        return new RedisLockProvider(connections);
    }

    static LockConfiguration job() {
        return new LockConfiguration(Instant.now(), "order/7", Duration.ofMinutes(1), Duration.ZERO);
    }

    /** Waiters are told of releases, and do not poll. */
    RedisLockRegistry springIntegration() {
        RedisLockRegistry registry = new RedisLockRegistry(connections, "locks", Duration.ofMinutes(1));
        registry.setRedisLockType(RedisLockRegistry.RedisLockType.PUB_SUB_LOCK);
        closeLater(registry::destroy);
        return registry;
    }

    Holdfast holdfast() {
        Holdfast holdfast = Holdfast.over(
                LettuceDriver.over((RedisClient) connections.getRequiredNativeClient()),
                HoldfastOptions.defaults()
                        .withLockDefaults(LockOptions.defaults().withLeaseDuration(TERM)));
        return closeLater(holdfast);
    }

    /** That of another process, which has no client of its own. */
    static Holdfast holdfast(String url) {
        return Holdfast.connect(url, OPTIONS);
    }

    <T extends AutoCloseable> T closeLater(T resource) {
        toClose.push(resource);
        return resource;
    }

    static void print(String library, String what) {
        System.out.printf("%-20s%s%n", library, what);
    }

    /** What a call ends with: the name of its exception, or what is said if there is none. */
    static String end(Call call, String without) {
        try {
            call.run();
            return without;
        } catch (Exception e) {
            return e.getClass().getSimpleName();
        }
    }

    interface Call {
        void run() throws Exception;
    }

    /** Asks the server, which tells nobody, until it is so. */
    static void await(BooleanSupplier condition) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("it does not happen");
            }
            LockSupport.parkNanos(2_000_000);
        }
    }

    @Override
    public void close() throws Exception {
        while (!toClose.isEmpty()) {
            toClose.pop().close();
        }
    }
}
