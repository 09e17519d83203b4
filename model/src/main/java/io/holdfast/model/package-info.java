/** A checker that visits all states of a model, and the command that starts it. */
@NullMarked
package io.holdfast.model;

import org.jspecify.annotations.NullMarked;
