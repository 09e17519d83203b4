package io.holdfast.jedis;

import io.holdfast.jedis.ConnectionSource.Opened;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.ReconnectPause;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A daemon thread that opens a connection, reads from it until it breaks, and opens it again after a {@linkplain ReconnectPause
 * pause}.
 */
final class ConnectionKeeper {
    /** What is done with the connection. All methods run on the keeper's thread. */
    interface Duty {
        /**
         * Uses a connection until it breaks, which is the only way in which this ends.
         *
         * @throws RuntimeException why it broke; or an {@link Error}
         */
        void serve(Pipeline pipeline);

        /**
         * The connection served last is gone. Called again if it throws.
         *
         * @param closed whether because the driver was closed
         */
        void broken(Pipeline pipeline, DriverException reason, boolean closed);

        /**
         * No connection could be opened.
         *
         * @return whether to go on trying
         */
        boolean notOpened(DriverException reason);

        /** The thread ends. */
        void stopped(DriverException reason);
    }

    /** So often it is tried to tell those who wait that their connection broke: for about a minute. */
    private static final int MOST_CONCLUSIONS = 64;

    private final ConnectionSource source;
    private final Duty duty;
    private final Thread thread;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable Pipeline current;

    /** In a row. Used by the keeper's thread only. */
    private int failures;

    ConnectionKeeper(String purpose, ConnectionSource source, Duty duty) {
        this.source = source;
        this.duty = duty;
        this.thread = new Thread(this::run, "holdfast-jedis-" + purpose + "-" + source.describe());
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    /** Makes the thread end soon. The source has been shut before. */
    void close() {
        closed.countDown();
        Pipeline pipeline = current;
        if (pipeline != null) {
            pipeline.end(driverClosed());
        }
        if (thread != Thread.currentThread()) {
            thread.interrupt();
        }
    }

    /** Ends the present connection, if there is one: the thread then opens another. */
    void reconnect() {
        Pipeline pipeline = current;
        if (pipeline != null) {
            pipeline.end(DriverException.unknown(
                    "the connection to " + source.describe() + " was given up: nothing was answered on it", null));
            LockSupport.unpark(thread); // it may have stepped back
        }
    }

    /** Waits for the end of the thread, unless called by it. */
    void join(long millis) throws InterruptedException {
        if (thread != Thread.currentThread()) {
            thread.join(millis);
        }
    }

    private static DriverException driverClosed() {
        return DriverException.unknown("the driver was closed", null);
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    private void run() {
        DriverException reason = null;
        try {
            reason = keep();
        } catch (Throwable e) {
            reason = DriverException.unknown(
                    "the thread of the connection to " + source.describe() + " cannot continue: " + e, e);
        } finally {
            duty.stopped(reason == null ? driverClosed() : reason);
        }
    }

    /** Answers why it ended. */
    private DriverException keep() {
        while (!isClosed()) {
            try {
                DriverException end = openAndServe();
                if (end != null) {
                    return end;
                }
            } catch (Throwable e) {
                // Even telling of a failure has failed, or giving a connection back. To log it would fail as well.
            }
            pause(failures++);
        }
        return driverClosed();
    }

    /** Answers null to go on, or why not. */
    private @Nullable DriverException openAndServe() {
        Opened opened;
        try {
            opened = source.open();
        } catch (Throwable e) {
            DriverException reason = isClosed() ? driverClosed() : notOpened(e);
            return duty.notOpened(reason) ? null : reason;
        }
        long sinceNanos = System.nanoTime();
        serve(opened);
        if (System.nanoTime() - sinceNanos > ReconnectPause.HELD_NANOS) {
            failures = 0;
        }
        return null;
    }

    /** A source reports what it knows of. Beyond that, replies that are none can end in any exception of Jedis. */
    private DriverException notOpened(Throwable e) {
        return e instanceof DriverException known
                ? known
                : DriverException.unknown("no connection to " + source.describe() + ": " + e, e);
    }

    private void serve(Opened opened) {
        Throwable cause = null;
        Pipeline pipeline = null;
        try {
            pipeline = new Pipeline(opened);
            current = pipeline;
            // close() may have come too early to see this connection.
            if (!isClosed()) {
                duty.serve(pipeline);
            }
        } catch (Throwable e) {
            cause = e;
        }
        current = null;
        if (pipeline == null) {
            opened.cut();
        } else {
            conclude(pipeline, cause);
        }
        opened.release();
    }

    /** Tells everybody; again after a pause where that fails, since who is not told waits in vain. */
    private void conclude(Pipeline pipeline, @Nullable Throwable cause) {
        for (int attempt = 0; attempt < MOST_CONCLUSIONS; attempt++) {
            try {
                DriverException reason = cause == null || isClosed()
                        ? driverClosed()
                        : DriverException.unknown(
                                "the connection to " + source.describe() + " broke: " + cause.getMessage(), cause);
                pipeline.end(reason);
                duty.broken(pipeline, reason, isClosed());
                return;
            } catch (Throwable e) {
                pause(attempt);
            }
        }
    }

    private void pause(int failures) {
        try {
            if (closed.await(ReconnectPause.millis(failures), TimeUnit.MILLISECONDS)) {
                return;
            }
        } catch (InterruptedException e) {
            // Only close() interrupts this thread, and the loop asks for that.
        }
    }
}
