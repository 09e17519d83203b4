/** What the simulation needs to see of the engine. */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
