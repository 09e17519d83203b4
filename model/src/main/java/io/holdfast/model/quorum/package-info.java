/** A lock on a majority of servers. */
@NullMarked
package io.holdfast.model.quorum;

import org.jspecify.annotations.NullMarked;
