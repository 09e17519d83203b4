package io.holdfast.contracts;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.TestServer;

/** The server in memory stands the random campaign. */
class MemoryRandomLoadTest extends RandomLoadContract {
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
