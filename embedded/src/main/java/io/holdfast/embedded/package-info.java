/** A real server for one machine, shared by the processes of one user. */
@NullMarked
package io.holdfast.embedded;

import org.jspecify.annotations.NullMarked;
