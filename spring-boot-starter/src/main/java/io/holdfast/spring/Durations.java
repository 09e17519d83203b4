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

    /** A duration, {@code 0} for not at all, or {@code forever}. */
    static Wait wait(String text) {
        return text.strip().equalsIgnoreCase("forever") ? Wait.forever() : Wait.upTo(parse(text));
    }
}
