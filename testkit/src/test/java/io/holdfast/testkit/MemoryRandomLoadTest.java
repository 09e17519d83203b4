package io.holdfast.testkit;

import io.holdfast.spi.RedisDriverProvider;

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
