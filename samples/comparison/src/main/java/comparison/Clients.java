package comparison;

import static comparison.Application.print;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.springframework.integration.support.locks.DistributedLock;

/** How many connections there are more when an application with Spring's Lettuce client takes a lock. */
public final class Clients {
    private Clients() {}

    public static void main(String[] arguments) throws Exception {
        count("Redisson", "its own client, as it comes", application -> {
            Config config = new Config();
            config.useSingleServer().setAddress(application.server.url());
            RedissonClient client = Redisson.create(config);
            application.closeLater(client::shutdown);
            return lock(client);
        });
        count("", "its own client, with the smallest pools", application -> lock(application.redisson()));
        count("ShedLock", "the application's connection", application -> {
            SimpleLock lock = application.shedLock().lock(Application.job()).orElseThrow();
            return lock::unlock;
        });
        count("Spring Integration", "the application's connection, messages", application -> {
            DistributedLock lock = application.springIntegration().obtain("order/7");
            lock.lock();
            return lock::unlock;
        });
        count("Holdfast", "the application's client", application -> {
            Holdfast holdfast = application.holdfast();
            Lease lease = holdfast.lock("order/7").acquire();
            return lease::release;
        });
    }

    private static AutoCloseable lock(RedissonClient client) {
        RLock lock = client.getLock("order/7");
        lock.lock();
        return lock::unlock;
    }

    private interface Locking {
        /** Returns what releases. */
        AutoCloseable lock(Application application) throws Exception;
    }

    private static void count(String library, String how, Locking locking) throws Exception {
        try (Application application = new Application()) {
            int before = connections(application);
            AutoCloseable release = locking.lock(application);
            print(library, how + ": " + (connections(application) - before) + " more");
            release.close();
        }
    }

    private static int connections(Application application) {
        return (int)
                application.server.command("CLIENT", "LIST").asString().lines().count();
    }
}
