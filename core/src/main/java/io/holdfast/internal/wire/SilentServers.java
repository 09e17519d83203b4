package io.holdfast.internal.wire;

import io.holdfast.spi.Command;
import io.holdfast.spi.RedisDriver;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Since when each server has answered nothing although it was asked. One that is silent for too long is connected to anew,
 * and no other: what is under way at a server that answers would end as unknown.
 */
public final class SilentServers {
    private static final System.Logger LOG = System.getLogger("io.holdfast");
    private static final long HEARD = Long.MIN_VALUE;

    private final RedisDriver driver;
    private final long limitNanos;
    /** By server; the driver itself if it has only one, and for commands that any server may answer. */
    private final Map<RedisDriver, AtomicLong> since = new ConcurrentHashMap<>();

    public SilentServers(RedisDriver driver, long limitNanos) {
        this.driver = driver;
        this.limitNanos = limitNanos;
    }

    /** A command leaves. What is returned is to be told when it is answered. */
    public AtomicLong asked(RedisDriver to, Command command, long sentNanos) {
        RedisDriver server = driver.partitions() == 1 ? driver : serverOf(to, command);
        AtomicLong silence = since.get(server);
        if (silence == null) {
            silence = since.computeIfAbsent(server, one -> new AtomicLong(HEARD));
        }
        silence.compareAndSet(HEARD, sentNanos);
        return silence;
    }

    /** A connection that waits for replicas is not looked at by itself: its answers are late on purpose. */
    private RedisDriver serverOf(RedisDriver to, Command command) {
        String key = command.key();
        if (to != driver) {
            return driver.masters().contains(to) ? to : driver;
        }
        RedisDriver master = key == null ? null : driver.master(driver.partition(key));
        return master == null ? driver : master;
    }

    public static void answered(AtomicLong silence) {
        silence.set(HEARD);
    }

    /** All servers are to be given time anew. */
    public void clear() {
        since.values().forEach(silence -> silence.set(HEARD));
    }

    /** Connects to those anew that have been silent for too long. */
    public void check(long now) {
        since.forEach((server, silence) -> {
            long begin = silence.get();
            if (begin == HEARD) {
                forget(server, silence);
            } else if (now - begin >= limitNanos && silence.compareAndSet(begin, HEARD)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        () -> server.describe() + " has answered nothing for " + (now - begin) / 1_000_000
                                + " ms: connecting again");
                server.reconnect();
            }
        });
    }

    /** Servers come and go. A silence that begins in this moment at one that has gone is not noticed, and need not be. */
    private void forget(RedisDriver server, AtomicLong silence) {
        if (server != driver && !driver.masters().contains(server)) {
            since.remove(server, silence);
        }
    }
}
