package io.holdfast;

/**
 * Work that is done while a plain lock is held.
 *
 * @param <T> what it returns
 * @param <X> what it throws
 */
@FunctionalInterface
public interface PlainLeaseFunction<T, X extends Exception> {
    /** Does the work. The lease is released when this returns or throws. */
    T apply(PlainLease lease) throws X;
}
