package io.holdfast.testkit;

import io.holdfast.spi.RedisDriverProvider;

/** The server in memory keeps what an exclusive lock promises. */
class MemoryExclusiveLockTest extends ExclusiveLockContract {
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
