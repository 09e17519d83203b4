package io.holdfast;

import io.holdfast.Deadlines.ClockPair;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The newest good {@link ClockPair}. A reply improves it if its round trip was shorter than that of the pair at hand, and
 * replaces it if that is old; a reconnect drops it, because the server may be another one.
 */
final class ServerClock {
    private static final long OLD_NANOS = 2_000_000_000L;

    private final AtomicReference<@Nullable ClockPair> pair = new AtomicReference<>();

    @Nullable
    ClockPair pair() {
        return pair.get();
    }

    void drop() {
        pair.set(null);
    }

    void read(long sentNanos, long serverMicros) {
        ClockPair old = pair.get();
        if (old == null
                || sentNanos - old.sentNanos() > OLD_NANOS
                || sentNanos - old.sentNanos() > (serverMicros - old.serverMicros()) * 1_000) {
            // A lost race loses one improvement, which the next reply makes up for.
            pair.compareAndSet(old, new ClockPair(sentNanos, serverMicros));
        }
    }
}
