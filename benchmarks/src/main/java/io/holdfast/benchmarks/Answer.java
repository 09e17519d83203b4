package io.holdfast.benchmarks;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a worker answers to a task, as far as the task asks for it.
 *
 * @param error why there is nothing else; null if all went well
 * @param nanos a moment on the clock that all processes of a machine share
 * @param value a number: of bytes in use, of bytes that cycles allocated, of nanoseconds of processor time, of threads; or what work
 *     has returned
 * @param cycles that ended while counting
 * @param all cycles, with those before and after
 * @param slowest cycles of the thread that had fewest
 * @param fastest cycles of the thread that had most
 * @param histogram of the cycles that were counted
 */
record Answer(
        @Nullable String error,
        long nanos,
        long value,
        long cycles,
        long all,
        long slowest,
        long fastest,
        @Nullable List<Long> histogram) {
    static Answer done() {
        return new Answer(null, 0, 0, 0, 0, 0, 0, null);
    }

    static Answer failed(String error) {
        return new Answer(error, 0, 0, 0, 0, 0, 0, null);
    }

    static Answer at(long nanos) {
        return new Answer(null, nanos, 0, 0, 0, 0, 0, null);
    }

    static Answer of(long value) {
        return new Answer(null, 0, value, 0, 0, 0, 0, null);
    }

    static Answer of(long all, long slowest, long fastest, Histogram counted) {
        return new Answer(null, 0, 0, counted.total(), all, slowest, fastest, counted.sparse());
    }

    Answer with(long other) {
        return new Answer(error, nanos, other, cycles, all, slowest, fastest, histogram);
    }
}
