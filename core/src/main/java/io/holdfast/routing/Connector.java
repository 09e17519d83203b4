package io.holdfast.routing;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;

/** Opens drivers to single servers, also to those that other servers name later. */
@FunctionalInterface
public interface Connector {
    /**
     * Blocks until the driver is usable, for a bounded time. Called on several threads at a time.
     *
     * @param address with the user, password, database and encryption of the addresses that were given at first
     * @throws DriverException as {@link io.holdfast.spi.RedisDriverProvider#connect} does
     */
    RedisDriver connect(RedisAddress address);
}
