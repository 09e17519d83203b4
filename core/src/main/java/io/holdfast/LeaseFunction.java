package io.holdfast;

/**
 * Work that is done while a lock is held.
 *
 * @param <T> what it returns
 * @param <X> what it throws
 */
@FunctionalInterface
public interface LeaseFunction<T, X extends Exception> {
    /** Does the work. The lease is released when this returns or throws. */
    T apply(Lease lease) throws X;
}
