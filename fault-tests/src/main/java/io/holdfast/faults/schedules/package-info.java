/** Whole clients whose threads meet, each play small enough for a scheduler that decides which thread goes on. */
@org.jspecify.annotations.NullMarked
package io.holdfast.faults.schedules;
