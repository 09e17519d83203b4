/** Asking again after a while, where nobody notifies that a lock became free. */
@NullMarked
package io.holdfast.internal.polled;

import org.jspecify.annotations.NullMarked;
