package io.holdfast.testkit;

import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.Reply;

/** A server that a suite can put questions to, past the driver under test, and freeze: a real one, or one in memory. */
public interface TestServer extends AutoCloseable {
    /** What the provider of the driver under test is asked to connect to. */
    RedisAddress address();

    /**
     * Sends one command and waits for the reply.
     *
     * @throws io.holdfast.spi.DriverException if the server answers with an error, or not at all
     */
    Reply command(String... words);

    /** Leaves what clients send unanswered, on connections that stay open, until {@link #thaw}. */
    void freeze();

    /** Carries out what has come meanwhile, in its order, and goes on. */
    void thaw();

    @Override
    void close();
}
