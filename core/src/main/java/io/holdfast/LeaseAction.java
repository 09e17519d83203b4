package io.holdfast;

/**
 * Work that is done under a lease, and returns nothing.
 *
 * @param <L> type of the lease
 * @param <X> type of the exception that the work throws
 */
@FunctionalInterface
public interface LeaseAction<L, X extends Exception> {
    /** Does the work. The lease is released when this returns or throws. */
    void accept(L lease) throws X;
}
