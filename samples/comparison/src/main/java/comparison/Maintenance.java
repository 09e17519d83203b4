package comparison;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.redisson.api.RLock;

/** One caller holds a lock and three wait. An operator wants no work to begin for some time. How many begin after that word? */
public final class Maintenance {
    private static final int WAITING = 3;

    private Maintenance() {}

    public static void main(String[] arguments) throws Exception {
        try (Application application = new Application()) {
            RLock fair = application.redisson().getFairLock("deploy");
            AtomicInteger begun = new AtomicInteger();
            fair.lockAsync(0).toCompletableFuture().get();
            for (int i = 1; i <= WAITING; i++) {
                long thread = i;
                var unused = fair.lockAsync(thread).thenCompose(nothing -> {
                    begun.incrementAndGet();
                    return fair.unlockAsync(thread);
                });
                Application.await(() -> length(application) == thread);
            }
            CompletableFuture<Integer> kept =
                    fair.lockAsync(9).toCompletableFuture().thenApply(nothing -> begun.get());
            Application.await(() -> length(application) == WAITING + 1);
            fair.unlockAsync(0);
            print("Redisson, fair", kept.get() + ", then the operator's process holds the lock");
            fair.unlockAsync(9).toCompletableFuture().get();

            try (Holdfast holdfast = application.holdfast()) {
                DistributedLock lock =
                        holdfast.lock("deploy", LockOptions.defaults().withStrictOrder());
                begun.set(0);
                Lease held = lock.acquire();
                List<CompletableFuture<?>> waiting = new ArrayList<>();
                for (int i = 1; i <= WAITING; i++) {
                    int place = i;
                    waiting.add(lock.acquireAsync(Wait.forever()).thenCompose(lease -> {
                        begun.incrementAndGet();
                        return lease.releaseAsync();
                    }));
                    Application.await(() -> lock.info().waiters() == place);
                }
                holdfast.admin().pause("deploy", Duration.ofHours(1), "maintenance");
                held.release();
                int meanwhile = begun.get();
                holdfast.admin().resume("deploy");
                for (CompletableFuture<?> each : waiting) {
                    each.get();
                }
                print("Holdfast, a pause", meanwhile + ", and " + begun + " when it is over");
            }
        }
    }

    private static long length(Application application) {
        return application
                .server
                .command("LLEN", "redisson_lock_queue:{deploy}")
                .asLong();
    }

    private static void print(String how, String what) {
        System.out.printf("%-29s%s%n", how, what);
    }
}
