package io.holdfast.lettuce;

import io.holdfast.spi.ConnectOptions;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;
import io.holdfast.spi.RedisDriverProvider;

/**
 * Opens drivers over Lettuce for addresses. Each has a Lettuce client of its own with two daemon threads, one for the
 * network and one for timers and name lookups; both end with the driver. A broken connection is tried again after
 * 10 ms at most, then after pauses that grow to one second.
 */
public final class LettuceDriverProvider implements RedisDriverProvider {
    /** For {@link java.util.ServiceLoader}. */
    public LettuceDriverProvider() {}

    @Override
    public String name() {
        return "lettuce";
    }

    /**
     * {@inheritDoc}
     *
     * <p>An interrupt ends the waiting with an {@code UNKNOWN}; the thread stays interrupted.
     *
     * @throws IllegalStateException if Lettuce or Netty is too old
     */
    @Override
    public RedisDriver connect(RedisAddress address, ConnectOptions options) {
        Versions.check();
        return new OwnClient(address, options).connect();
    }
}
