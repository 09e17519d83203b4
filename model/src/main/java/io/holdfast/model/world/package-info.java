/** Whole clients beside a server, whatever kind of lock it keeps. */
@org.jspecify.annotations.NullMarked
package io.holdfast.model.world;
