package comparison;

import static comparison.Application.print;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.redisson.api.RLock;

/** One tenant asks for a lock thirty times, and then another tenant asks once. After how many of the former's is the latter served? */
public final class TenantShare {
    private static final int MANY = 30;

    private TenantShare() {}

    public static void main(String[] arguments) throws Exception {
        try (Application application = new Application()) {
            RLock fair = application.redisson().getFairLock("exports");
            fair.lockAsync(0).toCompletableFuture().get();
            Served served = new Served();
            for (int i = 1; i <= MANY + 1; i++) {
                long thread = i;
                served.add(tenant(i), fair.lockAsync(thread), nothing -> fair.unlockAsync(thread));
                Application.await(() -> length(application) == thread);
            }
            fair.unlockAsync(0);
            print("Redisson, fair", served.tell());

            Holdfast holdfast = application.holdfast();
            for (boolean groups : new boolean[] {false, true}) {
                Lease lease = holdfast.lock("exports").acquire();
                served = new Served();
                for (int i = 1; i <= MANY + 1; i++) {
                    long waiting = i;
                    LockOptions options = LockOptions.defaults().withStrictOrder();
                    DistributedLock lock =
                            holdfast.lock("exports", groups ? options.withGroup("tenant " + tenant(i)) : options);
                    served.add(tenant(i), lock.acquireAsync(Wait.forever()), Lease::releaseAsync);
                    Application.await(() -> holdfast.lock("exports").info().waiters() == waiting);
                }
                lease.release();
                print("Holdfast" + (groups ? ", groups" : ""), served.tell());
            }
        }
    }

    private static String tenant(int request) {
        return request <= MANY ? "a" : "b";
    }

    private static long length(Application application) {
        return application
                .server
                .command("LLEN", "redisson_lock_queue:{exports}")
                .asLong();
    }

    private interface Release<T> {
        CompletionStage<?> of(T lease);
    }

    /** In which order requests are served, each of which releases the lock at once. */
    private static final class Served {
        private final List<String> order = Collections.synchronizedList(new ArrayList<>());
        private final List<CompletableFuture<?>> all = new ArrayList<>();

        <T> void add(String tenant, CompletionStage<T> obtained, Release<T> release) {
            all.add(obtained.thenCompose(lease -> {
                        order.add(tenant);
                        return release.of(lease);
                    })
                    .toCompletableFuture());
        }

        String tell() throws Exception {
            for (CompletableFuture<?> each : all) {
                each.get();
            }
            return "after " + order.indexOf("b");
        }
    }
}
