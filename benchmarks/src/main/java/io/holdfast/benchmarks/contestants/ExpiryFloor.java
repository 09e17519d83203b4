package io.holdfast.benchmarks.contestants;

import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The least that takes a lock when it expires, over Lettuce: it asks with one script, which says to the microsecond when the key
 * will be gone, sleeps until then, and asks again. A release is one message, upon which all that wait ask.
 */
final class ExpiryFloor implements Contestant {
    private static final String CHANNEL = "released";

    /** Zero if it was free. A key that expires in so many milliseconds is there until the last of them is over. */
    private static final String ASK = """
            if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
              return 0
            end
            return (redis.call('PTTL', KEYS[1]) + 1) * 1000 - redis.call('TIME')[2] % 1000
            """;

    private static final String GIVE = """
            if redis.call('GET', KEYS[1]) == ARGV[1] then
              redis.call('DEL', KEYS[1])
              redis.call('PUBLISH', ARGV[2], KEYS[1])
            end
            return 0
            """;

    private final String term;
    private final RedisClient client;
    private final StatefulRedisConnection<String, String> commands;
    private final String asking;
    private final String giving;
    private final AtomicLong owners = new AtomicLong(System.nanoTime());
    private final Map<String, Semaphore> waiting = new ConcurrentHashMap<>();

    ExpiryFloor(String address, Duration term) {
        this.term = Long.toString(term.toMillis());
        client = RedisClient.create(address);
        commands = client.connect();
        asking = commands.sync().scriptLoad(ASK);
        giving = commands.sync().scriptLoad(GIVE);
        HopFloor.listen(client, CHANNEL, lock -> {
            Semaphore waiter = waiting.get(lock);
            if (waiter != null) {
                waiter.release();
            }
        });
    }

    @Override
    public Grip acquire(String lock) throws InterruptedException {
        String owner = Long.toString(owners.incrementAndGet());
        Semaphore released = waiting.computeIfAbsent(lock, any -> new Semaphore(0));
        for (long micros = ask(lock, owner); micros > 0; micros = ask(lock, owner)) {
            if (released.tryAcquire(micros, TimeUnit.MICROSECONDS)) {
                released.drainPermits();
            }
        }
        return () -> commands.sync().<Long>evalsha(giving, ScriptOutputType.INTEGER, key(lock), owner, CHANNEL);
    }

    private long ask(String lock, String owner) {
        return commands.sync().<Long>evalsha(asking, ScriptOutputType.INTEGER, key(lock), owner, term);
    }

    private static String[] key(String lock) {
        return new String[] {lock};
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(1));
    }
}
