package io.holdfast.jedis;

import io.holdfast.spi.DriverException;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;

/** Where connections come from. Used by the threads of the two connections of one driver. */
interface ConnectionSource {
    /**
     * Opens or borrows a connection that is authenticated, answers, and waits for replies without a time limit. Blocks.
     *
     * @throws DriverException if there is none to be had now
     */
    Opened open();

    /** A source of the same connections, which is shut apart from this one. */
    ConnectionSource another();

    /** Makes calls of {@link #open} end soon, those that run and those to come. */
    void shut();

    /** Host and port. */
    String describe();

    /** Says that nothing was answered in time. */
    String silence();

    /** A connection that is ready for use. */
    interface Opened {
        Connection connection();

        /** What the server sends, reply by reply; null where the socket's stream is hidden, or encrypted. */
        default @Nullable Arrivals arrivals() {
            return null;
        }

        /** Closes the socket under a connection, whoever reads or writes there. Does not block. */
        void cut();

        /** Gives a connection back that has been cut. Called once, by the thread that has opened it. */
        void release();
    }
}
