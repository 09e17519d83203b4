/** Follows the calls of scripts that real servers run for real clients, each in one transaction with what is stored before and after. */
@NullMarked
package io.holdfast.faults.following;

import org.jspecify.annotations.NullMarked;
