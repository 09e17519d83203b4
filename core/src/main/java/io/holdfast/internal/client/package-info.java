/** A client over one server: its ways of asking, and the order in which they hear of connections and of the end. */
@NullMarked
package io.holdfast.internal.client;

import org.jspecify.annotations.NullMarked;
