/** Finding requests that wait for each other: not part of the API. */
@NullMarked
package io.holdfast.internal.deadlock;

import org.jspecify.annotations.NullMarked;
