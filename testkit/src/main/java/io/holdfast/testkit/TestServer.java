package io.holdfast.testkit;

import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.Reply;

/** A server, real or in memory, that a suite can query without the driver under test, and can freeze. */
public interface TestServer extends AutoCloseable {
    /** Returns the address to which the provider of the driver under test connects. */
    RedisAddress address();

    /**
     * Sends one command and waits for the reply.
     *
     * @throws io.holdfast.spi.DriverException if the server answers with an error, or not at all
     */
    Reply command(String... words);

    /** Freezes the server until {@link #thaw}: connections stay open, and requests of clients are not answered. */
    void freeze();

    /** Ends {@link #freeze}: the server executes the requests that have come meanwhile, in their order, and goes on. */
    void thaw();

    @Override
    void close();
}
