package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.holdfast.routing.RoutedDriver;
import io.holdfast.spi.Command;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a client finds a cluster of which some of the given nodes are gone. One node has all slots. */
@Timeout(60)
class ClusterRoutesTest {
    private static final int SERVES = 1;
    private static final int SILENT = 2;
    private static final int REFUSES = 3;
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final CountDownLatch over = new CountDownLatch(1);

    /** Takes as long as a connect to a machine that has lost its power. */
    private RedisDriver connect(RedisAddress address) {
        if (address.port() == SILENT) {
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw DriverException.unknown("no answer", null);
        }
        if (address.port() == REFUSES) {
            throw DriverException.rejected("WRONGPASS invalid");
        }
        return new PlayedDriver(address, new ArrayList<>(), ClusterRoutesTest::answer);
    }

    private static Reply answer(Command command) {
        return switch (String.join(" ", command.words())) {
            case "CLUSTER INFO" -> Reply.of("cluster_state:ok");
            case "CLUSTER SLOTS" -> {
                Reply server = Reply.of(List.of(Reply.of("h"), Reply.of(SERVES)));
                yield Reply.of(List.of(Reply.of(List.of(Reply.of(0), Reply.of(16_383), server))));
            }
            default -> Reply.of("served");
        };
    }

    private static RedisAddress at(int port) {
        return new RedisAddress("h", port, false, null, null, 0);
    }

    @Test
    void open_firstNodeIsSilent_asksTheNext() throws Exception {
        try (RedisDriver driver = RoutedDriver.cluster(List.of(at(SILENT), at(SERVES)), this::connect, LIMIT)) {
            Reply reply =
                    driver.send(Command.of("GET", "a")).toCompletableFuture().get();
            assertEquals("served", reply.asString());
        } finally {
            over.countDown();
        }
    }

    @Test
    void open_noNodeServes_failsWithTheReasonOfTheOneThatAnswered() {
        over.countDown();
        DriverException thrown = assertThrows(
                DriverException.class,
                () -> RoutedDriver.cluster(List.of(at(SILENT), at(REFUSES), at(SILENT)), this::connect, LIMIT));
        assertEquals("WRONGPASS", thrown.code());
    }
}
