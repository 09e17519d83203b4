package io.holdfast.faults.simulation;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/** What happened last, a line each, and a sum over all that ever happened, by which two runs are compared. */
final class Trace {
    private static final int KEPT = 60;
    private static final long PRIME = 1_099_511_628_211L;

    private final Supplier<Duration> clock;
    private final Deque<String> last = new ArrayDeque<>();
    private long sum = 0xcbf29ce484222325L;
    private long lines;

    Trace(Supplier<Duration> clock) {
        this.clock = clock;
    }

    void add(Object who, String what) {
        long micros = clock.get().toNanos() / 1_000;
        sum = (sum ^ micros) * PRIME;
        sum = (sum ^ what.hashCode()) * PRIME;
        lines++;
        if (last.size() == KEPT) {
            last.removeFirst();
        }
        String fraction = Long.toString(1_000_000 + micros % 1_000_000).substring(1);
        last.addLast(micros / 1_000_000 + "." + fraction + " " + who + " " + what);
    }

    long sum() {
        return sum;
    }

    long lines() {
        return lines;
    }

    List<String> last() {
        return List.copyOf(last);
    }
}
