/** Asking a server that keeps a queue, and notifies whoever is next. */
@NullMarked
package io.holdfast.internal.queue;

import org.jspecify.annotations.NullMarked;
