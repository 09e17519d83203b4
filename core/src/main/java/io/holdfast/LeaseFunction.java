package io.holdfast;

/**
 * Work that is done under a lease, and returns something.
 *
 * @param <L> the lease
 * @param <T> what it returns
 * @param <X> what it throws
 */
@FunctionalInterface
public interface LeaseFunction<L, T, X extends Exception> {
    /** Does the work. The lease is released when this returns or throws. */
    T apply(L lease) throws X;
}
