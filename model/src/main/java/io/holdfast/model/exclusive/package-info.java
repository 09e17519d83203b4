/** A model of the exclusive lock on one server: its keys and scripts, its clients, and the network between them. */
@NullMarked
package io.holdfast.model.exclusive;

import org.jspecify.annotations.NullMarked;
