package io.holdfast.spi;

import java.time.Duration;

/**
 * How a driver connects.
 *
 * @param connectTimeout the longest time for establishing one connection, including its greeting
 * @param clientName the name under which the server lists the connections ({@code CLIENT SETNAME}); without spaces
 */
public record ConnectOptions(Duration connectTimeout, String clientName) {
    /** Validates. */
    public ConnectOptions {
        if (connectTimeout.isNegative() || connectTimeout.isZero()) {
            throw new IllegalArgumentException("connectTimeout is " + connectTimeout + ", must be positive");
        }
        if (clientName.isEmpty() || clientName.chars().anyMatch(c -> c <= ' ' || c > '~')) {
            throw new IllegalArgumentException(
                    "clientName is '" + clientName + "', must be visible ASCII characters without spaces");
        }
    }

    /** Five seconds, named {@code holdfast}. */
    public static ConnectOptions defaults() {
        return new ConnectOptions(Duration.ofSeconds(5), "holdfast");
    }
}
