package comparison;

import static comparison.Application.end;

import io.holdfast.Holdfast;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.api.RMapCache;
import org.redisson.api.RedissonClient;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.ValueOperations;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;

/**
 * Work is to be done once for a key, and all callers are to get its result. The server loses the lock of the first caller, and the second
 * takes it. The third asks when both have ended.
 */
public final class IdempotencyKey {
    private static final Duration KEEP = Duration.ofDays(1);

    private IdempotencyKey() {}

    public static void main(String[] arguments) throws Exception {
        try (Application application = new Application()) {
            RedissonClient[] redisson = {application.redisson(), application.redisson()};
            RedisLockRegistry[] integration = {application.springIntegration(), application.springIntegration()};
            StringRedisTemplate template = new StringRedisTemplate(application.connections);
            Holdfast[] holdfast = {application.holdfast(), application.holdfast()};

            print("", "first", "second", "third");
            for (boolean meanwhile : new boolean[] {false, true}) {
                System.out.println(
                        meanwhile ? "the first ends while the second works" : "the first ends after the second");
                Comparison comparison = new Comparison(application, meanwhile);
                for (boolean ifAbsent : new boolean[] {false, true}) {
                    comparison.of(
                            "Redisson, " + (ifAbsent ? "setIfAbsent" : "set"),
                            (instance, work) -> byHand(redisson[instance], ifAbsent, work));
                }
                comparison.of("Redisson, RMapCache", (instance, work) -> {
                    RMapCache<String, String> receipts = redisson[instance].getMapCache("receipts");
                    return receipts.computeIfAbsent("invoice/4711", KEEP, key -> work.get());
                });
                print("  ShedLock", "-", "-", "-");
                for (boolean ifAbsent : new boolean[] {false, true}) {
                    comparison.of(
                            "Spring Integration, " + (ifAbsent ? "setIfAbsent" : "set"),
                            (instance, work) -> byHand(integration[instance], template, ifAbsent, work));
                }
                comparison.of(
                        "Holdfast",
                        (instance, work) -> holdfast[instance]
                                .once("invoice/4711")
                                .withKeep(KEEP)
                                .run(lease -> work.get())
                                .orElseThrow());
            }
        }
    }

    private static String byHand(RedissonClient client, boolean ifAbsent, Supplier<String> work) {
        RLock lock = client.getLock("invoice/4711");
        RBucket<String> record = client.getBucket("invoice/4711/receipt");
        lock.lock();
        try {
            String done = record.get();
            if (done != null) {
                return done;
            }
            String receipt = work.get();
            if (ifAbsent) {
                return record.setIfAbsent(receipt, KEEP) ? receipt : record.get();
            }
            record.set(receipt, KEEP);
            return receipt;
        } finally {
            lock.unlock();
        }
    }

    private static String byHand(
            RedisLockRegistry registry, StringRedisTemplate template, boolean ifAbsent, Supplier<String> work) {
        DistributedLock lock = registry.obtain("invoice/4711");
        ValueOperations<String, String> records = template.opsForValue();
        lock.lock();
        try {
            String done = records.get("invoice/4711/receipt");
            if (done != null) {
                return done;
            }
            String receipt = work.get();
            if (ifAbsent) {
                boolean written = records.setIfAbsent("invoice/4711/receipt", receipt, KEEP);
                return written ? receipt : records.get("invoice/4711/receipt");
            }
            records.set("invoice/4711/receipt", receipt, KEEP);
            return receipt;
        } finally {
            lock.unlock();
        }
    }

    private interface Instances {
        /** One of two instances of the application, 0 or 1, does the work, or gets what is recorded. */
        String once(int instance, Supplier<String> work) throws Exception;
    }

    private record Comparison(Application application, boolean meanwhile) {
        void of(String how, Instances instances) throws Exception {
            CompletableFuture<Void> begun = new CompletableFuture<>();
            CompletableFuture<Void> ending = new CompletableFuture<>();
            CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> end(
                    () -> instances.once(0, () -> {
                        begun.complete(null);
                        ending.join();
                        return "receipt 1";
                    }),
                    "no word"));
            begun.join();
            forget();
            String second = instances.once(1, () -> {
                if (meanwhile) {
                    ending.complete(null);
                    first.join();
                }
                return "receipt 2";
            });
            ending.complete(null);
            String told = first.join();
            String third = instances.once(1, () -> "receipt 3");
            print("  " + how, told, second, third);
            forget();
        }

        /** Empties the server, also for the next comparison. */
        private void forget() {
            application.server.command("FLUSHALL");
        }
    }

    private static void print(String how, String first, String second, String third) {
        System.out.printf("%-34s%-33s%-11s%s%n", how, first, second, third);
    }
}
