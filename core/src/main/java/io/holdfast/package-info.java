/** Distributed locks on Redis and Valkey: queued, fenced, renewed, and told when they are lost. */
@NullMarked
package io.holdfast;

import org.jspecify.annotations.NullMarked;
