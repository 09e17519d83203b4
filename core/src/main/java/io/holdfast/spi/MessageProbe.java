package io.holdfast.spi;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * A probe that finds out whether messages can still arrive on one connection. A peer may vanish without notice, or a middlebox
 * may forget the connection. Nothing is reset then, and a dead connection looks like one on which there are no messages.
 *
 * <p>So the probe asks the server for an answer once nothing has arrived for {@value #SILENCE_SECONDS} s. Anything that arrives
 * proves that the connection works. If nothing arrives for another {@value #PATIENCE_SECONDS} s, the connection is replaced. If
 * the process was paused meanwhile, the answer may have arrived but not been read. So after a late check, the connection gets
 * that time once more.
 *
 * <p>There is one probe for each connection, from its opening to its end. {@link #heard} and {@link #stop} may be called by any
 * thread.
 */
public final class MessageProbe {
    /** The operations of a driver that the probe of a connection needs. The probe calls them in its tasks, one at a time. */
    public interface Line {
        /**
         * Sends a request that the server always answers, on this connection. Does not block.
         *
         * @return completes with the answer, or exceptionally; a {@link DriverException} that is {@code REJECTED} is an answer too
         */
        CompletionStage<?> ask();

        /** Breaks the connection, so that the driver opens another. Does not block for long. */
        void replace();

        /**
         * Runs a task once, no earlier than after the delay. Tasks must run one at a time, and each must see the effects of the
         * earlier ones. They are short. A driver that has ended may drop them.
         */
        void later(long delayNanos, Runnable task);

        /** Returns the server in readable form. */
        String describe();
    }

    private static final System.Logger LOG = System.getLogger("io.holdfast");

    static final int SILENCE_SECONDS = 5;
    static final int PATIENCE_SECONDS = 5;

    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(SILENCE_SECONDS);
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);

    /** A look that is later than this shows that the process, or the thread of the looks, stood still. */
    private static final long LATE_NANOS = PATIENCE_NANOS / 2;

    private final Ticker ticker;
    private final Line line;
    private volatile long heardNanos;
    private volatile boolean over;

    /** When the next look is due. This and the next two fields are used by the looks only, and before the first. */
    private long dueNanos;

    private boolean asked;
    private long askedNanos;

    MessageProbe(Ticker ticker, Line line) {
        this.ticker = ticker;
        this.line = line;
        heardNanos = ticker.nanoTime();
    }

    /** Starts the probe of a connection that was just opened. */
    public static MessageProbe begin(Line line) {
        MessageProbe probe = new MessageProbe(Ticker.system(), line);
        probe.lookAfter(SILENCE_NANOS);
        return probe;
    }

    /** Records that something has arrived on the connection. */
    public void heard() {
        heardNanos = ticker.nanoTime();
    }

    /** Stops the probe, because the connection has ended or is about to end. */
    public void stop() {
        over = true;
    }

    void lookAfter(long nanos) {
        dueNanos = ticker.nanoTime() + nanos;
        line.later(nanos, this::look);
    }

    private void look() {
        if (over) {
            return;
        }
        long next = PATIENCE_NANOS; // whatever is thrown
        try {
            next = decide(ticker.nanoTime());
        } finally {
            if (!over) {
                lookAfter(next);
            }
        }
    }

    /** Answers in how many nanoseconds to look again. */
    private long decide(long now) {
        if (now - dueNanos > LATE_NANOS) {
            return PATIENCE_NANOS;
        }
        long heard = heardNanos;
        if (asked && heard - askedNanos < 0) {
            giveUp(now - heard);
            return PATIENCE_NANOS;
        }
        asked = false;
        long left = SILENCE_NANOS - (now - heard);
        if (left > 0) {
            return left;
        }
        askedNanos = now;
        asked = true;
        var unused = line.ask().whenComplete((answer, failure) -> {
            if (failure == null
                    || (failure instanceof DriverException refused
                            && refused.kind() == DriverException.Kind.REJECTED)) {
                heard();
            }
        });
        return PATIENCE_NANOS;
    }

    private void giveUp(long silentNanos) {
        line.replace();
        over = true;
        LOG.log(
                System.Logger.Level.WARNING,
                () -> "nothing has come from " + line.describe() + " on the connection for messages for "
                        + TimeUnit.NANOSECONDS.toMillis(silentNanos) + " ms: connecting again");
    }
}
