/** The contracts that every driver and every lock is tested against, and what they stand on. */
@NullMarked
package io.holdfast.contracts;

import org.jspecify.annotations.NullMarked;
