package io.holdfast.spi;

/** A service that opens a driver for an address; found by {@link java.util.ServiceLoader}. Each driver module has one. */
public interface RedisDriverProvider {
    /** Returns the driver's name, such as {@code lettuce}. */
    String name();

    /**
     * Connects to a server. Blocks until the command connection is usable, for at most {@link ConnectOptions#connectTimeout()}
     * after the classes of the client are loaded.
     *
     * @throws DriverException {@code UNKNOWN} if nothing answers at the address, or the peer that answers is not a Redis server;
     *     {@code REJECTED} if the server answered with an error, for example about the password. An interrupt ends the call
     *     as {@code UNKNOWN}, and the thread stays interrupted
     */
    RedisDriver connect(RedisAddress address, ConnectOptions options);
}
