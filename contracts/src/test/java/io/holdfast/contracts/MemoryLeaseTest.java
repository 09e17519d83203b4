package io.holdfast.contracts;

import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;
import io.holdfast.testkit.MemoryServer;
import io.holdfast.testkit.TestServer;
import org.junit.jupiter.api.Tag;

/** The server in memory keeps what is promised of any lease. */
@Tag("long")
class MemoryLeaseTest extends LeaseContract {
    @Override
    protected RedisDriverProvider provider() {
        throw new UnsupportedOperationException("each server has its own");
    }

    @Override
    protected TestServer startLockServer() {
        return closeLater(MemoryServer.start());
    }

    @Override
    protected RedisDriver driver(TestServer server) {
        return ((MemoryServer) server).driver();
    }
}
