package io.holdfast.spring;

import io.holdfast.LockOptions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Options that are checked against each other, set in an order in which no one of them fails because of an old value. */
final class Terms {
    private Terms() {}

    /** With what is given of the three. */
    static LockOptions withLeaseDuration(
            LockOptions base, @Nullable Duration term, @Nullable Duration interruptBefore, @Nullable Duration least) {
        Duration before = interruptBefore == null ? base.interruptBefore() : interruptBefore;
        Duration remaining = least == null ? base.minRemaining() : least;
        LockOptions options = base.withInterruptBefore(null).withMinRemaining(Duration.ZERO);
        options = term == null ? options : options.withLeaseDuration(term);
        return options.withInterruptBefore(before).withMinRemaining(remaining);
    }
}
