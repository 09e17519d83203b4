package io.holdfast.vertx;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.ReconnectPause;
import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Keeps one connection open: opens it again after a {@linkplain ReconnectPause pause} when it has ended. All of it is used on the
 * lane.
 */
final class Keeper {
    /** What is done with the connection. */
    interface Duty {
        /** The connection is open. */
        void up(Line line);

        /** The connection of the last {@link #up} is gone. */
        void broken(DriverException reason);

        /**
         * No connection could be opened.
         *
         * @return whether to go on trying
         */
        boolean notOpened(DriverException reason);
    }

    private final Opener opener;
    private final Duty duty;
    private @Nullable Opening opening;
    private @Nullable Line line;
    private boolean closed;

    /** In a row. */
    private int failures;

    Keeper(Opener opener, Duty duty) {
        this.opener = opener;
        this.duty = duty;
    }

    /** Opens the connection. To be called once, and again after {@link Duty#notOpened} has answered no. */
    void open() {
        if (!closed) {
            opening = Opening.begin(opener, this::opened, this::notOpened);
        }
    }

    private void opened(Line fresh) {
        opening = null;
        line = fresh;
        long sinceNanos = System.nanoTime();
        fresh.follow(reason -> {
            line = null;
            if (System.nanoTime() - sinceNanos > ReconnectPause.HELD_NANOS) {
                failures = 0;
            }
            duty.broken(fresh.broken(reason));
            openLater();
        });
        if (line == fresh) {
            duty.up(fresh);
        }
    }

    private void notOpened(DriverException reason) {
        opening = null;
        if (duty.notOpened(reason)) {
            openLater();
        }
    }

    private void openLater() {
        if (closed) {
            return;
        }
        opener.lane().later(TimeUnit.MILLISECONDS.toNanos(ReconnectPause.millis(failures++)), this::open);
    }

    /** Ends the present connection, if there is one: another is opened then. */
    void reconnect(String why) {
        if (line != null) {
            line.cut(DriverException.unknown("the connection to " + opener.where() + " was given up: " + why, null));
        }
    }

    /** For good. Answers what completes when the socket is closed. */
    Future<Void> close() {
        closed = true;
        if (opening != null) {
            opening.abandon();
        }
        Line last = line;
        if (last == null) {
            return Future.succeededFuture();
        }
        last.cut(driverClosed());
        return last.closed();
    }

    static DriverException driverClosed() {
        return DriverException.unknown("the driver was closed", null);
    }
}
