package io.holdfast.internal.wire;

import io.holdfast.spi.RedisDriver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Channels that are subscribed to while somebody wants them, on each of some servers. One thread at a time makes the
 * subscriptions what they should be, in the order in which that changed: so that what is asked for last is also sent last,
 * also where one channel is wanted anew by another.
 */
public final class Subscriptions {
    /** One channel, and who receives its messages. */
    public final class Channel {
        private final String name;
        private final BooleanSupplier wanted;
        private final Consumer<String> receiver;
        /** Subscribed, or about to be: when it is acknowledged. */
        private final Map<RedisDriver, CompletableFuture<Void>> listening = new ConcurrentHashMap<>();

        private Channel(String name, BooleanSupplier wanted, Consumer<String> receiver) {
            this.name = name;
            this.wanted = wanted;
            this.receiver = receiver;
        }

        /** To be called when somebody wants it, or nobody any more, and to try again where it failed. */
        public void adjust() {
            var unused = adjusted();
        }

        /**
         * The same.
         *
         * @return completes when it is wanted and all servers have acknowledged it, or it is not wanted; fails if one of them refuses
         */
        public CompletableFuture<Void> adjusted() {
            Change change = new Change(this, new CompletableFuture<>());
            changes.add(change);
            if (work.getAndIncrement() > 0) {
                return change.done;
            }
            int done = 1;
            do {
                for (Change next = changes.poll(); next != null; next = changes.poll()) {
                    next.channel.subscribe(next.done);
                }
                done = work.addAndGet(-done);
            } while (done != 0);
            return change.done;
        }

        private void subscribe(CompletableFuture<Void> done) {
            boolean now = wanted.getAsBoolean();
            List<CompletableFuture<Void>> acknowledged = new ArrayList<>();
            for (RedisDriver driver : drivers) {
                if (now) {
                    acknowledged.add(begun(driver));
                } else if (listening.remove(driver) != null) {
                    var unused = driver.unsubscribe(name);
                }
            }
            CompletableFuture.allOf(acknowledged.toArray(CompletableFuture[]::new))
                    .whenComplete((nothing, failure) -> {
                        if (failure == null) {
                            done.complete(null);
                        } else {
                            done.completeExceptionally(failure);
                        }
                    });
        }

        private CompletableFuture<Void> begun(RedisDriver driver) {
            CompletableFuture<Void> present = listening.get(driver);
            if (present != null) {
                return present;
            }
            CompletableFuture<Void> begun = new CompletableFuture<>();
            listening.put(driver, begun);
            driver.subscribe(name, receiver).whenComplete((nothing, failure) -> {
                if (failure == null) {
                    begun.complete(null);
                } else {
                    listening.remove(driver, begun); // the next call tries again
                    begun.completeExceptionally(failure);
                }
            });
            return begun;
        }
    }

    /** A channel that is to be looked at. */
    private record Change(Channel channel, CompletableFuture<Void> done) {}

    private final List<RedisDriver> drivers;
    private final ConcurrentLinkedQueue<Change> changes = new ConcurrentLinkedQueue<>();
    private final AtomicInteger work = new AtomicInteger();

    /** Of these servers, each by its driver. */
    public Subscriptions(List<RedisDriver> drivers) {
        this.drivers = List.copyOf(drivers);
    }

    /**
     * A channel that nothing was asked of yet.
     *
     * @param wanted asked whenever it is adjusted
     * @param receiver called on threads of the drivers
     */
    public Channel channel(String name, BooleanSupplier wanted, Consumer<String> receiver) {
        return new Channel(name, wanted, receiver);
    }
}
