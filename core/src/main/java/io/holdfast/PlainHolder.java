package io.holdfast;

import io.holdfast.internal.wire.LogText;
import java.time.Duration;
import java.util.Optional;

/**
 * The holder of a plain lock, as the server reports it.
 *
 * @param value the key's value, read as UTF-8. The plain protocol says nothing else about a holder. If the value has more than
 *     200 bytes, this is its first hundred bytes, its length and its SHA-1
 * @param remaining how long the key will last without renewal; empty if it does not expire
 */
public record PlainHolder(String value, Optional<Duration> remaining) {
    /** Describes the holder in one line, for people. */
    public String describe() {
        return "held by '" + LogText.text(value) + "'"
                + remaining
                        .map(left -> ", for another " + left.toMillis() + " ms unless renewed")
                        .orElse(", without expiry");
    }
}
