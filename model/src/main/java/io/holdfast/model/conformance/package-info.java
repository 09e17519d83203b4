/** Runs the scripts as they ship in the states of a model, and compares what they do. */
@NullMarked
package io.holdfast.model.conformance;

import org.jspecify.annotations.NullMarked;
