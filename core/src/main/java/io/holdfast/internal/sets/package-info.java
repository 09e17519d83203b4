/** Several locks as one, over whatever engine asks for each. */
@NullMarked
package io.holdfast.internal.sets;

import org.jspecify.annotations.NullMarked;
