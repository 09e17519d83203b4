/** Holdfast in applications that have Redisson. */
@NullMarked
package io.holdfast.redisson;

import org.jspecify.annotations.NullMarked;
