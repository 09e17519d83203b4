package io.holdfast;

import io.holdfast.internal.wire.LogText;
import java.time.Duration;
import java.util.Optional;

/**
 * Who holds a plain lock, as the server reports it.
 *
 * @param value the key's value, read as UTF-8: all that the plain protocol says of a holder. Of a value of more than 200
 *     bytes, the first hundred, its length and its SHA-1
 * @param remaining how long the key will last without renewal; empty if it does not expire
 */
public record PlainHolder(String value, Optional<Duration> remaining) {
    /** For people. */
    public String describe() {
        return "held by '" + LogText.text(value) + "'"
                + remaining
                        .map(left -> ", for another " + left.toMillis() + " ms unless renewed")
                        .orElse(", without expiry");
    }
}
