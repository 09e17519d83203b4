/** What a client hands on among its own threads, in turns, or keeps: over the queue. */
@NullMarked
package io.holdfast.internal.turns;

import org.jspecify.annotations.NullMarked;
