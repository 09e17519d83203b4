package comparison;

import static comparison.Application.end;
import static comparison.Application.print;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.time.Duration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.redisson.api.RLock;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;

/** The server loses the lock while its holder works, as in a failover or a restart without persistence. */
public final class Loss {
    private Loss() {}

    public static void main(String[] arguments) throws Exception {
        try (Application application = new Application()) {
            RLock redisson = application.redisson().getLock("order/7");
            redisson.lock();
            forget(application);
            print("Redisson", "told: -");
            print("", "asked, isHeldByCurrentThread: " + redisson.isHeldByCurrentThread());
            print("", "released: " + end(redisson::unlock, "no word"));

            SimpleLock shedLock = application.shedLock().lock(Application.job()).orElseThrow();
            forget(application);
            print("ShedLock", "told: -");
            var extended = shedLock.extend(Duration.ofMinutes(1), Duration.ZERO);
            print("", "asked, extend: " + (extended.isPresent() ? "extended" : "empty"));
            SimpleLock next = application.shedLock().lock(Application.job()).orElseThrow();
            forget(application);
            print("", "released: " + end(next::unlock, "no word"));

            RedisLockRegistry registry = application.springIntegration();
            DistributedLock integration = registry.obtain("order/7");
            integration.lock();
            forget(application);
            print("Spring Integration", "told: -");
            print("", "asked, renewLock: " + end(() -> registry.renewLock("order/7"), "renewed"));
            print("", "released: " + end(integration::unlock, "no word"));

            Holdfast holdfast = application.holdfast();
            Lease lease = holdfast.lock("order/7").acquire();
            forget(application);
            print("Holdfast", "told: " + lease.whenLost().toCompletableFuture().get());
            print("", "asked, isValid: " + lease.isValid());
            print("", "released: " + lease.release());
        }
    }

    private static void forget(Application application) {
        application.server.command("FLUSHALL");
    }
}
