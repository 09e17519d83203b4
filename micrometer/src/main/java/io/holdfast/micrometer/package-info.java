/** Metrics by Micrometer. */
@NullMarked
package io.holdfast.micrometer;

import org.jspecify.annotations.NullMarked;
