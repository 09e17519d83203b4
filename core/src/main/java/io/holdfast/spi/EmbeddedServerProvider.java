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

    /**
     * One client's share in the server. The server may end before the share is closed: killed, or together with the process
     * that started it. A process that has a share then asks {@link #find()}.
     *
     * <p>Methods may be called from any thread.
     */
    interface EmbeddedServer extends AutoCloseable {
        /** Where the server listens, as far as is known, with its password. Does not block. */
        RedisAddress address();

        /**
         * Where the server listens that the processes of this user share now: the same as before if it lives, else another
         * that a process has started meanwhile or that this call starts. Two that ask at once get the same. A server that
         * lives and does not answer stays the shared one. Blocks for at most a few seconds.
         *
         * @throws DriverException as {@link #join()} does; a later call may succeed
         */
        RedisAddress find();

        /**
         * Lets the others see when this client has ended: once this process has ended, and the other processes that are
         * named, {@link #hasEnded} answers true. Replaces what was said of the client before. Best effort: if it cannot be
         * done, the others never see it. Does not block for long.
         *
         * @param client the client's id
         * @param others processes that its locks are held for too
         */
        void present(String client, long... others);

        /**
         * Takes back what {@link #present} has said: the end of this process will not show that the client's locks have no
         * holder.
         *
         * @throws DriverException {@code UNKNOWN} if it cannot be taken back
         */
        void conceal(String client);

        /**
         * Whether a client of this server has certainly ended, so that its leases have no holder. False where that is not
         * known. Reads a file or two, and does not ask the server. Should not be called after {@link #close()}.
         *
         * @param client the client's id
         */
        boolean hasEnded(String client);

        /** Gives the share back. The server ends by itself some time after the last process has gone. */
        @Override
        void close();
    }
}
