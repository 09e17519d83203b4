package io.holdfast.spring;

import io.holdfast.DistributedSemaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Permits of a semaphore, as an annotation asks for them.
 *
 * @param count so many at once
 * @param limit so many may be out
 */
record Permits(int count, int limit) {
    private static final Pattern FORM = Pattern.compile("\\s*(\\d{1,7})\\s*/\\s*(\\d{1,7})\\s*");

    /** Reads {@code 1/5}; null if nothing is said. */
    static @Nullable Permits of(String text) {
        if (text.isEmpty()) {
            return null;
        }
        Matcher form = FORM.matcher(text);
        if (form.matches()) {
            int count = Integer.parseInt(form.group(1));
            int limit = Integer.parseInt(form.group(2));
            if (count >= 1 && count <= limit && limit <= DistributedSemaphore.MAX_PERMITS) {
                return new Permits(count, limit);
            }
        }
        throw new IllegalArgumentException("permits is '" + text + "', must be K/N, as in 1/5: K permits of N, 1 to "
                + DistributedSemaphore.MAX_PERMITS + " and K not more than N");
    }
}
