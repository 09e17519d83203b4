package io.holdfast.spi;

import java.time.Duration;

/**
 * How a driver connects.
 *
 * @param connectTimeout the longest time for establishing one connection, including its greeting
 * @param clientName the name under which the server lists the connections ({@code CLIENT SETNAME}); without spaces
 */
public record ConnectOptions(Duration connectTimeout, String clientName) {
    /** Five seconds, named {@code holdfast}. */
    public static ConnectOptions defaults() {
        return new ConnectOptions(Duration.ofSeconds(5), "holdfast");
    }
}
