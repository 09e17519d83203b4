/** What goes to a server and comes back: keys, scripts, owners, and the server's clock. Names nothing of the engine above it. */
@NullMarked
package io.holdfast.internal.wire;

import org.jspecify.annotations.NullMarked;
