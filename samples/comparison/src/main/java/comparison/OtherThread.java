package comparison;

import static comparison.Application.end;
import static comparison.Application.print;

import io.holdfast.Lease;
import java.util.concurrent.FutureTask;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;
import org.springframework.integration.support.locks.DistributedLock;

/** The work ends on another thread than it has begun on: a callback, a coroutine, a virtual thread of the next stage. */
public final class OtherThread {
    private OtherThread() {}

    public static void main(String[] arguments) throws Exception {
        try (Application application = new Application()) {
            RedissonClient client = application.redisson();
            RLock redisson = client.getLock("order/7");
            redisson.lock();
            long owner = Thread.currentThread().getId();
            print("Redisson", "unlock(): " + elsewhere(redisson::unlock));
            print(
                    "",
                    "unlockAsync(id of the first thread): "
                            + elsewhere(() -> redisson.unlockAsync(owner).get()));

            RPermitExpirableSemaphore permits = client.getPermitExpirableSemaphore("order/8");
            permits.trySetPermits(1);
            String permit = permits.acquire();
            print("", "RPermitExpirableSemaphore, release(permit): " + elsewhere(() -> permits.release(permit)));

            SimpleLock shedLock = application.shedLock().lock(Application.job()).orElseThrow();
            print("ShedLock", "unlock(): " + elsewhere(shedLock::unlock));

            DistributedLock integration = application.springIntegration().obtain("order/7");
            integration.lock();
            print("Spring Integration", "unlock(): " + elsewhere(integration::unlock));
            integration.unlock();

            Lease lease = application.holdfast().lock("order/7").acquire();
            print("Holdfast", "release(): " + elsewhere(lease::release));
        }
    }

    private static String elsewhere(Application.Call call) throws Exception {
        FutureTask<String> task = new FutureTask<>(() -> end(call, "released"));
        new Thread(task, "elsewhere").start();
        return task.get();
    }
}
