package io.holdfast;

/**
 * Work that is done while all locks of a set are held.
 *
 * @param <T> what it returns
 * @param <X> what it throws
 */
@FunctionalInterface
public interface LeaseSetFunction<T, X extends Exception> {
    /** Does the work. All locks are released when this returns or throws. */
    T apply(LeaseSet leases) throws X;
}
