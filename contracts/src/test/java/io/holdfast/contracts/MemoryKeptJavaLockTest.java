package io.holdfast.contracts;

import io.holdfast.LockOptions;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.TestServer;
import java.time.Duration;

class MemoryKeptJavaLockTest extends JavaViewContract {
    private final MemoryServer memory = MemoryServer.start();

    @Override
    protected RedisDriverProvider provider() {
        return memory.provider();
    }

    @Override
    protected TestServer startLockServer() {
        return closeLater(memory);
    }

    @Override
    protected LockOptions options() {
        return STRICT.withKeepFor(Duration.ofMillis(50));
    }
}
