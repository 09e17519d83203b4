/** Several locks as one. */
@NullMarked
package io.holdfast.model.sets;

import org.jspecify.annotations.NullMarked;
