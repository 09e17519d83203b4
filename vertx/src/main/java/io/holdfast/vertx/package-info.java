/** A driver over Vert.x' Redis client. */
@NullMarked
package io.holdfast.vertx;

import org.jspecify.annotations.NullMarked;
