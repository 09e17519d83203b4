package io.holdfast.cli;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastOptions;
import io.holdfast.spi.RedisAddress;
import org.jspecify.annotations.Nullable;

/**
 * The server that is to be used.
 *
 * @param url its address; null for the one that this user's processes share on this machine
 */
record Server(@Nullable String url) {
    private static final String VARIABLE = "HOLDFAST_URL";

    /** From the option, else from the environment. */
    static Server chosen(@Nullable String option) {
        String text = option == null ? System.getenv(VARIABLE) : option;
        if (option == null && (text == null || text.isEmpty())) {
            return new Server(null);
        }
        return new Server(text);
    }

    boolean machineLocal() {
        return url == null;
    }

    Holdfast connect(String application) {
        HoldfastOptions options = HoldfastOptions.defaults().withApplication(application);
        if (url == null) {
            return Holdfast.embedded(options);
        }
        try {
            RedisAddress.parse(url);
        } catch (IllegalArgumentException e) {
            // It may hold a password, so it is not repeated.
            throw new UsageException("--url or " + VARIABLE + ": " + e.getMessage());
        }
        return Holdfast.connect(url, options);
    }
}
