/** What is measured: Holdfast, other lock libraries, and floors, behind one face. */
@NullMarked
package io.holdfast.benchmarks.contestants;

import org.jspecify.annotations.NullMarked;
