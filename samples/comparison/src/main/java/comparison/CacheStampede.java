package comparison;

import io.holdfast.Holdfast;
import io.holdfast.Once;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.springframework.data.redis.cache.RedisCache;
import org.springframework.data.redis.cache.RedisCacheManager;

/** Twenty callers on two hosts want the same entry of a cache, which has expired. How many load it, and how many take a lock for that? */
public final class CacheStampede {
    private static final int HOSTS = 2;
    private static final int CALLERS = 20;
    private static final Duration KEEP = Duration.ofMinutes(10);
    private static final long POLL_MILLIS = 100;

    private CacheStampede() {}

    public static void main(String[] arguments) throws Exception {
        try (Application application = new Application()) {
            print("", "load it", "take a lock");
            run("Spring, RedisCache", new OfSpring(application));
            run("Redisson, setIfAbsent", new Polling(application));
            run("Redisson, fair lock", new Locking(application));
            run("Holdfast, once", new Answered(application));
        }
    }

    private abstract static class Shared {
        final AtomicInteger loads = new AtomicInteger();
        final AtomicInteger locks = new AtomicInteger();

        /** What a caller on one of the hosts gets. */
        abstract String get(int host, Callable<String> load) throws Exception;

        /** Whether all other callers wait, while one of them loads; or load, too. */
        abstract boolean othersWait();
    }

    private static void run(String how, Shared shared) throws Exception {
        ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
        try {
            List<Future<String>> answers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                int host = i % HOSTS;
                answers.add(callers.submit(() -> shared.get(host, () -> {
                    shared.loads.incrementAndGet();
                    Application.await(shared::othersWait);
                    return "17.30";
                })));
            }
            for (Future<String> each : answers) {
                if (!each.get(1, TimeUnit.MINUTES).equals("17.30")) {
                    throw new IllegalStateException(how);
                }
            }
        } finally {
            callers.shutdownNow();
        }
        print(how, shared.loads.toString(), shared.locks.toString());
    }

    private static final class OfSpring extends Shared {
        private final List<RedisCache> caches = new ArrayList<>();

        OfSpring(Application application) {
            for (int i = 0; i < HOSTS; i++) {
                RedisCacheManager manager = RedisCacheManager.create(application.connections);
                manager.afterPropertiesSet();
                caches.add((RedisCache) manager.getCache("prices"));
            }
        }

        @Override
        String get(int host, Callable<String> load) {
            return caches.get(host).get("price/7", load);
        }

        @Override
        boolean othersWait() {
            return loads.get() == CALLERS;
        }
    }

    private abstract static class OfRedisson extends Shared {
        final List<RedissonClient> clients = new ArrayList<>();

        OfRedisson(Application application) {
            for (int i = 0; i < HOSTS; i++) {
                clients.add(application.redisson());
            }
        }
    }

    /** One caller has set a marker, and the others look again and again. */
    private static final class Polling extends OfRedisson {
        private final AtomicInteger looked = new AtomicInteger();

        Polling(Application application) {
            super(application);
        }

        @Override
        String get(int host, Callable<String> load) throws Exception {
            RBucket<String> price = clients.get(host).getBucket("price/7");
            RBucket<String> marker = clients.get(host).getBucket("price/7/loading");
            String found = price.get();
            if (found == null && marker.setIfAbsent("loading", Application.TERM)) {
                locks.incrementAndGet();
                found = load.call();
                price.set(found, KEEP);
                marker.delete();
                return found;
            }
            looked.incrementAndGet();
            while (found == null) {
                Thread.sleep(POLL_MILLIS);
                found = price.get();
            }
            return found;
        }

        @Override
        boolean othersWait() {
            return looked.get() == CALLERS - 1;
        }
    }

    /** Each caller takes the lock, and looks again. */
    private static final class Locking extends OfRedisson {
        private final Application application;

        Locking(Application application) {
            super(application);
            this.application = application;
            application.server.command("DEL", "price/7");
        }

        @Override
        String get(int host, Callable<String> load) throws Exception {
            RBucket<String> price = clients.get(host).getBucket("price/7");
            String found = price.get();
            if (found != null) {
                return found;
            }
            RLock lock = clients.get(host).getFairLock("price/7/lock");
            lock.lock();
            try {
                locks.incrementAndGet();
                found = price.get();
                if (found == null) {
                    found = load.call();
                    price.set(found, KEEP);
                }
                return found;
            } finally {
                lock.unlock();
            }
        }

        @Override
        boolean othersWait() {
            return application
                            .server
                            .command("LLEN", "redisson_lock_queue:{price/7/lock}")
                            .asLong()
                    == CALLERS - 1;
        }
    }

    /** One caller loads, and its result answers the others. */
    private static final class Answered extends Shared {
        private final List<Holdfast> clients = new ArrayList<>();

        Answered(Application application) {
            for (int i = 0; i < HOSTS; i++) {
                clients.add(application.holdfast());
            }
        }

        private Once price(int host) {
            return clients.get(host).once("price/7").withKeep(KEEP);
        }

        @Override
        String get(int host, Callable<String> load) throws Exception {
            return price(host)
                    .run(lease -> {
                        locks.incrementAndGet();
                        return load.call();
                    })
                    .orElseThrow();
        }

        @Override
        boolean othersWait() {
            return price(0).info().waiters() == CALLERS - 1;
        }
    }

    private static void print(String how, String loads, String locks) {
        System.out.printf("%-29s%-10s%s%n", how, loads, locks);
    }
}
