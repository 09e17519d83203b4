package io.holdfast.contracts;

import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.TestServer;

class MemoryJavaLockTest extends JavaViewContract {
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
