package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.routing.RoutedDriver;
import io.holdfast.spi.Command;
import io.holdfast.spi.ConnectionListener;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which master a client goes to while sentinels disagree. Every server here regards itself as a master. */
@Timeout(60)
class SentinelRoutesTest {
    private static final int OLD = 1_001;
    private static final int NEW = 1_002;

    /** What one sentinel knows. */
    private record View(int described, long epoch, int named) {}

    private final Map<Integer, View> sentinels = new ConcurrentHashMap<>();
    private final List<ConnectionListener> listeners = new CopyOnWriteArrayList<>();
    private final Semaphore looks = new Semaphore(0);
    private RedisDriver driver = new PlayedDriver(at(OLD), listeners, command -> Reply.of("OK"));

    @AfterEach
    void close() {
        driver.close();
    }

    private RedisDriver sentinel(RedisAddress address) {
        return new PlayedDriver(address, listeners, command -> {
            View view = Objects.requireNonNull(sentinels.get(address.port()));
            if (command.words().get(1).equals("MASTER")) {
                looks.release();
                return Reply.of(List.of(
                        Reply.of("ip"),
                        Reply.of("h"),
                        Reply.of("port"),
                        Reply.of(String.valueOf(view.described())),
                        Reply.of("config-epoch"),
                        Reply.of(String.valueOf(view.epoch()))));
            }
            return Reply.of(List.of(Reply.of("h"), Reply.of(String.valueOf(view.named()))));
        });
    }

    private RedisDriver server(RedisAddress address) {
        return new PlayedDriver(
                address,
                listeners,
                command -> command.words().get(0).equals("ROLE")
                        ? Reply.of(List.of(Reply.of("master")))
                        : Reply.of(String.valueOf(address.port())));
    }

    private void connect() {
        List<RedisAddress> addresses =
                sentinels.keySet().stream().map(SentinelRoutesTest::at).toList();
        driver =
                RoutedDriver.sentinels(addresses, "m", at(6_379), this::server, this::sentinel, Duration.ofSeconds(10));
    }

    private static RedisAddress at(int port) {
        return new RedisAddress("h", port, false, null, null, 0);
    }

    /** Breaks a connection, so that the driver looks where the master is, and waits until it has asked a second time. */
    private void look() throws InterruptedException {
        looks.drainPermits();
        for (int i = 0; i < 2; i++) {
            listeners.forEach(ConnectionListener::commandsDown);
            looks.acquire(sentinels.size());
        }
    }

    private int serving() throws Exception {
        Reply reply = driver.send(Command.of("PING")).toCompletableFuture().get();
        return Integer.parseInt(reply.asString());
    }

    @Test
    void look_leaderOfAFailoverDescribesTheOldMasterUnderTheNewEpoch_goesToTheNewOne() throws Exception {
        sentinels.putAll(Map.of(1, new View(OLD, 0, OLD), 2, new View(OLD, 0, OLD), 3, new View(OLD, 0, OLD)));
        connect();
        assertEquals(OLD, serving());
        // What a real sentinel says between the promotion and the end of its failover.
        sentinels.put(1, new View(OLD, 1, NEW));
        sentinels.put(2, new View(NEW, 1, NEW));
        sentinels.put(3, new View(NEW, 1, NEW));
        look();
        assertEquals(NEW, serving());
        look();
        assertEquals(NEW, serving());
    }

    @Test
    void look_otherMasterIsNamedForTheSameEpoch_stays() throws Exception {
        sentinels.putAll(Map.of(1, new View(NEW, 1, NEW)));
        connect();
        assertEquals(NEW, serving());
        sentinels.put(1, new View(OLD, 1, OLD));
        look();
        assertEquals(NEW, serving());
        sentinels.put(1, new View(OLD, 2, OLD));
        look();
        assertEquals(OLD, serving());
    }
}
