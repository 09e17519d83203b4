/** Whole clients and servers in virtual time, over a network and a scheduler that follow from a seed. */
@NullMarked
package io.holdfast.faults.simulation;

import org.jspecify.annotations.NullMarked;
