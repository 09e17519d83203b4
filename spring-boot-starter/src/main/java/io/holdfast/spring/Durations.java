package io.holdfast.spring;

import io.holdfast.Wait;
import java.time.Duration;
import org.springframework.boot.convert.DurationStyle;

/** Durations as Boot's properties have them: {@code 10s}, {@code PT10S}, or milliseconds. */
final class Durations {
    private Durations() {}

    static Duration parse(String text) {
        return DurationStyle.detectAndParse(text.strip());
    }

    /** How long to wait: a duration, {@code 0} for not at all, or {@code forever}. */
    static Wait waitLimit(String text) {
        try {
            return text.strip().equalsIgnoreCase("forever") ? Wait.forever() : Wait.upTo(parse(text));
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(
                    "waitLimit is '" + text + "', must be a duration such as 10s, 0 or forever", e);
        }
    }
}
