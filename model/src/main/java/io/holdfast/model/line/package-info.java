/** A model of shared lines on one server: read/write locks and permits. */
@NullMarked
package io.holdfast.model.line;

import org.jspecify.annotations.NullMarked;
