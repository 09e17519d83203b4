/** The end of one of several holders, which no script notices by itself. */
@NullMarked
package io.holdfast.model.wake;

import org.jspecify.annotations.NullMarked;
