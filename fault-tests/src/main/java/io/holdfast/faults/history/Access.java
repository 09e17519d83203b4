package io.holdfast.faults.history;

/**
 * What the holder of a lock read from a guarded register, or wrote to it.
 *
 * @param register which one
 * @param isWrite whether it wrote
 * @param value what was read or written; of a read that was refused 0
 * @param begin just before the call
 * @param end just after it; 0 if no answer is known, because the process was killed: then a write may have been made or not
 * @param refused whether the register refused the token: then nothing was read or written
 */
public record Access(String register, boolean isWrite, long value, long begin, long end, boolean refused) {}
