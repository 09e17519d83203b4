/** Asking several servers, a majority of which has to grant. */
@NullMarked
package io.holdfast.internal.quorum;

import org.jspecify.annotations.NullMarked;
