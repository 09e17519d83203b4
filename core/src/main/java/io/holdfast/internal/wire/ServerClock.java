package io.holdfast.internal.wire;

import io.holdfast.internal.wire.Deadlines.ClockPair;
import io.holdfast.spi.Ticker;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntPredicate;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What replies say of the server's clock, for each partition: the newest good {@link ClockPair}, and how fast it runs
 * ({@link ClockRate}). A reply improves the pair if its round trip was shorter than that of the
 * pair at hand, and replaces it if that is old. A reconnect drops it, because the server may be another one; what was
 * asked before that does not count any more.
 */
public final class ServerClock {
    private static final long OLD_NANOS = 2_000_000_000L;

    /** Told when a server's clock has run ahead of ours by more than deadlines allow for. */
    interface Listener {
        /**
         * Called on the thread that reads the reply, before anything follows from that.
         *
         * @param lowered from a deadline of before to what is left of it
         * @param inWords by how much, if it ran right before, or is unfit only now; else null
         */
        void ranAhead(int partition, LongUnaryOperator lowered, @Nullable String inWords);
    }

    /** @param pair null since it was dropped */
    private record Reading(@Nullable ClockPair pair, boolean dropped, long droppedNanos, ClockRate rate) {
        static final Reading NONE = new Reading(null, false, 0, ClockRate.UNKNOWN);

        /** What is left at a reconnect. Of two at about the same time, on two threads, the later one counts. */
        Reading dropAt(long now) {
            return new Reading(null, true, dropped && droppedNanos - now > 0 ? droppedNanos : now, rate.forgotten());
        }

        boolean counts(long sentNanos) {
            return !dropped || sentNanos - droppedNanos >= 0;
        }

        /** What is known after a reply: this, or the newer pair. */
        Reading read(long sentNanos, long serverMicros, ClockRate now) {
            boolean isNewer = pair == null
                    || sentNanos - pair.sentNanos() > OLD_NANOS
                    || sentNanos - pair.sentNanos() > (serverMicros - pair.serverMicros()) * 1_000
                    // Else what came before counts from a time that is not its own.
                    || !Objects.equals(now.ahead(), rate.ahead());
            return isNewer
                    ? new Reading(new ClockPair(sentNanos, serverMicros), dropped, droppedNanos, now)
                    : now == rate ? this : new Reading(pair, dropped, droppedNanos, now);
        }
    }

    private final AtomicReferenceArray<Reading> readings;
    private final Ticker ticker;
    private final double tolerated;
    private final Listener listener;

    /** @param tolerated the rate beyond which a server's clock is unfit */
    ServerClock(int partitions, Ticker ticker, double tolerated, Listener listener) {
        Reading[] none = new Reading[partitions];
        Arrays.fill(none, Reading.NONE);
        this.readings = new AtomicReferenceArray<>(none);
        this.ticker = ticker;
        this.tolerated = tolerated;
        this.listener = listener;
    }

    /** One that nobody listens to, and any rate of which is fit. */
    public ServerClock(int partitions, Ticker ticker) {
        this(partitions, ticker, Double.MAX_VALUE, (partition, lowered, inWords) -> {});
    }

    /** A time of a server, as it tells it. */
    public static Instant instant(long serverMicros) {
        return Instant.EPOCH.plus(serverMicros, ChronoUnit.MICROS);
    }

    public @Nullable ClockPair pair(int partition) {
        return readings.get(partition).pair();
    }

    /** What a server's clock shows at most at some moment, in microseconds; 0 if nothing is known. */
    public long microsAt(int partition, long nanos) {
        ClockPair pair = pair(partition);
        return pair == null ? 0 : pair.serverMicros() + (nanos - pair.sentNanos()) / 1_000;
    }

    /** As {@link Deadlines#ofReply}, by how fast the server's clock runs. */
    long deadline(int partition, long sentNanos, long termNanos) {
        ClockRate rate = readings.get(partition).rate();
        ClockRate.Ahead ahead = rate.ahead();
        return ahead != null && sentNanos - ahead.sentNanos() < 0
                ? ahead.loweredLate(Deadlines.ofReply(sentNanos, termNanos))
                : Deadlines.ofReply(sentNanos, termNanos, rate.rate());
    }

    /** As {@link Deadlines#ofHandoff}, by how fast the server's clock runs. */
    OptionalLong deadlineOfHandoff(int partition, long grantedMicros, long claimNanos, long receivedNanos) {
        Reading known = readings.get(partition);
        return Deadlines.ofHandoff(
                known.pair(),
                grantedMicros,
                claimNanos,
                receivedNanos,
                known.rate().rate());
    }

    boolean hasRunAhead(int partition) {
        return readings.get(partition).rate().ahead() != null;
    }

    double rate(int partition) {
        return readings.get(partition).rate().rate();
    }

    /** By how much it ran ahead last. */
    String aheadInWords(int partition) {
        ClockRate.Ahead ahead = readings.get(partition).rate().ahead();
        return ahead == null ? "not at all" : ahead.inWords();
    }

    boolean isUnfit(int partition) {
        return readings.get(partition).rate().isUnfit();
    }

    /** Forgets the pairs of some partitions; answers to what was asked before now do not count. */
    void drop(IntPredicate partitions, long now) {
        for (int i = 0; i < readings.length(); i++) {
            if (partitions.test(i)) {
                readings.updateAndGet(i, old -> old.dropAt(now));
            }
        }
    }

    /** A reply was received just now. */
    @SuppressWarnings("ReferenceEquality") // what has not changed is the same object
    void read(int partition, long sentNanos, long serverMicros) {
        Reading old;
        Reading now;
        do {
            old = readings.get(partition);
            if (!old.counts(sentNanos)) {
                return;
            }
            ClockRate rate = old.rate();
            // The clock is read for few replies only.
            now = old.read(
                    sentNanos,
                    serverMicros,
                    rate.isDue(sentNanos, serverMicros)
                            ? rate.read(sentNanos, ticker.nanoTime(), serverMicros, tolerated)
                            : rate);
        } while (now != old && !readings.compareAndSet(partition, old, now));
        ClockRate.Ahead ahead = now.rate().ahead();
        if (ahead != null && !ahead.equals(old.rate().ahead())) {
            listener.ranAhead(partition, ahead::lowered, ahead.isNews() ? ahead.inWords() : null);
        }
    }
}
