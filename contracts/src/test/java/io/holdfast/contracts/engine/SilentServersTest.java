package io.holdfast.contracts.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.holdfast.contracts.FakeDriver;
import io.holdfast.contracts.ForwardingDriver;
import io.holdfast.internal.wire.SilentServers;
import io.holdfast.spi.Command;
import io.holdfast.spi.RedisDriver;
import io.holdfast.testkit.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Which connections are opened anew because nothing is answered on them. */
final class SilentServersTest {
    private static final long LIMIT = 1_000;

    private final VirtualTime time = new VirtualTime();
    private final FakeDriver first = new FakeDriver(time);
    private final FakeDriver second = new FakeDriver(time);
    private final List<RedisDriver> masters = new ArrayList<>(List.of(first, second));
    private final RedisDriver driver = new ForwardingDriver(first) {
        @Override
        public int partitions() {
            return masters.size();
        }

        @Override
        public int partition(String key) {
            return key.equals("b") ? 1 : 0;
        }

        @Override
        public RedisDriver master(int partition) {
            return masters.get(partition);
        }

        @Override
        public List<RedisDriver> masters() {
            return masters;
        }
    };
    private final SilentServers silences = new SilentServers(driver, LIMIT);

    private AtomicLong asked(String key, long now) {
        return silences.asked(driver, new Command(key, List.of("GET", key)), now);
    }

    @Test
    void check_oneOfTwoServersIsSilent_connectsToThatOneOnly() {
        asked("a", 0);
        SilentServers.answered(asked("b", 0));
        AtomicLong other = asked("b", 10);
        silences.check(LIMIT - 1);
        assertEquals(0, first.reconnects());
        silences.check(LIMIT);
        assertEquals(1, first.reconnects());
        assertEquals(0, second.reconnects(), "it was asked later");
        SilentServers.answered(other);
        silences.check(3 * LIMIT);
        assertEquals(1, first.reconnects(), "nothing was asked since");
        assertEquals(0, second.reconnects());
    }

    @Test
    void check_silentThoughTheOtherAnswers_isConnectedToAnew() {
        asked("a", 0);
        for (int i = 1; i < LIMIT; i += 100) {
            SilentServers.answered(asked("b", i));
        }
        silences.check(LIMIT);
        assertEquals(1, first.reconnects());
    }

    @Test
    void check_serverHasGone_isForgotten() {
        AtomicLong silence = asked("b", 0);
        masters.set(1, new FakeDriver(time));
        SilentServers.answered(silence);
        silences.check(1);
        asked("b", 2);
        silences.check(LIMIT + 1);
        assertEquals(0, second.reconnects());
    }

    @Test
    void clear_silenceBefore_doesNotCount() {
        asked("a", 0);
        silences.clear();
        silences.check(2 * LIMIT);
        asked("a", 2 * LIMIT);
        silences.check(3 * LIMIT - 1);
        assertEquals(0, first.reconnects());
    }
}
