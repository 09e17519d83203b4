/** An Error at every line of the engine, near the end of every stack, and from every callback; and what must be true afterwards. */
@org.jspecify.annotations.NullMarked
package io.holdfast.faults.errors;
