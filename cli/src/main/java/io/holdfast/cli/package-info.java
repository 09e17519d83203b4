/** The command {@code holdfast}. */
@NullMarked
package io.holdfast.cli;

import org.jspecify.annotations.NullMarked;
