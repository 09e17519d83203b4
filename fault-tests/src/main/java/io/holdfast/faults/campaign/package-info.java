/** Processes, locks and real servers under faults. */
@NullMarked
package io.holdfast.faults.campaign;

import org.jspecify.annotations.NullMarked;
