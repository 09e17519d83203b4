/**
 * Guards for a store: they refuse the late write of a holder that was paused. For values on the Redis server itself see
 * {@link io.holdfast.FencedValue}.
 */
@NullMarked
package io.holdfast.fencing;

import org.jspecify.annotations.NullMarked;
