/** A lock provider for ShedLock. */
@NullMarked
package io.holdfast.shedlock;

import org.jspecify.annotations.NullMarked;
