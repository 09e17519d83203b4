package io.holdfast.contracts;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.TestServer;
import org.junit.jupiter.api.Tag;

@Tag("long")
class MemorySelfWaitTest extends SelfWaitContract {
    private final MemoryServer memory = MemoryServer.start();

    @Override
    protected RedisDriverProvider provider() {
        return memory.provider();
    }

    @Override
    protected TestServer startLockServer() {
        return closeLater(memory);
    }
}
