/** Follows what a real server does, call by call: each call of a script is a step of a model, or is not followed for a reason. */
@NullMarked
package io.holdfast.model.following;

import org.jspecify.annotations.NullMarked;
