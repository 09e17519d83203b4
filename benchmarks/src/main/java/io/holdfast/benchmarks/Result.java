package io.holdfast.benchmarks;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One line of results: one measurement of a contestant, or why there is none.
 *
 * @param size of what grows; 0 if nothing does
 * @param round from 1; 0 if it concerns all
 * @param values by the keys of the scenario's metrics, and some more
 * @param histogram of latencies, as {@link Histogram#sparse()}
 * @param failure why there are no values
 */
record Result(
        String scenario,
        int size,
        String contestant,
        int round,
        Map<String, Double> values,
        @Nullable List<Long> histogram,
        @Nullable String failure) {}
