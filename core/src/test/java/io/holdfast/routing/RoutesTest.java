package io.holdfast.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class RoutesTest {
    private static final RedisAddress ADDRESS = new RedisAddress("h", 1, false, null, null, 0);

    @Test
    void open_serverRefuses_failsWithItsReason() {
        DriverException thrown = assertThrows(
                DriverException.class,
                () -> RoutedDriver.moving(
                        () -> ADDRESS,
                        address -> {
                            throw DriverException.rejected("WRONGPASS invalid");
                        },
                        Duration.ofSeconds(10)));
        assertEquals("WRONGPASS", thrown.code());
    }

    @Test
    void open_serverCannotBeConnectedTo_looksOnOneThreadAtATime() {
        AtomicInteger looking = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        Semaphore second = new Semaphore(0);
        assertThrows(
                DriverException.class,
                () -> RoutedDriver.moving(
                        () -> {
                            int now = looking.incrementAndGet();
                            most.accumulateAndGet(now, Math::max);
                            try {
                                if (now > 1) {
                                    second.release();
                                } else if (second.tryAcquire(300, TimeUnit.MILLISECONDS)) {
                                    second.release(); // seen, and nobody need wait any more
                                }
                                return ADDRESS;
                            } catch (InterruptedException e) {
                                Thread.currentThread().interrupt();
                                throw DriverException.unknown("interrupted", e);
                            } finally {
                                looking.decrementAndGet();
                            }
                        },
                        address -> {
                            throw DriverException.unknown("nobody is there", null);
                        },
                        Duration.ofSeconds(1)));
        assertEquals(1, most.get());
    }
}
