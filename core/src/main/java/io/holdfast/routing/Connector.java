package io.holdfast.routing;

import io.holdfast.spi.DriverException;
import io.holdfast.spi.RedisAddress;
import io.holdfast.spi.RedisDriver;

/** A function that opens drivers to single servers, also to those that other servers name later. */
@FunctionalInterface
public interface Connector {
    /**
     * Opens a driver to one server. Blocks until the driver is usable, for a bounded time. May be called by several threads at
     * the same time.
     *
     * @param address the server, with the user, password, database and encryption of the addresses that were given at first
     * @throws DriverException as {@link io.holdfast.spi.RedisDriverProvider#connect} does
     */
    RedisDriver connect(RedisAddress address);
}
