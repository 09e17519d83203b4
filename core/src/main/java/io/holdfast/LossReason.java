package io.holdfast;

/** The reason why a lease is no longer held although it was not released. */
public enum LossReason {
    /**
     * The lease's deadline passed without an answered renewal: the server or the connection was away, or this process stood
     * still.
     */
    EXPIRED,
    /**
     * The server answered that the lock is free or has another holder: the hold had expired, the server lost it, or it was
     * released by name and the message about that has not arrived.
     */
    NOT_ON_SERVER,
    /** The lock was released by name: by an operator ({@link Admin}), or by a request that took over from a stuck holder. */
    REVOKED,
    /** The lease's options ended its renewal: renewal is off, or the maximum hold time was reached. */
    LEASE_LIMIT_REACHED,
    /** The {@link Lease} became unreachable without having been released, so that renewal ended. */
    ABANDONED,
    /** The client was closed. */
    CLIENT_CLOSED
}
