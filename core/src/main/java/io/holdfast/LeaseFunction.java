package io.holdfast;

/**
 * Work that is done under a lease, and returns a result.
 *
 * @param <L> type of the lease
 * @param <T> type of the result
 * @param <X> type of the exception that the work throws
 */
@FunctionalInterface
public interface LeaseFunction<L, T, X extends Exception> {
    /** Does the work. The lease is released when this returns or throws. */
    T apply(L lease) throws X;
}
