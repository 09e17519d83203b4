package io.holdfast.faults.simulation;

import org.jspecify.annotations.Nullable;

/**
 * Checks that keep what they find first: what comes after it may only follow from it.
 *
 * @param <C> names the checks
 */
abstract class FirstFinding<C extends Enum<C>> {
    private @Nullable Finding finding;

    final void found(C check, String what) {
        if (finding == null) {
            finding = new Finding(check, what);
        }
    }

    final @Nullable Finding finding() {
        return finding;
    }
}
