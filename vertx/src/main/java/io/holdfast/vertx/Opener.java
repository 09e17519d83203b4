package io.holdfast.vertx;

import io.holdfast.spi.DriverException;
import java.time.Duration;
import java.util.concurrent.Callable;

/**
 * How the connections of a driver are opened.
 *
 * @param where host and port
 * @param tls whether the connections are encrypted
 * @param limit for one connection, with its greeting
 * @param silence what to say if that is over
 * @param target asked for each attempt on a thread that may block; its {@link DriverException} is what the attempt ends with
 */
record Opener(Lane lane, String where, boolean tls, Duration limit, String silence, Callable<Target> target) {
    DriverException silent(Throwable cause) {
        return DriverException.unknown("no connection to " + where + ": " + silence, cause);
    }
}
