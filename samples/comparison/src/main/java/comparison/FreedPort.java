package comparison;

import io.holdfast.DistributedSemaphore;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.Wait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;

/** Three ports are taken, and a fourth caller waits. Port 3 is freed, and some time later port 1. When does the fourth begin, and where? */
public final class FreedPort {
    private static final int PORTS = 3;
    private static final Duration LATER = Duration.ofSeconds(2);

    private FreedPort() {}

    public static void main(String[] arguments) throws Exception {
        try (Application application = new Application()) {
            RedissonClient redisson = application.redisson();
            List<RLock> locks = new ArrayList<>();
            for (int port = 1; port <= PORTS; port++) {
                locks.add(redisson.getLock("port/" + port));
                locks.get(port - 1).lockAsync(port).toCompletableFuture().get();
            }
            CompletableFuture<String> fourth =
                    locks.get(0).lockAsync(4).toCompletableFuture().thenApply(nothing -> "port 1");
            print(
                    "Redisson, a lock for each",
                    told(
                            fourth,
                            () -> locks.get(2)
                                    .unlockAsync(3)
                                    .toCompletableFuture()
                                    .get(),
                            () -> locks.get(0)
                                    .unlockAsync(1)
                                    .toCompletableFuture()
                                    .get()));

            RPermitExpirableSemaphore permits = redisson.getPermitExpirableSemaphore("ports");
            permits.trySetPermits(PORTS);
            List<String> ids = new ArrayList<>();
            for (int port = 1; port <= PORTS; port++) {
                ids.add(permits.acquire());
            }
            fourth = permits.acquireAsync().toCompletableFuture().thenApply(id -> "some port");
            print(
                    "Redisson, permits with ids",
                    told(fourth, () -> permits.release(ids.get(2)), () -> permits.release(ids.get(0))));

            try (Holdfast holdfast = application.holdfast()) {
                DistributedSemaphore ports = holdfast.semaphore("ports", PORTS).withSlots();
                List<Lease> leases = new ArrayList<>();
                for (int port = 1; port <= PORTS; port++) {
                    leases.add(ports.acquire());
                }
                fourth = ports.acquireAsync(Wait.forever()).thenApply(lease -> "port " + (lease.slot() + 1));
                Application.await(() -> ports.info().waiters() == 1);
                print(
                        "Holdfast, slots",
                        told(
                                fourth,
                                () -> leases.get(2).release(),
                                () -> leases.get(0).release()));
            }
        }
    }

    private static String told(CompletableFuture<String> fourth, Application.Call first, Application.Call second)
            throws Exception {
        first.run();
        String when = "at once";
        try {
            fourth.get(LATER.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            when = "when port 1 is freed";
        }
        second.run();
        return String.format("%-23s%s", when, fourth.get());
    }

    private static void print(String how, String what) {
        System.out.printf("%-29s%s%n", how, what);
    }
}
