package io.holdfast.benchmarks.contestants;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * From a process to another that waits for it, each over Lettuce. All listen on one channel, and a message is the name
 * of the lock that it is about.
 *
 * <p>A bare message: no lock can be handed over faster. A plain handoff: the least by which a release can appoint
 * whoever comes next, in one script, with an owner, an expiry, a token and an order of requests, and without any rule
 * for what can go wrong.
 */
final class HopFloor implements Contestant {
    private static final String CHANNEL = "hop";

    private static final String TAKE = """
            local time = redis.call('TIME')
            local now = time[1] * 1000000 + time[2]
            if redis.call('EXISTS', KEYS[1]) == 1 then
              redis.call('ZADD', KEYS[2], now, ARGV[1])
              return 0
            end
            redis.call('HSET', KEYS[1], 'owner', ARGV[1], 'token', now)
            redis.call('PEXPIRE', KEYS[1], ARGV[2])
            return 1
            """;

    private static final String GIVE = """
            if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[1] then
              return 0
            end
            local first = redis.call('ZPOPMIN', KEYS[2])
            if not first[1] then
              return redis.call('DEL', KEYS[1])
            end
            local time = redis.call('TIME')
            local token = time[1] * 1000000 + time[2]
            redis.call('HSET', KEYS[1], 'owner', first[1], 'token', token)
            redis.call('PEXPIRE', KEYS[1], ARGV[2])
            return redis.call('PUBLISH', ARGV[3], ARGV[4])
            """;

    private final boolean handoff;
    private final String term;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> commands;
    private final String taking;
    private final String giving;
    private final AtomicLong owners = new AtomicLong(System.nanoTime());
    private final Map<String, CompletableFuture<String>> awaited = new ConcurrentHashMap<>();

    private HopFloor(String address, Duration term, boolean handoff) {
        this.handoff = handoff;
        this.term = Long.toString(term.toMillis());
        client = RedisClient.create(address);
        commands = client.connect();
        taking = commands.sync().scriptLoad(TAKE);
        giving = commands.sync().scriptLoad(GIVE);
        listen(client, CHANNEL, lock -> arrival(lock).complete(lock));
    }

    /** Passes on what comes on a channel, in the thread that reads, until the client is shut down. */
    static void listen(RedisClient client, String channel, Consumer<String> messages) {
        StatefulRedisPubSubConnection<String, String> connection = client.connectPubSub();
        connection.addListener(new RedisPubSubAdapter<>() {
            @Override
            public void message(String on, String message) {
                messages.accept(message);
            }
        });
        connection.sync().subscribe(channel);
    }

    static HopFloor message(String address, Duration term) {
        return new HopFloor(address, term, false);
    }

    static HopFloor handoff(String address, Duration term) {
        return new HopFloor(address, term, true);
    }

    private CompletableFuture<String> arrival(String lock) {
        return awaited.computeIfAbsent(lock, any -> new CompletableFuture<>());
    }

    @Override
    public Grip acquire(String lock) {
        if (!handoff) {
            return () -> commands.sync().publish(CHANNEL, lock);
        }
        String owner = Long.toString(owners.incrementAndGet());
        take(lock, owner);
        return () -> give(lock, owner);
    }

    @Override
    public Grip join(String lock) {
        String owner = Long.toString(owners.incrementAndGet());
        if (!handoff || !take(lock, owner)) {
            arrival(lock).join();
        }
        return () -> {
            if (handoff) {
                give(lock, owner);
            }
        };
    }

    private boolean take(String lock, String owner) {
        return commands.sync().<Long>evalsha(taking, ScriptOutputType.INTEGER, keys(lock), owner, term) == 1;
    }

    private void give(String lock, String owner) {
        commands.sync().<Long>evalsha(giving, ScriptOutputType.INTEGER, keys(lock), owner, term, CHANNEL, lock);
    }

    private static String[] keys(String lock) {
        return new String[] {lock, lock + ":queue"};
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}
