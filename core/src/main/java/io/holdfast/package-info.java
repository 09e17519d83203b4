/**
 * Distributed locks on Redis and Valkey: waiters queue on the server, a release hands the lock to the next in line, every
 * lease carries a fencing token and is renewed, and its holder is notified if it is lost.
 *
 * <p>{@link io.holdfast.Holdfast} is where to begin. What the locks promise to threads of one JVM, and to processes, is said
 * at {@link io.holdfast.DistributedLock}.
 */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
