package io.holdfast.spi;

/** A service that provides a server on this machine for all processes of one user; found by {@link java.util.ServiceLoader}. */
public interface EmbeddedServerProvider {
    /**
     * Joins the running server of this user, or starts one. Mostly blocks for less than a second. Each wait in it is limited, to
     * ten seconds at most.
     *
     * @throws DriverException {@code UNKNOWN}, with a message that says what to do, if there is no server program for
     *     this platform or it could not be started
     */
    EmbeddedServer join();

    /**
     * One client's share in the server. The server may end before the share is closed: it may be killed, or end together with
     * the process that started it. A process that has a share then calls {@link #find()}.
     *
     * <p>Methods may be called from any thread.
     */
    interface EmbeddedServer extends AutoCloseable {
        /** Returns the address at which the server listens, as far as is known, with its password. Does not block. */
        RedisAddress address();

        /**
         * Returns the address of the server that the processes of this user share now. This is the same server as before if it
         * is alive. Otherwise it is one that another process has started meanwhile, or that this call starts. Concurrent calls
         * get the same server. A server that is alive but does not answer remains the shared one. Blocks as {@link #join()}
         * does.
         *
         * @throws DriverException as {@link #join()} does; a later call may succeed
         */
        RedisAddress find();

        /**
         * Lets the other clients see when this client has ended. Once this process and the other named processes have ended,
         * {@link #hasEnded} returns true. Replaces what was recorded for the client before. This is best effort: if it fails, the
         * other clients never see the end. Does not block for long.
         *
         * @param client the client's id
         * @param others other processes for which its locks are held
         */
        void present(String client, long... others);

        /**
         * Withdraws the record of {@link #present}: the end of this process will not show that the client's locks have no
         * holder.
         *
         * @throws DriverException {@code UNKNOWN} if it cannot be withdrawn
         */
        void conceal(String client);

        /**
         * Returns whether a client of this server has certainly ended, so that its leases have no holder. Returns false if that
         * is not known. Reads a file or two, and does not ask the server. Should not be called after {@link #close()}.
         *
         * @param client the client's id
         */
        boolean hasEnded(String client);

        /** Gives the share back. The server ends by itself some time after the last process has left. */
        @Override
        void close();
    }
}
