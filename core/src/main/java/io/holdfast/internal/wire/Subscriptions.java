package io.holdfast.internal.wire;

import io.holdfast.spi.RedisDriver;
import java.util.List;
import java.util.Set;
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
        private final Set<RedisDriver> listening = ConcurrentHashMap.newKeySet(); // subscribed, or about to be

        private Channel(String name, BooleanSupplier wanted, Consumer<String> receiver) {
            this.name = name;
            this.wanted = wanted;
            this.receiver = receiver;
        }

        /** To be called when somebody wants it, or nobody any more, and to try again where it failed. */
        public void adjust() {
            changed.add(this);
            if (work.getAndIncrement() > 0) {
                return;
            }
            int done = 1;
            do {
                for (Channel next = changed.poll(); next != null; next = changed.poll()) {
                    next.subscribe();
                }
                done = work.addAndGet(-done);
            } while (done != 0);
        }

        private void subscribe() {
            boolean now = wanted.getAsBoolean();
            for (RedisDriver driver : drivers) {
                if (now && listening.add(driver)) {
                    driver.subscribe(name, receiver).whenComplete((ok, failure) -> {
                        if (failure != null) {
                            listening.remove(driver); // the next call tries again
                        }
                    });
                } else if (!now && listening.remove(driver)) {
                    var unused = driver.unsubscribe(name);
                }
            }
        }
    }

    private final List<RedisDriver> drivers;
    private final ConcurrentLinkedQueue<Channel> changed = new ConcurrentLinkedQueue<>();
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
