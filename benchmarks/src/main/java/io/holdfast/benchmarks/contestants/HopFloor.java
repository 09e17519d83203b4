package io.holdfast.benchmarks.contestants;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One message from a process to another that waits for it, each over Lettuce: no lock can be handed over faster. All
 * listen on one channel, and a message is the name of the lock that it is about.
 */
final class HopFloor implements Contestant {
    private static final String CHANNEL = "hop";

    private final RedisClient client;
    private final StatefulRedisConnection<String, String> commands;
    private final StatefulRedisPubSubConnection<String, String> messages;
    private final Map<String, CompletableFuture<String>> awaited = new ConcurrentHashMap<>();

    HopFloor(String address, Duration term) {
        client = RedisClient.create(address);
        commands = client.connect();
        messages = client.connectPubSub();
        messages.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String channel, String lock) {
                arrival(lock).complete(lock);
            }
        });
        messages.sync().subscribe(CHANNEL);
    }

    private CompletableFuture<String> arrival(String lock) {
        return awaited.computeIfAbsent(lock, any -> new CompletableFuture<>());
    }

    @Override
    public Grip acquire(String lock) {
        return () -> commands.sync().publish(CHANNEL, lock);
    }

    @Override
    public Grip join(String lock) {
        arrival(lock).join();
        return () -> {};
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}
