/** What processes did with locks, when, and what that says about the locks. */
@NullMarked
package io.holdfast.faults.history;

import org.jspecify.annotations.NullMarked;
