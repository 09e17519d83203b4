/** Benchmarks: contestants side by side in one run, as ratios against peers and floors. */
@NullMarked
package io.holdfast.benchmarks;

import org.jspecify.annotations.NullMarked;
