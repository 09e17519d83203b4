/** What all locks with a queue have in common: the keys of a queue, the scripts' parts that work on them, and who waits. */
@NullMarked
package io.holdfast.model.queue;

import org.jspecify.annotations.NullMarked;
