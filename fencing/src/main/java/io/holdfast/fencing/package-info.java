/**
 * Guards to put in front of a store, so that the late write of a holder that was paused is refused. For values on the Redis
 * server itself see {@link io.holdfast.FencedValue}.
 */
@NullMarked
package io.holdfast.fencing;

import org.jspecify.annotations.NullMarked;
