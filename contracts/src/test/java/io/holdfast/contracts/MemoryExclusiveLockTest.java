package io.holdfast.contracts;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.TestServer;

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
