package io.holdfast.spi;

/** Found by {@link java.util.ServiceLoader}: a server on this machine that the processes of one user share. */
public interface EmbeddedServerProvider {
    /**
     * Joins the running server of this user, or starts one. Blocks for at most a few seconds.
     *
     * @throws DriverException {@code UNKNOWN}, with a message that says what to do, if there is no server program for
     *     this platform or it could not be started
     */
    EmbeddedServer join();

    /** One process's share in the server. */
    interface EmbeddedServer extends AutoCloseable {
        /** Where the server listens, with its password. */
        RedisAddress address();

        /** Gives the share back. The server ends by itself some time after the last process has gone. */
        @Override
        void close();
    }
}
