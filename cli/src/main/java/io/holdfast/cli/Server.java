package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.embedded.SharedServerProvider;
import io.holdfast.jedis.JedisDriverProvider;
import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.DriverException;
import io.holdfast.spi.EmbeddedServerProvider.EmbeddedServer;
import io.holdfast.spi.RedisAddress;
import org.jspecify.annotations.Nullable;

/**
 * The server that is to be used.
 *
 * @param url its address; null for the one that this user's processes share on this machine
 */
record Server(@Nullable String url) {
    private static final String VARIABLE = "HOLDFAST_URL";

    /** The share in the machine-local server: a connection, which is to stay until the process ends. */
    @SuppressWarnings("unused") // so that it is not collected, and closed with that
    private static volatile @Nullable EmbeddedServer share;

    /** From the option, else from the environment. */
    static Server chosen(@Nullable String option) {
        if (option != null) {
            return new Server(option);
        }
        String variable = System.getenv(VARIABLE);
        return new Server(variable == null || variable.isEmpty() ? null : variable);
    }

    boolean machineLocal() {
        return url == null;
    }

    /**
     * Connects.
     *
     * @throws DriverException if nothing answers
     */
    Holdfast connect(String application) {
        HoldfastOptions options = HoldfastOptions.defaults().withApplication(application);
        RedisAddress address = url == null ? join() : parse(url);
        try {
            // By name and not by Holdfast.connect, which has to look through every jar for drivers.
            return Holdfast.over(
                    new JedisDriverProvider()
                            .connect(address, new ConnectOptions(options.connectTimeout(), "holdfast")),
                    options);
        } catch (DriverException e) {
            if (url != null && e.kind() == DriverException.Kind.REJECTED) {
                return Holdfast.connect(url, options); // will fail too, and explain it
            }
            throw e;
        }
    }

    private static RedisAddress join() {
        EmbeddedServer joined = new SharedServerProvider().join();
        share = joined;
        return joined.address();
    }

    private static RedisAddress parse(String url) {
        try {
            return RedisAddress.parse(url);
        } catch (IllegalArgumentException e) {
            // The address is not repeated: it may hold a password.
            throw new UsageException("--url or " + VARIABLE + ": " + e.getMessage());
        }
    }
}
