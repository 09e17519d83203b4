/**
 * Distributed locks on Redis and Valkey. Waiters queue on the server, and a release hands the lock to the next waiter. Every
 * lease carries a fencing token and is renewed, and its holder is notified if the lease is lost.
 *
 * <p>Start with {@link io.holdfast.Holdfast}. {@link io.holdfast.DistributedLock} describes what the locks promise to threads of
 * one JVM, and to processes.
 */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
