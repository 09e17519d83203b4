package io.holdfast.benchmarks.contestants;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.Lease;
import io.holdfast.LockOptions;
import io.holdfast.Wait;
import io.holdfast.routing.Location;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisDriverProvider;
import java.time.Duration;
import java.util.ServiceLoader;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Holdfast over one of its drivers. */
final class HoldfastContestant implements Contestant {
    /** What is taken when a lock is asked for. */
    interface Way {
        Grip acquire(Holdfast client, LockOptions options, String name) throws InterruptedException;
    }

    /** The lock of this name. */
    static final Way LOCK =
            (client, options, name) -> new Held(client.lock(name, options).acquire());

    private final Holdfast client;
    private final LockOptions options;
    private final Way way;

    private HoldfastContestant(Holdfast client, LockOptions options, Way way) {
        this.client = client;
        this.options = options;
        this.way = way;
    }

    static Grip held(Lease lease) {
        return new Held(lease);
    }

    static HoldfastContestant connect(
            String driver, String address, Duration term, UnaryOperator<LockOptions> changed, Way way) {
        RedisDriverProvider provider = ServiceLoader.load(RedisDriverProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(each -> each.name().equals(driver))
                .findFirst()
                .orElseThrow();
        ConnectOptions connect = new ConnectOptions(Duration.ofSeconds(60), "holdfast");
        LockOptions options =
                changed.apply(LockOptions.defaults().withLeaseDuration(term).withWaitLimit(Wait.forever()));
        return new HoldfastContestant(
                Holdfast.over(
                        Location.parse(address).connect(provider, connect),
                        HoldfastOptions.defaults().withLockDefaults(options)),
                options,
                way);
    }

    @Override
    public Grip acquire(String lock) throws InterruptedException {
        return way.acquire(client, options, lock);
    }

    @Override
    public CompletionStage<Grip> acquireAsync(String lock, long actor) {
        DistributedLock asked = client.lock(lock, options);
        return asked.acquireAsync().thenApply(Held::new);
    }

    @Override
    public String once(String key, Supplier<String> work) throws InterruptedException {
        return client.once(key, options).run(lease -> work.get()).orElseThrow();
    }

    private record Held(Lease lease) implements Grip {
        @Override
        public void release() {
            lease.release();
        }

        @Override
        public CompletionStage<?> releaseAsync() {
            return lease.releaseAsync();
        }
    }

    @Override
    public void close() {
        client.close();
    }
}
