/** Holds that serve the line of one client while other clients wait at the server. */
@NullMarked
package io.holdfast.model.turns;

import org.jspecify.annotations.NullMarked;
