/** Deadlocks that are found in pictures of a world that moves on. */
@NullMarked
package io.holdfast.model.deadlock;

import org.jspecify.annotations.NullMarked;
