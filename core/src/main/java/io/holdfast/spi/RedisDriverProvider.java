package io.holdfast.spi;

/** Found by {@link java.util.ServiceLoader}: opens a driver for an address. One per driver module. */
public interface RedisDriverProvider {
    /** The driver's name, such as {@code lettuce}. */
    String name();

    /**
     * Connects. Blocks until the command connection is usable, at most {@link ConnectOptions#connectTimeout()} after the
     * classes of the client are loaded.
     *
     * @throws DriverException {@code UNKNOWN} if nothing answers there, or what answers is no Redis server;
     *     {@code REJECTED} if the server answered with an error, for example about the password. An interrupt ends the call
     *     as {@code UNKNOWN}, and the thread stays interrupted
     */
    RedisDriver connect(RedisAddress address, ConnectOptions options);
}
