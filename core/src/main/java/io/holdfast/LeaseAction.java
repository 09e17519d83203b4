package io.holdfast;

/**
 * Work that is done under a lease, and returns nothing.
 *
 * @param <L> the lease
 * @param <X> what it throws
 */
@FunctionalInterface
public interface LeaseAction<L, X extends Exception> {
    /** Does the work. The lease is released when this returns or throws. */
    void accept(L lease) throws X;
}
